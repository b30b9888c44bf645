"""The coverage constant against its definition, and the printed example that has none."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from lengthwise.sparse.bounds.instance import adjacent_or_far
from lengthwise.sparse.ensembles import (
    Coverage,
    EnsembleError,
    PositionLaw,
    coverage,
    largest_coverage,
    placed_shapes,
    random_shift,
)
from lengthwise.sparse.ensembles.laws import Number, Places


def by_definition(law: PositionLaw, length: int, locality: int) -> float:
    """Assumption 4.2, over all sets whatever their mass; an oracle."""
    worst = 1.0
    for other in range(locality, length + 1):
        for places in combinations(range(1, length + 1), law.sparsity):
            here = float(law.masses(length).get(places, 0))
            for shift in range(length):
                moved = tuple(place - shift for place in places)
                if moved[0] >= 1 and moved[-1] <= other and here:
                    there = float(law.masses(other).get(moved, 0))
                    worst = max(worst, here / there if there else math.inf)
            if places[-1] <= other and law.masses(other).get(places):
                worst = max(worst, float(law.masses(other)[places]) / here if here else math.inf)
    return worst


@pytest.mark.parametrize("seed", range(7))
def test_coverage_is_the_maximum_of_all_ratios(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables: dict[int, dict[Places, Fraction]] = {}
    for length in range(2, 7):
        weights = {places: int(rng.integers(1, 6)) for places in combinations(range(1, length + 1), 2)}
        if seed == 5 and length == 4:
            weights[1, 2] = 0
        if seed == 6:  # {1, 2} is very rare at length 4 and rare at 6, so the worst is a shift of another set
            weights = dict.fromkeys(weights, 1000) | {(1, 2): {4: 1, 6: 100}.get(length, 1000)}
        total = sum(weights.values())
        tables[length] = {places: Fraction(weight, total) for places, weight in weights.items() if weight}

    def table(length: int) -> Mapping[Places, Number]:
        return tables[length]

    law = PositionLaw(2, 2, table)
    found = coverage(law, 6, 2)
    assert float(found.value) == pytest.approx(by_definition(law, 6, 2))
    assert (seed == 5) == math.isinf(found.value)
    assert seed != 6 or (found.longer and found.shift > 0)


def test_the_printed_random_shift_has_no_finite_coverage() -> None:
    """Shifts of {1, 2} in a window of 3 never reach the last position: section 4 claims η_ℓ = ℓ (ERR-I1)."""
    shifted = random_shift({(1, 2): 1}, window=3)
    found = coverage(shifted, 6, 3)
    assert math.isinf(found.value)
    assert "∞" in str(found)


@pytest.mark.parametrize("length", [3, 5, 8, 13])
def test_shapes_placed_uniformly_have_coverage_at_most_the_length(length: int) -> None:
    law = placed_shapes({(0, 1): 0.5, (0, 2): 0.5})
    assert coverage(law, length, 3).value <= length
    assert largest_coverage(law, length, 3).value == max(coverage(law, j, 3).value for j in range(3, length + 1))


def test_adjacent_pairs_have_coverage_length_minus_one() -> None:
    assert coverage(placed_shapes({(0, 1): 1}), 10, 2).value == 9


def test_sets_too_wide_for_the_shorter_word_need_no_cover() -> None:
    assert coverage(adjacent_or_far(8), 16, 2).value <= 32


@pytest.mark.parametrize("measure", [coverage, largest_coverage])
def test_words_shorter_than_the_locality_have_nothing_to_be_compared_with(
    measure: Callable[[PositionLaw, int, int], Coverage],
) -> None:
    """Assumption 4.2 is about lengths from L_local on; an η of 1 from no comparison at all would say too much."""
    law = placed_shapes({(0, 1): 1})
    with pytest.raises(EnsembleError, match="lengths from L_local = 9 on, and 3 is shorter"):
        measure(law, 3, 9)
    with pytest.raises(EnsembleError, match="too short to plant in"):
        measure(law, 1, 1)
    assert measure(law, 9, 9).value == 1  # with itself, without a shift
