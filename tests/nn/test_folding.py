"""The promise of folding: a seed's numbers have the same bits however many seeds there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, Rates, asked, counts, groups, losses
from tests.nn.oracle import SCHEMES, SHAPES, config, random_tokens

BATCHES = [1, 7, 33]
"""Sizes whose matrices end within a cache line as well as between two."""


def trained(
    model: Decoder, tokens: torch.Tensor, targets: torch.Tensor, loss: Any = "regression", steps: int = 3
) -> dict[str, torch.Tensor]:
    """Losses, last gradients and weights after some steps on the same data."""
    optimizer = FoldedAdam(groups(model))
    for _ in range(steps):
        optimizer.zero_grad()
        found = losses(loss, model(tokens), targets)
        torch.autograd.backward(found.sum())
        optimizer.step()
    gradients = {f"gradient of {name}": p.grad for name, p in model.named_parameters() if p.grad is not None}
    return {"loss": found.detach(), **gradients, **model.state_dict()}


def differing(folded: dict[str, torch.Tensor], alone: dict[str, torch.Tensor], seed: int) -> list[str]:
    """What has other bits when the seed is folded with others."""
    return [
        f"{name} of seed {seed}" for name, numbers in alone.items() if not torch.equal(folded[name][seed], numbers[0])
    ]


@pytest.mark.parametrize("scheme", ["learned", "limit", "rope"])
@pytest.mark.parametrize("shape", SHAPES)
def test_three_steps_of_a_seed_have_the_same_bits_alone_and_folded(shape: str, scheme: str) -> None:
    read = "last" if shape in ("one layer", "log i", "narrow heads") else "all"
    assert folding_changes(shape, scheme, read, batch=7) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_bits_are_the_same_wherever_matrices_end(shape: str, scheme: str) -> None:
    # Every shape and every scheme meets each size with both ways of reading.
    place = list(SHAPES).index(shape) + list(SCHEMES).index(scheme)
    read, batch = ("last", "all")[place % 2], BATCHES[place % 3]
    for length in (1, 5, 8):
        assert folding_changes(shape, scheme, read, batch, length) == []


def folding_changes(shape: str, scheme: str, read: str, batch: int, length: int = 5) -> list[str]:
    """What differs between three seeds trained together and each alone."""
    setting, seeds = config(shape, scheme, read=read), [3, 4, 5]
    tokens = random_tokens(3, batch, length)
    targets = torch.randn(3, batch, 2, generator=torch.Generator().manual_seed(1))
    folded = trained(Decoder(setting, seeds), tokens, targets)
    changes: list[str] = []
    for place in (0, 2):
        alone = trained(Decoder(setting, [seeds[place]]), tokens[[place]], targets[[place]])
        changes += differing(folded, alone, place)
    return changes


@pytest.mark.parametrize("loss", ["next-token", "next-set"])
def test_the_other_losses_keep_the_bits_too(loss: str) -> None:
    setting, seeds = config("layer norm and biases", "rope"), [0, 1, 2]
    tokens, rng = random_tokens(3, 7, 5), np.random.default_rng(0)
    shape = (3, 7, 5) if loss == "next-token" else (3, 7, 5, 2)
    targets = torch.from_numpy(rng.integers(0, 2, shape))
    folded = trained(Decoder(setting, seeds), tokens, targets, loss)
    for place in range(3):
        alone = trained(Decoder(setting, [place]), tokens[[place]], targets[[place]], loss)
        assert differing(folded, alone, place) == []


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("scheme", ["none", "learned", "rope"])
@pytest.mark.parametrize("shape", ["GPT-2", "two layers, unlike heads", "layer norm and biases"])
def test_asking_here_and_there_keeps_the_bits_too(shape: str, scheme: str, share: float) -> None:
    """Every seed is asked at places of its own; gradients are cut, and biases do not decay."""
    setting, rng = config(shape, scheme, vocabulary=5), np.random.default_rng(0)
    tokens, targets = random_tokens(3, 33, 9, symbols=5), random_tokens(3, 33, 9, symbols=2, seed=1)
    mask = torch.from_numpy(rng.random((3, 33, 9)) < share)

    def run(places: list[int]) -> dict[str, torch.Tensor]:
        model = Decoder(setting, places)
        rates = Rates.plain(1e-2, "matrices")
        optimizer = FoldedAdam(groups(model, rates), weight_decay=0.1, max_grad_norm=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            outputs = asked.outputs(model, tokens[places], mask[places])
            found = losses("next-token", outputs, targets[places], mask[places])
            torch.autograd.backward(found.sum())
            optimizer.step()
        return {"loss": found.detach(), **model.state_dict()}

    folded = run([0, 1, 2])
    for place in range(3):
        assert differing(folded, run([place]), place) == []


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu-tanh"])
@pytest.mark.parametrize("period", [1, 3])
@pytest.mark.parametrize("batch", BATCHES)
def test_training_on_counts_keeps_the_bits_too(batch: int, period: int, activation: Any) -> None:
    setting = DecoderConfig(
        vocabulary=3, outputs=1, heads=2, activation=activation,
        position="periodic" if period > 1 else "none", position_parameters={"period": period} if period > 1 else {},
    )  # fmt: skip
    rng, lengths = np.random.default_rng(0), torch.arange(3 * batch).view(3, batch) + 9
    drawn = torch.from_numpy(rng.integers(0, 5, (3, batch, 3, period)))
    last, targets = (
        torch.from_numpy(rng.integers(0, 3, (3, batch))),
        torch.from_numpy(rng.random((3, batch, 1))).float(),
    )
    drawn[..., 0, 0] += 1

    def run(places: list[int]) -> dict[str, torch.Tensor]:
        model = Decoder(setting, places)
        optimizer = FoldedAdam(groups(model))
        for _ in range(3):
            optimizer.zero_grad()
            outputs = counts.outputs(model, drawn[places], last[places], lengths[places])
            found = losses("regression", outputs, targets[places])
            torch.autograd.backward(found.sum())
            optimizer.step()
        return {"loss": found.detach(), **model.state_dict()}

    folded = run([0, 1, 2])
    for place in range(3):
        assert differing(folded, run([place]), place) == []


def test_a_stopped_seed_stays_as_it_is_and_the_others_do_not_notice() -> None:
    setting = config("one layer", "periodic", read="last")
    tokens, targets = random_tokens(3, 7, 5), torch.ones(3, 7, 2)
    model, others = Decoder(setting, [0, 1, 2]), Decoder(setting, [0, 2])
    both = [(model, FoldedAdam(groups(model)), [0, 1, 2]), (others, FoldedAdam(groups(others)), [0, 2])]
    stopped = {}
    for step in range(4):
        for each, optimizer, places in both:
            optimizer.zero_grad()
            torch.autograd.backward(losses("regression", each(tokens[places]), targets[places]).sum())
            optimizer.step([True, step < 2, True] if len(places) == 3 else None)
        if step == 1:
            stopped = {name: weight[1].clone() for name, weight in model.state_dict().items()}
    for name, weight in model.state_dict().items():
        assert torch.equal(weight[1], stopped[name]), name
        assert torch.equal(weight[[0, 2]], others.state_dict()[name]), name
    assert both[0][1].steps == [4, 2, 4]


def test_dropping_stopped_seeds_changes_nothing_for_those_that_go_on() -> None:
    setting = config("two layers, unlike heads", "relative")
    tokens, targets = random_tokens(3, 7, 5), torch.ones(3, 7, 2)
    model = Decoder(setting, [0, 1, 2])
    optimizer = FoldedAdam(groups(model))
    for _ in range(2):
        optimizer.zero_grad()
        torch.autograd.backward(losses("regression", model(tokens), targets).sum())
        optimizer.step()
    smaller = model.subset([2])
    runs = [(model, optimizer, [0, 1, 2]), (smaller, optimizer.subset(groups(smaller), [2]), [2])]
    for each, stepping, places in runs:
        for _ in range(2):
            stepping.zero_grad()
            torch.autograd.backward(losses("regression", each(tokens[places]), targets[places]).sum())
            stepping.step()
    for name, weight in model.state_dict().items():
        assert torch.equal(weight[2], smaller.state_dict()[name][0]), name


def test_a_seed_starts_with_the_same_matrices_whatever_the_positions() -> None:
    starts = [Decoder(config("one layer", scheme), [7]).state_dict() for scheme in SCHEMES]
    for start in starts:
        assert torch.equal(start["layers.0.query"], starts[0]["layers.0.query"])


def test_different_seeds_start_differently() -> None:
    start = Decoder(config("one layer", "periodic"), [0, 1]).state_dict()
    assert not any(torch.equal(start[name][0], start[name][1]) for name in start if "bias" not in name)
