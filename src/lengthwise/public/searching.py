"""A search: the simplest model that learns a task and does best on longer words (Huang et al., appendix E.3)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.resources import require_memory, time_limit
from lengthwise.subjects import with_parameters
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.experiments.generalization.cell import Cell, Kind, Size
    from lengthwise.experiments.generalization.experiment import Entry, GeneralizationFigure
    from lengthwise.experiments.generalization.measured import Measured
    from lengthwise.experiments.generalization.selection import Selection
    from lengthwise.runs import Engine

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


@dataclass(frozen=True)
class Search:
    """What `search` gives: the models that were tried, and the one that was chosen."""

    meaning: str
    """How the subject was read."""
    selection: Selection
    """`.chosen`, `.tried` and `.failed`."""
    models: int
    """How many models there were to try."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        selection = self.selection
        chosen = selection.chosen
        return {
            "meaning": self.meaning,
            "chosen": None if chosen is None else chosen.as_json(),
            "settings": None if chosen is None else chosen.cell.settings.settings(),
            "tried": [each.as_json() for each in selection.tried],
            "failed": [{"config": str(each.config), "reason": each.reason} for each in selection.failed],
        }

    def lines(self) -> Iterator[str]:
        """A table of the models that were tried, and the one that was chosen."""
        selection = self.selection
        tried = selection.tried
        ends = tried[0].cell.bins
        rows = [["model", "rate", "learned", *(f"to {end}" for end in ends)]]
        for each in tried:
            accuracies = (f"{each.mean(place) or 0:.1%}" for place in range(len(ends)))
            learned = f"{sum(seed.learned for seed in each.seeds)}/{len(each.seeds)}"
            rows.append([str(each.cell.size), f"{each.cell.size.rate:g}", learned, *accuracies])
        columns = len(rows[0])
        header, *lines = aligned(rows, right=range(columns), least=(10, 6, *(columns - 2) * [7]))
        yield header
        for each, line in zip(tried, lines, strict=True):
            yield line + ("  <- chosen" if each is selection.chosen else "")
        if len(tried) < self.models:
            yield f"{self.models - len(tried)} larger models were not tried: none of them could be better"
        for failure in selection.failed:
            yield f"failed: {failure.config}: {failure.reason}"
        yield _verdict(selection.chosen)


def search(
    subject: object,
    *,
    position: str = "learned",
    train_length: int = 50,
    test_lengths: Sequence[int | str] = ("N", "2N", "3N"),
    layers: Sequence[int] = (1, 2, 4),
    heads: Sequence[int] = (1, 2, 4),
    widths: Sequence[int] = (16, 64, 256),
    rates: Sequence[float] = (1e-3, 1e-4),
    steps: int = 30_000,
    largest: bool = False,
    seeds: int = 1,
    settings: Mapping[str, Any] | None = None,
    store: str | os.PathLike[str] = "lengthwise-runs",
    engine: str | Engine = "local",
    announce: Callable[[str], None] | None = None,
    seconds: float | None = None,
    **parameters: Any,
) -> Search:
    """Search the simplest GPT-2 that learns a task up to length N and is best between N and the next test length.

    Models are tried from the simplest on, until none of the others can be better. Runs that the store has already are
    not made again.

    Args:
        subject: What `Subject.of` takes, by its text.
        position: The position scheme, `none` or `learned`.
        train_length: N: training words have up to this length.
        test_lengths: Ends of bins: N and at least one more, as numbers or multiples of N.
        layers: Numbers of layers to try.
        heads: Numbers of heads to try.
        widths: Widths to try.
        rates: Learning rates to try.
        steps: The step limit.
        largest: Whether to try 12 layers, 12 heads and width 768 if no other model learns the task.
        seeds: Seeds of each model, all of which have to learn the task.
        settings: Other settings of `RunConfig`, nested.
        store: Where runs are kept.
        engine: `local`, `serial` or `ray`, or an engine.
        announce: Is told how the subject was read, before training.
        seconds: After how long to stop, as Ctrl-C does; None for no limit.
        **parameters: Those of the task.

    Returns:
        The models that were tried with their accuracies, and the chosen one.

    Raises:
        LengthwiseError: The subject or a setting is none, or is one that the models of a search decide.
        SweepInterruptedError: Ctrl-C ended it, or `seconds` did (`SweepTimeLimitError`); finished runs are kept.

    Example:
        >>> import lengthwise as lw
        >>> lw.search("majority", train_length=20, layers=[1], heads=[1]).selection.chosen  # doctest: +SKIP

    """
    from lengthwise.experiments.catalogue import find
    from lengthwise.experiments.generalization.selection import LARGEST, search_space, select
    from lengthwise.runs import Store, get_engine
    from lengthwise.runs.config import BYTES_OF_A_SEED
    from lengthwise.runs.grid import merged

    deadline = time_limit(seconds)
    if position not in SCHEMES:
        raise LengthwiseError(f"--position is none or learned in a search, not {position!r}")
    require_memory(BYTES_OF_A_SEED * seeds, f"{seeds} seeds", "choose fewer seeds")
    if seeds < 1:
        raise LengthwiseError(f"{seeds} seeds are too few; give at least 1")
    changes = merged(
        {"train_length": train_length, "test_lengths": list(test_lengths)}, settings or {}, {"parameters": parameters}
    )
    meant, _ = with_parameters(subject, changes["parameters"])
    task = meant.name if meant.kind == "task" else meant.text
    _require_undecided(changes)
    if meant.kind == "task" and meant.task.loss == "regression":
        raise LengthwiseError(
            f"{task} asks for a number, and a search needs accuracies, which numbers do not have; train or study it"
        )
    sizes = search_space(layers, heads, widths, rates, steps)
    experiment: GeneralizationFigure = find(LIKE).figure
    entry = _entry(experiment, task, changes["parameters"])
    scheme: Any = SCHEMES[position]
    own = merged(experiment.settings, experiment.kinds.get(entry.kind, {}))

    def cell_of(size: Size) -> Cell:
        # A step limit before the first look would leave every model at "not learned".
        look = {"stopping": {"check_every": min(own["stopping"]["check_every"], size.steps)}}
        return experiment.cell(entry, scheme, size, seeds, seeds, merged(look, changes))

    if announce is not None:
        announce(meant.meaning)
    chosen = get_engine(engine) if isinstance(engine, str) else engine
    with deadline.in_force():
        selection = select(sizes, cell_of, Store(store), chosen, LARGEST if largest else ())
    return Search(meant.meaning, selection, len(sizes))


def _require_undecided(changes: Mapping[str, Any]) -> None:
    """Refuse settings that the models of a search decide."""
    from lengthwise.runs.grid import flat

    for name, _ in flat(changes):
        if name in OPTIONS:
            raise LengthwiseError(f"the models of a search differ in {name}; give {OPTIONS[name]} instead of --set")


def _entry(experiment: GeneralizationFigure, task: str, parameters: Mapping[str, Any]) -> Entry:
    """A task with the parameters that it has in an experiment, if it is one of its tasks."""
    from lengthwise.experiments.generalization.experiment import Entry
    from lengthwise.subjects import task_of

    for published in experiment.entries:
        if published.task == task:
            return Entry(task=task, kind=published.kind, parameters=published.parameters)
    kind: Kind = "regular" if task_of(task, **parameters).loss == "next-set" else "algorithmic"
    return Entry(task=task, kind=kind)


def _verdict(chosen: Measured | None) -> str:
    if chosen is None:
        return "no model learned the task: take more steps (--steps), larger models (--largest), or a shorter N (-n)"
    size = chosen.cell.size
    return f"chosen: layers/heads/width {size}, learning rate {size.rate:g}"
