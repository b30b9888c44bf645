"""`lengthwise library`: the programs that come with the package."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lengthwise.crasp import library as programs
from lengthwise.text_table import aligned


def library(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {name, description}.")] = False,
) -> None:
    """List the library programs, and below them the families that take a parameter behind a colon."""
    entries = [{"name": name, "description": programs.describe(name)} for name in programs.names()]
    entries += [{"name": form, "description": description} for form, description in programs.forms().items()]
    if as_json:
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=2))
        return
    for line in aligned([list(entry.values()) for entry in entries]):
        typer.echo(line)
