"""The words of the algorithmic tasks have the chances that the definitions give them, computed exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations, product
from math import comb
from typing import Any

import numpy as np
import pytest

from lengthwise.tasks import get
from tests.tasks.statistics import assert_drawn_from

Chances = Mapping[str, Fraction]


def written(word: tuple[str, ...]) -> str:
    return " ".join(word)


def words(symbols: str, length: int) -> list[tuple[str, ...]]:
    return list(product(symbols, repeat=length))


def uniform(possible: list[tuple[str, ...]]) -> Chances:
    return {written(word): Fraction(1, len(possible)) for word in possible}


def written_bits(length: int, ties: bool) -> Chances:
    return {written(word): chance for word, chance in by_number_of_ones(length, ties).items()}


def by_number_of_ones(length: int, ties: bool) -> dict[tuple[str, ...], Fraction]:
    """Bits whose number of ones is uniform, without those in which it is half of the length unless ties may be."""
    numbers = [ones for ones in range(length + 1) if ties or 2 * ones != length]
    return {
        word: Fraction(1, len(numbers) * comb(length, word.count("1")))
        for word in words("01", length)
        if word.count("1") in numbers
    }


def interleaved(length: int) -> Chances:
    each = by_number_of_ones(length // 3, ties=False)
    return {
        written(tuple(bit for bits in zip(*tracks, strict=True) for bit in bits)): each[tracks[0]]
        * each[tracks[1]]
        * each[tracks[2]]
        for tracks in product(each, repeat=3)
    }


def numbers(size: int) -> list[str]:
    """The binary numbers of a size that do not begin with a zero, but 0 is one."""
    return [f"{number:b}" for number in range(2**size) if len(f"{number:b}") == size]


def added(length: int) -> Chances:
    sizes = range(1, length - 2)
    pairs = {first: list(product(numbers(first), numbers(length - 2 - first))) for first in sizes}
    return {
        written((*left, "+", *right)): Fraction(1, len(sizes) * len(found))
        for found in pairs.values()
        for left, right in found
    }


def one_most_frequent(word: tuple[str, ...]) -> bool:
    counts = [word.count(symbol) for symbol in set(word)]
    return counts.count(max(counts)) == 1


CASES: list[tuple[str, dict[str, Any], int, Chances]] = [
    *(("task:binary-majority", {}, length, written_bits(length, ties=False)) for length in (1, 2, 4, 5)),
    *(("task:parity", {}, length, written_bits(length, ties=True)) for length in (1, 4)),
    *(("task:binary-majority-interleave", {}, length, interleaved(length)) for length in (3, 6, 9)),
    *(
        ("task:majority", {"symbols": 3}, length, uniform([w for w in words("abc", length) if one_most_frequent(w)]))
        for length in (1, 2, 5)
    ),
    *(
        (name, {"symbols": 5}, length, uniform(list(permutations("01234", length))))
        for name in ("task:sort", "task:copy-unique")
        for length in (1, 3, 5)
    ),
    ("task:copy-repeat", {}, 5, uniform(words("ab", 5))),
    *(("task:addition", {}, length, added(length)) for length in (4, 5, 8)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parameters", "length", "chances"), CASES, ids=[f"{name}-{length}" for name, _, length, _ in CASES]
)
def test_questions_have_the_stated_chances(
    name: str, parameters: dict[str, Any], length: int, chances: Chances
) -> None:
    task = get(name, **parameters)
    batch = task.sample(length, 12_000, np.random.default_rng(3))
    questions = batch.tokens[:, 1 : length + (name != "task:addition")]
    assert_drawn_from(chances, (written(tuple(task.alphabet.decode(ids))) for ids in questions))


def test_the_empty_word_is_even() -> None:
    task = get("task:parity")
    batch = task.sample(0, 5, np.random.default_rng(0))
    assert [task.alphabet.decode(ids) for ids in batch.tokens] == [["SOS", "SEP", "e"]] * 5


def test_letters_of_majority_are_as_likely_as_each_other_at_every_length() -> None:
    """At length 2 only one word in 26 has one most frequent letter, so that most of them are drawn again."""
    task = get("task:majority")
    for length in (2, 30):
        answers = task.sample(length, 8_000, np.random.default_rng(4)).targets[:, length + 1]
        assert_drawn_from(dict.fromkeys(range(26), Fraction(1, 26)), answers.tolist())


def test_sums_are_right_where_carries_run_through_long_numbers() -> None:
    task = get("task:addition")
    batch = task.sample(150, 400, np.random.default_rng(5))
    carried = 0
    for tokens, targets, mask in zip(batch.tokens, batch.targets, batch.mask, strict=True):
        left, right = "".join(task.alphabet.decode(tokens[1:])).partition("=")[0].split("+")
        total = f"{int(left, 2) + int(right, 2):b}"
        assert task.alphabet.decode(targets[mask]) == [*total, "EOS"]
        carried += len(total) > max(len(left), len(right))
    assert carried > 0
