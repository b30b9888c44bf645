"""`lengthwise search SUBJECT`: the simplest model that learns it and does best on longer words (Huang et al., E.3)."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import interruptible, show
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import Alphabet, Json, Store, Subject, TrainingSeconds, Workers, grouped, numbers
from lengthwise.cli.printing import echo
from lengthwise.cli.train import merged_settings

LISTED = "takes numbers with commas between"


@grouped
def search(
    task: Subject,
    *,
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
    store: Store = "lengthwise-runs",
    workers: Workers,
    alphabet: Alphabet = None,
    seconds: TrainingSeconds = None,
    as_json: Json = False,
) -> None:
    """Search the simplest GPT-2 that learns a task up to length N and is best between N and the next test length.

    Models are tried from the simplest on, until none of the others can be better. Runs that are finished are kept and
    never repeated: the same command again goes on after Ctrl-C.
    """
    from lengthwise import public

    changes = merged_settings(settings or [], alphabet)
    parameters = changes.pop("parameters", {})
    with interruptible():
        found = public.search(
            task,
            position=position,
            train_length=train_length,
            test_lengths=[text.strip() for text in test_lengths.split(",")],
            layers=numbers(layers, layers.split(","), int, f"--layers {LISTED}"),
            heads=numbers(heads, heads.split(","), int, f"--heads {LISTED}"),
            widths=numbers(widths, widths.split(","), int, f"--widths {LISTED}"),
            rates=numbers(rates, rates.split(","), float, f"--rates {LISTED}"),
            steps=steps,
            largest=largest,
            seeds=seeds,
            settings={"parameters": parameters, **changes},
            store=store,
            engine=workers.made(),
            announce=None if as_json else echo,
            seconds=seconds,
        )
    answer = ExitCode.NO if found.selection.chosen is None else ExitCode.DONE
    show(found, as_json, code=ExitCode.INCOMPLETE if found.selection.failed else answer)
