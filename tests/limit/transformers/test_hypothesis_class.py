"""Membership in Θ_n with the violation named (Huang et al., Definition 46), and how far periods hold (Lemma 48)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import Head
from lengthwise.limit.transformers.hypothesis_class import membership, precision
from lengthwise.limit.transformers.products import valid_length
from lengthwise.limit.transformers.to_transformer import to_transformer
from lengthwise.limit.transformers.transformer import Transformer
from tests.limit.random_models import random_limit, random_transformer


def in_class() -> Transformer:
    transformer = to_transformer(random_limit(1, period=2, window=1, layers=2), 6)
    assert membership(transformer, 6)
    return transformer


def reading(transformer: Transformer, output: int, coordinate: int, by: float) -> Transformer:
    unembedding = np.array(transformer.unembedding)
    unembedding[output, coordinate] += by
    return replace(transformer, unembedding=unembedding)


def test_the_worst_entry_that_is_no_multiple_is_named() -> None:
    found = membership(reading(in_class(), 1, 2, 2.0**-9), bits=6)
    (violation,) = found.violations
    assert (violation.condition, violation.size) == ("precision", 2.0**-9)
    assert violation.first.startswith("U[2, 3] = ")
    assert not found
    assert "not in Θ_6 at 6 bits; precision: U[2, 3]" in str(found)
    assert membership(reading(in_class(), 1, 2, 2.0**-9))


def test_an_output_that_reads_one_position_is_named() -> None:
    transformer = in_class()
    place = 3 + 4  # in region II, the place of position 5
    (violation,) = membership(reading(transformer, 0, place, 0.25)).violations
    assert violation.condition == "one position"
    assert violation.first == "output accept reads p_5"
    assert violation.second == "output accept reads p_1"
    assert violation.size == 0.25


def with_head(transformer: Transformer, layer: int, key_query: Callable[[Floats], None]) -> Transformer:
    layers = list(transformer.layers)
    first, *others = layers[layer - 1].heads
    table = np.array(first.key_query)
    key_query(table)
    layers[layer - 1] = replace(layers[layer - 1], heads=(Head(table, first.value), *others))
    return replace(transformer, layers=tuple(layers))


@pytest.mark.parametrize("as_key", [True, False])
def test_a_logit_between_a_symbol_and_one_position_is_named(as_key: bool) -> None:
    place, start = 3 + 4, 3 + 6 + 2 + 2  # position 5 in region II, and region V

    def meet(table: Floats) -> None:
        table[(place, start) if as_key else (start, place)] = -0.5

    (violation,) = membership(with_head(in_class(), 3, meet)).violations
    own, other = ("key", "query") if as_key else ("query", "key")
    assert violation.condition == "one position"
    assert violation.first == f"layer 3, head 1, {other} E_$, {own} p_1"
    assert violation.second == f"layer 3, head 1, {other} E_$, {own} p_5"
    assert violation.size == 0.5


def test_a_logit_between_two_positions_that_is_not_the_same_elsewhere_is_named() -> None:
    def key_two_query_four(table: Floats) -> None:
        table[3 + 1, 3 + 3] += 2.0

    violations = membership(with_head(in_class(), 4, key_two_query_four)).violations
    assert [each.condition for each in violations] == ["two positions"]
    assert violations[0].first == "layer 4, head 1, key p_2, query p_4"
    assert violations[0].second == "layer 4, head 1, key p_1, query p_3"
    assert violations[0].size == 2.0
    assert membership(with_head(in_class(), 4, key_two_query_four), tolerance=2.0)


def test_a_difference_where_the_query_precedes_the_key_counts_although_no_logit_sees_it() -> None:
    def key_four_query_two(table: Floats) -> None:
        table[3 + 3, 3 + 1] += 1.0

    before, after = in_class(), with_head(in_class(), 4, key_four_query_two)
    assert np.array_equal(before("abbab"), after("abbab"))
    assert [each.condition for each in membership(after).violations] == ["two positions"]


def test_a_random_transformer_violates_both_conditions_on_positions() -> None:
    assert [each.condition for each in membership(random_transformer(0)).violations] == [
        "one position",
        "two positions",
    ]


@given(st.integers(0, 30), st.integers(-100, 100))
def test_the_precision_is_the_smallest_that_represents_every_weight(bits: int, odd: int) -> None:
    empty = replace(random_transformer(0), embedding=np.zeros((3, 3)), unembedding=np.zeros((2, 3)), layers=())
    transformer = replace(empty, positions=np.full((2, 3), (2 * odd + 1) * 2.0**-bits))
    assert precision(transformer) == bits
    assert membership(transformer).bits == bits
    assert not any(v.condition == "precision" for v in membership(transformer, bits).violations)
    if bits:
        assert any(v.condition == "precision" for v in membership(transformer, bits - 1).violations)


# ------------------------------------------------------------------------------------- periods


@given(st.data(), st.integers(1, 7), st.booleans())
def test_the_valid_length_is_how_far_residues_determine_products(data: st.DataObject, size: int, causal: bool) -> None:
    by_distance = data.draw(st.lists(st.integers(0, 1), min_size=2 * size - 1, max_size=2 * size - 1))
    period = data.draw(st.integers(1, size + 1))
    table = np.array([[float(by_distance[query - key + size - 1]) for query in range(size)] for key in range(size)])

    def determined(length: int) -> bool:
        seen: dict[tuple[int, int], float] = {}
        pairs = [(key, query) for key, query in product(range(length), repeat=2) if key <= query or not causal]
        return all(
            seen.setdefault((key % period, query % period), table[key, query]) == table[key, query]
            for key, query in pairs
        )

    assert valid_length(table, period, causal) == max(
        m for m in range(1, size + 1) if all(map(determined, range(1, m + 1)))
    )


def test_two_positions_that_look_alike_do_not_make_the_farthest_products_periodic() -> None:
    """ERR-G9: p_2 = p_3, so Lemma 48 takes Δ = 1, but G(n) = G(n + 1) fails for n = N - 2 < N - Δ."""
    size = 6
    keys, queries = np.zeros((size, 1)), np.zeros((size, 1))
    keys[0] = queries[-1] = 1.0
    positions = np.hstack([keys, queries])
    assert np.array_equal(positions[1], positions[2])
    table = positions @ np.array([[0.0, 1.0], [0.0, 0.0]]) @ positions.T
    assert table[0].tolist() == [0, 0, 0, 0, 0, 1]
    assert valid_length(table, 1, causal=True) == size - 1
