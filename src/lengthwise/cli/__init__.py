"""The command line: one file per verb, each of which parses arguments, calls one function and prints.

Bad input ends with one message on standard error and exit code 2, never with a traceback (`exit.py`).
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from typer.main import get_command

from lengthwise.cli import bound, capacity, sparse, store
from lengthwise.cli.check import check
from lengthwise.cli.check_proof import check_proof
from lengthwise.cli.compile import compile_program
from lengthwise.cli.decide import decide
from lengthwise.cli.diagnose import diagnose
from lengthwise.cli.evaluate import evaluate
from lengthwise.cli.exit import ExitCode, ended
from lengthwise.cli.figures import figures
from lengthwise.cli.learn import learn
from lengthwise.cli.library import library
from lengthwise.cli.papers import papers
from lengthwise.cli.printing import echo
from lengthwise.cli.protocol import protocol
from lengthwise.cli.reproduce import reproduce
from lengthwise.cli.rivals import rivals
from lengthwise.cli.run import run
from lengthwise.cli.search import search
from lengthwise.cli.show import show
from lengthwise.cli.simulate import simulate
from lengthwise.cli.study import study
from lengthwise.cli.tasks import tasks
from lengthwise.cli.train import train
from lengthwise.cli.verify import verify
from lengthwise.streams import spell_plainly

NAME = "lengthwise"
COMPLETION = "_LENGTHWISE_COMPLETE"
"""The environment variable in which shells ask for names to complete."""
CODES = (
    "Exit codes: 0 done, or yes; 1 no; 2 bad input; 3 some runs failed, or not known; 70 a fault of lengthwise "
    "(LENGTHWISE_DEBUG=1 shows where); 130 Ctrl-C; 141 nobody reads the output (docs/reference/exit-codes.md)."
)

app = typer.Typer(
    name=NAME,
    help="Will a transformer trained on short inputs work on long ones? Decide, bound and measure.",
    epilog=CODES,
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
app.command("rivals")(rivals)
app.command("learn")(learn)
app.command("tasks")(tasks)
app.command("train")(train)
app.command("search")(search)
app.command("diagnose")(diagnose)
app.command("study")(study)
app.add_typer(store.app)


def _version(wanted: bool) -> None:
    if wanted:
        from lengthwise import __version__

        echo(f"lengthwise {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that come before the verb."""


def main() -> None:
    """Run the command line; ends the program with one of the codes of `ExitCode`."""
    spell_plainly()
    sys.exit(ended(_run))


def _run() -> int:
    """The verb that was asked for; past typer's own `main`, which has exit codes of its own."""
    if COMPLETION in os.environ:
        app(prog_name=NAME)
    command = get_command(app)
    with command.make_context(NAME, sys.argv[1:]) as context:
        command.invoke(context)
    return ExitCode.DONE
