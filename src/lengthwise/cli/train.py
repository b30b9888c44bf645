"""`lengthwise train SUBJECT`: train small transformers on short words of a task, and test them on longer ones."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reading import SUBJECT, AlphabetOption
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.lab.config import RunConfig
    from lengthwise.lab.summary import Summary
    from lengthwise.subjects import Subject


def train(
    task: Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT)],
    train_length: Annotated[int, typer.Option("--train-length", "-n", help="N: words have up to this length.")],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of the task (omega=2), or a setting (model.width=32)."
        ),
    ] = None,
    test_lengths: Annotated[
        str, typer.Option("--test-lengths", "-t", help="Numbers or multiples of N, with commas between.")
    ] = "N,2N,4N,8N",
    seeds: Annotated[str, typer.Option("--seeds", help="How many, or which, with commas between.")] = "8",
    position: Annotated[str | None, typer.Option("--position", help="The position scheme, such as periodic.")] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="The step limit.")] = None,
    store: Annotated[str, typer.Option("--store", metavar="DIR", help="Where runs are kept.")] = "lengthwise-runs",
    engine: Annotated[str, typer.Option("--engine", help="local, serial or ray.")] = "local",
    processes: Annotated[int | None, typer.Option("--processes", help="How many runs at once.")] = None,
    address: Annotated[str | None, typer.Option("--address", help="Of a Ray cluster: host:port.")] = None,
    device: Annotated[str | None, typer.Option("--device", help="cpu, cuda, or auto: cuda if it is there.")] = None,
    alphabet: AlphabetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train a task up to length N with several seeds, and show the loss at longer lengths.

    Runs that are finished are kept and never repeated: the same command again shows them, and goes on after Ctrl-C.
    """
    from lengthwise.lab.config import RunConfig
    from lengthwise.lab.engines import get_engine
    from lengthwise.lab.grid import merged, nested
    from lengthwise.lab.store import Store
    from lengthwise.lab.summary import summarise
    from lengthwise.lab.sweep import run_sweep

    options = {"model.position": position, "stopping.steps": steps, "device": device}
    given = [nested(name, value) for name, value in options.items() if value is not None]
    lengths = [text.strip() for text in test_lengths.split(",")]
    changes = list(run_settings(settings or [], alphabet))
    subject = trained(task, changes)
    fixed = {
        "task": subject.name if subject.kind == "task" else task,
        "train_length": train_length,
        "test_lengths": lengths,
        "seeds": _seeds(seeds),
    }
    config = RunConfig(**merged(fixed, *given, *changes))
    if not as_json:
        typer.echo(subject.meaning)
    kept = Store(store)
    with interruptible():
        sweep = run_sweep([config], kept, get_engine(engine, processes, address))
    for damage in kept.problems():
        typer.echo(damage, err=True)
    summary = summarise(kept, config)
    if as_json:
        failed = [{"seeds": list(each.config.seeds), "reason": each.reason} for each in sweep.failed]
        typer.echo(
            json.dumps(
                {"meaning": subject.meaning, **summary.as_json(), "failed": failed}, ensure_ascii=False, indent=2
            )
        )
    else:
        for line in _lines(config, summary, store):
            typer.echo(line)
    if sweep.failed:
        raise typer.Exit(1)


def trained(text: str, changes: list[dict[str, Any]]) -> Subject:
    """The subject of a text, read with the parameters that were set for its task."""
    from lengthwise.subjects import with_parameters

    given = {name: value for each in changes for name, value in each.get("parameters", {}).items()}
    return with_parameters(text, given)[0]


def run_settings(texts: list[str], alphabet: str | None = None) -> Iterator[dict[str, Any]]:
    """What was set: names with a dot are settings of the run, others parameters of the task."""
    from lengthwise.lab.grid import nested
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


def _lines(config: RunConfig, summary: Summary, store: str) -> Iterator[str]:
    yield f"{config}: {len(summary.seeds)} of {len(config.seeds)} seeds trained, kept in {store}"
    if not summary.seeds:
        return
    steps = f"{statistics.median(seed.steps for seed in summary.seeds):,g} steps (median)"
    stopping = config.stopping
    goals = [f"loss {stopping.loss:g}"] if stopping.loss is not None else []
    goals += [f"accuracy {stopping.accuracy:g}"] if stopping.accuracy is not None else []
    if goals:
        yield f"{summary.reached} of {len(summary.seeds)} seeds reached {' or '.join(goals)}; {steps}"
    else:
        yield steps
    yield ""
    scored = summary.lengths[0].accuracies is not None
    yield f"{'length':>10}  {'median loss':>12}  {'lowest':>10}  {'highest':>10}" + ("  accuracy" if scored else "")
    for each in summary.lengths:
        line = (
            f"{each.test_length:>10,}  {each.median_loss:>12.3g}  {each.lowest_loss:>10.3g}  {each.highest_loss:>10.3g}"
        )
        yield line + ("" if each.median_accuracy is None else f"  {each.median_accuracy:8.1%}")
