"""From Limit Transformers to ordinary ones (Huang et al., Lemma 47), and how the printed construction fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats, Hardmax, Huang, IzzoFinite, IzzoInfinite, rounded
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.transformers.from_transformer import from_transformer
from lengthwise.limit.transformers.hypothesis_class import membership
from lengthwise.limit.transformers.to_transformer import regions, to_transformer
from lengthwise.limit.transformers.transformer import Transformer
from tests.cases.oracles import words
from tests.limit.random_models import BITS, SHAPES, WIDTH, certificate, outputs, random_limit


def logits(model: LimitTransformer, word: str, skipped: int) -> list[Floats]:
    """The rounded logits of every head above the first `skipped` layers, where causal attention sees them."""
    assert isinstance(model.regime, Huang)
    streams = naive.residual_streams(model, model.tokens(word))
    found = []
    for layer, stream in zip(model.layers[skipped:], streams[skipped:], strict=False):
        for head in layer.heads:
            table = stream @ head.key_query.T @ stream.T
            for query, key in np.ndindex(*table.shape):
                if 0 <= query - key < len(head.phi):
                    table[query, key] += head.phi[query - key]
            found.append(np.tril(rounded(table, model.regime.bits)))
    return found


def differs(model: LimitTransformer, transformer: Transformer, word: str = "abbab") -> bool:
    """Whether a transformer fails to do what the model does, at offset 0."""
    return bool(np.abs(outputs(model, word) - transformer(word)).max() > 1e-3)


@pytest.mark.parametrize(("period", "window", "layers"), SHAPES)
def test_the_transformer_has_the_outputs_of_the_model_at_every_offset(period: int, window: int, layers: int) -> None:
    context = 5
    model = random_limit(10 * period + window, period, window, layers)
    transformer = to_transformer(model, context)
    for word in words("ab", context - 1):
        expected = outputs(model, word)
        for offset in range(context - len(word)):
            np.testing.assert_allclose(transformer(word, offset), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("regime", [Huang(0), Huang(3), Huang(30), Huang(4, shift=True), Huang(300)], ids=str)
@pytest.mark.parametrize("period", [1, 2, 4, 5])
def test_the_precision_may_be_any(period: int, regime: Huang) -> None:
    context = 12
    model = random_limit(period, period, 1, 2, regime=regime)
    transformer = to_transformer(model, context)
    for length in (0, 1, 5, 8, 11):
        word = "abbabaabbba"[:length]
        for offset in range(context - length):
            np.testing.assert_allclose(transformer(word, offset), outputs(model, word), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("period", "window", "layers"), SHAPES)
def test_rounded_logits_are_equal_to_the_last_bit(period: int, window: int, layers: int) -> None:
    model = random_limit(period + window, period, window, layers)
    transformer = to_transformer(model, 9)
    skipped = 2 if period > 1 else 0
    for offset in (0, 1, 3):
        found, expected = logits(transformer.at(offset), "abbab", skipped), logits(model, "abbab", 0)
        assert len(found) == len(expected) == 2 * layers
        for ours, theirs in zip(found, expected, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(("period", "window", "layers"), SHAPES)
def test_the_transformer_is_in_the_hypothesis_class_at_the_precision_of_the_model(
    period: int, window: int, layers: int
) -> None:
    transformer = to_transformer(random_limit(0, period, window, layers), 8)
    assert membership(transformer, BITS, tolerance=0.0)
    assert transformer.context == 8


def regularizer(transformer: Transformer) -> dict[str, float]:
    """The summands of Definition 5 that weights decide."""
    heads = [head for layer in transformer.layers for head in layer.heads]
    places = transformer.positions
    return {
        "heads": max(len(layer.heads) for layer in transformer.layers),
        "rank of V": max(int(np.linalg.matrix_rank(head.value)) for head in heads),
        "norm of KQ": max(float(np.linalg.norm(head.key_query, 2)) for head in heads),
        "norm of V": max(float(np.linalg.norm(head.value, 2)) for head in heads),
        "norm of A": max(float(np.linalg.norm(layer.hidden)) for layer in transformer.layers),
        "norm of B": max(float(np.linalg.norm(layer.output)) for layer in transformer.layers),
        "norm of U": float(np.linalg.norm(transformer.unembedding, 2)),
        "norm of p": float(np.linalg.norm(places, axis=1).max()),
        "norm of E": float(np.linalg.norm(transformer.embedding, axis=1).max()),
        "equation 8": sum(float(np.square(places[0] @ head.key_query @ places.T).sum()) for head in heads),
    }


@pytest.mark.parametrize("period", [2, 3])
def test_the_regularizer_does_not_grow_with_the_context(period: int) -> None:
    model = random_limit(3, period, 3, 2)
    first, *others = (regularizer(to_transformer(model, context)) for context in (8, 16, 64))
    for other in others:
        assert other == pytest.approx(first, abs=1e-12)
    assert first["heads"] == max(2, period + 1)


def test_the_norm_of_a_band_of_phi_grows_with_the_context_up_to_the_sum_of_its_values() -> None:
    head = Head(np.zeros((1, 1)), np.ones((1, 1)), np.array([1.0, 2.0, 0.5]))
    model = replace(
        random_limit(0),
        embedding=np.ones((3, 1)),
        positions=np.zeros((1, 1)),
        layers=(Layer.attention_only([head], 1),),
        unembedding=np.ones((2, 1)),
    )
    norms = [regularizer(to_transformer(model, context))["norm of KQ"] for context in (4, 16, 64, 256)]
    assert norms == sorted(norms)
    assert norms[0] < norms[-1] - 0.1
    assert 3.5 - 1e-3 < norms[-1] < 3.5


@pytest.mark.parametrize(
    ("period", "window", "expected"), [(3, 2, 3 + 10 + 9 + 2), (2, 0, 3 + 10 + 6 + 2), (1, 2, 3 + 10)]
)
def test_the_width_is_that_of_six_regions_or_of_two_if_the_period_is_one(
    period: int, window: int, expected: int
) -> None:
    assert to_transformer(random_limit(0, period, window), 10).width == expected


def test_a_model_without_any_positions_becomes_a_transformer_without_any() -> None:
    model = random_limit(0, layers=2)
    bare = tuple(
        replace(layer, heads=tuple(Head(head.key_query, head.value) for head in layer.heads)) for layer in model.layers
    )
    model = replace(model, positions=np.zeros((1, WIDTH)), layers=bare)
    transformer = to_transformer(model, 7)
    assert not transformer.positions.any()
    assert transformer.width == model.width
    for offset in (0, 3):
        np.testing.assert_allclose(transformer("aba", offset), outputs(model, "aba"), rtol=0, atol=1e-9)
    assert not from_transformer(transformer).positions.any()


def test_without_a_start_symbol_residues_cannot_be_counted_but_period_one_needs_none() -> None:
    with pytest.raises(ModelError, match="period 2 needs a start symbol"):
        to_transformer(random_limit(0, period=2, start=False), 5)
    model = random_limit(0, period=1, window=2, layers=2, start=False)
    transformer = to_transformer(model, 5)
    for word in words("ab", 4):
        for offset in range(5 - len(word)):
            np.testing.assert_allclose(transformer(word, offset), outputs(model, word), rtol=0, atol=1e-9)


@pytest.mark.parametrize("regime", [IzzoFinite(8), IzzoInfinite(), Hardmax()], ids=str)
def test_other_regimes_are_refused_unless_bits_say_how_to_read_the_model(
    regime: IzzoFinite | IzzoInfinite | Hardmax,
) -> None:
    model = random_limit(0, period=2, window=1).with_regime(regime)
    with pytest.raises(ModelError, match="computes in the regime"):
        to_transformer(model, 5)
    read = outputs(model.with_regime(Huang(7)), "abb")
    np.testing.assert_allclose(to_transformer(model, 5, bits=7)("abb", 1), read, rtol=0, atol=1e-9)


def test_a_context_has_at_least_one_position() -> None:
    with pytest.raises(ModelError, match="at least one position, got 0"):
        to_transformer(random_limit(0), 0)
    assert to_transformer(random_limit(0, period=3), 1).last("").shape == (2,)


def test_a_certificate_shrinks_to_the_context_and_does_not_come_back() -> None:
    model = certificate(100).attached_to(random_limit(0, period=2))
    transformer = to_transformer(model, 9)
    assert transformer.certificate is not None
    assert (transformer.certificate.length, transformer.certificate.context) == (8, 9)
    assert from_transformer(transformer).certificate is None


# ------------------------------------------------------------------- Lemma 47 as it is printed


def with_layer(transformer: Transformer, number: int, changed: Callable[[Layer], Layer]) -> Transformer:
    layers = list(transformer.layers)
    layers[number - 1] = changed(layers[number - 1])
    return replace(transformer, layers=tuple(layers))


def test_with_as_many_heads_as_residues_there_is_nothing_to_compare_with() -> None:
    """ERR-G2: max(1, H, Δ) heads leave no room for the uniform one."""
    model = random_limit(0, period=3)
    transformer = to_transformer(model, 6)
    printed = with_layer(transformer, 2, lambda layer: replace(layer, heads=layer.heads[:3]))
    assert max(1, 2, model.period) < len(transformer.layers[1].heads)
    assert not differs(model, transformer)
    assert differs(model, printed)


@pytest.mark.parametrize("period", [2, 3, 4])
def test_the_copied_residues_are_mixed_but_their_products_round_to_zero_or_one(period: int) -> None:
    """ERR-G3: region IV is no multiple of a unit vector."""
    model = random_limit(0, period)
    transformer = to_transformer(model, 9)
    where, tokens = regions(model, 9), transformer.tokens("abababaa")
    copied = naive.residual_streams(transformer.at(0), tokens)[1][:, where.copied]
    assert np.count_nonzero(copied[-1]) == period
    for distance, table in enumerate(logits(transformer.at(0), "abababaa", 1)[:period], start=1):
        query, key = np.indices(table.shape)
        assert np.array_equal(table, np.tril((query - key - distance) % period == 0))


def test_attending_to_oneself_with_nine_tenths_does_not_make_logits_zero_or_one() -> None:
    """ERR-G3: ε < 0.1 is what the proof asks for."""
    model = random_limit(0, 3, regime=Huang(8))
    transformer = to_transformer(model, 12)

    def weakened(layer: Layer) -> Layer:
        (head,) = layer.heads
        return replace(layer, heads=(Head(head.key_query * 2 / (8 + 4), head.value),))

    assert 12**2 / (12**2 + 11) > 0.9
    table = logits(with_layer(transformer, 1, weakened).at(0), "abababaabab", 1)[0]
    assert not set(np.unique(table)) <= {0.0, 1.0}


def test_the_residues_of_key_minus_query_give_positions_to_the_wrong_places() -> None:
    """ERR-G4: equation (30) has the sign of (17) reversed; with two residues nobody would notice."""

    def reversed_heads(layer: Layer) -> Layer:
        return replace(layer, heads=tuple(Head(head.key_query.T, head.value) for head in layer.heads))

    three, two = random_limit(0, period=3), random_limit(0, period=2)
    assert differs(three, with_layer(to_transformer(three, 6), 2, reversed_heads))
    assert not differs(two, with_layer(to_transformer(two, 6), 2, reversed_heads))


def test_counting_ties_as_wins_adds_positions_that_no_key_has_yet() -> None:
    """ERR-G5: at position 2 no key is at a distance ≡ 2 mod 3, so that head is as uniform as the uniform one."""
    model = random_limit(0, period=3)
    transformer = to_transformer(model, 6)
    where = regions(model, 6)

    def not_strict(layer: Layer) -> Layer:
        hidden = -layer.hidden[1:]
        hidden[:, where.start] = -5.0  # as printed: no unit fires at the start symbol
        return Layer(layer.heads, hidden, layer.bias[1:], -layer.output[:, 1:], layer.heaviside[1:])

    printed = with_layer(transformer, 2, not_strict)
    streams = [
        naive.residual_streams(each.at(0), each.tokens("a"))[2][1, where.main] for each in (transformer, printed)
    ]
    np.testing.assert_allclose(streams[0], model.embedding[0] + model.positions[2], atol=1e-12)
    np.testing.assert_allclose(streams[1], model.embedding[0] + model.positions[2] + model.positions[0], atol=1e-12)
    assert differs(model, printed)


@pytest.mark.parametrize("bits", [2, 5, 8])
def test_the_first_layer_adds_a_square_that_grows_with_the_precision_to_equation_8(bits: int) -> None:
    """ERR-G6: printed as δ_ij, hence 1."""
    transformer = to_transformer(random_limit(0, period=2), 10, bits)
    (head,) = transformer.layers[0].heads
    products = transformer.positions[0] @ head.key_query @ transformer.positions.T
    assert np.square(products).sum() == (bits + 4) ** 2
