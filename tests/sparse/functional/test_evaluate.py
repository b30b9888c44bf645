"""The streaming evaluator against the definition, on random tables of every kind."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.functional import (
    FunctionKey,
    HypothesisError,
    Key,
    ShapeKey,
    SparseAttention,
    TokenKey,
    ValueTable,
)
from lengthwise.sparse.functional.attention import RunningMean
from tests.sparse.functional.naive import evaluate_naively

Rng = np.random.Generator
AB = Alphabet(("a", "b", "c"))
Scores = Callable[[tuple[int, ...], tuple[int, ...]], float]


def by_definition(
    score: Scores, value: Callable[[tuple[int, ...]], list[float]], word: list[int], k: int
) -> list[float]:
    """Definition 3.3 on plain functions; shares nothing with the package."""
    rows = []
    for places in combinations(range(1, len(word) + 1), k):
        tokens = tuple(word[place - 1] for place in places)
        rows.append((score(places, tokens), value(tokens)))
    top = max(row[0] for row in rows)
    if top == -math.inf:
        return [sum(row[1][d] for row in rows) / len(rows) for d in range(len(rows[0][1]))]
    weights = [math.exp(row[0] - top) for row in rows]
    return [
        sum(w * row[1][d] for w, row in zip(weights, rows, strict=True)) / sum(weights) for d in range(len(rows[0][1]))
    ]


def random_scores(rng: Rng, k: int, share: float, size: float) -> dict[tuple[int, ...], float]:
    chosen = [tokens for tokens in product(range(3), repeat=k) if rng.random() < share]
    return {tokens: float(rng.normal() * size) for tokens in chosen or [(0,) * k]}


def random_values(rng: Rng, k: int, d: int) -> tuple[ValueTable, Callable[[tuple[int, ...]], list[float]]]:
    listed = {t: [float(x) for x in rng.normal(size=d)] for t in product(range(3), repeat=k) if rng.random() < 0.7}
    default = [float(x) for x in rng.normal(size=d)]
    table = {tokens: tuple(map(Fraction, value)) for tokens, value in listed.items()}
    return ValueTable(3, k, table, tuple(map(Fraction, default))), lambda tokens: listed.get(tokens, default)


def random_key(rng: Rng, kind: str, k: int, share: float, size: float) -> tuple[Key, Scores]:
    """A key of the package and the same scores as a plain function."""
    if kind == "shapes":
        shapes = [(0, *rest) for rest in combinations(range(1, 4), k - 1)]
        tables = {shape: random_scores(rng, k, share, size) for shape in shapes}
        key: Key = ShapeKey({shape: TokenKey(3, k, table) for shape, table in tables.items()})
        return key, lambda places, tokens: tables.get(tuple(p - places[0] for p in places), {}).get(tokens, -math.inf)
    if kind == "absolute":
        table = random_scores(rng, k, share, 1.0)

        def weight(places: tuple[int, ...], tokens: tuple[int, ...]) -> float:
            return math.exp(table[tokens]) * places[0] if tokens in table and places[-1] % 2 else 0.0

        def score(places: tuple[int, ...], tokens: tuple[int, ...]) -> float:
            if tokens not in table or not places[-1] % 2 or places[-1] - places[0] > 3:
                return -math.inf
            return table[tokens] + math.log(places[0])

        return FunctionKey(k, weight, reach=3), score
    reach = 3 if kind == "local tokens" else None
    table = random_scores(rng, k, share, size)

    def token_score(places: tuple[int, ...], tokens: tuple[int, ...]) -> float:
        near = reach is None or places[-1] - places[0] <= reach
        return table.get(tokens, -math.inf) if near else -math.inf

    return TokenKey(3, k, table, reach=reach), token_score


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("kind", ["shapes", "local tokens", "any tokens", "absolute"])
def test_the_evaluator_agrees_with_the_definition_on_random_tables(kind: str, k: int) -> None:
    rng = np.random.default_rng(len(kind) * 10 + k)
    for share, size in [(0.05, 1.0), (0.3, 5.0), (0.9, 300.0)]:
        key, score = random_key(rng, kind, k, share, size)
        value, plain_value = random_values(rng, k, 2)
        words = rng.integers(0, 3, size=(6, 9))
        found = SparseAttention(AB, key, value).outputs(words)
        for row, word in zip(found, words.tolist(), strict=True):
            expected = by_definition(score, plain_value, word, k)
            assert row == pytest.approx(expected, abs=1e-9)
            assert evaluate_naively(key, value, word) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("kind", ["shapes", "local tokens", "any tokens", "absolute"])
def test_a_key_that_looks_at_nothing_gives_the_plain_mean_over_all_sets(kind: str, k: int) -> None:
    rng = np.random.default_rng(k)
    key, _ = random_key(rng, kind, k, 0.0, 1.0)  # the only entry of its tables is a … a
    value, plain_value = random_values(rng, k, 3)
    words = rng.integers(1, 3, size=(5, 8))
    found = SparseAttention(AB, key, value).outputs(words)
    for row, word in zip(found, words.tolist(), strict=True):
        assert row == pytest.approx(by_definition(lambda *_: -math.inf, plain_value, word, k))
        assert evaluate_naively(key, value, word) == pytest.approx(row)


@pytest.mark.parametrize(("length", "reach", "k"), [(12, 3, 2), (12, 4, 3), (20, 1, 2), (5, 4, 4)])
def test_a_local_key_is_asked_about_no_set_beyond_its_reach(length: int, reach: int, k: int) -> None:
    asked = []

    def weight(places: tuple[int, ...], tokens: tuple[int, ...]) -> int:
        asked.append(places)
        return 1

    hypothesis = SparseAttention(AB, FunctionKey(k, weight, reach=reach), ValueTable.of(AB, k, {}))
    hypothesis("a" * length)
    within = [s for s in combinations(range(1, length + 1), k) if s[-1] - s[0] <= reach]
    assert sorted(asked) == within
    assert len(asked) <= length * math.comb(reach, k - 1)


@pytest.mark.parametrize("level", [-1e4, 0.0, 1e4])
def test_scores_of_any_size_are_no_danger(level: float) -> None:
    key = TokenKey(3, 1, {(0,): level, (1,): level + math.log(3), (2,): level - 1e5})
    value = ValueTable.of(AB, 1, {"a": 1, "c": 7})
    assert SparseAttention(AB, key, value)("abc") == pytest.approx([0.25])


def test_running_sums_do_not_depend_on_the_order_or_the_blocks() -> None:
    rng = np.random.default_rng(5)
    scores = np.where(rng.random((3, 40)) < 0.3, -np.inf, rng.normal(size=(3, 40)) * 200)
    scores[:, :7] = -np.inf  # nothing finite to begin with
    values = rng.normal(size=(3, 40, 2))
    whole = RunningMean.empty(3, 2)
    whole.add(scores, values)
    pieces = RunningMean.empty(3, 2)
    for start in range(0, 40, 7):
        pieces.add(scores[:, start : start + 7], values[:, start : start + 7])
    assert np.allclose(whole.weighted / whole.total[:, None], pieces.weighted / pieces.total[:, None], atol=1e-12)


def test_a_long_word_is_evaluated_without_visiting_all_its_sets() -> None:
    """10⁴ symbols have 1.7 · 10¹¹ sets of three; the planted one is the only one that is looked at."""
    word = np.zeros(10_000, dtype=np.int64)
    word[[5000, 5001, 5003]] = 1, 2, 1
    key = ShapeKey.of(AB, {(0, 1, 3): {"bcb": 1}, (0, 1, 2): {"bbb": 5}})
    assert SparseAttention(AB, key, ValueTable.of(AB, 3, {"bcb": 0.75}))(word) == pytest.approx([0.75])
    word[5003] = 0  # now nothing is looked at, and the plain mean counts b c a as a subsequence
    value = ValueTable.of(AB, 3, {"bca": 1})
    assert SparseAttention(AB, key, value)(word) == pytest.approx([4998 / math.comb(10_000, 3)])


def test_what_does_not_fit_together_is_refused() -> None:
    key = TokenKey.of(AB, {"ab": 1})
    with pytest.raises(HypothesisError, match="the key looks at 2 tokens and the value at 1"):
        SparseAttention(AB, key, ValueTable.of(AB, 1, {}))
    with pytest.raises(HypothesisError, match="no set of 2 positions"):
        SparseAttention(AB, key, ValueTable.of(AB, 2, {}))("a")
    with pytest.raises(HypothesisError, match="no set of 2 positions"):
        evaluate_naively(key, ValueTable.of(AB, 2, {}), [0])
    with pytest.raises(HypothesisError, match="two-dimensional"):
        SparseAttention(AB, key, ValueTable.of(AB, 2, {})).outputs(np.zeros(3, dtype=np.int64))
    with pytest.raises(HypothesisError, match="cannot be -1"):
        TokenKey.of(AB, {"ab": -1})
    with pytest.raises(HypothesisError, match="increasing tuple of offsets"):
        ShapeKey.of(AB, {(1, 2): {"ab": 1}})


def test_tables_over_another_alphabet_are_refused() -> None:
    """With two symbols `c a` and `a b` have the same number in a table, which the definition tells apart."""
    small = Alphabet(("a", "b"))
    with pytest.raises(HypothesisError, match="the key was made for 2 symbols, but the hypothesis reads"):
        SparseAttention(AB, TokenKey.of(small, {"ab": 1}), ValueTable.of(AB, 2, {"ab": 1}))
    with pytest.raises(HypothesisError, match="the key was made for 2 symbols"):
        SparseAttention(AB, ShapeKey.of(small, {(0, 1): {"ab": 1}}), ValueTable.of(AB, 2, {"ab": 1}))
    with pytest.raises(HypothesisError, match="the value was made for 2 symbols"):
        SparseAttention(AB, TokenKey.of(AB, {"ca": 1}), ValueTable.of(small, 2, {"ab": 1}))
    with pytest.raises(HypothesisError, match="the same alphabet"):
        ShapeKey({(0, 1): TokenKey.of(AB, {"ab": 1}), (0, 2): TokenKey.of(small, {"ab": 1})})


def test_tuples_of_ids_that_no_symbol_has_are_refused() -> None:
    with pytest.raises(HypothesisError, match="ids from 0 to 2"):
        TokenKey(3, 2, {(3, 0): 0.0})
    with pytest.raises(HypothesisError, match="ids from 0 to 2"):
        ValueTable(3, 2, {(-1, 0): (Fraction(1),)}, (Fraction(0),))
    with pytest.raises(HypothesisError, match="2 tokens"):
        TokenKey(3, 2, {(0,): 0.0})
    with pytest.raises(HypothesisError, match="at least 1 token"):
        TokenKey.of(AB, {"": 1})


def test_unlisted_symbols_of_an_open_alphabet_are_told_apart_from_listed_ones() -> None:
    """Their id is one more than the last: with two listed symbols the pair `? a` must not pass for `a b`."""
    some = Alphabet(("a", "b"), is_open=True)
    hypothesis = SparseAttention(some, TokenKey.of(some, {"ab": 1, "ba": 1}), ValueTable.of(some, 2, {"ab": 1}))
    for word in ("?a", "ab?", "??ba", "a?b?a"):
        naive = evaluate_naively(hypothesis.key, hypothesis.value, some.encode(word).tolist())
        assert hypothesis(word) == pytest.approx(naive)
