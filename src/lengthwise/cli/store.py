"""`lengthwise store check|repair [DIR]`: whether what is kept is what was written, and what to do if it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.json_text import json_text

if TYPE_CHECKING:
    from lengthwise.runs.store.inspection import StoreReport

DAMAGED = 1
"""The exit code if something is damaged."""

app = typer.Typer(name="store", help="Is what is kept what was written?", no_args_is_help=True)

Directory = Annotated[str, typer.Argument(metavar="DIR", help="The directory that runs are kept in.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("check")
def check(directory: Directory = "lengthwise-runs", as_json: Json = False) -> None:
    """Look at every digest of a store and change nothing. Exit code 0: all is intact. 1: something is damaged."""
    from lengthwise.runs.store.inspection import check_store

    report = check_store(directory)
    _show(report, as_json)
    if report.damaged:
        raise typer.Exit(DAMAGED)


@app.command("repair")
def repair(directory: Directory = "lengthwise-runs", as_json: Json = False) -> None:
    """Set aside what is damaged, so that it is made again, rebuild the index, and give digests to older runs."""
    from lengthwise.runs.store.inspection import repair_store

    _show(repair_store(directory), as_json)


def _show(report: StoreReport, as_json: bool) -> None:
    if as_json:
        typer.echo(json_text(report.as_json()))
        return
    for line in report.lines():
        typer.echo(line)
