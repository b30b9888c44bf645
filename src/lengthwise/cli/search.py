"""`lengthwise search SUBJECT`: the simplest model that learns it and does best on longer words (Huang et al., E.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.reading import SUBJECT, AlphabetOption
from lengthwise.cli.train import run_settings, trained
from lengthwise.errors import LengthwiseError
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.experiments.generalization.cell import Cell, Kind
    from lengthwise.experiments.generalization.experiment import Entry, Experiment
    from lengthwise.experiments.generalization.measured import Measured
    from lengthwise.experiments.generalization.selection import Selection
    from lengthwise.experiments.generalization.size import Size

LIKE = "huang-fig1"
"""The experiment whose protocol is used."""
SCHEMES = {"none": "nope", "learned": "ape"}
OPTIONS = {
    "model.layers": "--layers",
    "model.heads": "--heads",
    "model.width": "--widths",
    "optimizer.learning_rate": "--rates",
    "stopping.steps": "--steps",
}
"""The settings that the models of a search decide, and what is given instead."""

Number = TypeVar("Number", int, float)


def search(
    task: Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT)],
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
    from lengthwise.experiments.generalization.experiment import Experiment, catalogue
    from lengthwise.experiments.generalization.selection import LARGEST, search_space, select
    from lengthwise.runs.engines.engine import get_engine
    from lengthwise.runs.grid import merged
    from lengthwise.runs.store.store import Store

    if position not in SCHEMES:
        raise LengthwiseError(f"--position is none or learned in a search, not {position!r}")
    if seeds < 1:
        raise LengthwiseError(f"{seeds} seeds are too few; give at least 1")
    lengths = [text.strip() for text in test_lengths.split(",")]
    set_here = list(run_settings(settings or [], alphabet))
    subject = trained(task, set_here)
    task = subject.name if subject.kind == "task" else task
    changes = merged({"train_length": train_length, "test_lengths": lengths}, *set_here)
    _require_undecided(changes)
    sizes = search_space(
        _listed("--layers", layers, int), _listed("--heads", heads, int), _listed("--widths", widths, int),
        _listed("--rates", rates, float), steps,
    )  # fmt: skip
    experiment = Experiment.from_file(catalogue()[LIKE])
    entry = _entry(experiment, task, changes.get("parameters", {}))
    scheme: Any = SCHEMES[position]
    own = merged(experiment.settings, experiment.kinds.get(entry.kind, {}))

    def cell_of(size: Size) -> Cell:
        # A step limit before the first look would leave every model at "not learned".
        look = {"stopping": {"check_every": min(own["stopping"]["check_every"], size.steps)}}
        return experiment.cell(entry, scheme, size, seeds, seeds, merged(look, changes))

    if not as_json:
        typer.echo(subject.meaning)
    with interruptible():
        selection = select(
            sizes, cell_of, Store(store), get_engine(engine, processes, address), LARGEST if largest else ()
        )
    if as_json:
        typer.echo(json.dumps({"meaning": subject.meaning, **_as_json(selection)}, ensure_ascii=False, indent=2))
    else:
        for line in _lines(selection, len(sizes)):
            typer.echo(line)
    if selection.failed or selection.chosen is None:
        raise typer.Exit(1)


def _listed(option: str, text: str, kind: Callable[[str], Number]) -> list[Number]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise LengthwiseError(f"{option} takes numbers with commas between, not {text!r}") from None


def _require_undecided(changes: Mapping[str, Any]) -> None:
    """Refuse settings that the models of a search decide."""
    from lengthwise.runs.grid import flat

    for name, _ in flat(changes):
        if name in OPTIONS:
            raise LengthwiseError(f"the models of a search differ in {name}; give {OPTIONS[name]} instead of --set")


def _entry(experiment: Experiment, task: str, parameters: Mapping[str, Any]) -> Entry:
    """A task with the parameters that it has in an experiment, if it is one of its tasks."""
    from lengthwise.experiments.generalization.experiment import Entry
    from lengthwise.subjects import task_of

    for published in experiment.entries:
        if published.task == task:
            return Entry(task=task, kind=published.kind, parameters=published.parameters)
    kind: Kind = "regular" if task_of(task, **parameters).loss == "next-set" else "algorithmic"
    return Entry(task=task, kind=kind)


def _as_json(selection: Selection) -> dict[str, Any]:
    chosen = selection.chosen
    return {
        "chosen": None if chosen is None else chosen.as_json(),
        "settings": None if chosen is None else chosen.cell.settings.settings(),
        "tried": [each.as_json() for each in selection.tried],
        "failed": [{"config": str(each.config), "reason": each.reason} for each in selection.failed],
    }


def _lines(selection: Selection, models: int) -> Iterator[str]:
    tried = selection.tried
    ends = tried[0].cell.bins
    rows = [["model", "rate", "learned", *(f"to {end}" for end in ends)]]
    for each in tried:
        learned = f"{sum(seed.learned for seed in each.seeds)}/{len(each.seeds)}"
        accuracies = (f"{each.mean(place) or 0:.1%}" for place in range(len(ends)))
        rows.append([str(each.cell.size), f"{each.cell.size.rate:g}", learned, *accuracies])
    columns = len(rows[0])
    header, *lines = aligned(rows, right=range(columns), least=(10, 6, *(columns - 2) * [7]))
    yield header
    for each, line in zip(tried, lines, strict=True):
        yield line + ("  <- chosen" if each is selection.chosen else "")
    if len(tried) < models:
        yield f"{models - len(tried)} larger models were not tried: none of them could be better"
    for failure in selection.failed:
        yield f"failed: {failure.config}: {failure.reason}"
    yield _verdict(selection.chosen)


def _verdict(chosen: Measured | None) -> str:
    if chosen is None:
        return "no model learned the task: take more steps (--steps), larger models (--largest), or a shorter N (-n)"
    size = chosen.cell.size
    return f"chosen: layers/heads/width {size}, learning rate {size.rate:g}"
