"""Attention heads and sparse functional attention with k = 1 are the same functions, given one more dimension."""

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.functional import (
    AttentionHead,
    HypothesisError,
    SparseAttention,
    TokenKey,
    ValueTable,
    embedding_dimension,
    from_sparse,
    to_sparse,
)
from tests.sparse.functional.naive import evaluate_naively

AB = Alphabet(("a", "b", "c"))
WORDS = ["a", "b", "c", "ab", "bc", "ac", "abc", "aabcc", "cbabcaab"]


def random_head(rng: np.random.Generator, d: int, h: int) -> AttentionHead:
    shapes = [(d, 3), (d,), (h, d), (h, d), (h, d), (d, h)]
    return AttentionHead(AB, *(rng.normal(size=shape) for shape in shapes))


def random_hypothesis(rng: np.random.Generator, d: int) -> SparseAttention:
    key = TokenKey(3, 1, {(token,): float(rng.normal() * 3) for token in range(3)})
    return SparseAttention(AB, key, ValueTable.of(AB, 1, {s: rng.normal(size=d).tolist() for s in "abc"}, [0.0] * d))


@pytest.mark.parametrize(("d", "h"), [(1, 1), (2, 3), (4, 2), (5, 5)])
def test_every_head_is_sparse_functional_attention(d: int, h: int) -> None:
    head = random_head(np.random.default_rng(d), d, h)
    hypothesis = to_sparse(head)
    for word in WORDS:
        naive = evaluate_naively(hypothesis.key, hypothesis.value, AB.encode(word).tolist())
        assert head(word) == pytest.approx(naive)
        assert hypothesis(word) == pytest.approx(naive)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_every_hypothesis_with_k_one_is_a_head_with_one_more_dimension_at_most(d: int) -> None:
    hypothesis = random_hypothesis(np.random.default_rng(d), d)
    head = from_sparse(hypothesis)
    assert head.embedding.shape[0] == embedding_dimension(hypothesis) <= d + 1
    for word in WORDS:
        found = head(word)
        assert found[:d] == pytest.approx(evaluate_naively(hypothesis.key, hypothesis.value, AB.encode(word).tolist()))
        assert found[d:] == pytest.approx(0.0)


def test_there_and_back_is_the_same_function() -> None:
    head = random_head(np.random.default_rng(9), 2, 2)
    again = from_sparse(to_sparse(head))
    assert again.embedding.shape[0] == 2  # a head needs no more than it has
    for word in WORDS:
        assert again(word) == pytest.approx(head(word))


def test_proposition_b1_is_false_in_the_printed_dimension() -> None:
    """Scores 0, 1, 2 and values 0, 1, 0 in one dimension.

    A head with d = 1 has one number for each token, and both its scores and its values are multiples of it. Outputs on
    single letters fix the values: a and c have value 0, so the number 0 (or all values are 0), so equal scores. The
    outputs on `ab` and `bc` would then be equal; those of the hypothesis are not.
    """
    key = TokenKey(3, 1, {(0,): 0.0, (1,): 1.0, (2,): 2.0})
    hypothesis = SparseAttention(AB, key, ValueTable.of(AB, 1, {"b": 1}))
    assert hypothesis("ab")[0] - hypothesis("bc")[0] > 0.4
    rng = np.random.default_rng(0)
    for _ in range(200):
        head = random_head(rng, 1, 3)
        head.embedding[0, 0] = head.embedding[0, 2] = 0.0  # the values 0 of a and c force this
        assert head("ab") == pytest.approx(head("bc"))
    assert embedding_dimension(hypothesis) == 2
    with pytest.raises(HypothesisError, match="it takes 2"):
        from_sparse(hypothesis, dimension=1)


def test_scores_that_are_affine_in_the_values_need_no_further_dimension() -> None:
    key = TokenKey(3, 1, {(0,): 5.0, (1,): 7.0, (2,): -1.0})
    hypothesis = SparseAttention(AB, key, ValueTable.of(AB, 1, {"b": 1, "c": -3}))
    head = from_sparse(hypothesis)
    assert head.embedding.shape[0] == embedding_dimension(hypothesis) == 1
    for word in WORDS:
        assert head(word) == pytest.approx(hypothesis(word))


def test_what_is_no_head_is_refused() -> None:
    pair = SparseAttention(AB, TokenKey.of(AB, {"ab": 1}), ValueTable.of(AB, 2, {}))
    with pytest.raises(HypothesisError, match="k = 1"):
        from_sparse(pair)
    blind = SparseAttention(AB, TokenKey.of(AB, {"a": 1}), ValueTable.of(AB, 1, {}))
    with pytest.raises(HypothesisError, match="finite score"):
        from_sparse(blind)
    head = random_head(np.random.default_rng(0), 2, 2)
    with pytest.raises(HypothesisError, match="at least 1 symbol"):
        head("")
    with pytest.raises(HypothesisError, match="needs 3 columns, not 2"):
        AttentionHead(AB, head.embedding[:, :2], head.query_vector, head.key, head.query, head.value, head.output)


@pytest.mark.parametrize("constant", [[1.0], [0.0], [3.0, -2.0]])
def test_a_constant_function_needs_no_dimension_for_its_scores(constant: list[float]) -> None:
    """Where all values are equal, every head with these values is the same function, whatever its scores."""
    key = TokenKey(3, 1, {(0,): 0.0, (1,): 1.0, (2,): 5.0})
    hypothesis = SparseAttention(AB, key, ValueTable.of(AB, 1, {}, constant))
    assert embedding_dimension(hypothesis) == len(constant)
    head = from_sparse(hypothesis, dimension=len(constant))
    for word in WORDS:
        assert head(word) == pytest.approx(constant)


@pytest.mark.parametrize("scores", [(0.0, 1.0, 2.0), (0.0, 1e-12, 5e-12), (1e6, 1e6 + 1, 1e6 + 0.5)])
@pytest.mark.parametrize("size", [1e-200, 1e-10, 1.0, 1e10])
def test_heads_are_as_exact_for_small_values_as_for_large_ones(size: float, scores: tuple[float, ...]) -> None:
    key = TokenKey(3, 1, {(token,): score for token, score in enumerate(scores)})
    hypothesis = SparseAttention(AB, key, ValueTable.of(AB, 1, {"a": size, "b": 2 * size}))
    assert embedding_dimension(hypothesis) == 2  # b has twice the value of a and c none: no affine map gives scores
    head = from_sparse(hypothesis)
    for word in WORDS:
        naive = evaluate_naively(hypothesis.key, hypothesis.value, AB.encode(word).tolist())
        assert head(word)[0] == pytest.approx(naive[0], rel=1e-7, abs=1e-9 * size)


def test_entries_of_very_different_size_are_all_kept() -> None:
    key = TokenKey(3, 1, {(0,): 0.0, (1,): 1.0, (2,): -1.0})
    value = ValueTable.of(AB, 1, {"a": [1.0, 1e-12], "b": [2.0, 3e-12], "c": [3.0, -7e-12]}, [0, 0])
    hypothesis = SparseAttention(AB, key, value)
    head = from_sparse(hypothesis)
    for word in WORDS:
        naive = evaluate_naively(hypothesis.key, hypothesis.value, AB.encode(word).tolist())
        assert head(word)[0] == pytest.approx(naive[0], rel=1e-7)
        assert head(word)[1] == pytest.approx(naive[1], rel=1e-7, abs=1e-20)
