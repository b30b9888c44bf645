"""How the command line reads a subject."""

from __future__ import annotations

from typing import Annotated

import typer

SUBJECT = "A library program, a language, a task, a regex or a file (docs/reference/subjects.md)."
"""What every verb takes that is about a subject."""

AlphabetOption = Annotated[
    str | None,
    typer.Option("--alphabet", "-a", help="The symbols of a regex or predicate, as in `abc`, `a,b` or `if then else`."),
]
