"""Outputs where they are asked for: what the model says there, and the same gradients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, InputError, asked, layout, losses, positions
from tests.nn.oracle import SCHEMES, SHAPES, config, random_tokens, randomised

SHARES = [0.08, 0.5, 1.0]
"""Of positions that are asked about: so few that keys need not be computed, some, all."""


def drawn(share: float, words: int = 7, length: int = 6, seeds: int = 2) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).random((seeds, words, length)) < share)


def gradients(model: Decoder, loss: torch.Tensor) -> list[torch.Tensor]:
    return list(torch.autograd.grad(loss.sum(), list(model.parameters()), allow_unused=True, materialize_grads=True))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_and_gradients_are_those_of_asking_everywhere(shape: str, scheme: str, share: float) -> None:
    model, tokens, mask = randomised(config(shape, scheme)), random_tokens(2, 7, 6), drawn(share)
    targets = random_tokens(2, 7, 6, symbols=2, seed=1)
    everywhere, here = model(tokens), asked.outputs(model, tokens, mask)
    torch.testing.assert_close(here, everywhere[mask], rtol=0, atol=1e-12)
    expected = losses("next-token", everywhere, targets, mask)
    found = losses("next-token", here, targets, mask)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(gradients(model, found), gradients(model, expected), rtol=0, atol=1e-12)


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_it_does_not_matter_how_many_words_are_padded_together(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(layout, "AT_ONCE", at_once)
    model, tokens = randomised(config("GPT-2", "learned")), random_tokens(2, 7, 6)
    for share in SHARES:
        mask = drawn(share)
        mask[:, 3:5] = False  # words about which nothing is asked
        torch.testing.assert_close(asked.outputs(model, tokens, mask), model(tokens)[mask], rtol=0, atol=1e-12)


def test_what_stands_behind_the_last_question_is_not_looked_at() -> None:
    model, mask = randomised(config("GPT-2", "learned")), torch.zeros(2, 1, 6, dtype=torch.bool)
    mask[:, :, 2] = True
    tokens = random_tokens(2, 1, 6)
    places = torch.tensor([1, 2, 3, 99, 99, 99])  # there are 12
    expected = model(tokens[:, :, :3])[:, :, 2].flatten(0, 1)
    torch.testing.assert_close(asked.outputs(model, tokens, mask, places), expected, rtol=0, atol=1e-12)
    with pytest.raises(positions.PositionError):
        model(tokens, places)


def test_positions_may_be_shifted_word_by_word() -> None:
    model, tokens, mask = randomised(config("GPT-2", "learned")), random_tokens(2, 7, 6), drawn(0.5)
    places = torch.arange(1, 7) + torch.from_numpy(np.random.default_rng(0).integers(0, 7, (2, 7, 1)))
    torch.testing.assert_close(
        asked.outputs(model, tokens, mask, places), model(tokens, places)[mask], rtol=0, atol=1e-12
    )


def test_nothing_asked_is_nothing_said() -> None:
    model, tokens = randomised(config("GPT-2", "none")), random_tokens(2, 7, 6)
    assert asked.outputs(model, tokens, torch.zeros(2, 7, 6, dtype=torch.bool)).shape == (0, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"causal": False}, "positions see what is behind them"),
        ({"log_scaling": "length"}, "logits depend on the length of a word"),
        ({"position": "relative", "position_parameters": {"window": 1}}, "attention with the positions 'relative'"),
    ],
)
def test_some_models_cannot_leave_anything_out(changes: dict[str, Any], reason: str) -> None:
    model = Decoder(config("one layer", "none", **changes), [0])
    assert reason in str(asked.why_not(model))


def test_masks_that_do_not_fit_get_a_sentence() -> None:
    setting = config("one layer", "none")
    with pytest.raises(InputError, match=r"a mask of shape \(2, 7, 5\) does not fit symbol ids of shape \(2, 7, 6\)"):
        asked.outputs(Decoder(setting, [0, 1]), random_tokens(2, 7, 6), drawn(0.5, length=5))
    with pytest.raises(InputError, match='can be asked anywhere if read is "all"'):
        asked.outputs(Decoder(replace(setting, read="last"), [0, 1]), random_tokens(2, 7, 6), drawn(0.5))
