"""The hyper-parameter rule of Huang et al., E.3: the best model on the middle bin among those that learned the task.

Every combination of layers, heads, widths and learning rates is trained. Of those that reach 100 % on words of training
lengths, the one with the highest accuracy in the second bin is chosen, and among equals the simplest: layers count
first, then heads, then the width. Where that leaves several learning rates, the first of the list is taken; the paper
does not say which.

Models are tried from the simplest on. As soon as one has 100 % in the second bin as well, none of the others can be
chosen any more: they are not simpler, and not better. So the search ends there, with the choice of the whole sweep.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lengthwise.lab.engines import Engine
from lengthwise.lab.generalization.cell import Cell
from lengthwise.lab.generalization.measured import Measured, measure
from lengthwise.lab.generalization.size import Size
from lengthwise.lab.generalization.training import train_cells
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import Failure

LAYERS, HEADS, WIDTHS, RATES = (1, 2, 4), (1, 2, 4), (16, 64, 256), (1e-3, 1e-4)
"""The paper's search space."""
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
    sizes = [
        Size(layers=each[0], heads=each[1], width=each[2], rate=rate, steps=steps)
        for each in itertools.product(sorted(set(layers)), sorted(set(heads)), sorted(set(widths)))
        for rate in dict.fromkeys(rates)
    ]
    return sorted(sizes, key=lambda size: size.complexity)


def select(
    sizes: Sequence[Size], cell_of: Callable[[Size], Cell], store: Store, engine: Engine | None = None
) -> Selection:
    """Search models from the simplest on, as far as needed; finished runs are taken from the store."""
    tried: list[Measured] = []
    failed: list[Failure] = []
    for alike in _by_complexity(sizes):
        cells = [cell_of(size) for size in alike]
        failed += train_cells(cells, store, engine)
        tried += measure(store, cells)
        if any(_learned(each) and _middle(each) == 1.0 for each in tried):
            break
    return Selection(tuple(tried), tuple(failed))


def _by_complexity(sizes: Sequence[Size]) -> Iterator[list[Size]]:
    """Models of the same complexity together, from the simplest on."""
    for _, alike in itertools.groupby(sorted(sizes, key=lambda size: size.complexity), lambda size: size.complexity):
        yield list(alike)


def _learned(measured: Measured) -> bool:
    """Whether all seeds that were wanted reached 100 % on words of training lengths."""
    return len(measured.counted) == measured.cell.wanted


def _middle(measured: Measured) -> float:
    return measured.mean(MIDDLE) or 0.0
