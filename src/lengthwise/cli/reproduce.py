"""`lengthwise reproduce FIGURE`: a figure or table of a paper, from computation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from lengthwise.cli.reproduce_request import ENGINE, FORMATS, OUT, PRESET, STORE, Request
from lengthwise.cli.reproduce_table import TABLES, reproduce_table
from lengthwise.errors import LengthwiseError

Command = Callable[[Request, bool], None]
"""What makes a figure, and prints JSON or text."""


def reproduce(
    figure: Annotated[
        str,
        typer.Argument(metavar="FIGURE", help="A name (`lengthwise figures`), or a .toml file of your own."),
    ],
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset", help="How much is trained: smoke, quick, paper or another of the figure.", show_default=PRESET
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="DIR", help="Where runs are kept.", show_default=STORE)
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Results go to DIR/FIGURE/PRESET.", show_default=OUT),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help="png, svg or pdf; several with commas between.", show_default=FORMATS),
    ] = None,
    train: Annotated[
        bool, typer.Option("--train/--no-train", help="Train what is missing, or take only what the store has.")
    ] = True,
    engine: Annotated[str | None, typer.Option("--engine", help="local, serial or ray.", show_default=ENGINE)] = None,
    processes: Annotated[int | None, typer.Option("--processes", help="How many runs at once.")] = None,
    address: Annotated[str | None, typer.Option("--address", help="Of a Ray cluster: host:port.")] = None,
    device: Annotated[str | None, typer.Option("--device", help="cpu, cuda, or auto: cuda if it is there.")] = None,
    kept: Annotated[
        str | None,
        typer.Option(
            "--kept", metavar="DIR", help="Results of earlier runs, DIR/FIGURE/PRESET: what they have is not trained."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reproduce a figure or table of a paper, and say which of the paper's claims hold.

    Runs that are finished are kept and never repeated: the same command again goes on after Ctrl-C or a kill, and
    writes the same files.
    """
    given = {
        "--preset": preset,
        "--store": store,
        "--out": out,
        "--format": formats or None,
        "--no-train": None if train else True,
        "--engine": engine,
        "--processes": processes,
        "--address": address,
        "--device": device,
        "--kept": kept,
    }
    if figure in TABLES:
        # With a store, the table is set beside what was measured in a preset of the experiments.
        taken = {"--store", "--preset"} if store is not None else set()
        refused = [name for name, value in given.items() if value is not None and name not in taken]
        if refused:
            raise LengthwiseError(f"{figure} is a table, for which nothing is trained; leave {', '.join(refused)} out")
        reproduce_table(figure, as_json, store, preset or PRESET)
        return
    request = Request(
        figure=figure,
        preset=preset or PRESET,
        store=store or STORE,
        out=out or OUT,
        formats=formats or [FORMATS],
        train=train,
        engine=engine or ENGINE,
        processes=processes,
        address=address,
        device=device,
        kept=kept,
    )
    command = _on_processor(figure)
    if command is not None and device is not None:
        raise LengthwiseError(f"{figure} is trained on the processor; leave --device out")
    if command is not None and kept is not None:
        raise LengthwiseError(f"{figure} keeps its results in the store; leave --kept out")
    (command or _on_any_device(figure))(request, as_json)


def _on_processor(figure: str) -> Command | None:
    """What makes a figure of small models of its own kind; None for one of runs."""
    from lengthwise.experiments.positional.published import catalogue as positional
    from lengthwise.experiments.probes.published import catalogue as probes
    from lengthwise.experiments.text.published import catalogue as texts

    if figure in probes():
        from lengthwise.cli.reproduce_probe import reproduce_probe

        return reproduce_probe
    if figure in texts():
        from lengthwise.cli.reproduce_text import reproduce_text

        return reproduce_text
    if figure in positional():
        from lengthwise.cli.reproduce_positional import reproduce_positional

        return reproduce_positional
    return None


def _on_any_device(figure: str) -> Command:
    """What makes a figure of runs."""
    from lengthwise.experiments.generalization.experiment import catalogue as experiments

    if figure in experiments():
        from lengthwise.cli.reproduce_generalization import reproduce_generalization

        return reproduce_generalization
    from lengthwise.cli.reproduce_figure import reproduce_figure

    return reproduce_figure
