"""Random words: of the language, of the length, and uniform among all words of that length.

Uniformity is tested by chi-square against a threshold that a uniform sampler exceeds with probability 10⁻⁶ (normal
approximation of Wilson and Hilferty); seeds are fixed, so a pass stays a pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lengthwise.regular.languages import counting, sampling
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.counting import NoWordError, Words
from lengthwise.regular.languages.language import Language

REGEXES = [
    "(a|b)*",
    "(ab|b)*",
    "a*b*a*",
    "(a|b)*abb",
    "(a(a|b)b)*(a|b)?",
    "(aaa|b)*",
    "a(b|ab)*|bbbbb*",
    "[abc]*c[ab]*",
]


def threshold(freedom: int) -> float:
    return float(freedom * (1 - 2 / (9 * freedom) + 4.75 * (2 / (9 * freedom)) ** 0.5) ** 3)


def assert_uniform(drawn: Iterable[str], possible: list[str], total: int) -> None:
    counts = Counter(drawn)
    assert set(counts) <= set(possible)
    expected = total / len(possible)
    chi_square = sum((counts[word] - expected) ** 2 / expected for word in possible)
    assert chi_square < threshold(max(1, len(possible) - 1))


def texts(language: Language, ids: np.ndarray[Any, Any]) -> list[str]:
    return ["".join(language.alphabet.decode(row)) for row in ids]


def language(regex: str) -> Language:
    return Language.from_regex(regex)


@pytest.mark.parametrize("regex", REGEXES)
@pytest.mark.parametrize("few_states", [32, 0], ids=["halving", "stepping"])
def test_batches_are_uniform(regex: str, few_states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "FEW_STATES", few_states)
    monkeypatch.setattr(sampling, "SHORT_WORDS", 8)  # so that even short words are halved
    source, rng = language(regex), np.random.default_rng(5)
    for length in (1, 2, 5, 8):
        possible = ["".join(word) for word in source.words(length)]
        if 0 < len(possible) < 1000:
            total = 40 * len(possible)
            assert_uniform(texts(source, source.sample_batch(length, total, rng)), possible, total)


@pytest.mark.parametrize("regex", REGEXES[:4])
def test_short_stretches_are_uniform(regex: str) -> None:
    source, rng = language(regex), np.random.default_rng(6)
    possible = ["".join(word) for word in source.words(7)]
    total = 60 * len(possible)
    assert_uniform(texts(source, source.sample_batch(7, total, rng)), possible, total)


@pytest.mark.parametrize("regex", REGEXES[:4])
def test_single_words_are_uniform(regex: str) -> None:
    source, rng = language(regex), np.random.default_rng(7)
    possible = ["".join(word) for word in source.words(5)]
    total = 40 * len(possible)
    assert_uniform(("".join(source.sample(5, rng)) for _ in range(total)), possible, total)


class Sequence(np.random.Generator):
    """A generator whose `bytes` are given."""

    def __init__(self, numbers: Iterable[int]) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = iter(numbers)

    def bytes(self, length: int) -> bytes:
        return next(self.numbers).to_bytes(length, "little")


def test_a_single_word_is_the_one_whose_number_was_drawn() -> None:
    source = language("(ab|b)*")
    possible = list(source.words(9))  # 55 words, so 6 of the 8 bits of a byte make a number, and 55 to 63 are redrawn
    assert [source.sample(9, Sequence([(60 << 2) | 3, number << 2])) for number in range(55)] == possible


LONG = {
    "mixed growth": ("c(aa)*|([ab][ab])*", 20_001),
    "brackets": ("(a(a(ab)*b)*b)*", 20_000),
    "polynomial": ("a*b*c*d*", 20_000),
    "one word": ("(ab)*", 20_000),
    "one symbol": ("a*", 20_000),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("few_states", [32, 0], ids=["halving", "stepping"])
def test_long_words_are_in_the_language(name: str, few_states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "FEW_STATES", few_states)
    monkeypatch.setattr(sampling, "KEPT_BYTES", 100_000)
    regex, length = LONG[name]
    length = length if few_states else length // 10
    length += (length - LONG[name][1]) % 2
    source, rng = language(regex), np.random.default_rng(8)
    ids = source.sample_batch(length, 3, rng)
    assert ids.shape == (3, length)
    assert all(source.accepts(row) for row in ids)


def first_symbol_share(automaton: Automaton, length: int) -> Fraction:
    """The exact share of words that begin with the first symbol."""
    words = Words(automaton)
    begun = Words(Automaton(automaton.symbols, automaton.table, automaton.table[0][0], automaton.accepting))
    return Fraction(begun.count(length - 1), words.count(length))


@pytest.mark.parametrize("regex", ["(a|b)*abb", "a*b*a*", "(ab|b)*", "(a(a(ab)*b)*b)*|b(a|b)*"])
def test_the_weights_of_long_words_are_accurate(regex: str) -> None:
    """The stated accuracy, on the shares that the sampler draws from at its first step."""
    automaton, length = language(regex).automaton, 2_000
    exact = float(first_symbol_share(automaton, length))
    stepping = sampling.Stepping(sampling.Trimmed.of(automaton))
    for number in range(length // stepping.rows + 1):
        block = stepping.block(number)
    share = block[(length - 1) % stepping.rows, automaton.start, 0]
    assert min(share, 1.0) == pytest.approx(exact, rel=1e-11, abs=1e-300)


def test_halving_weighs_pairs_of_states_as_exact_counting_does() -> None:
    automaton, length = language("(aab|ba|b)*").automaton, 1_001
    halving = sampling.Halving(sampling.Trimmed.of(automaton))
    mantissa, exponent = halving.prepare(length)
    alive = [state for state in range(len(automaton)) if set(automaton.table[state]) != {state}]
    assert halving.states == len(alive) == len(automaton) - 1
    for row, start in enumerate(alive):
        for column, end in enumerate(alive):
            exact = Words(Automaton(automaton.symbols, automaton.table, start, frozenset({end}))).count(length)
            found = Fraction(float(mantissa[row, column])) * Fraction(2) ** int(exponent[row, column])
            assert abs(found - exact) <= Fraction(1, 10**11) * exact


def test_the_same_seed_draws_the_same_words() -> None:
    source = language("(ab|b)*")
    for length, batch in ((50, 4), (5_000, 1)):
        first, second = (source.sample_batch(length, batch, np.random.default_rng(3)) for _ in range(2))
        assert (first == second).all()
        assert source.sample(length, np.random.default_rng(3)) == source.sample(length, np.random.default_rng(3))


def test_ids_have_the_type_of_the_alphabet() -> None:
    source = language("(ab|b)*")
    for length in (0, 1, 700):
        ids = source.sample_batch(length, 5, np.random.default_rng(0))
        assert ids.dtype == source.alphabet.dtype
        assert ids.shape == (5, length)
    assert source.sample_batch(9, 0, np.random.default_rng(0)).shape == (0, 9)
    assert source.sample(0, np.random.default_rng(0)) == ""


@pytest.mark.parametrize(
    ("regex", "length", "message"),
    [
        ("(abab)*", 7, "no word of length 7; the nearest lengths with words: 4 and 8"),
        ("a{3}", 2, "no word of length 2; the nearest lengths with words: 3"),
        ("a{3}", 4_000, "no word of length 4000; nor has it any of about this length"),
        ("a*", -1, "no negative length"),
        ("∅|(a{0})∅", 0, "no word of length 0"),
    ],
)
def test_a_length_without_words_is_refused_with_the_nearest_ones(regex: str, length: int, message: str) -> None:
    source, rng = Language.from_regex(regex, "ab"), np.random.default_rng(0)
    for draw in (lambda: source.sample(length, rng), lambda: source.sample_batch(length, 2, rng)):
        with pytest.raises(NoWordError, match=message):
            draw()


def test_lengths_of_a_language_with_many_periods() -> None:
    source = Language.from_regex("(a{2})*b|(a{3})*c|(a{5})*d")
    expected = tuple(n + 1 for n in range(1000) if n % 2 == 0 or n % 3 == 0 or n % 5 == 0)
    assert source.lengths(1000) == expected


def test_where_exact_counts_do_not_fit_floats_take_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "EXACT_BYTES", 1000)
    source, rng = language("(ab|b)*"), np.random.default_rng(1)
    assert all(source.accepts(source.sample(200, rng)) for _ in range(20))
    assert source.count(200) == Words(source.automaton).count(200)


@pytest.mark.slow
def test_a_word_of_a_million_symbols_can_be_drawn() -> None:
    source = language("(a(a(ab)*b)*b)*|c(aa)*")
    assert source.accepts(source.sample(10**6, np.random.default_rng(2)))
    assert source.accepts(source.sample(10**6 + 1, np.random.default_rng(2)))
