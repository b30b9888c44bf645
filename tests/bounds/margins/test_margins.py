"""Certified lengths for words with a margin, against brute force over all counts of words up to a length."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from lengthwise import crasp
from lengthwise.bounds.margins.coverage import exact_shares, share_of
from lengthwise.bounds.margins.length import margins
from lengthwise.bounds.margins.margin import reading
from lengthwise.errors import LengthwiseError
from lengthwise.regular.prover.depth_one import depth_one

SOME_B = 'alphabet "a" "b"\nY = #"b" >= 1'


def _worst(margin: int, length: int, longest: int) -> tuple[float, tuple[int, int]]:
    """Majority, γ = 1: over all x up to `longest` the least of max over z of 1 - d(x, z) / δ, in hundredths of 2 δ.

    Words are (number of 1, number of 0); margin and differences of shares are whole numbers: nothing is rounded.
    """
    found = (1.0, (0, 0))
    for last in (0, 1):
        shorts = [(a, n - a) for n in range(1, length + 1) for a in range(n + 1) if (a, n - a)[last]]
        shorts = [z for z in shorts if 100 * abs(z[0] - z[1]) >= margin * sum(z)]
        tops, keys = np.array([z[0] for z in shorts]), np.array([sum(z) for z in shorts])
        for n in range(1, longest + 1):
            ones = np.array([a for a in range(n + 1) if (a, n - a)[last] and 100 * abs(2 * a - n) >= margin * n])
            for start in range(0, len(ones), 64):
                some = ones[start : start + 64, None]
                # d < δ, that is 100 |a m - z n| < (margin / 2) m n.
                ratio = np.abs(some * keys - tops * n) * 200 / (margin * keys * n)
                value = 1 - ratio.min(axis=1)
                at = int(value.argmin())
                if value[at] < found[0]:
                    found = (float(value[at]), (int(some[at, 0]), n - int(some[at, 0])))
    return found


def test_with_a_margin_of_a_tenth_20_symbols_suffice_for_majority_and_19_do_not() -> None:
    assert margins(crasp.load("majority"), 0.1).length == 20
    assert _worst(10, 20, 420)[0] > 1e-9
    assert _worst(10, 19, 420)[0] <= 0
    # One 1 among 420 symbols is as far from one among 19 as δ.
    assert 200 * (420 - 19) >= 10 * 19 * 420


@pytest.mark.parametrize(
    ("margin", "one", "half"),
    [
        (0.1, 20, 40),
        pytest.param(0.05, 40, 80, marks=pytest.mark.slow),
        pytest.param(0.03, 67, 134, marks=pytest.mark.slow),
    ],
)
def test_the_certified_lengths_of_majority_are_those_of_two_over_the_margin(margin: float, one: int, half: int) -> None:
    found = margins(crasp.load("majority"), margin)
    assert [each.length for each in found.lengths] == [one, half, one, half]
    assert all(each.exact for each in found.lengths)
    assert not found.start_symbol


def _margin_by_definition(text: str, word: str, uniform: bool, start: bool) -> Fraction | None:
    """μ of a word for `#b >= 1`, straight from the definition; None if the last symbol fixes the answer."""
    if word.endswith("b"):
        return None
    total = Fraction(word.count("b")) - Fraction(1, 2)
    keys = (len(word) if uniform else word.count("b")) + start
    return abs(total) / (Fraction(3, 2) * keys)


def test_margins_of_contains_b_are_those_of_the_definition_and_at_least_a_sixth_with_selective_attention() -> None:
    read = depth_one(crasp.parse(SOME_B))
    for attention in ("selective", "uniform"):
        situations = reading(read, attention).situations
        for length in range(1, 9):
            for word in map("".join, product("ab", repeat=length)):
                counts = np.array([[word.count("a"), word.count("b")]])
                mu = _margin_by_definition(SOME_B, word, attention == "uniform", start=True)
                for part in (Fraction(1, 6), Fraction(1, 3), Fraction(1, 20), Fraction(1, 3 * (length + 1))):
                    certain = situations["ab".index(word[-1])].certain(counts, part)[0]
                    assert certain == (mu is None or mu >= part), (word, attention, part)
                if attention == "selective":
                    assert situations["ab".index(word[-1])].certain(counts, Fraction(1, 6))[0]


def _needs(part: Fraction, longest: int, uniform: bool) -> int:
    """The longest shortest stand-in of words up to a length that end in a, for `#b >= 1` with a start symbol."""
    words = [(a, b) for a in range(1, longest + 1) for b in range(longest + 1 - a)]
    keys = {word: (sum(word) if uniform else word[1]) + 1 for word in words}
    shares = {
        word: np.array([word[0] if uniform else 0, word[1], 1], dtype=float) / keys[word]
        for word in words
        if abs(word[1] - Fraction(1, 2)) >= part * Fraction(3, 2) * keys[word]
    }
    table, sizes = np.array(list(shares.values())), np.array([sum(word) for word in shares])
    short = sizes <= 20
    apart = abs(table[:, None] - table[short]).sum(axis=2) / 2
    needed = np.where(apart < float(part) - 1e-9, sizes[short], longest).min(axis=1)
    return int(np.where(sizes <= 20, np.minimum(needed, sizes), needed).max())


@pytest.mark.parametrize(("part", "selective"), [(Fraction(1, 6), 6), (Fraction(1, 5), 5)])
def test_contains_b_needs_what_brute_force_needs(part: Fraction, selective: int) -> None:
    found = margins(crasp.parse(SOME_B), 2 * part)
    lengths = {each.attention: each for each in found.lengths if each.confidence == 1}
    assert found.start_symbol
    assert all(each.exact for each in lengths.values())
    assert lengths["selective"].length == _needs(part, 140, uniform=False) == selective
    assert lengths["uniform"].length == _needs(part, 140, uniform=True)


@pytest.mark.parametrize(
    ("length", "margin", "share"),
    [(64, 10, 38), (64, 5, 71), (64, 3, 90), (256, 10, 12), (256, 5, 42), (256, 3, 66), (1024, 5, 11), (1024, 3, 33)],
)
def test_the_share_of_uniform_words_with_a_margin_is_the_binomial_one(length: int, margin: int, share: int) -> None:
    shares = exact_shares(reading(depth_one(crasp.load("majority"))), Fraction(margin, 200), length)
    good = sum(comb(length, a) for a in range(length + 1) if 100 * abs(2 * a - length) >= margin * length)
    assert shares is not None
    assert shares["uniform"].value == float(Fraction(good, 2**length))
    assert round(100 * shares["uniform"].value) == share
    assert 0.89 <= shares["uneven"].value <= 0.99


def test_a_sampled_share_has_the_exact_one_within_its_interval() -> None:
    read = reading(depth_one(crasp.load("majority")))
    tokens = np.random.default_rng(3).integers(2, size=(3000, 64))
    counts = np.stack([(tokens == 0).sum(axis=1), (tokens == 1).sum(axis=1)], axis=1)
    found = share_of(read, Fraction(1, 20), counts, tokens[:, -1])
    exact = exact_shares(read, Fraction(1, 20), 64)
    assert exact is not None
    assert found.low < exact["uniform"].value < found.high
    assert 0.02 < found.high - found.low < 0.05


@pytest.mark.parametrize(
    ("name", "margin", "told"),
    [
        ("dyck1", 0.1, "depth 2"),
        ("aa-star", 0.1, "positions modulo a number"),
        ("contains-ab", 0.1, "windows"),
        ("majority", 0.0, "above 0 and at most 1"),
        ("majority", float("nan"), "above 0 and at most 1"),
        ("majority", 1.5, "above 0 and at most 1"),
    ],
)
def test_other_programs_and_margins_are_refused_with_what_would_fit(name: str, margin: float, told: str) -> None:
    with pytest.raises(LengthwiseError, match=told):
        margins(crasp.load(name), margin)


def test_a_program_that_compares_with_a_number_cannot_be_read_without_a_start_symbol() -> None:
    with pytest.raises(LengthwiseError, match="start symbol"):
        margins(crasp.parse(SOME_B), 0.3, start_symbol=False)


def test_three_symbols_are_certified_and_every_word_has_a_stand_in() -> None:
    program = crasp.parse('alphabet "a" "b" "c"\nY = #"a" >= #"b" + #"c"')
    found = margins(program, 0.5)
    assert found.exact
    assert found.length is not None
    part, radius = Fraction(1, 4), Fraction(1, 4)
    rng = np.random.default_rng(5)
    for _ in range(60):
        x = rng.multinomial(200, rng.dirichlet([1, 1, 1])) + np.array([0, 0, 1])
        if abs(x[0] - x[1] - x[2]) < 2 * part * x.sum():
            continue
        shorts = [
            (a, b, n - a - b)
            for n in range(1, found.length + 1)
            for a in range(n + 1)
            for b in range(n - a + 1)
            if n - a - b > 0 and abs(a - b - (n - a - b)) >= 2 * part * n
        ]
        assert any(
            sum(abs(Fraction(int(p), int(x.sum())) - Fraction(q, sum(z))) for p, q in zip(x, z, strict=True)) / 2
            < radius
            for z in shorts
        )
