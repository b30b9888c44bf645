"""The command line: one file per verb, each of which parses arguments, calls one function and prints.

Bad input ends with one message on standard error and exit code 2, never with a traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from lengthwise.cli import bound, capacity, sparse
from lengthwise.cli.check import check
from lengthwise.cli.check_proof import check_proof
from lengthwise.cli.compile import compile_program
from lengthwise.cli.decide import decide
from lengthwise.cli.diagnose import diagnose
from lengthwise.cli.evaluate import evaluate
from lengthwise.cli.figures import figures
from lengthwise.cli.library import library
from lengthwise.cli.papers import papers
from lengthwise.cli.protocol import protocol
from lengthwise.cli.reproduce import reproduce
from lengthwise.cli.run import run
from lengthwise.cli.search import search
from lengthwise.cli.show import show
from lengthwise.cli.simulate import simulate
from lengthwise.cli.study import study
from lengthwise.cli.tasks import tasks
from lengthwise.cli.train import train
from lengthwise.cli.verify import verify
from lengthwise.errors import LengthwiseError

app = typer.Typer(
    name="lengthwise",
    help="Will a transformer trained on short inputs work on long ones? Decide, bound and measure.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run)
app.command("show")(show)
app.command("check")(check)
app.command("check-proof")(check_proof)
app.command("decide")(decide)
app.command("library")(library)
app.command("compile")(compile_program)
app.command("evaluate")(evaluate)
app.command("eval", hidden=True)(evaluate)
app.add_typer(bound.app)
app.add_typer(capacity.app)
app.add_typer(sparse.app)
app.command("protocol")(protocol)
app.command("simulate")(simulate)
app.command("papers")(papers)
app.command("figures")(figures)
app.command("reproduce")(reproduce)
app.command("verify")(verify)
app.command("tasks")(tasks)
app.command("train")(train)
app.command("search")(search)
app.command("diagnose")(diagnose)
app.command("study")(study)

EXTRAS = {
    "torch": "train",
    "pydantic": "train",
    "loky": "train",
    "rich": "train",
    "jinja2": "report",
    "matplotlib": "report",
    "ray": "cluster",
}
"""Packages that some commands need, and the extra that each comes with."""


def _version(wanted: bool) -> None:
    if wanted:
        from lengthwise import __version__

        typer.echo(f"lengthwise {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that come before the verb."""


def main() -> None:
    """Run the command line."""
    try:
        app(prog_name="lengthwise")
    except LengthwiseError as problem:
        typer.echo(str(problem), err=True)
        sys.exit(2)
    except ModuleNotFoundError as problem:
        if problem.name not in EXTRAS:
            raise
        wanted = f"lengthwise[{EXTRAS[problem.name]}]"
        typer.echo(
            f"this needs {problem.name}, which is not installed; install it with pip install '{wanted}'", err=True
        )
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output is gone; point it elsewhere so that closing it stays quiet, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
