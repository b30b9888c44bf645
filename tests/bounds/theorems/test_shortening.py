"""The simulation map on counts: attention patterns on long prefixes, cases worked out by hand, and exact rounding."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.bounds.theorems.count_evaluation import Counts
from lengthwise.bounds.theorems.shortening import scaled, shorten
from lengthwise.bounds.theorems.worst_case import promised_distance, stand_in_length
from tests.bounds.attention_instances import Pattern, random_pattern, random_scales

# ------------------------------------------------------------------------------------------- the inequality


def check_patterns(seed: int, rounds: int) -> tuple[Counter[str], dict[str, float], float]:
    """Attention patterns on prefixes of up to 10^9 symbols: cases met, most of each promise used, longest / bound."""
    rng = np.random.default_rng(seed)
    cases: Counter[str] = Counter()
    used: dict[str, float] = {}
    longest = 0.0
    for _ in range(rounds):
        pattern = random_pattern(rng)
        x = pattern.counts
        resolution, ratio, hardmax_length = random_scales(rng, pattern)
        z, case = shorten(x, *pattern.masks, resolution, ratio, hardmax_length)
        cases[case] += 1
        bound = stand_in_length(resolution, ratio, x.period, len(x.suffix) - 1, hardmax_length)
        assert hardmax_length <= z.length <= min(bound, x.length)
        longest = max(longest, z.length / bound)
        assert (z.length - x.length) % x.period == 0
        assert z.suffix.tolist() == x.suffix.tolist()
        assert not (z.prefix > 0)[x.prefix == 0].any(), "only types of the word are used"
        promised = promised_distance(resolution, ratio, x.prefix.size, len(x.suffix) - 1)
        for which in range(2):
            distance = pattern.distance(which, z.prefix)
            assert distance <= (1e-12 if case in ("short", "copy") else promised)
            if promised < 2:  # two distributions never are further apart than that
                used[case] = max(used.get(case, 0.0), distance / promised)
    return cases, used, longest


def test_attention_to_a_stand_in_is_as_close_as_promised_on_words_up_to_a_thousand_million() -> None:
    cases, used, longest = check_patterns(seed=0, rounds=1000)
    assert min(cases[case] for case in ("short", "copy", "A-i", "A-ii", "B1", "B2")) > 20
    assert used["A-i"] > 0.3, "a promise that is never nearly used would be no test"
    assert longest > 0.999


@pytest.mark.slow
def test_attention_to_tens_of_thousands_of_stand_ins_is_as_close_as_promised() -> None:
    _, used, _ = check_patterns(seed=1, rounds=20_000)
    assert used["A-i"] > 0.4
    assert min(used["A-ii"], used["B1"], used["B2"]) > 0.05


def test_the_promise_is_loose_by_no_more_than_about_two() -> None:
    """All of 100 last symbols are attended; against 10^12 other keys they weigh nothing, against K = 10^5 they do."""
    attended = np.array([[True], [False]])
    x = Counts(np.array([[10**12], [4 * 10**12]]), np.zeros(100, dtype=np.int64))
    pattern = Pattern(x, (attended, attended), (np.ones(100, dtype=bool), np.ones(100, dtype=bool)))
    z, case = shorten(x, attended, attended, 10**5, 10**6, 1)
    assert case == "A-i"
    used = pattern.distance(0, z.prefix) / promised_distance(10**5, 10**6, types=2, window=99)
    assert 0.48 < used < 0.5


# ---------------------------------------------------------------------------------------------------- the cases


@pytest.mark.parametrize(
    ("prefix", "first", "second", "hardmax_length", "kept", "case"),
    [
        ([3, 2, 100], "a", "b", 1, [3, 2, 0], "copy"),
        ([3, 2, 100], "a", "b", 11, [3, 2, 5], "copy"),
        ([100, 100, 1000], "a", "ab", 1, [8, 8, 0], "A-i"),
        ([10, 1000, 5000], "a", "b", 1, [8, 32, 0], "A-ii"),
        ([4, 1000, 5000], "b", "a", 1, [4, 32, 0], "A-ii"),
        # Filled up with what nobody attends to, although the attended symbol is more frequent than each of those.
        ([40, 30, 30], "a", "a", 21, [8, 12, 0], "A-i"),
        ([300, 100, 0], "ab", "ab", 1, [24, 8, 0], "B1"),
        ([4, 747, 249], "a", "bc", 1, [4, 21, 7], "B2"),
        ([20, 1470, 510], "a", "bc", 1, [8, 18, 6], "B2"),
        ([20, 11, 0], "a", "ab", 1, [20, 11, 0], "short"),
    ],
)
def test_the_counts_of_a_stand_in_are_those_worked_out_by_hand(
    prefix: list[int], first: str, second: str, hardmax_length: int, kept: list[int], case: str
) -> None:
    """K = 8 and R = 4: at most 8 keys of the one model, 32 of the other."""
    counts = Counts(np.array(prefix)[:, None], np.array([0]))
    masks = [np.array([[symbol in attended] for symbol in "abc"]) & (counts.prefix > 0) for attended in (first, second)]
    found, label = shorten(counts, masks[0], masks[1], 8, 4, hardmax_length)
    assert (found.prefix.ravel().tolist(), label) == (kept, case)


def test_too_coarse_a_resolution_wipes_out_all_that_a_model_attends_to() -> None:
    """K >= 2D: 34 types that f attends to make up 8 of 32 kept keys, each less than half a key, and all are dropped."""
    mask = np.arange(68)[:, None] < 34
    counts = np.where(mask, 1000, 3000).astype(np.int64)
    x = Counts(counts, np.array([67]))
    coarse, case = shorten(x, mask, ~mask, 8, 4, 1)
    assert case == "B1"
    assert coarse.prefix[mask].sum() == 0
    fine, case = shorten(x, mask, ~mask, 2 * 68, 4, 1)
    assert case == "B1"
    assert fine.prefix[mask].sum() >= 68


# ---------------------------------------------------------------------------------------------------- rounding


@given(
    st.lists(st.integers(0, 10**12), min_size=1, max_size=8),
    st.integers(1, 10**9),
    st.integers(1, 10**12),
)
def test_rounding_changes_no_product_by_one_and_only_rounds_the_total_down(
    counts: list[int], numerator: int, denominator: int
) -> None:
    result = scaled(counts, numerator, denominator)
    assert sum(result) == sum(counts) * numerator // denominator
    for count, found in zip(counts, result, strict=True):
        assert abs(found * denominator - count * numerator) < denominator


def test_rounding_is_exact_where_floating_point_is_not() -> None:
    assert int((8 / 49) * 49) == 7
    assert sum(scaled([20, 29], 8, 49)) == 8
