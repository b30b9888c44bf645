"""`lengthwise store check|repair [DIR]`: whether what is kept is what was written, and what to do if it is not."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import show
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import Json

app = typer.Typer(name="store", help="Is what is kept what was written?", no_args_is_help=True)

Directory = Annotated[str, typer.Argument(metavar="DIR", help="The directory that runs are kept in.")]


@app.command("check")
def check(directory: Directory = "lengthwise-runs", as_json: Json = False) -> None:
    """Look at every digest of a store and change nothing. Exit code 0: all is intact. 1: something is damaged."""
    from lengthwise.runs.store.inspection import check_store

    report = check_store(directory)
    show(report, as_json, code=ExitCode.NO if report.damaged else ExitCode.DONE)


@app.command("repair")
def repair(directory: Directory = "lengthwise-runs", as_json: Json = False) -> None:
    """Set aside what is damaged, so that it is made again, rebuild the index, and give digests to older runs."""
    from lengthwise.runs.store.inspection import repair_store

    show(repair_store(directory), as_json)
