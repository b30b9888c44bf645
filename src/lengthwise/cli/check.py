"""`lengthwise check PROGRAM …`: all problems of program files at once."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lengthwise.cli.completion import subject_names
from lengthwise.crasp import ProgramError
from lengthwise.subjects import Subject


def check(
    programs: Annotated[
        list[str],
        typer.Argument(metavar="PROGRAM...", help="Program files or library programs.", autocompletion=subject_names),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {program, meaning, problems}.")] = False,
) -> None:
    """Read programs and report every problem with its place and what to write instead. Exit code 2 if there is one."""
    results = []
    failed = False
    for name in programs:
        problems = []
        meaning = None
        try:
            subject = Subject.of(name)
            program, meaning = subject.as_program(), subject.meaning
        except ProgramError as error:
            failed = True
            problems = [
                {
                    "code": problem.code,
                    "line": problem.span.line if problem.span else None,
                    "column": problem.span.column if problem.span else None,
                    "message": problem.message,
                    "hint": problem.hint,
                }
                for problem in error.diagnostics
            ]
            if not as_json:
                typer.echo(str(error), err=True)
        else:
            if not as_json:
                typer.echo(f"{meaning}: no problems ({len(program.statements)} statements, {program.fragment_name})")
        results.append({"program": name, "meaning": meaning, "problems": problems})
    if as_json:
        typer.echo(json.dumps(results, ensure_ascii=False, indent=2))
    if failed:
        raise typer.Exit(2)
