"""`lengthwise reproduce FIGURE`: a figure or table of a paper, from computation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from lengthwise.cli.reproduce_table import TABLES, reproduce_table
from lengthwise.errors import LengthwiseError

PRESET = "quick"
STORE = "lengthwise-runs"
OUT = "lengthwise-results"
FORMATS = "svg,png"
ENGINE = "local"


def reproduce(
    figure: Annotated[
        str,
        typer.Argument(metavar="FIGURE", help="A name (`lengthwise figures`), or a .toml file of your own."),
    ],
    preset: Annotated[
        str | None, typer.Option("--preset", help="How much is trained: smoke, quick or paper.", show_default=PRESET)
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
    }
    if figure in TABLES:
        # With a store, the table is set beside what was measured in a preset of the experiments.
        taken = {"--store", "--preset"} if store is not None else set()
        refused = [name for name, value in given.items() if value is not None and name not in taken]
        if refused:
            raise LengthwiseError(f"{figure} is a table, for which nothing is trained; leave {', '.join(refused)} out")
        reproduce_table(figure, as_json, store, preset or PRESET)
        return
    on_processor = _trained_on_processor(figure)
    if on_processor is not None:
        if device is not None:
            raise LengthwiseError(f"{figure} is trained on the processor; leave --device out")
        on_processor(
            figure,
            preset or PRESET,
            store or STORE,
            out or OUT,
            formats or [FORMATS],
            train,
            engine or ENGINE,
            processes,
            address,
            as_json,
        )
        return
    from lengthwise.cli.reproduce_figure import Request, reproduce_figure
    from lengthwise.lab.generalization.experiment import catalogue as experiments

    request = Request(
        figure,
        preset or PRESET,
        store or STORE,
        out or OUT,
        formats or [FORMATS],
        train,
        engine or ENGINE,
        processes,
        address,
        device,
    )
    if figure in experiments():
        from lengthwise.cli.reproduce_generalization import reproduce_generalization

        reproduce_generalization(request, as_json)
        return
    reproduce_figure(request, as_json)


def _trained_on_processor(figure: str) -> Callable[..., None] | None:
    """What makes a figure of small models of its own kind; None for one of runs."""
    from lengthwise.lab.positional.published import catalogue as positional
    from lengthwise.lab.probes.published import catalogue as probes
    from lengthwise.lab.text.published import catalogue as texts

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
