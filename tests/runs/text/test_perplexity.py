from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder
from lengthwise.runs.text import Entropies, entropies
from tests.runs.text.conftest import small_cell

CONTEXT, LONGEST = 4, 8


def model() -> Decoder:
    made = Decoder(small_cell(pose_steps=0).decoder(), [0])
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.4 * torch.randn(weight.shape, generator=generator))
    return made


def loss(made: Decoder, context: list[int], target: int) -> float:
    """The oracle: one context, one prediction."""
    with torch.no_grad():
        logits = made(torch.tensor([context]))[0, 0, -1].double()
    return float(-torch.log_softmax(logits, 0)[target])


@pytest.fixture
def measured() -> tuple[Entropies, Decoder, np.ndarray]:
    made, windows = model(), np.random.default_rng(1).integers(0, 256, (3, LONGEST + 1))
    everything = np.tile(np.arange(CONTEXT + 1, LONGEST + 1), (3, 1))
    return entropies(made, windows, CONTEXT, everything), made, windows


def test_every_byte_is_predicted_once_from_the_contexts_it_should_be(
    measured: tuple[Entropies, Decoder, np.ndarray],
) -> None:
    found, made, windows = measured
    for number, window in enumerate(windows.tolist()):
        places = range(1, LONGEST + 1)
        long = [loss(made, window[:place], window[place]) for place in places]
        # Pieces begin anew behind every fourth predicted byte.
        short = [loss(made, window[(place - 1) // CONTEXT * CONTEXT : place], window[place]) for place in places]
        recent = [loss(made, window[max(0, place - CONTEXT) : place], window[place]) for place in places]
        assert found.long[number] == pytest.approx(np.mean(long), abs=1e-5)
        assert found.short[number] == pytest.approx(np.mean(short), abs=1e-5)
        assert found.recent[number] == pytest.approx(np.mean(recent), abs=1e-5)


def test_looking_at_some_bytes_is_right_on_average(measured: tuple[Entropies, Decoder, np.ndarray]) -> None:
    whole, made, windows = measured
    some = [
        entropies(made, windows, CONTEXT, np.full((3, 1), place)).recent for place in range(CONTEXT + 1, LONGEST + 1)
    ]
    np.testing.assert_allclose(np.mean(some, axis=0), whole.recent, atol=1e-6)


def test_a_model_that_ignores_far_bytes_also_has_a_lower_perplexity_in_longer_windows() -> None:
    def near_sighted(tokens: torch.Tensor) -> torch.Tensor:
        """The byte 0 is the more likely the longer the context, but no context counts for more than four bytes."""
        outputs = torch.zeros(1, *tokens.shape, 256)
        outputs[..., 0] = torch.arange(1, tokens.shape[1] + 1).clamp(max=CONTEXT).float()
        return outputs

    made: Any = near_sighted
    found = entropies(made, np.zeros((2, LONGEST + 1), dtype=np.int64), CONTEXT, np.full((2, 1), 6))
    assert (found.long < found.short - 0.1).all()
    np.testing.assert_allclose(found.recent, found.long)
