"""Uneven words against brute force: all words of a length with their weights, integrated over the simplex."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language, languages
from lengthwise.subjects import task_of
from lengthwise.tasks.language_task import uneven_words
from tests.tasks.statistics import assert_drawn_from


def belongs(language: Language, ids: Iterable[int]) -> bool:
    return language.automaton.run(ids) in language.automaton.accepting


@pytest.mark.parametrize("regex", ["(a|b)*", "(ab|ba|aa)*", "a*b*"])
def test_words_have_the_probability_of_their_counts_averaged_over_frequencies(regex: str) -> None:
    language = Language.from_regex(regex, "ab")
    length = 4
    inside = [ids for ids in product(range(2), repeat=length) if belongs(language, ids)]
    # p^k (1 - p)^(n - k) over the sum of all words, integrated over p by many midpoints.
    points = (np.arange(20_000) + 0.5) / 20_000
    weights = np.array([points ** ids.count(0) * (1 - points) ** ids.count(1) for ids in inside])
    shares = [Fraction(float(share)) for share in (weights / weights.sum(axis=0)).mean(axis=1)]
    expected = {ids: share / sum(shares) for ids, share in zip(inside, shares, strict=True)}
    drawn = uneven_words(language.automaton, length, 40_000, np.random.default_rng(5))
    assert_drawn_from(expected, [tuple(word) for word in drawn.tolist()])


def test_without_a_constraint_all_counts_are_equally_likely() -> None:
    # ∫ p^k (1-p)^(n-k) dp = k! (n-k)! / (n+1)!, so each number of as has probability 1 / (n + 1).
    length = 6
    drawn = uneven_words(Language.from_regex("(a|b)*", "ab").automaton, length, 30_000, np.random.default_rng(2))
    assert_drawn_from({k: Fraction(1, length + 1) for k in range(length + 1)}, (drawn == 0).sum(1).tolist())


@pytest.mark.parametrize("name", languages())
def test_uneven_words_are_words_of_every_language_of_table_2(name: str) -> None:
    task = task_of(name, uneven=True)
    assert task.language is not None
    assert task.parameters["uneven"] is True
    rng = np.random.default_rng(0)
    for length in [length for length in (1, 2, 7, 20, 40) if length in task.language.lengths(40)]:
        batch = task.sample(length, 300, rng)
        assert batch.tokens.shape == (300, length)
        assert all(belongs(task.language, word) for word in batch.tokens.tolist())


def test_blocks_of_2s_are_long_in_uneven_words_only() -> None:
    rng = np.random.default_rng(1)
    longest = {}
    for uneven in (True, False):
        tokens = task_of("012-02", uneven=uneven).sample(50, 2000, rng).tokens
        runs = np.zeros(2000, dtype=int)
        best = runs.copy()
        for column in (tokens == 2).T:
            runs = (runs + 1) * column
            best = np.maximum(best, runs)
        longest[uneven] = float((best >= 10).mean())
    assert longest[True] > 0.05
    assert longest[False] < 0.002


def test_the_parameter_is_true_or_false_and_left_out_of_the_settings_if_false() -> None:
    assert task_of("tomita-4", uneven="no").parameters == {}
    with pytest.raises(LengthwiseError, match="'uneven' is true or false"):
        task_of("tomita-4", uneven="often")
