"""`lengthwise library`: the programs that come with the package."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import json_text
from lengthwise.cli.printing import echo
from lengthwise.crasp import library as programs
from lengthwise.text_table import aligned


def library(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {name, description}.")] = False,
) -> None:
    """List the library programs, and below them the families that take a parameter behind a colon."""
    entries = [{"name": name, "description": description} for name, description in programs.described().items()]
    if as_json:
        echo(json_text(entries))
        return
    for line in aligned([list(entry.values()) for entry in entries]):
        echo(line)
