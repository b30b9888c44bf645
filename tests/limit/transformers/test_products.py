"""Product functions (Huang et al., Definition 43) and offset variance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import Head, Layer, ModelError
from lengthwise.limit.transformers.product_functions import offset_variance, positional_logits
from lengthwise.limit.transformers.products import Term, alpha, beta, name, nonzero_terms, paths, terms, vectors
from lengthwise.limit.transformers.to_transformer import to_transformer
from tests.limit.random_models import random_limit, random_transformer

THREE = random_transformer(0, context=4, layers=3)
"""Three layers of two heads and three units, width 3."""

SMALL = st.integers(-3, 3).map(float)


def weights(layer: int, head: int) -> Head:
    return THREE.layers[layer - 1].heads[head - 1]


# ------------------------------------------------------------------------------------ products


def test_the_examples_of_remark_44() -> None:
    """In its third line ERR-G1 prints layer 2 where α of layer 3 has layer 3."""
    p, e, u = THREE.positions, THREE.embedding, THREE.unembedding
    v1, v2, v3 = weights(1, 1).value, weights(2, 2).value, weights(3, 1).value
    position, symbol = Term("position"), Term("symbol")

    def same(found: Floats, expected: Floats) -> bool:
        return bool(np.allclose(found, expected, rtol=0, atol=1e-12))

    assert same(alpha(THREE, 1, 2, position, symbol), p @ weights(1, 2).key_query @ e.T)
    assert same(
        alpha(THREE, 2, 1, position.through(1, 1), position),
        np.einsum("ia,ba,bc,jc", p, v1, weights(2, 1).key_query, p),
    )
    third = alpha(THREE, 3, 1, symbol.through(1, 1).through(2, 2), symbol.through(1, 2))
    behind = e @ v1.T @ v2.T
    ahead = e @ weights(1, 2).value.T
    assert same(third, behind @ weights(3, 1).key_query @ ahead.T)
    assert not same(third, behind @ weights(2, 1).key_query @ ahead.T)
    assert same(beta(THREE, 1, position), THREE.layers[0].hidden @ p.T)
    assert same(beta(THREE, 3, symbol.through(1, 1)), THREE.layers[2].hidden @ v1 @ e.T)
    assert same(beta(THREE, "outputs", symbol.through(1, 1).through(3, 1)), u @ v3 @ v1 @ e.T)
    unit = Term("unit", ((2, 2), (3, 1)), 1)
    assert same(beta(THREE, "outputs", unit), u @ v3 @ v2 @ THREE.layers[0].output)


@pytest.mark.parametrize(
    ("layer", "head", "key", "query"),
    [
        (1, 1, Term("position", ((2, 1),)), Term("position", ((3, 1),))),  # Remark 45
        (2, 1, Term("symbol", ((2, 1),)), Term("symbol")),
        (2, 1, Term("symbol"), Term("unit", layer=2)),
        (3, 1, Term("unit", ((1, 1),), 2), Term("symbol")),
        (3, 1, Term("symbol", ((2, 1), (1, 1))), Term("symbol")),
        (3, 1, Term("symbol", ((2, 3),)), Term("symbol")),
        (3, 3, Term("symbol"), Term("symbol")),
        (4, 1, Term("symbol"), Term("symbol")),
        (2, 1, Term("unit"), Term("symbol")),
        (2, 1, Term("symbol", layer=1), Term("symbol")),
    ],
)
def test_products_that_cannot_occur_are_refused(layer: int, head: int, key: Term, query: Term) -> None:
    with pytest.raises(ModelError):
        alpha(THREE, layer, head, key, query)


@pytest.mark.parametrize("term", [Term("symbol", ((2, 1),)), Term("unit", layer=1), Term("unit", layer=3)])
def test_an_mlp_reads_nothing_that_arises_later(term: Term) -> None:
    with pytest.raises(ModelError, match="cannot reach the MLP of layer 1"):
        beta(THREE, 1, term)


def test_paths_choose_at_most_one_head_of_each_layer() -> None:
    assert len(set(paths(THREE, 0, 3))) == (2 + 1) ** 3
    assert set(paths(THREE, 1, 2)) == {(), ((2, 1),), ((2, 2),)}
    # Symbols and positions may take all paths, units of layer l those above l.
    assert len(terms(THREE, 3)) == 2 * 27 + 9 + 3 + 1
    assert len(terms(THREE, 0)) == 2


def test_only_terms_that_are_zero_throughout_are_left_out() -> None:
    transformer = to_transformer(random_limit(0, period=2, layers=2), 5)
    kept = nonzero_terms(transformer, len(transformer.layers))
    assert len(kept) < len(terms(transformer, len(transformer.layers))) / 5
    for term in terms(transformer, len(transformer.layers)):
        assert (term in kept) == bool(vectors(transformer, term).any())


def test_a_residual_stream_is_a_sum_of_terms() -> None:
    """Uniform heads make the coefficients known: 1 for what is one's own, 1/i for each of i keys."""
    uniform = tuple(
        Layer.attention_only([Head(np.zeros((3, 3)), head.value) for head in layer.heads], 3) for layer in THREE.layers
    )
    transformer = replace(THREE, layers=uniform)
    tokens = transformer.tokens("aba")
    average = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    coefficients = {term: np.linalg.matrix_power(average, len(term.path)) for term in terms(transformer, 3)}
    stream = sum(
        (
            coefficients[term] @ vectors(transformer, term)[tokens if term.origin == "symbol" else np.arange(4)]
            for term in terms(transformer, 3)
            if term.origin != "unit"
        ),
        start=np.zeros((4, 3)),
    )
    np.testing.assert_allclose(stream, naive.residual_streams(transformer.at(0), tokens)[-1], rtol=0, atol=1e-12)


def test_vectors_are_named_as_in_the_paper() -> None:
    assert name(THREE, Term("position", ((1, 2), (3, 1))), 0) == "V_{3,1} V_{1,2} p_1"
    assert [name(THREE, Term("symbol"), row) for row in range(3)] == ["E_a", "E_b", "E_$"]
    assert name(THREE, Term("unit", layer=2), 2) == "B_2_3"


# ------------------------------------------------------------------------------ offset variance


def variance_by_definition(table: Floats) -> float:
    size = len(table)
    means = {c: sum(table[i, i - c] for i in range(c, size)) / (size - c) for c in range(size)}
    return float(
        2 / (size * (size + 1)) * sum((table[i, j] - means[i - j]) ** 2 for i in range(size) for j in range(i + 1))
    )


squares = st.integers(1, 6).flatmap(lambda size: arrays(np.float64, (size, size), elements=SMALL))


@given(squares)
def test_offset_variance_is_that_of_the_definition(table: Floats) -> None:
    assert offset_variance(table) == pytest.approx(variance_by_definition(table), abs=1e-12)


@given(squares)
def test_offset_variance_vanishes_exactly_for_logits_that_depend_on_the_distance(table: Floats) -> None:
    constant = all(len(set(np.diagonal(table, -distance).tolist())) == 1 for distance in range(len(table)))
    assert (offset_variance(table) == 0.0) == constant


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), squares)
def test_pairs_that_causal_attention_does_not_see_do_not_count(values: list[float], other: Floats) -> None:
    size = min(len(values), len(other))
    table = np.array([[values[i - j] if j <= i else other[i, j] for j in range(size)] for i in range(size)])
    assert offset_variance(table) == 0.0


def test_positional_logits_have_queries_as_rows() -> None:
    key_query = np.array([[0.0, 1.0], [0.0, 0.0]])
    assert positional_logits(key_query, np.eye(2)).tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_translated_models_have_no_offset_variance_and_random_ones_do() -> None:
    for transformer, expected in (
        (to_transformer(random_limit(1, period=2, window=1, layers=2), 6), True),
        (random_transformer(0), False),
    ):
        heads = [head for layer in transformer.layers for head in layer.heads]
        found = [offset_variance(positional_logits(head.key_query, transformer.positions)) for head in heads]
        assert [value == 0.0 for value in found] == [expected] * len(heads)


@pytest.mark.parametrize("shape", [(0, 0), (2, 3), (4,)])
def test_offset_variance_needs_a_square(shape: tuple[int, ...]) -> None:
    with pytest.raises(ModelError, match="square matrix"):
        offset_variance(np.zeros(shape))
