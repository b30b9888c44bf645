"""Where tokens are planted: the laws Q_ℓ^pos of Definition 3.2, and families of them.

A law says for every length with which probability each set of k positions is the planted one. Golowich et al.,
sections 3.1 and 4. The random shift of section 4 does not always have bounded coverage (ERR-I1); `placed_shapes`
does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.ensembles.laws import EnsembleError, Number, Places, draw, exact_law, require_count

PlaceArray = npt.NDArray[np.int64]

MOST_SETS = 1_000_000
"""More sets of positions than this are not listed one by one."""


@dataclass(frozen=True, eq=False)
class PositionLaw:
    """The law of the planted set S* at every length from `min_length` on."""

    sparsity: int
    """k: how many positions are planted."""
    min_length: int
    table: Callable[[int], Mapping[Places, Number]]
    """The masses of all planted sets at a length."""
    sampler: Callable[[int, int, np.random.Generator], PlaceArray] | None = None
    """Draws sets at a length without listing them all, where that is quicker."""
    _known: dict[int, dict[Places, Fraction]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.sparsity < 1:
            raise EnsembleError(f"a law of planted sets needs at least 1 position to plant, not {self.sparsity}")

    def masses(self, length: int) -> Mapping[Places, Fraction]:
        """Q_ℓ(S) for every set S of positive mass."""
        if length not in self._known:
            self._require(length)
            law = exact_law(self.table(length), f"the law of planted positions at length {length}")
            for places in law:
                self._check(places, length)
            self._known[length] = law
        return self._known[length]

    def sample(self, length: int, count: int, rng: np.random.Generator) -> PlaceArray:
        """Independent planted sets, one a row, positions in increasing order."""
        self._require(length)
        require_count(count)
        if self.sampler is not None:
            return self.sampler(length, count, rng)
        law = self.masses(length)
        return np.array(list(law), dtype=np.int64)[draw(law, count, rng)]

    def _require(self, length: int) -> None:
        if length < self.min_length:
            raise EnsembleError(f"words of {length} symbols are too short to plant in; use at least {self.min_length}")

    def _check(self, places: Places, length: int) -> None:
        if len(places) != self.sparsity:
            raise EnsembleError(f"{places} has {len(places)} positions, but {self.sparsity} are planted")
        if list(places) != sorted(set(places)) or places[0] < 1 or places[-1] > length:
            raise EnsembleError(f"{places} is no increasing tuple of positions within 1 to {length}")


def span(places: Places) -> int:
    """The distance max S − min S."""
    return places[-1] - places[0]


def is_shape(offsets: Places) -> bool:
    """Whether these are the offsets of a set from its first position: increasing, from 0 on."""
    return offsets[:1] == (0,) and list(offsets) == sorted(set(offsets))


def shifted(places: Places, distance: int) -> Places:
    """S + Δ."""
    return tuple(place + distance for place in places)


def uniform_over(sparsity: int, min_length: int, sets: Callable[[int], Iterable[Places]]) -> PositionLaw:
    """Each of the given sets with the same probability."""

    def table(length: int) -> dict[Places, Number]:
        listed = list(sets(length))
        return {places: Fraction(1, len(listed)) for places in listed}

    return PositionLaw(sparsity, min_length, table)


def placed_shapes(shapes: Mapping[Places, Number]) -> PositionLaw:
    """A shape, given by its offsets from 0 on, drawn from a law and placed uniformly wherever it fits.

    If every shape fits into L_local positions, η_ℓ ≤ ℓ: this is what section 4 needs (ERR-I1).
    """
    law = exact_law(shapes, "the law of shapes")
    if not all(is_shape(shape) for shape in law) or len({len(shape) for shape in law}) != 1:
        raise EnsembleError("a shape is an increasing tuple of offsets from 0 on, and all shapes have the same size")
    sparsity, widest = len(next(iter(law))), max(shape[-1] for shape in law)

    def table(length: int) -> dict[Places, Number]:
        return {
            shifted(shape, start): mass / (length - span(shape))
            for shape, mass in law.items()
            for start in range(1, length - span(shape) + 1)
        }

    def sampler(length: int, count: int, rng: np.random.Generator) -> PlaceArray:
        chosen = np.array(list(law), dtype=np.int64)[draw(law, count, rng)]
        starts = rng.integers(1, length - chosen[:, -1] + 1)
        return np.asarray(chosen + starts[:, None])

    return PositionLaw(sparsity, widest + 1, table, sampler)


def random_shift(sets: Mapping[Places, Number], window: int) -> PositionLaw:
    """A set within the first `window` positions, shifted by 0 to ℓ − window: the printed example of section 4.

    Its coverage is not η_ℓ = ℓ in general: what lies left in the window never reaches the right end (ERR-I1).
    """
    law = exact_law(sets, "the law of sets in the window")
    if any(not places or places[-1] > window for places in law):
        raise EnsembleError(f"every set must lie within the first {window} positions, the window that is shifted")

    def table(length: int) -> dict[Places, Number]:
        found: dict[Places, Number] = {}
        for (places, mass), shift in itertools.product(law.items(), range(length - window + 1)):
            moved = shifted(places, shift)
            found[moved] = found.get(moved, Fraction(0)) + mass / (length - window + 1)
        return found

    return PositionLaw(len(next(iter(law))), window, table)


def any_places(sparsity: int) -> PositionLaw:
    """All sets of this many positions, each with the same probability."""

    def table(length: int) -> dict[Places, Number]:
        if comb(length, sparsity) > MOST_SETS:
            raise EnsembleError(f"there are {comb(length, sparsity)} sets of {sparsity} in {length}: too many to list")
        return dict.fromkeys(
            itertools.combinations(range(1, length + 1), sparsity), Fraction(1, comb(length, sparsity))
        )

    def sampler(length: int, count: int, rng: np.random.Generator) -> PlaceArray:
        order = np.argpartition(rng.random((count, length)), sparsity - 1, axis=1)[:, :sparsity]
        return np.sort(order, axis=1).astype(np.int64) + 1

    return PositionLaw(sparsity, sparsity, table, sampler)
