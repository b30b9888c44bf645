"""Predictive position coupling where it is asked for: symbols and ids as everywhere, with the same gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, InputError, asked, position_head
from tests.nn.oracle import SHAPES, config, random_tokens, randomised

SEEDS, WORDS, LENGTH, IDS = 2, 7, 6, 13


def drawn(share: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A mask that asks for this share of positions, ids, and the ids that come next."""
    rng, shape = np.random.default_rng(1), (SEEDS, WORDS, LENGTH)
    places, following = (torch.from_numpy(rng.integers(0, IDS, shape)) for _ in range(2))
    return torch.from_numpy(rng.random(shape) < share), places, following


def gradients(model: Decoder, loss: torch.Tensor) -> list[torch.Tensor]:
    return list(torch.autograd.grad(loss.sum(), list(model.parameters()), allow_unused=True, materialize_grads=True))


@pytest.mark.parametrize("share", [0.08, 0.5, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_symbols_ids_and_gradients_are_those_of_asking_everywhere(shape: str, share: float) -> None:
    model, tokens = randomised(config(shape, "predictive")), random_tokens(SEEDS, WORDS, LENGTH)
    mask, places, following = drawn(share)
    targets = random_tokens(SEEDS, WORDS, LENGTH, symbols=2, seed=1)
    everywhere = position_head.outputs(model, tokens, places)
    here = asked.outputs_with_ids(model, tokens, mask, places)
    for found, expected in zip(here, everywhere, strict=True):
        torch.testing.assert_close(found, expected[mask], rtol=0, atol=1e-12)
    trained, by_definition = (position_head.losses(each, targets, following, mask) for each in (here, everywhere))
    torch.testing.assert_close(trained, by_definition, rtol=0, atol=1e-12)
    torch.testing.assert_close(gradients(model, trained), gradients(model, by_definition), rtol=0, atol=1e-12)


def test_the_same_words_are_right() -> None:
    model, tokens = randomised(config("GPT-2", "predictive")), random_tokens(SEEDS, WORDS, LENGTH)
    mask, places, _ = drawn(0.4)
    everywhere = position_head.outputs(model, tokens, places)
    here = asked.outputs_with_ids(model, tokens, mask, places)
    targets, following = (each.argmax(-1) for each in everywhere)
    for wrong, seed, word, known in ((targets, 0, 2, 2), (following, 1, 3, IDS)):
        place = mask[seed, word].nonzero()[0]
        wrong[seed, word, place] = (wrong[seed, word, place] + 1) % known
    expected = torch.ones(SEEDS, WORDS, dtype=torch.bool)
    expected[0, 2] = expected[1, 3] = False
    for outputs in (here, everywhere):
        right = position_head.right(outputs, targets, following, mask, mask)
        assert torch.equal(right, expected)


def test_a_seed_has_the_same_bits_beside_others_and_alone() -> None:
    model, tokens = randomised(config("GPT-2", "predictive")), random_tokens(SEEDS, WORDS, LENGTH)
    mask, places, _ = drawn(0.5)
    together = asked.outputs_with_ids(model, tokens, mask, places)
    first = int(mask[0].sum())
    alone = asked.outputs_with_ids(model.subset([1]), tokens[1:], mask[1:], places[1:])
    assert all(torch.equal(both[first:], own) for both, own in zip(together, alone, strict=True))


def test_models_that_cannot_leave_anything_out_are_asked_everywhere() -> None:
    model, tokens = randomised(config("GPT-2", "predictive", causal=False)), random_tokens(SEEDS, WORDS, LENGTH)
    mask, places, _ = drawn(0.5)
    symbols, ids = position_head.outputs(model, tokens, places)
    found = asked.outputs_with_ids(model, tokens, mask, places)
    assert torch.equal(found[0], symbols[mask])
    assert torch.equal(found[1], ids[mask])


def test_nothing_asked_is_nothing_said() -> None:
    model, tokens = randomised(config("GPT-2", "predictive")), random_tokens(SEEDS, WORDS, LENGTH)
    mask, places, _ = drawn(0.0)
    symbols, ids = asked.outputs_with_ids(model, tokens, mask, places)
    assert (symbols.shape, ids.shape) == ((0, 2), (0, IDS))


def test_a_model_without_a_second_head_gets_a_sentence() -> None:
    model, tokens = randomised(config("GPT-2", "coupled")), random_tokens(SEEDS, WORDS, LENGTH)
    mask, places, _ = drawn(0.5)
    with pytest.raises(InputError, match="does not predict position ids"):
        asked.outputs_with_ids(model, tokens, mask, places)
