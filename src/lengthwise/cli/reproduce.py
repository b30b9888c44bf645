"""`lengthwise reproduce FIGURE`: a figure or table of a paper, from computation."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import interruptible, show
from lengthwise.cli.completion import figure_names
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import Address, Device, Json, Processes, TrainingSeconds
from lengthwise.cli.printing import echo


def reproduce(
    figure: Annotated[
        str,
        typer.Argument(
            metavar="FIGURE",
            help="A name (`lengthwise figures`), or a .toml file of your own.",
            autocompletion=figure_names,
        ),
    ],
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset", help="How much is trained: smoke, quick, paper or another of the figure.", show_default="quick"
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="DIR", help="Where runs are kept.", show_default="lengthwise-runs")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Results go to DIR/FIGURE/PRESET.", show_default="lengthwise-results"
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help="png, svg or pdf; several with commas between.", show_default="svg,png"),
    ] = None,
    train: Annotated[
        bool, typer.Option("--train/--no-train", help="Train what is missing, or take only what the store has.")
    ] = True,
    engine: Annotated[str | None, typer.Option("--engine", help="local, serial or ray.", show_default="local")] = None,
    processes: Processes = None,
    address: Address = None,
    device: Device = None,
    kept: Annotated[
        str | None,
        typer.Option(
            "--kept", metavar="DIR", help="Results of earlier runs, DIR/FIGURE/PRESET: what they have is not trained."
        ),
    ] = None,
    seconds: TrainingSeconds = None,
    as_json: Json = False,
) -> None:
    """Reproduce a figure or table of a paper, and say which of the paper's claims hold.

    Runs that are finished are kept and never repeated: the same command again goes on after Ctrl-C or a kill, and
    writes the same files.
    """
    import lengthwise as lw
    from lengthwise.experiments.reproduce import NothingMadeError

    try:
        with interruptible():
            made = lw.reproduce(
                figure, preset, store=store, out=out, formats=formats or None, train=train, engine=engine,
                processes=processes, address=address, device=device, kept=kept, seconds=seconds,
                tell=lambda text: echo(text, err=True),
            )  # fmt: skip
    except NothingMadeError as problem:
        echo(str(problem), err=True)
        raise typer.Exit(ExitCode.INCOMPLETE) from None
    show(made, as_json, code=ExitCode.INCOMPLETE if made.failed else ExitCode.DONE)
