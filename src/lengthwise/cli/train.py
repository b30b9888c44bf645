"""`lengthwise train SUBJECT`: train small transformers on short words of a task, and test them on longer ones."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from lengthwise.cli.answer import beside, interruptible, say, show
from lengthwise.cli.completion import scheme_names, subject_names
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import (
    SUBJECT,
    Alphabet,
    Device,
    Json,
    Store,
    TrainingSeconds,
    Workers,
    file_option,
    grouped,
    numbers,
)
from lengthwise.cli.printing import echo

TEST_LENGTHS = "N,2N,4N,8N"
SEEDS = "8"


@grouped
def train(
    *,
    task: Annotated[
        str | None, typer.Argument(metavar="SUBJECT", help=SUBJECT, show_default=False, autocompletion=subject_names)
    ] = None,
    train_lengths: Annotated[
        str | None,
        typer.Option(
            "--train-length", "-n", metavar="N", help="Words have up to this length; several with commas between."
        ),
    ] = None,
    config_file: Annotated[
        str | None,
        typer.Option("--config", metavar="FILE", help="Settings of the run, .toml or .json; options override them."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of the task (omega=2), or a setting (model.width=32)."
        ),
    ] = None,
    test_lengths: Annotated[
        str | None,
        typer.Option(
            "--test-lengths",
            "-t",
            help="Numbers or multiples of N, with commas between.",
            show_default=TEST_LENGTHS,
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option("--seeds", help="How many, or which, with commas between.", show_default=SEEDS),
    ] = None,
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions",
            "--position",
            help="Position schemes, with commas between: none,learned,rope.",
            autocompletion=scheme_names,
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="The step limit.")] = None,
    store: Store = "lengthwise-runs",
    workers: Workers,
    device: Device = None,
    alphabet: Alphabet = None,
    plot: Annotated[
        str | None, file_option("--plot", help="Draw accuracy or loss: .svg, .png or .pdf.", figure=True)
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option("--log", metavar="TOOL:TARGET", help="Also log to tensorboard:DIR or trackio:PROJECT."),
    ] = None,
    seconds: TrainingSeconds = None,
    as_json: Json = False,
) -> None:
    """Train a task up to length N with several seeds, and show the loss at longer lengths.

    With several training lengths or position schemes, these are compared in one table. Runs that are finished are kept
    and never repeated: the same command again shows them, and goes on after Ctrl-C or --seconds.
    """
    from lengthwise import public

    def told(line: str) -> None:
        if line.startswith("left out: "):
            echo(line, err=True)
        elif not as_json:
            say(plot, line)

    changes = merged_settings(settings or [], alphabet)
    parameters = changes.pop("parameters", {})
    with interruptible():
        trained = public.train(
            task,
            None if train_lengths is None else _lengths(train_lengths),
            test_lengths=None if test_lengths is None else [text.strip() for text in test_lengths.split(",")],
            seeds=None if seeds is None else _seeds(seeds),
            positions=positions,
            steps=steps,
            device=device,
            config_file=config_file,
            settings={"parameters": parameters, **changes},
            store=store,
            engine=workers.made(),
            log=log,
            plot=plot,
            announce=told,
            seconds=seconds,
        )
    for damage in trained.problems:
        echo(damage, err=True)
    show(trained, as_json, path=plot)
    if plot is not None and not beside(plot):
        echo(plot, err=as_json)
    if trained.failed or trained.left_out:
        raise typer.Exit(ExitCode.INCOMPLETE)


def merged_settings(texts: list[str], alphabet: str | None = None) -> dict[str, Any]:
    """What was set, as nested settings: names with a dot are settings of the run, others parameters of the task."""
    from lengthwise.runs.grid import merged, nested
    from lengthwise.tasks import read_settings

    found: list[dict[str, Any]] = [] if alphabet is None else [{"parameters": {"alphabet": alphabet}}]
    for name, text in read_settings(texts).items():
        if "." not in name:
            found.append({"parameters": {name: text}})
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        found.append(nested(name, value))
    return merged(*found)


def _seeds(text: str) -> int | list[int]:
    found = numbers(text, text.split(","), int, "--seeds is a number of seeds, or seeds with commas between")
    return found if "," in text else found[0]


def _lengths(text: str) -> list[int]:
    return numbers(text, text.split(","), int, "--train-length is a number, or numbers with commas between")
