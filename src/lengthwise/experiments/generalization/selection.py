"""The hyper-parameter rule of Huang et al., E.3: the best model on the middle bin among those that learned the task.

Every combination of layers, heads, widths and learning rates is trained. Of those that reach 100 % on words of training
lengths, the one with the highest accuracy in the second bin is chosen, and among equals the simplest: layers count
first, then heads, then the width. Where that leaves several learning rates, the first of the list is taken; the paper
does not say which.

Models are tried from the simplest on. As soon as one has 100 % in the second bin as well, none of the others can be
chosen any more: they are not simpler, and not better. So the search ends there, with the choice of the whole sweep.

Where none of them learns the task, the paper takes a larger model, with a lower learning rate "if 1e-4 does not work".
It need not reach 100 %, as all its seeds count; the paper does not say what working is. Here it is the accuracy that is
enough for such a model everywhere else (`measured.LEARNED`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from lengthwise.experiments.generalization.cell import Cell, Size, train_cells
from lengthwise.experiments.generalization.measured import LEARNED, Measured, measure
from lengthwise.runs.config import ConfigError
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure
from lengthwise.runs.training.train import require_trainable

LAYERS, HEADS, WIDTHS, RATES = (1, 2, 4), (1, 2, 4), (16, 64, 256), (1e-3, 1e-4)
"""The paper's search space."""
LARGEST = tuple(
    Size(layers=12, heads=12, width=768, rate=rate, steps=60_000, warm_up=3000, every_seed=True)
    for rate in (1e-4, 3e-5)
)
"""What the paper tries where no model of its search space learns a task, the second if the first does not work."""
MIDDLE = 1
"""The place of the bin that models are compared on."""


@dataclass(frozen=True)
class Selection:
    """What was chosen, and from which models."""

    tried: tuple[Measured, ...]
    """From the simplest on."""
    failed: tuple[Failure, ...] = ()

    @property
    def chosen(self) -> Measured | None:
        """The model of the rule; None if none learned the task."""
        learned = [each for each in self.tried if _learned(each)]
        # The first of the best: they come from the simplest on.
        return max(learned, key=_middle, default=None)


def search_space(
    layers: Iterable[int] = LAYERS,
    heads: Iterable[int] = HEADS,
    widths: Iterable[int] = WIDTHS,
    rates: Iterable[float] = RATES,
    steps: int = 30_000,
) -> list[Size]:
    """All models of a search, from the simplest on, learning rates in their order."""
    shapes = itertools.product(sorted(set(layers)), sorted(set(heads)), sorted(set(widths)))
    try:
        sizes = [
            Size(layers=each[0], heads=each[1], width=each[2], rate=rate, steps=steps)
            for each, rate in itertools.product(shapes, dict.fromkeys(rates))
        ]
    except ValidationError as problem:
        raise ConfigError(f"no model of a search is like that: {sentence(Size, problem)}") from None
    return sorted(sizes, key=lambda size: size.complexity)


def select(
    sizes: Sequence[Size],
    cell_of: Callable[[Size], Cell],
    store: Store,
    engine: Engine | None = None,
    otherwise: Sequence[Size] = (),
) -> Selection:
    """Search models from the simplest on, as far as needed; finished runs are taken from the store.

    Where all were trained and none learned the task, those of `otherwise` are tried in their order until one does. What
    cannot be trained or compared is refused before anything is run.
    """
    rounds = [[cell_of(size) for size in alike] for alike in _by_complexity(sizes)]
    more = [[cell_of(size)] for size in otherwise]
    for cell in itertools.chain(*rounds, *more):
        _require_comparable(cell)
        require_trainable(cell.settings)
    found = Selection(())
    for cells in rounds:
        found = _after(found, cells, store, engine)
        if found.chosen is not None and _middle(found.chosen) == 1.0:
            break
    for cells in more:
        if found.failed or found.chosen is not None:
            break
        found = _after(found, cells, store, engine)
    return found


def _after(found: Selection, cells: Sequence[Cell], store: Store, engine: Engine | None) -> Selection:
    """What there is to choose from when these cells are trained as well."""
    failed = train_cells(cells, store, engine)
    return Selection((*found.tried, *measure(store, cells)), (*found.failed, *failed))


def _require_comparable(cell: Cell) -> None:
    """Refuse test lengths that do not make a bin of training lengths and another one to compare models on."""
    longest, ends = cell.settings.train_length, cell.bins
    if ends[0] != longest or len(ends) <= MIDDLE:
        raise ConfigError(
            f"models are compared on words that are longer than N = {longest} and not longer than the second test "
            f"length, so give N and at least one more, such as N,2N,3N, not {','.join(map(str, ends))}"
        )


def _by_complexity(sizes: Sequence[Size]) -> Iterator[list[Size]]:
    """Models of the same complexity together, from the simplest on."""
    for _, alike in itertools.groupby(sorted(sizes, key=lambda size: size.complexity), lambda size: size.complexity):
        yield list(alike)


def _learned(measured: Measured) -> bool:
    """Whether all seeds that were wanted reached 100 % on words of training lengths, or enough if all of them count."""
    there = len(measured.counted) == measured.cell.wanted
    return there and (not measured.cell.size.every_seed or (measured.mean(0) or 0.0) >= LEARNED)


def _middle(measured: Measured) -> float:
    return measured.mean(MIDDLE) or 0.0
