"""How the command line reads a subject, and its first line, which says how."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.completion import subject_names
from lengthwise.subjects import Subject

SUBJECT = "A library program, a language, a task, a regex or a file (docs/reference/subjects.md)."
"""What every verb takes that is about a subject."""

SubjectArgument = Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT, autocompletion=subject_names)]

AlphabetOption = Annotated[
    str | None,
    typer.Option("--alphabet", "-a", help="The symbols of a regex or predicate, as in `abc`, `a,b` or `if then else`."),
]


def announce(subject: Subject, *, aside: bool = False) -> None:
    """Print how a subject was read; on standard error if standard output is data."""
    typer.echo(subject.meaning, err=aside)
