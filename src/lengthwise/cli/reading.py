"""How the command line reads a subject."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.completion import subject_names

SUBJECT = "A library program, a language, a task, a regex or a file (docs/reference/subjects.md)."
"""What every verb takes that is about a subject."""

SubjectArgument = Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT, autocompletion=subject_names)]

AlphabetOption = Annotated[
    str | None,
    typer.Option("--alphabet", "-a", help="The symbols of a regex or predicate, as in `abc`, `a,b` or `if then else`."),
]
