import math
from collections.abc import Mapping

import numpy as np
import pytest

from lengthwise.experiments.finding import Finding
from lengthwise.experiments.positional import Claim, Fits, judged, rows
from tests.experiments.positional.pretended import cell, fits

LOCAL = {"panels": ["few"], "width": "large"}
OTHER = {"panels": ["many"], "width": "large"}
BEST = {"panels": ["many"], "width": "best"}


def claim(kind: str, low: Mapping[str, object], high: Mapping[str, object]) -> Claim:
    return Claim(text="x", kind=kind, low=low, high=high)  # type: ignore[arg-type]


def finding(which: Claim, few: list[Fits], many: list[Fits]) -> Finding:
    panels = {"few": [each.cell for each in few], "many": [each.cell for each in many]}
    return judged(which, rows(panels, [*few, *many]), {32, 256})


def losses(function: str, width: int, *last: float) -> Fits:
    return fits(cell(function, width), last)


FEW = [losses("j = i - 1", 256, 1.0, 1.1, 1.2), losses("j = i - 5", 256, 2.0, 2.1, 2.2)]
MANY = [losses("j > i - 5", 256, 21, 22, 23), losses("j > i - 9", 256, 41, 42, 43)]


def test_all_of_some_functions_are_lower_than_all_of_others() -> None:
    found = finding(claim("lower", LOCAL, OTHER), FEW, MANY)
    assert found.verdict == "reproduced"
    assert found.value == pytest.approx(math.log10(22 / 2.1))
    assert found.low == pytest.approx(math.log10(21 / 2.2))
    assert found.high == pytest.approx(math.log10(23 / 2.0))
    assert (found.cells, found.seeds) == (4, 3)
    assert "2.1 (j = i - 5, d = 256)" in found.detail


def test_the_opposite_is_not_reproduced_and_a_single_exception_is_enough() -> None:
    assert finding(claim("lower", OTHER, LOCAL), FEW, MANY).verdict == "not reproduced"
    exception = [*FEW, losses("j = i - 7", 256, 30, 31, 32)]
    assert finding(claim("lower", LOCAL, OTHER), exception, MANY).verdict == "not reproduced"


def test_trials_that_overlap_leave_a_claim_undecided() -> None:
    overlapping = [losses("j > i - 5", 256, 1.5, 2.3, 9)]
    found = finding(claim("lower", LOCAL, OTHER), FEW, overlapping)
    assert found.verdict == "undecided"
    assert found.low < 0 < found.high


def test_two_trials_do_not_decide() -> None:
    found = finding(
        claim("lower", LOCAL, OTHER),
        [losses("j = i - 1", 256, 1, 1), losses("j = i - 5", 256, 1, 1)],
        [losses("j > i - 5", 256, 9, 9), losses("j > i - 9", 256, 9, 9)],
    )
    assert found.verdict == "undecided"
    assert found.low > 0


def test_the_best_width_counts_where_it_is_asked_for() -> None:
    both = [losses("j > i - 5", 32, 0.1, 0.1, 0.1), *MANY[:1]]
    assert finding(claim("lower", LOCAL, OTHER), FEW, both).verdict == "reproduced"
    found = finding(claim("lower", LOCAL, BEST), FEW, both)
    assert found.verdict == "not reproduced"
    assert found.value == pytest.approx(math.log10(0.1 / 2.1))


def test_a_function_is_compared_with_itself_at_another_width() -> None:
    """The first would be worse than the second at either width, but each is better where it should be."""
    small, large = ({"panels": ["few"], "width": width} for width in ("small", "large"))
    few = [
        losses("j = i - 1", 32, 50, 51, 52),
        losses("j = i - 1", 256, 5, 5.1, 5.2),
        losses("j = i - 5", 32, 2, 2, 2),
        losses("j = i - 5", 256, 1, 1, 1),
    ]
    found = finding(claim("lower-by-function", large, small), few, [])
    assert found.verdict == "reproduced"
    assert found.value == pytest.approx(math.log10(2))
    assert len(found.others) == 1
    assert finding(claim("lower", large, small), few, []).verdict == "not reproduced"


def test_relative_losses_stand_beside_them() -> None:
    """Four times the loss on a function that is nonzero nine times as often is less of it."""
    few, many = [losses("j = i - 1", 256, 1, 1, 1)], [losses("j > i - 9", 256, 4, 4, 4)]
    found = finding(claim("lower", LOCAL, OTHER), few, many)
    relative = found.others[-1]
    assert found.verdict == "reproduced"
    assert relative.verdict == "not reproduced"
    pairs_at_1 = 149
    pairs_below_9 = sum(150 - distance for distance in range(9))
    assert relative.value == pytest.approx(math.log10(4 * pairs_at_1 / pairs_below_9))


def test_a_width_without_results_is_not_replaced_by_another() -> None:
    few = [losses("j = i - 1", 32, 1, 1, 1)]
    found = finding(claim("lower", LOCAL, OTHER), few, MANY)
    assert (found.verdict, found.cells) == ("undecided", 0)
    assert math.isnan(found.value)


def test_a_diverged_trial_counts_as_infinitely_bad() -> None:
    (row,) = [
        row for row in rows({"few": [FEW[0].cell]}, [losses("j = i - 1", 256, 1, math.nan, 2)]) if row.length == 150
    ]
    np.testing.assert_array_equal(row.losses, [1, np.inf, 2])
    assert row.median == 2
    assert row.as_json()["greatest"] is None


def test_a_local_function_is_right_if_it_is_0_beyond_training_and_others_are_not() -> None:
    panels = {"few": [cell(text, 256) for text in ("j > i - 25", "i - j = 0 mod 3", "j < i - 25")]}
    found = {
        (row.cell.function, row.length): row.near for row in rows(panels, [fits(each, [1.0]) for each in panels["few"]])
    }
    assert found["j > i - 25", 150] == 0
    assert found["i - j = 0 mod 3", 50] == 0
    # 44.6 % of the pairs are 50 or more apart, and a third of them is at a multiple of 3.
    assert found["i - j = 0 mod 3", 150] == pytest.approx((2 * math.log(50)) ** 2 * 0.446 / 3, rel=0.02)
    assert found["j < i - 25", 150] == pytest.approx((2 * math.log(50)) ** 2 * 0.446, rel=0.01)
