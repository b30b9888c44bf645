"""`lengthwise train SUBJECT`: train small transformers on short words of a task, and test them on longer ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.cli.completion import scheme_names, subject_names
from lengthwise.cli.interruption import interruptible
from lengthwise.cli.json_text import json_text
from lengthwise.cli.outputs import beside, say, writable_figure
from lengthwise.cli.reading import SUBJECT, AlphabetOption
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.runs.comparison import Comparison
    from lengthwise.runs.config import RunConfig
    from lengthwise.runs.store.store import Store
    from lengthwise.subjects import Subject

TEST_LENGTHS = "N,2N,4N,8N"
SEEDS = "8"


def train(
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
    store: Annotated[str, typer.Option("--store", metavar="DIR", help="Where runs are kept.")] = "lengthwise-runs",
    engine: Annotated[str, typer.Option("--engine", help="local, serial or ray.")] = "local",
    processes: Annotated[int | None, typer.Option("--processes", help="How many runs at once.")] = None,
    address: Annotated[str | None, typer.Option("--address", help="Of a Ray cluster: host:port.")] = None,
    device: Annotated[str | None, typer.Option("--device", help="cpu, cuda, or auto: cuda if it is there.")] = None,
    alphabet: AlphabetOption = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw accuracy or loss: .svg, .png or .pdf.", callback=writable_figure
        ),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option("--log", metavar="TOOL:TARGET", help="Also log to tensorboard:DIR or trackio:PROJECT."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train a task up to length N with several seeds, and show the loss at longer lengths.

    With several training lengths or position schemes, these are compared in one table. Runs that are finished are kept
    and never repeated: the same command again shows them, and goes on after Ctrl-C.
    """
    from lengthwise.cli.train_shown import as_data, combined_lines, single_lines
    from lengthwise.runs.config import settings_of_file
    from lengthwise.runs.engines.engine import get_engine
    from lengthwise.runs.grid import merged, nested
    from lengthwise.runs.labels import scheme_label
    from lengthwise.runs.store.store import Store
    from lengthwise.runs.store.summary import summarise
    from lengthwise.runs.sweep import run_sweep

    if plot is not None:
        from lengthwise.drawing.style import pyplot

        pyplot()  # if figures cannot be drawn, better say so before training than after
    in_file: dict[str, Any] = {"seeds": _seeds(SEEDS)} if config_file is None else settings_of_file(config_file)
    options = {
        "test_lengths": None if test_lengths is None else [text.strip() for text in test_lengths.split(",")],
        "seeds": None if seeds is None else _seeds(seeds),
        "stopping.steps": steps,
        "device": device,
    }
    given = [nested(name, value) for name, value in options.items() if value is not None]
    every = merged({"test_lengths": TEST_LENGTHS.split(",")}, in_file, *given, *run_settings(settings or [], alphabet))
    every["task"] = _required(task, every, "task", "a SUBJECT, such as majority")
    subject = trained(every["task"], [every])
    if subject.kind == "task":
        every["task"] = subject.name
    lengths = (
        [_required(None, every, "train_length", "--train-length")]
        if train_lengths is None
        else _numbers("--train-length", train_lengths)
    )
    schemes = [] if positions is None else [text.strip() for text in positions.split(",")]
    kept = Store(store)
    several = len(lengths) > 1 or len(schemes) > 1
    compared = _compared(every, schemes, lengths, kept)
    if not as_json:
        say(plot, subject.meaning)
    for each in compared.left_out:
        named = f"{scheme_label(each.position)} ({each.position})"
        typer.echo(f"left out: {named} at N = {each.train_length}: {each.reason}", err=True)
    with interruptible():
        sweep = run_sweep(compared.configs, kept, get_engine(engine, processes, address), log=log)
    for damage in kept.problems():
        typer.echo(damage, err=True)
    summaries = [summarise(kept, config) for config in compared.configs]
    if plot is not None:
        from lengthwise.drawing.training_plot import plot_training

        plot_training(summaries, plot)
    if as_json:
        data = as_data(subject.meaning, summaries, sweep.failed, compared.left_out, several)
        say(plot, json_text(data))
    else:
        lines = (
            combined_lines(summaries, every["test_lengths"], store) if several else single_lines(summaries[0], store)
        )
        for line in lines:
            say(plot, line)
    if plot is not None and not beside(plot):
        typer.echo(plot, err=as_json)
    if sweep.failed or compared.left_out:
        raise typer.Exit(1)


def _compared(every: Mapping[str, Any], schemes: list[str], lengths: list[int], kept: Store) -> Comparison:
    """The configs that were asked for; a scheme that does not fit is only left out if others are there."""
    from lengthwise.runs.comparison import Comparison, comparison
    from lengthwise.runs.config import RunConfig
    from lengthwise.runs.grid import merged, nested

    if len(schemes) <= 1:
        position = [nested("model.position", scheme) for scheme in schemes]
        return Comparison(
            tuple(RunConfig(**merged(every, *position, {"train_length": length})) for length in dict.fromkeys(lengths)),
            (),
        )
    from lengthwise.runs.training.train import require_trainable

    def check(config: RunConfig) -> None:
        if not kept.finished(config):
            require_trainable(config)

    return comparison(every, schemes, lengths, check)


def _required(given: Any, settings: Mapping[str, Any], name: str, option: str) -> Any:
    """What an option or the file of settings says."""
    found = settings.get(name) if given is None else given
    if found is None:
        raise LengthwiseError(f"give {option}, or set {name} in the file of --config")
    return found


def trained(text: str, changes: list[dict[str, Any]]) -> Subject:
    """The subject of a text, read with the parameters that were set for its task."""
    from lengthwise.subjects import with_parameters

    given = {name: value for each in changes for name, value in each.get("parameters", {}).items()}
    return with_parameters(text, given)[0]


def run_settings(texts: list[str], alphabet: str | None = None) -> Iterator[dict[str, Any]]:
    """What was set: names with a dot are settings of the run, others parameters of the task."""
    from lengthwise.runs.grid import nested
    from lengthwise.tasks import read_settings

    if alphabet is not None:
        yield {"parameters": {"alphabet": alphabet}}
    for name, text in read_settings(texts).items():
        if "." not in name:
            yield {"parameters": {name: text}}
            continue
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            value = text
        yield nested(name, value)


def _seeds(text: str) -> int | list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise LengthwiseError(f"--seeds is a number of seeds, or seeds with commas between, not {text!r}") from None
    return numbers if "," in text else numbers[0]


def _numbers(option: str, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise LengthwiseError(f"{option} is a number, or numbers with commas between, not {text!r}") from None
