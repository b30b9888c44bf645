"""`lengthwise search SUBJECT`: the simplest model that learns it and does best on longer words (Huang et al., E.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.json_text import json_text
from lengthwise.cli.reading import AlphabetOption, SubjectArgument
from lengthwise.cli.train import merged_settings
from lengthwise.errors import LengthwiseError

Number = TypeVar("Number", int, float)


def search(
    task: SubjectArgument,
    position: Annotated[str, typer.Option("--position", help="none or learned.")] = "learned",
    train_length: Annotated[int, typer.Option("--train-length", "-n", help="N: words have up to this length.")] = 50,
    test_lengths: Annotated[
        str,
        typer.Option("--test-lengths", "-t", help="Ends of bins: N and at least one more, such as 2N or 100."),
    ] = "N,2N,3N",
    layers: Annotated[str, typer.Option("--layers", help="Numbers of layers, with commas between.")] = "1,2,4",
    heads: Annotated[str, typer.Option("--heads", help="Numbers of heads.")] = "1,2,4",
    widths: Annotated[str, typer.Option("--widths", help="Widths of the model.")] = "16,64,256",
    rates: Annotated[str, typer.Option("--rates", help="Learning rates.")] = "1e-3,1e-4",
    steps: Annotated[int, typer.Option("--steps", help="The step limit.")] = 30_000,
    largest: Annotated[
        bool,
        typer.Option("--largest", help="If none learns the task, try 12 layers, 12 heads, width 768."),
    ] = False,
    seeds: Annotated[
        int, typer.Option("--seeds", help="Seeds of each model, all of which have to learn the task.")
    ] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the task, or a setting, as in `train`."),
    ] = None,
    store: Annotated[str, typer.Option("--store", metavar="DIR", help="Where runs are kept.")] = "lengthwise-runs",
    engine: Annotated[str, typer.Option("--engine", help="local, serial or ray.")] = "local",
    processes: Annotated[int | None, typer.Option("--processes", help="How many runs at once.")] = None,
    address: Annotated[str | None, typer.Option("--address", help="Of a Ray cluster: host:port.")] = None,
    alphabet: AlphabetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Search the simplest GPT-2 that learns a task up to length N and is best between N and the next test length.

    Models are tried from the simplest on, until none of the others can be better. Runs that are finished are kept and
    never repeated: the same command again goes on after Ctrl-C.
    """
    from lengthwise import public
    from lengthwise.runs.engines.engine import get_engine

    changes = merged_settings(settings or [], alphabet)
    parameters = changes.pop("parameters", {})
    with interruptible():
        found = public.search(
            task,
            position=position,
            train_length=train_length,
            test_lengths=[text.strip() for text in test_lengths.split(",")],
            layers=_listed("--layers", layers, int),
            heads=_listed("--heads", heads, int),
            widths=_listed("--widths", widths, int),
            rates=_listed("--rates", rates, float),
            steps=steps,
            largest=largest,
            seeds=seeds,
            settings={"parameters": parameters, **changes},
            store=store,
            engine=get_engine(engine, processes, address),
            announce=None if as_json else typer.echo,
        )
    if as_json:
        typer.echo(json_text(found.as_json()))
    else:
        for line in found.lines():
            typer.echo(line)
    if found.selection.failed or found.selection.chosen is None:
        raise typer.Exit(1)


def _listed(option: str, text: str, kind: Callable[[str], Number]) -> list[Number]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise LengthwiseError(f"{option} takes numbers with commas between, not {text!r}") from None
