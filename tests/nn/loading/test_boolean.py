"""Constructions for sparse Boolean functions in a decoder: the same outputs as their source."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

from lengthwise.nn.loading.boolean import BooleanDecoder
from lengthwise.sparse.boolean import (
    BooleanError,
    from_formula,
    from_table,
    majority,
    parity,
    polynomial,
    represent,
    select,
)
from lengthwise.sparse.boolean.represent import Inputs
from lengthwise.sparse.boolean.verify import hostile
from tests.sparse.boolean.oracle import coherent

INPUTS: list[Inputs] = ["deterministic", "trainable", "bag"]


def all_strings(length: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=length))


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("kind", ["symmetric", "arbitrary"])
def test_a_decoder_says_what_the_construction_says_on_every_string(inputs: Inputs, kind: str) -> None:
    function = majority([1, 3, 4]) if kind == "symmetric" else from_table([4, 1], [2.5, -1.0, 0.0, 4.0])
    source = represent(function, length=5, inputs=inputs)
    decoder, strings = BooleanDecoder(source), all_strings(5)
    outputs = decoder.read_bits(strings)
    np.testing.assert_allclose(outputs, source.model(strings), rtol=0, atol=1e-12)
    for string, output in zip(strings, outputs, strict=True):
        if kind == "symmetric":
            assert output == pytest.approx(float(string[0] + string[2] + string[3] >= 2), abs=1e-12)
        else:
            assert output == pytest.approx([2.5, -1.0, 0.0, 4.0][2 * string[3] + string[0]], abs=1e-12)


@pytest.mark.parametrize("patterns", [False, True])
@pytest.mark.parametrize("inputs", ["deterministic", "bag"])
def test_heads_alone_and_coherent_vectors_load_as_well(inputs: Inputs, patterns: bool) -> None:
    source = select([2, 5], basis=coherent(5, 0.2, 3), inputs=inputs, patterns=patterns)
    decoder, strings = BooleanDecoder(source.model), np.array(all_strings(5)).reshape(4, 8, 5)
    outputs = decoder.read_bits(strings)
    assert outputs.shape == ((4, 8, 2) if patterns else (4, 8))
    np.testing.assert_allclose(outputs, source.model(strings), rtol=0, atol=1e-12)


def last_output(decoder: BooleanDecoder, tokens: list[int]) -> list[float]:
    """U y at the last symbol: embeddings and positions, softmax heads, two MLPs; nothing is known of constructions."""
    w = {name: weight[0].numpy() for name, weight in decoder.named_parameters()}
    vectors = w.get("positions.vectors", np.zeros((len(tokens), decoder.config.width)))
    stream = [w["embedding"][token] + place for token, place in zip(tokens, vectors, strict=True)]
    heads, size = decoder.config.heads_by_layer[0], decoder.config.head_width
    found = []
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        query = w["layers.0.query"][part] @ stream[-1]
        weights = [math.exp(float(query @ (w["layers.0.key"][part] @ y))) for y in stream]
        values = [weight * (w["layers.0.value"][part] @ y) for weight, y in zip(weights, stream, strict=True)]
        found.append(np.sum(values, axis=0) / math.fsum(weights))
    last = stream[-1] + w["layers.0.mix"] @ np.concatenate(found)
    for name in ("layers.0.", "layers.1."):
        hidden = [max(each, 0.0) for each in w[name + "hidden"] @ last + w[name + "hidden_bias"]]
        last = last + w[name + "output"] @ np.array(hidden)
    return [float(each) for each in w["unembedding"] @ last]


@pytest.mark.parametrize("inputs", INPUTS)
def test_the_decoder_is_what_its_weights_say_as_those_of_any_other(inputs: Inputs) -> None:
    decoder = BooleanDecoder(represent(from_formula("x1 & !x3"), length=3, inputs=inputs))
    for string in all_strings(3):
        tokens = decoder.tokens(string)[0].tolist()
        assert len(tokens) == 4
        assert last_output(decoder, tokens) == pytest.approx([float(string[0] and not string[2])], abs=1e-12)


def test_weights_are_those_of_the_construction_and_frozen() -> None:
    source = represent(parity([1, 2]), length=3, patterns=True)
    decoder = BooleanDecoder(source)
    weights = {name: weight[0].numpy() for name, weight in decoder.named_parameters()}
    width = source.model.inputs.width
    for place, head in enumerate(source.model.heads):
        np.testing.assert_array_equal(weights["layers.0.query"][place, :width], head.query[:, 0])
        np.testing.assert_array_equal(weights["layers.0.key"][place, :width], head.key[:, 0])
        np.testing.assert_array_equal(weights["layers.0.value"][place, :width], head.value[:, 0])
        np.testing.assert_array_equal(weights["layers.0.mix"][:width, place], head.mix[0])
    assert not any(weight.requires_grad for weight in decoder.parameters())
    assert all(weight.dtype == torch.float64 for weight in decoder.parameters())


@pytest.mark.parametrize("inputs", INPUTS)
def test_two_thousand_bits_load(inputs: Inputs) -> None:
    basis = None if inputs == "trainable" else polynomial(2000, 0.3)
    source = represent(
        from_formula("x5 ^ x1234"), basis=basis, length=2000 if basis is None else None, inputs=inputs, patterns=True
    )
    strings = hostile(source, 16, np.random.default_rng(0))
    outputs = BooleanDecoder(source).read_bits(strings)
    assert outputs == pytest.approx((strings[:, 4] ^ strings[:, 1233]).astype(float), abs=1e-10)


def test_strings_of_another_length_are_refused() -> None:
    decoder = BooleanDecoder(select([1], length=3))
    with pytest.raises(BooleanError, match="expected 3 bits, got 2"):
        decoder.read_bits("01")
