"""Counts are a sufficient statistic: the same function of the same weights as on tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, DecoderConfig, InputError, counts
from tests.nn.oracle import SMALL, random_tokens, randomised

READ = replace(SMALL, read="last")


def counted(tokens: torch.Tensor, symbols: int, period: int) -> torch.Tensor:
    """Counts by symbol and residue of the position from 1 on, one token after the other."""
    found = np.zeros((*tokens.shape[:2], symbols, period), dtype=np.int64)
    for (seed, word, place), symbol in np.ndenumerate(tokens.numpy()):
        found[seed, word, symbol, (place + 1) % period] += 1
    return torch.from_numpy(found)


def variant(period: int, **changes: Any) -> DecoderConfig:
    scheme = {"position": "periodic", "position_parameters": {"period": period}} if period > 1 else {}
    return replace(READ, **scheme, **changes)  # type: ignore[arg-type]


VARIANTS: list[dict[str, Any]] = [
    {},
    {"heads": 2, "log_scaling": "length"},
    {"heads": 3, "output_matrix": True, "layer_norm": True, "biases": "all", "activation": "gelu"},
    {"hidden": 0, "attention_scale": "one", "biases": "none"},
    {"log_scaling": "suffix", "causal": False},
]


@pytest.mark.parametrize("period", [1, 2, 3])
@pytest.mark.parametrize("changes", VARIANTS)
def test_counts_give_the_outputs_of_tokens(changes: dict[str, Any], period: int) -> None:
    model = randomised(variant(period, **changes), dtype=torch.float32)
    for length in (1, 2, 3, 10):
        tokens = random_tokens(2, 5, length)
        on_counts = counts.outputs(model, counted(tokens, 3, period), tokens[:, :, -1], length)
        torch.testing.assert_close(on_counts, model(tokens), rtol=0, atol=1e-6)


@pytest.mark.parametrize("period", [1, 3])
def test_counts_give_the_gradients_of_tokens(period: int) -> None:
    model = randomised(variant(period, heads=2))
    tokens = random_tokens(2, 5, 10)
    torch.autograd.backward(model(tokens).square().sum())
    of_tokens = {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}
    model.zero_grad()
    torch.autograd.backward(counts.outputs(model, counted(tokens, 3, period), tokens[:, :, -1], 10).square().sum())
    for name, weight in model.named_parameters():
        torch.testing.assert_close(weight.grad, of_tokens[name], rtol=0, atol=1e-9)


@pytest.mark.parametrize("log_scaling", ["none", "length"])
def test_inputs_of_different_lengths_are_evaluated_together(log_scaling: str) -> None:
    model = randomised(variant(2, log_scaling=log_scaling, heads=2), dtype=torch.float32)
    words = [random_tokens(2, 3, length, seed=length) for length in (4, 9, 1)]
    found = counts.outputs(
        model,
        torch.cat([counted(each, 3, 2) for each in words], 1),
        torch.cat([each[:, :, -1] for each in words], 1),
        torch.tensor([4] * 3 + [9] * 3 + [1] * 3),
    )
    for place, each in enumerate(words):
        torch.testing.assert_close(found[:, 3 * place : 3 * place + 3], model(each), rtol=0, atol=1e-6)


def test_counts_of_a_multiple_of_the_period_are_enough() -> None:
    model = randomised(variant(2), dtype=torch.float32)
    tokens = random_tokens(2, 5, 9)
    found = counts.outputs(model, counted(tokens, 3, 6), tokens[:, :, -1], 9)
    torch.testing.assert_close(found, model(tokens), rtol=0, atol=1e-6)


def test_symbols_that_do_not_occur_have_no_weight_however_large_their_logit() -> None:
    model = Decoder(replace(READ, attention_scale="one"), [0])
    model.embedding.data[0, 2] = 1000.0
    tokens = random_tokens(1, 4, 6, symbols=2)
    found = counts.outputs(model, counted(tokens, 3, 1), tokens[:, :, -1], 6)
    torch.testing.assert_close(found, model(tokens), rtol=0, atol=1e-6)


def test_a_million_symbols_are_read_from_counts_as_from_tokens() -> None:
    model = randomised(variant(3, hidden=8), seeds=1, dtype=torch.float64)
    tokens = random_tokens(1, 1, 10**6)
    residues = (torch.arange(1, 10**6 + 1) % 3).numpy()
    table = np.zeros((1, 1, 3, 3), dtype=np.int64)
    np.add.at(table[0, 0], (tokens[0, 0].numpy(), residues), 1)
    with torch.no_grad():
        found = counts.outputs(model, torch.from_numpy(table), tokens[:, :, -1], 10**6)
        torch.testing.assert_close(found, model(tokens), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 2}, "only models of one layer with attention see no more than counts"),
        ({"read": "all"}, 'read must be "last"'),
        ({"position": "rope"}, "the positions 'rope' tell more than residues"),
        ({"position": "relative", "position_parameters": {"window": 1}}, "the positions 'relative' tell more"),
    ],
)
def test_models_that_see_more_than_counts_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        counts.outputs(Decoder(replace(READ, **changes), [0]), torch.ones(1, 1, 3, 1), torch.zeros(1, 1).long(), 3)


@pytest.mark.parametrize(
    ("shape", "last", "message"),
    [
        ((1, 4, 2, 2), 0, r"expected counts in the shape \(1, batch, 3, period\)"),
        ((1, 4, 3, 3), 0, "positions of period 2 cannot be told from counts of period 3"),
        ((1, 4, 3, 2), 3, "expected a last symbol id, 0 to 2"),
    ],
)
def test_counts_that_do_not_fit_are_refused(shape: tuple[int, ...], last: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        counts.outputs(Decoder(variant(2), [0]), torch.ones(shape), torch.full((1, 4), last), 6)


def test_lengths_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"expected one length or one for each of \(1, 4\) inputs"):
        counts.outputs(Decoder(variant(2), [0]), torch.ones(1, 4, 3, 2), torch.zeros(1, 4).long(), torch.ones(3).long())
