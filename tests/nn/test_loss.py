"""The three losses, seed by seed, against sums over single numbers."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.errors import LengthwiseError
from lengthwise.nn import LossError, fold, fold_counts, losses
from lengthwise.tasks.task import Batch, CountBatch

SEEDS, BATCH, LENGTH, OUTPUTS = 2, 3, 4, 5
RNG = np.random.default_rng(0)
OUTPUT = RNG.normal(size=(SEEDS, BATCH, LENGTH, OUTPUTS))
MASK = RNG.random((SEEDS, BATCH, LENGTH)) < 0.6


def found(kind: Any, outputs: Any, targets: Any, mask: Any = None) -> list[float]:
    given = [torch.from_numpy(np.asarray(each)) for each in (outputs, targets, mask) if each is not None]
    return [float(value) for value in losses(kind, *given)]


def test_regression_is_the_mean_square_at_the_last_position() -> None:
    targets = RNG.normal(size=(SEEDS, BATCH, OUTPUTS))
    expected = [
        sum((OUTPUT[s, b, -1, o] - targets[s, b, o]) ** 2 for b in range(BATCH) for o in range(OUTPUTS)) / 15
        for s in range(SEEDS)
    ]
    assert found("regression", OUTPUT[:, :, -1], targets) == pytest.approx(expected)
    assert found("regression", OUTPUT, targets, MASK) == pytest.approx(expected)


@pytest.mark.parametrize("masked", [True, False])
def test_next_token_is_the_mean_cross_entropy_of_scored_positions(masked: bool) -> None:
    targets = RNG.integers(0, OUTPUTS, (SEEDS, BATCH, LENGTH))
    expected = []
    for s in range(SEEDS):
        terms = [
            log(sum(exp(z) for z in OUTPUT[s, b, t])) - OUTPUT[s, b, t, targets[s, b, t]]
            for b in range(BATCH) for t in range(LENGTH) if MASK[s, b, t] or not masked
        ]  # fmt: skip
        expected.append(sum(terms) / len(terms))
    assert found("next-token", OUTPUT, targets, MASK if masked else None) == pytest.approx(expected)


@pytest.mark.parametrize("masked", [True, False])
def test_next_set_is_the_mean_binary_cross_entropy_of_scored_positions(masked: bool) -> None:
    targets = RNG.random((SEEDS, BATCH, LENGTH, OUTPUTS)) < 0.5
    expected = []
    for s in range(SEEDS):
        terms = [
            log(1 + exp(-OUTPUT[s, b, t, o] if targets[s, b, t, o] else OUTPUT[s, b, t, o]))
            for b in range(BATCH) for t in range(LENGTH) for o in range(OUTPUTS) if MASK[s, b, t] or not masked
        ]  # fmt: skip
        expected.append(sum(terms) / len(terms))
    assert found("next-set", OUTPUT, targets, MASK if masked else None) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["next-token", "next-set"])
def test_outputs_of_the_last_position_are_scored_there(kind: str) -> None:
    shape = (SEEDS, BATCH, LENGTH) if kind == "next-token" else OUTPUT.shape
    targets = RNG.integers(0, 2, shape)
    last_only = np.zeros_like(MASK)
    last_only[:, :, -1] = True
    everywhere = found(kind, OUTPUT, targets, last_only)
    assert found(kind, OUTPUT[:, :, -1], targets, last_only) == pytest.approx(everywhere)
    assert found(kind, OUTPUT[:, :, -1], targets) == pytest.approx(everywhere)


@pytest.mark.parametrize("kind", ["next-token", "next-set"])
def test_positions_that_are_not_scored_may_hold_anything(kind: str) -> None:
    shape = (SEEDS, BATCH, LENGTH) if kind == "next-token" else OUTPUT.shape
    targets = RNG.integers(0, 2, shape)
    spoilt = np.where(MASK[..., None], OUTPUT, 1e30)
    assert found(kind, spoilt, targets, MASK) == pytest.approx(found(kind, OUTPUT, targets, MASK))


def test_shapes_that_do_not_fit_get_a_sentence() -> None:
    with pytest.raises(LossError, match=r"outputs of shape \(2, 3, 5\) cannot be scored by shape \(2, 3, 4\)"):
        found("regression", OUTPUT, OUTPUT[:, :, 0, :4])
    with pytest.raises(LossError, match="there is no loss 'hinge'"):
        found("hinge", OUTPUT, OUTPUT)


def test_batches_of_seeds_are_folded_into_tensors() -> None:
    batches = [
        Batch(RNG.integers(0, 3, (BATCH, LENGTH)), RNG.random((BATCH, 1)), MASK[seed], None) for seed in range(SEEDS)
    ]
    folded = fold(batches)
    assert folded.tokens.shape == (SEEDS, BATCH, LENGTH)
    assert folded.targets.dtype == torch.float32
    np.testing.assert_array_equal(folded.tokens[1].numpy(), batches[1].tokens)
    np.testing.assert_array_equal(folded.mask[1].numpy(), MASK[1])
    assert folded.positions is None
    counted = [
        CountBatch(
            RNG.integers(0, 3, (BATCH, 2, 1)), np.zeros(BATCH, int), np.full(BATCH, 7 + s), RNG.random((BATCH, 1))
        )
        for s in (0, 1)
    ]
    assert fold_counts(counted).lengths[:, 0].tolist() == [7, 8]
    np.testing.assert_array_equal(fold_counts(counted).counts[1].numpy(), counted[1].counts)


def test_batches_of_different_shapes_are_not_folded() -> None:
    batches = [Batch(np.zeros((2, n), int), np.zeros((2, 1)), np.ones((2, n), bool)) for n in (3, 4)]
    with pytest.raises(LengthwiseError, match=r"batches that are folded have one shape, got \(2, 3\), \(2, 4\)"):
        fold(batches)
    with pytest.raises(LengthwiseError, match="got none"):
        fold([])
