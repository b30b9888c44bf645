"""Ordinary transformers: the forward pass of Huang et al., section 2, at every offset, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.limit.evaluation.regimes import Hardmax, Huang
from lengthwise.limit.model import Head, Layer, ModelError
from lengthwise.limit.transformers.transformer import Transformer
from tests.cases.oracles import words
from tests.limit.random_models import AB, certificate, random_layers, random_transformer


def by_definition(transformer: Transformer, word: str, offset: int) -> list[list[float]]:
    """Equations (1) to (4) in loops over plain lists, with Python's own rounding (ties to even)."""
    ids = ([2] if transformer.has_start else []) + ["ab".index(symbol) for symbol in word]
    size, dims, scale = len(ids), range(transformer.width), 2**transformer.regime.bits
    stream = [
        [transformer.embedding[token, k] + transformer.positions[place + offset, k] for k in dims]
        for place, token in enumerate(ids)
    ]
    for layer in transformer.layers:
        middle = [list(row) for row in stream]
        for head in layer.heads:
            for i in range(size):
                weights = []
                for j in range(i + 1):
                    logit = sum(stream[j][a] * head.key_query[a, b] * stream[i][b] for a in dims for b in dims)
                    weights.append(round(size ** (round(logit * scale) / scale) * scale) / scale)
                for a in dims:
                    values = [sum(head.value[a, b] * stream[j][b] for b in dims) for j in range(i + 1)]
                    if sum(weights):
                        middle[i][a] += sum(map(math.prod, zip(weights, values, strict=True))) / sum(weights)
        stream = []
        for row in middle:
            hidden = [sum(layer.hidden[s, a] * row[a] for a in dims) + bias for s, bias in enumerate(layer.bias)]
            active = [
                float(value >= 0) if step else max(value, 0.0)
                for value, step in zip(hidden, layer.heaviside, strict=True)
            ]
            stream.append([row[a] + sum(layer.output[a, s] * value for s, value in enumerate(active)) for a in dims])
    return [[sum(u[a] * row[a] for a in dims) for u in transformer.unembedding] for row in stream]


@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_outputs_are_those_of_the_definition_at_every_offset(seed: int, start: bool) -> None:
    # With 12 bits no exponential of these models lies halfway between two multiples; 4^-3 does with 5 bits.
    transformer = replace(random_transformer(seed, context=5, start=start), regime=Huang(12))
    for word in words("ab", 4):
        for offset in range(min(5 - len(word) - start, 4) + 1):
            expected = np.reshape(by_definition(transformer, word, offset)[start:], (len(word), 2))
            np.testing.assert_allclose(transformer(word, offset), expected, rtol=0, atol=1e-9)


def test_position_i_of_the_input_reads_the_encoding_of_its_place_in_the_context() -> None:
    places = np.arange(1.0, 8.0)[:, None]
    transformer = Transformer(AB, np.zeros((3, 1)), places, (), np.ones((1, 1)), ("place",), True, Huang(4))
    assert transformer.context == 7
    # The start symbol takes the first place behind the offset.
    assert transformer("aba").ravel().tolist() == [2, 3, 4]
    assert transformer("aba", offset=3).ravel().tolist() == [5, 6, 7]
    assert transformer.last("", offset=6).tolist() == [7]


def test_a_transformer_in_general_does_something_else_at_another_offset() -> None:
    transformer = random_transformer(0)
    assert np.abs(transformer("ab", 0) - transformer("ab", 1)).max() > 0.1


def test_acceptance_is_a_positive_output_at_the_last_position() -> None:
    places = np.array([-1.0, 1.0, 0.0])[:, None]
    transformer = Transformer(AB, np.zeros((2, 1)), places, (), np.ones((1, 1)), ("accept",), False, Huang(4))
    assert [transformer.accepts(word) for word in ("a", "aa", "aaa")] == [False, True, False]
    assert transformer.accepts("a", offset=1)
    with pytest.raises(ModelError, match="no output"):
        replace(transformer, outputs=("next",)).accepts("a")


@pytest.mark.parametrize(("word", "offset"), [("aaaaaa", 0), ("aaa", 3), ("", 6), ("a", 99)])
def test_an_input_that_does_not_fit_behind_its_offset_is_refused(word: str, offset: int) -> None:
    with pytest.raises(
        ModelError, match=rf"context too short: {len(word) + 1} symbols .* at offset {offset} .* 6 posit"
    ):
        random_transformer(0)(word, offset)


def test_a_negative_offset_is_refused() -> None:
    with pytest.raises(ModelError, match="0 to 5, got -1"):
        random_transformer(0)("a", -1)


def test_the_empty_word_has_no_last_position_without_a_start_symbol() -> None:
    transformer = random_transformer(0, start=False)
    assert transformer("").shape == (0, 2)
    with pytest.raises(ModelError, match="empty word"):
        transformer.last("")


def test_what_is_not_an_ordinary_transformer_is_refused_when_it_is_built() -> None:
    transformer = random_transformer(0)
    with pytest.raises(ModelError, match="layer 1, head 1 has a φ"):
        replace(transformer, layers=random_layers(np.random.default_rng(0), 1, window=2))
    with pytest.raises(ModelError, match="rounds its logits"):
        replace(transformer, regime=Hardmax())  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"positions .* has shape"):
        replace(transformer, positions=np.zeros((6, 2)))
    narrow = Layer.attention_only([Head(np.eye(2), np.eye(2))], 2)
    with pytest.raises(ModelError, match="layer 2 is not of width 3"):
        replace(transformer, layers=(transformer.layers[0], narrow))


def test_weights_cannot_be_changed_by_those_who_gave_or_got_them() -> None:
    given = np.zeros((4, 3))
    transformer = replace(random_transformer(0), positions=given)
    given += 1
    assert not transformer.positions.any()
    with pytest.raises(ValueError, match="read-only"):
        transformer.positions[0, 0] = 1


def test_a_certificate_holds_at_every_offset() -> None:
    transformer = certificate(2, context=6).attached_to(random_transformer(0))
    assert transformer("ab", offset=2).shape == (2, 2)
    with pytest.raises(ModelError, match="at most 2 symbols, got 3"):
        transformer("aba", offset=1)


def test_the_representation_names_the_sizes() -> None:
    shown = repr(replace(random_transformer(0), title="parity"))
    assert shown == "<Transformer parity: 2 layers, 2+2 heads, width 3, context 6, huang(5)>"
