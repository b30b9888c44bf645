"""Languages as tasks: sets of next symbols and uniform words, against Python's own regular expressions."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.subjects import task_of
from lengthwise.tasks import LanguageTask
from tests.tasks.statistics import assert_drawn_from

CASES = [("(ab)*", "ab", 6), ("a*b*", "ab", 6), ("(a|b)*abb", "ab", 7), ("(aaa)*|b+", "abc", 6), ("a(b|c)?", "abc", 2)]
AHEAD = 4
"""No language above needs more symbols to complete a word."""


def words(regex: str, symbols: str, length: int) -> Iterator[str]:
    compiled = re.compile(regex)
    return (word for word in map("".join, product(symbols, repeat=length)) if compiled.fullmatch(word))


@pytest.mark.parametrize(("regex", "symbols", "length"), CASES)
def test_targets_are_the_symbols_that_lead_on_to_a_word_and_whether_it_may_end(
    regex: str, symbols: str, length: int
) -> None:
    beginnings = {
        word[:end]
        for total in range(length + AHEAD + 1)
        for word in words(regex, symbols, total)
        for end in range(total + 1)
    }
    task = LanguageTask(Language.from_regex(regex, symbols))
    batch = task.sample(length, 40, np.random.default_rng(1))
    for ids, sets in zip(batch.tokens.tolist(), batch.targets.tolist(), strict=True):
        word = "".join(symbols[number] for number in ids)
        for place, found in enumerate(sets, 1):
            prefix = word[:place]
            wanted = [prefix + symbol in beginnings for symbol in symbols]
            assert found == [*wanted, re.fullmatch(regex, prefix) is not None]


@pytest.mark.parametrize(("regex", "symbols", "length"), CASES)
def test_all_words_of_a_length_are_equally_likely(regex: str, symbols: str, length: int) -> None:
    task = task_of(regex, alphabet=symbols)
    drawn = ["".join(task.alphabet.decode(ids)) for ids in task.sample(length, 3000, np.random.default_rng(2)).tokens]
    possible = list(words(regex, symbols, length))
    if len(possible) == 1:
        assert set(drawn) == set(possible)
    else:
        assert_drawn_from(dict.fromkeys(possible, Fraction(1, len(possible))), drawn)


def test_lengths_are_those_of_non_empty_words() -> None:
    assert LanguageTask(Language.from_regex("(aa)*")).lengths(7) == (2, 4, 6)
    assert LanguageTask(Language.from_regex("(aa)*")).min_length == 2
    assert LanguageTask(Language.from_regex("a{7}b?|()")).lengths(20) == (7, 8)


def test_a_length_without_words_is_refused_with_the_nearest_ones() -> None:
    task = task_of("(aaa)*")
    with pytest.raises(LengthwiseError, match="no word of length 7; the nearest lengths with words: 6 and 9"):
        task.sample(7, 1, np.random.default_rng(0))
    with pytest.raises(LengthwiseError, match=r"words of length 3 and more, not of length 0"):
        task.sample(0, 1, np.random.default_rng(0))


@pytest.mark.parametrize("regex", ["()", "∅"])
def test_a_language_without_words_to_train_on_is_refused(regex: str) -> None:
    with pytest.raises(LengthwiseError, match="no word with a symbol in it"):
        LanguageTask(Language.from_regex(regex, "ab"))
