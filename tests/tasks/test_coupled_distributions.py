"""How words are drawn, exactly: all outcomes of what a sampler draws are gone through, and the words counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations, product
from math import comb

import pytest

from lengthwise.tasks import get
from tests.tasks.coupled_words import Word, every_word


def chances(words: Iterable[Word], beginning: int) -> dict[str, Fraction]:
    """The chance of every question: the symbols of a word up to a place."""
    counts = Counter(" ".join(word.symbols[:beginning]) for word in words)
    total = sum(counts.values())
    return {question: Fraction(count, total) for question, count in counts.items()}


def uniform(questions: Iterable[str]) -> dict[str, Fraction]:
    found = list(questions)
    return {question: Fraction(1, len(found)) for question in found}


@pytest.mark.parametrize(
    ("items", "fewest", "most", "indices"), [(3, 1, 2, 3), (3, 1, 8, 2), (3, 2, 2, 4), (4, 1, 2, 2)]
)
def test_all_numbers_with_k_small_ones_and_all_bits_are_equally_likely(
    items: int, fewest: int, most: int, indices: int
) -> None:
    task = get("task:sparse-parity", fewest=fewest, most=most, indices=indices)
    possible = [count for count in range(fewest, most + 1) if count < items]
    small = indices // 2
    wanted = {}
    for numbers in product(range(1, indices + 1), repeat=items):
        counted = sum(number <= indices / 2 for number in numbers)
        if counted in possible:
            ways = comb(items, counted) * small**counted * (indices - small) ** (items - counted)
            for bits in product(("t0", "t1"), repeat=items):
                pairs = (f"{number} {bit}" for number, bit in zip(numbers, bits, strict=True))
                question = " ".join(["BOS", *pairs, "SEP"])
                wanted[question] = Fraction(1, len(possible) * ways * 2**items)
    found, _ = every_word(task, 2 * items)
    assert chances(found, 2 * items + 2) == wanted


@pytest.mark.parametrize("jumps", [1, 2, 3])
def test_all_bits_of_scratchpad_parity_are_equally_likely(jumps: int) -> None:
    found, _ = every_word(get("task:scratchpad-parity", jumps=jumps), 5)
    assert chances(found, 7) == uniform(" ".join(["BOS", *bits, "SEP"]) for bits in product("01", repeat=5))


@pytest.mark.parametrize(("depth", "chains", "variables"), [(2, 1, 4), (2, 2, 6), (1, 3, 6), (3, 1, 5)])
def test_all_choices_of_variables_and_all_orders_that_keep_the_chains_are_equally_likely(
    depth: int, chains: int, variables: int
) -> None:
    task = get("task:variable-assignment", depth=depth, variables=variables)
    orders = set(permutations([chain for chain in range(chains) for _ in range(depth)]))
    questions = []
    for chosen in permutations([f"v{number + 1}" for number in range(variables)], chains * (depth + 1)):
        rows = [chosen[first : first + depth + 1] for first in range(0, len(chosen), depth + 1)]
        for order in orders:
            steps = [0] * chains
            triples = []
            for chain in order:
                left, right = rows[chain][steps[chain] : steps[chain] + 2]
                steps[chain] += 1
                triples.append(f"{left} ← {right}")
            questions.append(" ".join(["BOS", rows[0][0], "SEP1", *triples, "SEP2"]))
    # The chains that are not asked about can change places, so that questions occur several times.
    counts = Counter(questions)
    wanted = {question: Fraction(count, len(questions)) for question, count in counts.items()}
    assert len(set(wanted.values())) == 1, "as the others are not told apart, all questions are equally likely"
    found, _ = every_word(task, 3 * depth * chains)
    assert chances(found, 4 + 3 * depth * chains) == wanted


def test_all_words_of_reversal_are_equally_likely() -> None:
    found, calls = every_word(get("task:reversal", symbols=3), 4)
    assert chances(found, 5) == uniform(" ".join([*letters, "SEP"]) for letters in product("abc", repeat=4))
    assert calls == 1


@pytest.mark.parametrize(("base", "length"), [(2, 3), (3, 2), (10, 1)])
def test_all_pairs_of_numbers_are_equally_likely(base: int, length: int) -> None:
    found, _ = every_word(get("task:column-addition", base=base), length)
    digits = "0123456789"[:base]
    numbers = list(product(digits, repeat=length))
    pairs = product(numbers, numbers)
    assert chances(found, 3 + 2 * length) == uniform(" ".join(["BOS", *x, "+", *y, "="]) for x, y in pairs)
