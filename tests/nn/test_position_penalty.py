"""Term (8) against its sum written out, and what it does to a model that is trained with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.errors import LengthwiseError
from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, groups
from lengthwise.nn.position_penalty import position_penalty

PLACES, WIDTH = 6, 4


def model(**changes: Any) -> Decoder:
    settings = {"layers": 2, "heads": (2, 1), "width": WIDTH, "hidden": 3, "position": "learned", "read": "all"}
    context = {"position_parameters": {"context": PLACES}}
    return Decoder(DecoderConfig(2, 1, **{**settings, **context, **changes}), [5, 6])


def written_out(decoder: Decoder, seed: int, factor: float) -> float:
    """The average over i of Σ_{l,h} Σ_{j ≥ i} |factor · p_i^T K^T Q p_j|², one product after the other."""
    vectors = decoder.positions.weight("vectors")[seed].detach().numpy().astype(np.float64)
    total = 0.0
    for layer in decoder.layers:
        query, key = (layer.weight(name)[seed].detach().numpy().astype(np.float64) for name in ("query", "key"))
        for head in range(layer.heads):
            rows = slice(head * len(query) // layer.heads, (head + 1) * len(query) // layer.heads)
            for i in range(PLACES):
                for j in range(i, PLACES):
                    total += float(vectors[i] @ key[rows].T @ query[rows] @ vectors[j] * factor) ** 2
    return total / PLACES


@pytest.mark.parametrize(("scale", "factor"), [("one", 1.0), ("root", WIDTH**-0.5), ("head", 1 / WIDTH)])
def test_it_is_the_sum_over_layers_heads_and_pairs(scale: str, factor: float) -> None:
    decoder = model(attention_scale=scale)
    found = position_penalty(decoder).detach()
    assert found.shape == (2,)
    for seed in range(2):
        assert float(found[seed]) == pytest.approx(written_out(decoder, seed, factor), rel=1e-5)


@pytest.mark.parametrize("changes", [{}, {"layer_norm": True}, {"attention_scale": "root", "layer_norm": True}])
def test_of_vectors_it_is_the_printed_formula_whatever_the_layers_do_to_them(changes: dict[str, Any]) -> None:
    decoder = model(**changes)
    found = position_penalty(decoder, "vectors").detach()
    for seed in range(2):
        assert float(found[seed]) == pytest.approx(written_out(decoder, seed, 1.0), rel=1e-5)
    with torch.no_grad():
        decoder.positions.weight("vectors").mul_(2)
    torch.testing.assert_close(position_penalty(decoder, "vectors").detach(), 16 * found)


def test_for_a_new_gpt2_the_printed_formula_is_smaller_by_orders_of_magnitude() -> None:
    decoder = Decoder(DecoderConfig.gpt2(10, 64, 2, 4, context=61), [3])
    assert float((position_penalty(decoder) / position_penalty(decoder, "vectors")).detach()) > 1e5


def test_the_logarithm_of_the_length_does_not_count() -> None:
    assert torch.equal(position_penalty(model(log_scaling="length")), position_penalty(model()))


def test_with_layer_norms_the_size_of_the_vectors_does_not_matter() -> None:
    decoder = model(layer_norm=True)
    before = position_penalty(decoder)
    with torch.no_grad():
        decoder.positions.weight("vectors").mul_(100)
    torch.testing.assert_close(position_penalty(decoder), before, rtol=1e-3, atol=0)


def test_training_against_it_makes_it_small() -> None:
    decoder = model()
    optimizer = FoldedAdam(groups(decoder))
    before = position_penalty(decoder)
    for _ in range(300):
        optimizer.zero_grad()
        torch.autograd.backward(position_penalty(decoder).sum())
        optimizer.step()
    assert bool((position_penalty(decoder) < before / 100).all())


@pytest.mark.parametrize("scheme", ["none", "rope"])
def test_schemes_without_vectors_are_refused(scheme: str) -> None:
    with pytest.raises(LengthwiseError, match="adds no vectors"):
        position_penalty(model(position=scheme, position_parameters={}))
