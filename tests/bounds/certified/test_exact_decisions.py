"""What floating point cannot tell is decided in fractions: touching intervals, cells, words and linear conditions.

The oracles are plain fractions over all words up to a length, and z3.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import z3

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.certified.exact_line import gap_in
from lengthwise.bounds.certified.feasibility import nonnegative_solution
from lengthwise.bounds.certified.length import certified, own_sensitivity
from lengthwise.bounds.certified.share_map import root_above, root_below
from lengthwise.bounds.certified.situation_list import enumerate_situations
from lengthwise.bounds.certified.situations import Nearness
from lengthwise.limit.constructions import mod_p_task, simple_task
from lengthwise.limit.evaluation.regimes import Floats, Hardmax
from lengthwise.limit.model import Head, Layer, LimitTransformer
from tests.bounds import stand_in_oracle as oracle

HAIR = 1e-12
Word = tuple[int, ...]


# --------------------------------------------------------------------------------------- models in plain fractions


def fractions_of(matrix: Floats) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in np.atleast_2d(matrix).tolist()]


def product(matrix: list[list[Fraction]], vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


def output_in_fractions(model: LimitTransformer, word: Word) -> list[Fraction]:
    """What a one-layer hardmax model says at the end of a word, without any rounding after its logits."""
    layer = model.layers[0]
    embedding, positions = fractions_of(model.embedding), fractions_of(model.positions)
    inputs = [
        [a + b for a, b in zip(embedding[symbol], positions[at % model.period], strict=True)]
        for at, symbol in enumerate(word, 1)
    ]
    after = list(inputs[-1])
    for head in layer.heads:
        asked = product(fractions_of(head.key_query), inputs[-1])
        logits = [sum((a * b for a, b in zip(key, asked, strict=True)), Fraction(0)) for key in inputs]
        for distance in range(min(len(word), len(head.phi))):
            logits[len(word) - 1 - distance] += Fraction(float(head.phi[distance]))
        attended = [key for key, logit in zip(inputs, logits, strict=True) if logit >= max(logits) - Fraction(1, 10**9)]
        mean = [sum(column, Fraction(0)) / len(attended) for column in zip(*attended, strict=True)]
        after = [a + b for a, b in zip(after, product(fractions_of(head.value), mean), strict=True)]
    if len(layer.bias):
        before = product(fractions_of(layer.hidden), after)
        units = [max(a + Fraction(b), Fraction(0)) for a, b in zip(before, layer.bias.tolist(), strict=True)]
        after = [a + b for a, b in zip(after, product(fractions_of(layer.output), units), strict=True)]
    return product(fractions_of(model.unembedding), after)


def test_the_map_of_a_situation_is_the_output_of_its_words_and_floats_are_off_by_no_more_than_is_said() -> None:
    compared = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        model = oracle.random_model(
            rng,
            symbols=2 + seed % 2,
            period=1 + seed % 3,
            window=seed % 3,
            heads=1 + seed % 2,
            outputs=1 + seed // 2 % 2,
        )
        for situation in enumerate_situations([model]):
            counts, _ = situation.counts_within(2)
            for each in counts[:: max(1, len(counts) // 3)] if situation.maps else ():
                expected = output_in_fractions(model, tuple(situation.word(each).to_tokens().tolist()))
                (found,) = situation.maps
                above, below = found.exact(situation.exact_shares(each.tolist()))
                assert [Fraction(int(part), below) for part in above] == expected
                rounded = found(situation.shares(each[None]))[0]
                off = sum(abs(Fraction(value) - true) for value, true in zip(rounded.tolist(), expected, strict=True))
                assert off <= Fraction(found.error)
                compared += 1
    assert compared > 100


def test_square_roots_are_rounded_to_the_side_that_is_asked_for() -> None:
    for square in (Fraction(2), Fraction(1, 3), Fraction(10**30, 7), Fraction(9, 4), Fraction(0)):
        assert root_below(square) ** 2 <= square <= root_above(square) ** 2
        assert root_above(square) - root_below(square) <= Fraction(1, 2**90)
    assert root_below(Fraction(9, 4)) == root_above(Fraction(9, 4)) == Fraction(3, 2)


# ------------------------------------------------------------------------------------------------ intervals


def covered_by_brute_force(low: Fraction, high: Fraction, intervals: list[tuple[Fraction, Fraction]]) -> bool:
    """Every end of an interval and every point half-way between two neighbouring ends is in some interval."""
    ends = sorted({low, high, *(end for pair in intervals for end in pair if low <= end <= high)})
    points = [*ends, *((a + b) / 2 for a, b in itertools.pairwise(ends))]
    return all(any(start <= point <= end for start, end in intervals) for point in points)


@pytest.mark.parametrize("hair", [Fraction(0), Fraction(1, 10**10), Fraction(1, 10**12), Fraction(1, 10**25)])
def test_whether_intervals_that_meet_within_a_hair_cover_a_line_is_decided_as_by_brute_force(hair: Fraction) -> None:
    rng = np.random.default_rng(0)
    found = {True: 0, False: 0}
    for _ in range(300):
        low, high = Fraction(0), Fraction(1)
        cuts = [Fraction(int(cut), 12) for cut in sorted(rng.choice(np.arange(1, 12), 3, replace=False))]
        edges = [low, *cuts, high]
        intervals = [
            (start + int(rng.integers(-1, 2)) * hair, end + int(rng.integers(-1, 2)) * hair)
            for start, end in itertools.pairwise(edges)
        ]
        intervals += [(cuts[0], cuts[0])] * int(rng.integers(2))
        order = rng.permutation(len(intervals))
        intervals = [intervals[place] for place in order]
        starts, ends = (np.array([float(pair[side]) for pair in intervals]) for side in (0, 1))
        gap = gap_in(low, high, starts, ends, intervals.__getitem__)
        expected = covered_by_brute_force(low, high, intervals)
        assert (gap is None) == expected
        found[expected] += 1
        if gap is not None:
            middle = (gap.low + gap.high) / 2
            assert low <= gap.low < gap.high <= high
            assert not any(start <= middle <= end for start, end in intervals)
    assert found[True] > 20
    assert hair == 0 or found[False] > 20


# ------------------------------------------------------------------------------------------ certified lengths


@pytest.mark.parametrize("steps", [4, 5, 10])
@pytest.mark.parametrize("off", [0.0, HAIR, -HAIR, 1e-15])
def test_an_error_that_is_a_hair_too_small_takes_one_more_key(steps: int, off: float) -> None:
    """ModPTask keeps a share of 1/n at least away from one end of the line, so n must be at least 1/ε."""
    epsilon = 1 / steps + off
    exact = Fraction(repr(epsilon))
    for sensitivity in (None, "own"):
        found = certified(mod_p_task(3, 0).model, epsilon, sensitivity=sensitivity)
        assert (found.length, found.exact) == (3 * math.ceil(1 / exact), True)


def test_a_decimal_is_the_fraction_that_is_written() -> None:
    """0.3 as a floating-point number is less than three tenths."""
    assert Fraction(0.3) < Fraction(3, 10)
    f = mod_p_task(2, 0).model
    assert certified(f, 0.3, sensitivity=3.0).length == 2 * 10
    assert certified(f, 0.3 - HAIR, sensitivity=3.0).length == 2 * 11


def attends_to_all(values: Floats, unembedding: Floats) -> LimitTransformer:
    """A mean of the values of all symbols, with one-hot inputs that the output does not see themselves."""
    symbols, width = len(values), len(values) + values.shape[1]
    embedding, value = np.eye(symbols, width), np.zeros((width, width))
    value[symbols:, :symbols] = values.T
    read = np.concatenate([np.zeros((len(unembedding), symbols)), unembedding], axis=1)
    nothing = np.zeros((0, width))
    layer = Layer(
        (Head(np.zeros((width, width)), value, np.zeros(1)),), nothing, np.zeros(0), nothing.T, np.zeros(0, dtype=bool)
    )
    names = tuple(f"output {number}" for number in range(len(unembedding)))
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])), embedding, np.zeros((1, width)), (layer,), read, names, regime=Hardmax()
    )


def squared_distance(values: Floats, first: tuple[int, ...], second: tuple[int, ...]) -> Fraction:
    """Between the means of the values over two words, by their counts."""
    means = [
        [sum(Fraction(v) * c for v, c in zip(column, each, strict=True)) / sum(each) for column in values.T.tolist()]
        for each in (first, second)
    ]
    return sum(((a - b) ** 2 for a, b in zip(*means, strict=True)), Fraction(0))


@pytest.mark.parametrize("off", [Fraction(0), Fraction(1, 10**12)])
@pytest.mark.parametrize("symbols", [2, 3])
def test_a_word_that_is_a_hair_too_far_needs_a_longer_stand_in(symbols: int, off: Fraction) -> None:
    """Distances in fractions, from the worst word to all shorter ones and from words of any length to stand-ins."""
    rng = np.random.default_rng(symbols)
    values = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, -1.0]])[:symbols]
    f = attends_to_all(values, np.eye(2))
    changed = 0
    for epsilon in (Fraction(5, 4), Fraction(1), Fraction(5, 2)):
        written = float(epsilon - off)
        square = Fraction(repr(written)) ** 2
        found = certified(f, written)
        assert found.exact
        stand_ins = [
            each for each in itertools.product(range(found.length + 1), repeat=symbols) if 0 < sum(each) <= found.length
        ]
        last = int(found.worst_input.counts.suffix[0])
        worst = tuple(int(count) + (place == last) for place, count in enumerate(found.worst_input.counts.prefix[:, 0]))
        apart = [squared_distance(values, worst, each) for each in stand_ins if each[last] and sum(each) < found.length]
        assert not apart or min(apart) > square
        for _ in range(60):
            word = tuple(int(10 ** rng.uniform(0, 14)) * int(rng.integers(0, 2)) for _ in range(symbols))
            end = int(rng.integers(symbols))
            word = tuple(count + (place == end) for place, count in enumerate(word))
            assert min(squared_distance(values, word, each) for each in stand_ins if each[end]) <= square
        changed += found.length != certified(f, float(epsilon)).length
    assert (changed > 0) == (off > 0 and symbols == 2)


def test_nearness_counts_a_distance_of_exactly_epsilon_and_not_one_that_is_less_by_a_hair() -> None:
    (situation, *_) = (each for each in enumerate_situations([mod_p_task(3, 0).model]) if len(each.kinds) == 2)
    one, other = [7, 3], [0, 1]
    (a,), (b,) = (Nearness(situation, Fraction(1)).values(each) for each in (one, other))
    apart = abs(Fraction(int(a[0][0]), a[1]) - Fraction(int(b[0][0]), b[1]))
    for off, expected in ((Fraction(0), True), (Fraction(1, 10**18), True), (Fraction(-1, 10**18), False)):
        near = Nearness(situation, apart + off)
        stand_ins = np.array([other])
        values = [each(situation.shares(stand_ins)) for each in situation.maps]
        assert (near.first_within(one, values, stand_ins) == 0) == expected


def test_the_sensitivity_of_a_model_is_never_rounded_down() -> None:
    """SimpleTask has chords of the sine for pieces; its steepest chord, in fractions, is at most what is said."""
    for omega in (2.0, 3.0, 5.0):
        f = simple_task(omega).model
        # Between shares of n/64 the output is linear.
        outputs = [output_in_fractions(f, (*[0] * (64 - ones), *[1] * ones))[0] for ones in range(1, 65)]
        steepest = max(abs(a - b) * 64 for a, b in itertools.pairwise(outputs))
        assert steepest <= Fraction(own_sensitivity(f)) <= steepest * (1 + Fraction(1, 2**40))


# ------------------------------------------------------------------------------------------- linear conditions


def solvable(equal: Floats, targets: Floats, at_most: Floats, limits: Floats) -> bool:
    solver = z3.Solver()
    unknowns = [z3.Real(f"x{place}") for place in range(equal.shape[1])]
    solver.add(*(unknown >= 0 for unknown in unknowns))

    def left(row: Floats) -> z3.ArithRef:
        return z3.Sum([z3.Q(*Fraction(entry).as_integer_ratio()) * x for entry, x in zip(row, unknowns, strict=True)])

    solver.add(*(left(row) == z3.Q(*Fraction(b).as_integer_ratio()) for row, b in zip(equal, targets, strict=True)))
    solver.add(*(left(row) <= z3.Q(*Fraction(b).as_integer_ratio()) for row, b in zip(at_most, limits, strict=True)))
    return bool(solver.check() == z3.sat)


def test_conditions_are_called_contradictory_only_if_they_are() -> None:
    """Right sides, coefficients or both are off by 1e-10 and 1e-12 from those of a point that fits."""
    rng = np.random.default_rng(1)
    said = {True: 0, False: 0}
    for _ in range(250):
        unknowns, equations, inequalities = (int(rng.integers(low, high)) for low, high in ((2, 5), (1, 3), (1, 5)))
        equal = rng.integers(-2, 3, (equations, unknowns)).astype(np.float64)
        at_most = rng.integers(-2, 3, (inequalities, unknowns)).astype(np.float64)
        point = rng.integers(0, 3, unknowns).astype(np.float64)
        hair = float(rng.choice([1e-10, 1e-12, 1e-3, 1.0]))
        targets = equal @ point
        limits = at_most @ point + hair * rng.integers(-1, 2, inequalities)
        at_most[0] += 1e-10 * rng.integers(-1, 2, unknowns)
        none = nonnegative_solution(equal, targets, at_most, limits) is None
        if none:
            assert not solvable(equal, targets, at_most, limits)
        said[none] += 1
    assert min(said.values()) > 20


def test_a_small_coefficient_is_no_zero() -> None:
    """x + 5e-10 y = 2 and x = 1 have the solution y = 2e9."""
    equal, targets = np.array([[1.0, 5e-10], [1.0, 0.0]]), np.array([2.0, 1.0])
    assert solvable(equal, targets, np.zeros((0, 2)), np.zeros(0))
    found = nonnegative_solution(equal, targets, np.zeros((0, 2)), np.zeros(0))
    assert found is not None
    assert np.allclose(equal @ found, targets)
