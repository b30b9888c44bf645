"""R(T) and R_∞ summand by summand, on models whose summands one can work out by hand."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.limit import Head, Huang, IzzoInfinite, Layer, LimitTransformer, ModelError, Regime
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.quantities.complexity import (
    as_integers,
    fractional_bits,
    limit_complexity,
    transformer_complexity,
)
from lengthwise.limit.transformers.transformer import Transformer


@dataclass(frozen=True)
class Decoder:
    """Just what R(T) reads; any object with these attributes will do."""

    positions: Floats
    embedding: Floats
    layers: tuple[Layer, ...]
    unembedding: Floats
    regime: Regime

    @property
    def context(self) -> int:
        return len(self.positions)


FIRST = Layer(
    (Head(np.diag([2.0, 0.0]), np.diag([0.5, 0.0])), Head(np.diag([0.0, -3.0]), np.diag([1.0, -4.0]))),
    hidden=np.array([[3.0, 4.0]]),
    bias=np.array([-2.0]),
    output=np.array([[0.0], [1.0]]),
    heaviside=np.array([False]),
)
SECOND = Layer(
    (Head(np.zeros((2, 2)), np.zeros((2, 2))),),
    hidden=np.array([[2.0, 0.0]]),
    bias=np.array([0.25]),
    output=np.array([[8.0], [0.0]]),
    heaviside=np.array([False]),
)
DECODER = Decoder(
    positions=np.array([[1.0, 1.0], [1.0, 2.0], [0.0, 3.0]]),
    embedding=np.array([[3.0, 4.0], [0.0, 0.125]]),
    layers=(FIRST, SECOND),
    unembedding=np.array([[0.0, 7.0]]),
    regime=Huang(6),
)


def test_the_regularizer_of_a_transformer_has_the_summands_of_its_definition() -> None:
    found = transformer_complexity(DECODER)
    assert found.terms == {
        "layers": 2,
        "heads": 2,
        "parameter_bits": 3,  # 0.125
        "logit_bits": 6,
        "value_rank": 2,
        "key_query_norm": 3,
        "value_norm": 4,
        "mlp_norm": 10,  # layer 2: 2 + 8; layer 1: 5 + 1. Maximised apart, it would be 5 + 8.
        "unembedding_norm": 7,
        "position_norm": 3,
        "embedding_norm": 5,
        "bias_norm": 2,
        # p_1 = (1, 1) against p_j: 2, 2, 0 in head 1 and -3, -6, -9 in head 2.
        "positional_attention": 4 + 4 + 0 + 9 + 36 + 81,
    }
    assert found.total == sum(found.terms.values()) == 183


def test_positions_that_attend_to_each_other_at_any_distance_cost_more_the_longer_the_context() -> None:
    constant = [replace(DECODER, positions=np.ones((context, 2))) for context in (4, 8, 16)]
    costs = [transformer_complexity(decoder).positional_attention for decoder in constant]
    assert costs == [52, 104, 208]
    others = [transformer_complexity(decoder).total - cost for decoder, cost in zip(constant, costs, strict=True)]
    assert others == pytest.approx([others[0]] * 3)


def test_the_package_s_own_transformers_are_measured_likewise() -> None:
    own = Transformer(
        Alphabet(("a", "b")),
        DECODER.embedding,
        DECODER.positions,
        DECODER.layers,
        DECODER.unembedding,
        ("x",),
        has_start=False,
        regime=Huang(6),
    )
    assert transformer_complexity(own) == transformer_complexity(DECODER)


def limit_transformer() -> LimitTransformer:
    local = Head(np.diag([2.0, 0.0]), np.diag([0.5, 0.0]), np.array([3.0, 1.0, -2.0, 0.0]))
    other = Head(np.zeros((2, 2)), np.zeros((2, 2)), np.array([0.0, 0.0, 0.0625]))
    return LimitTransformer(
        Alphabet(("a", "b")),
        DECODER.embedding,
        np.array([[1.0, 0.0], [0.0, -9.0], [1.0, 0.0], [0.0, -9.0]]),
        (replace(FIRST, heads=(local,)), replace(SECOND, heads=(other, other, other))),
        DECODER.unembedding,
        ("x",),
        regime=Huang(5),
    )


def test_the_complexity_of_a_limit_transformer_has_the_summands_of_its_definition() -> None:
    model = limit_transformer()
    found = limit_complexity(model)
    assert found.terms == {
        "layers": 2,
        "heads": 3,
        "width": 2,
        "parameter_bits": 4,  # φ = 0.0625
        "logit_bits": 5,
        "largest_parameter": 9,
        "period": 2,  # four rows that repeat after two
        "local_attention": 5,
    }
    assert found.total == 32


def test_a_regime_without_precision_has_no_such_complexity() -> None:
    with pytest.raises(ModelError, match="izzo_infinite rounds none"):
        limit_complexity(limit_transformer().with_regime(IzzoInfinite()))
    with pytest.raises(ModelError, match=r"R\(T\) counts the bits"):
        transformer_complexity(replace(DECODER, regime=IzzoInfinite()))


def test_floats_are_binary_fractions_and_their_integers_are_exact() -> None:
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(size=20), [0.0, -0.5, 2.0**60, 5e-324, 0.1]])
    bits = fractional_bits(values)
    assert bits == 1074
    assert [Fraction(entry, 2**bits) for entry in as_integers(values, bits)] == [Fraction(value) for value in values]
    assert fractional_bits(np.array([0.75, 3.0]), np.array([[-0.125]])) == 3
    assert fractional_bits(np.zeros((0, 4))) == 0
