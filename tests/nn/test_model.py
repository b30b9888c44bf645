"""The forward pass against its formulas, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, InputError
from tests.nn.oracle import SCHEMES, SHAPES, SMALL, by_definition, config, random_tokens, randomised

LENGTH = 5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_are_those_of_the_formulas(shape: str, scheme: str) -> None:
    model = randomised(config(shape, scheme))
    tokens = random_tokens(2, 2, LENGTH)
    found = model(tokens).detach().numpy()
    expected = by_definition(model, 1, tokens[1, 1].tolist())
    np.testing.assert_allclose(found[1, 1], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_asking_only_at_the_last_position_gives_what_full_attention_gives_there(shape: str, scheme: str) -> None:
    everywhere = randomised(config(shape, scheme))
    last = randomised(config(shape, scheme, read="last"))
    for length in (1, LENGTH):
        tokens = random_tokens(2, 3, length)
        torch.testing.assert_close(last(tokens), everywhere(tokens)[:, :, -1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("scheme", ["limit", "rope"])
@pytest.mark.parametrize("read", ["last", "all"])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_those_of_finite_differences(shape: str, read: str, scheme: str) -> None:
    model = randomised(config(shape, scheme, read=read), seeds=1)
    tokens, generator = random_tokens(2, 5), torch.Generator().manual_seed(0)
    directions = {
        name: torch.randn(p.shape, generator=generator, dtype=p.dtype) for name, p in model.named_parameters()
    }
    wanted = torch.randn(model(tokens).shape, generator=generator, dtype=torch.float64)

    def loss(step: float) -> torch.Tensor:
        moved = {name: p.detach() + step * directions[name] for name, p in model.named_parameters()}
        outputs: torch.Tensor = torch.func.functional_call(model, moved, (tokens,))
        return (outputs * wanted).sum()

    torch.autograd.backward((model(tokens) * wanted).sum())
    slope = sum(float((p.grad * directions[name]).sum()) for name, p in model.named_parameters() if p.grad is not None)
    step = 1e-6
    assert slope == pytest.approx(float(loss(step) - loss(-step)) / (2 * step), rel=1e-4, abs=1e-5)
    assert all(bool(p.grad.isfinite().all()) for p in model.parameters() if p.grad is not None)
    # The same number added to all logits of a query changes nothing, so biases of keys need not show up.
    assert all(p.grad is not None or "key_bias" in name for name, p in model.named_parameters())


def test_without_places_positions_are_counted_from_1() -> None:
    model = randomised(config("one layer", "learned"))
    tokens = random_tokens(2, 2, 4)
    assert torch.equal(model(tokens), model(tokens, torch.arange(1, 5)))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_inputs_may_have_positions_of_their_own(scheme: str) -> None:
    model = randomised(config("two layers, unlike heads", scheme))
    tokens = random_tokens(2, 3, 4)
    places = torch.from_numpy(np.random.default_rng(1).integers(1, 12, (2, 3, 4)))
    found = model(tokens, places).detach().numpy()
    for seed, row in ((0, 2), (1, 1)):
        expected = by_definition(model, seed, tokens[seed, row].tolist(), places[seed, row].tolist())
        np.testing.assert_allclose(found[seed, row], expected, rtol=0, atol=1e-9)


def test_inputs_without_an_axis_of_seeds_are_given_to_all() -> None:
    model, tokens = randomised(SMALL, seeds=3), random_tokens(4, 5)
    assert torch.equal(model(tokens), model(tokens.expand(3, 4, 5)))


def test_a_causal_model_does_not_see_what_comes_later() -> None:
    for scheme in SCHEMES:
        model = randomised(config("narrow heads", scheme))
        tokens = random_tokens(2, 2, 7)
        changed = tokens.clone()
        changed[:, :, 4:] = (changed[:, :, 4:] + 1) % 3
        torch.testing.assert_close(model(tokens)[:, :, :4], model(changed)[:, :, :4], rtol=0, atol=1e-12)


def test_log_length_scaling_multiplies_logits_by_the_logarithm_of_the_length() -> None:
    plain = randomised(config("one layer", "limit"))
    scaled = randomised(config("one layer", "limit", log_scaling="length"))
    tokens = random_tokens(2, 3, LENGTH)
    for model in (plain, scaled):
        model.positions.get_parameter("relative.phi_0").data.fill_(0.5)
    plain.layers[0].get_parameter("query").data *= math.log(LENGTH)
    plain.positions.get_parameter("relative.phi_0").data *= math.log(LENGTH)
    torch.testing.assert_close(scaled(tokens), plain(tokens), rtol=0, atol=1e-12)


def test_scaling_by_log_i_keeps_the_share_of_a_symbol_at_a_fixed_distance() -> None:
    # φ[1] = 1 gives the key before the query the weight i against i - 1 others of weight 1: its share tends to 1/2.
    model = Decoder(config("one layer", "relative", log_scaling="suffix", hidden=0), [0], torch.float64)
    weights = dict(model.named_parameters())
    for weight in weights.values():
        weight.data.zero_()
    weights["positions.phi_0"].data[0, 0, 1] = 1.0
    weights["embedding"].data[0, 1, 0] = 1.0
    weights["layers.0.value"].data[0, 1, 0] = 1.0
    weights["unembedding"].data[0, 0, 1] = 1.0
    for length in (4, 64, 1024):
        word = torch.zeros(1, length, dtype=torch.int64)
        word[0, -2] = 1
        assert model(word)[0, 0, -1, 0].item() == pytest.approx(length / (2 * length - 1))


def test_a_subset_of_seeds_computes_what_they_computed_before() -> None:
    model = randomised(config("layer norm and biases", "limit"), seeds=4)
    tokens = random_tokens(4, 3, 5)
    smaller = model.subset([3, 1])
    assert smaller.seeds == (3, 1)
    assert torch.equal(smaller(tokens[[3, 1]]), model(tokens)[[3, 1]])


@pytest.mark.parametrize(
    ("tokens", "places", "message"),
    [
        (torch.zeros(3, 2, 2, dtype=torch.int64), None, r"expected symbol ids in the shape \(batch, length\) or \(2, "),
        (torch.zeros(2, 0, dtype=torch.int64), None, r"none of them 0, got \(2, 2, 0\)"),
        (torch.tensor([[0, 3]]), None, "3 is not a symbol id of this model; it has ids 0 to 2"),
        (torch.tensor([[-1, 0]]), None, "-1 is not a symbol id of this model; it has ids 0 to 2"),
        (
            torch.tensor([[0, 1]]),
            torch.arange(3),
            r"position ids of shape \(3,\) do not fit symbol ids of shape \(2, 1, 2",
        ),
    ],
)
def test_inputs_that_cannot_be_read_get_a_sentence(
    tokens: torch.Tensor, places: torch.Tensor | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Decoder(SMALL, [0, 1])(tokens, places)


def test_a_model_needs_a_seed() -> None:
    with pytest.raises(InputError, match="at least one seed"):
        Decoder(replace(SMALL, width=4), [])
