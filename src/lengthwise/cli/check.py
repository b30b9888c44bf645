"""`lengthwise check PROGRAM …`: all problems of program files at once."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import json_text
from lengthwise.cli.completion import subject_names
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.printing import echo


def check(
    programs: Annotated[
        list[str],
        typer.Argument(metavar="PROGRAM...", help="Program files or library programs.", autocompletion=subject_names),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {program, meaning, problems}.")] = False,
) -> None:
    """Read programs and report every problem with its place and what to write instead. Exit code 2 if there is one."""
    from lengthwise import public

    checked = [public.check(name) for name in programs]
    if as_json:
        echo(json_text([each.as_json() for each in checked]))
    else:
        for each in checked:
            echo(str(each), err=bool(each.problems))
    if any(each.problems for each in checked):
        raise typer.Exit(ExitCode.BAD_INPUT)
