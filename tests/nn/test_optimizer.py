"""Adam over folded weights, against the formulas and against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from lengthwise.errors import LengthwiseError
from lengthwise.nn import FoldedAdam, ParameterGroup


def weights(seeds: int = 3) -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    return [nn.Parameter(torch.randn(seeds, *shape, generator=generator)) for shape in ((2, 3), (5,))]


def gradient(weight: nn.Parameter, step: int) -> torch.Tensor:
    return torch.randn(weight.shape, generator=torch.Generator().manual_seed(100 + step + weight.dim()))


def test_updates_are_those_of_the_formulas() -> None:
    pair = weights()
    optimizer = FoldedAdam([ParameterGroup("a", (pair[0],), 0.1), ParameterGroup("b", (pair[1],), 0.02)])
    expected = [(each.detach().double().numpy().copy(), rate) for each, rate in zip(pair, (0.1, 0.02), strict=True)]
    means, squares = [[np.zeros_like(value) for value, _ in expected] for _ in range(2)]
    for step in range(1, 6):
        for each in pair:
            each.grad = gradient(each, step)
        optimizer.step(factor=0.5)
        for place, (value, rate) in enumerate(expected):
            drawn = gradient(pair[place], step).double().numpy()
            means[place] = 0.9 * means[place] + 0.1 * drawn
            squares[place] = 0.999 * squares[place] + 0.001 * drawn**2
            mean, square = means[place] / (1 - 0.9**step), squares[place] / (1 - 0.999**step)
            value -= 0.5 * rate * mean / (np.sqrt(square) + 1e-8)
    for each, (value, _) in zip(pair, expected, strict=True):
        np.testing.assert_allclose(each.detach().numpy(), value, rtol=0, atol=1e-5)


def test_updates_are_those_of_torch() -> None:
    ours, theirs = weights(), weights()
    optimizer = FoldedAdam([ParameterGroup("all", tuple(ours), 0.05)])
    reference = torch.optim.Adam(theirs, lr=0.05)
    for step in range(20):
        for each in (*ours, *theirs):
            each.grad = gradient(each, step)
        optimizer.step()
        reference.step()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)


def test_weights_decay_as_those_of_torch() -> None:
    ours, theirs = weights(), weights()
    optimizer = FoldedAdam([ParameterGroup("all", tuple(ours), 0.05)], weight_decay=0.3)
    reference = torch.optim.AdamW(theirs, lr=0.05, weight_decay=0.3)
    for step in range(20):
        for each in (*ours, *theirs):
            each.grad = gradient(each, step)
        optimizer.step()
        reference.step()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)
    before = ours[0].detach().clone()
    smaller = optimizer.subset(
        [ParameterGroup("all", tuple(nn.Parameter(each[1:].detach()) for each in ours), 0.05)], [1, 2]
    )
    assert smaller.weight_decay == 0.3
    optimizer.step([True, False, True])
    assert torch.equal(ours[0][1], before[1])


def test_gradients_are_shortened_as_those_of_torch_seed_by_seed() -> None:
    ours = weights()
    theirs = [[nn.Parameter(each[seed].detach().clone()) for each in ours] for seed in range(3)]
    optimizer = FoldedAdam([ParameterGroup("all", tuple(ours), 0.05)], max_grad_norm=3.0)
    references = [torch.optim.Adam(each, lr=0.05) for each in theirs]
    shortened = []
    for step in range(10):
        for each in ours:
            # The gradients of the second seed are short, and stay as they are.
            each.grad = gradient(each, step) * torch.tensor([1.0, 0.1, 10.0]).view(3, *(1,) * (each.dim() - 1))
        for seed, reference in enumerate(references):
            for own, each in zip(theirs[seed], ours, strict=True):
                own.grad = None if each.grad is None else each.grad[seed].clone()
            shortened.append(float(nn.utils.clip_grad_norm_(theirs[seed], 3.0)) > 3.0)
            reference.step()
        optimizer.step()
    for seed in range(3):
        for one, other in zip(ours, theirs[seed], strict=True):
            torch.testing.assert_close(one[seed], other, rtol=0, atol=1e-5)
    assert any(shortened[0::3])
    assert not any(shortened[1::3])


def test_some_weights_may_be_kept_from_decaying() -> None:
    pair = weights()
    before = [each.detach().clone() for each in pair]
    optimizer = FoldedAdam(
        [ParameterGroup("a", (pair[0],), 0.05), ParameterGroup("b", (pair[1],), 0.05, decays=False)], weight_decay=0.5
    )
    optimizer.step()
    torch.testing.assert_close(pair[0].detach(), before[0] * (1 - 0.05 * 0.5))
    assert torch.equal(pair[1], before[1])


def test_a_stopped_seed_is_not_touched_even_by_gradients_that_are_not_numbers() -> None:
    pair = weights()
    optimizer = FoldedAdam([ParameterGroup("all", tuple(pair), 0.05)])
    before = [each.detach().clone() for each in pair]
    for each in pair:
        each.grad = gradient(each, 0)
        each.grad[1] = float("nan")
    optimizer.step([True, False, True])
    assert optimizer.steps == [1, 0, 1]
    for each, old in zip(pair, before, strict=True):
        assert torch.equal(each[1], old[1])
        assert not torch.equal(each[0], old[0])
        each.grad = gradient(each, 1)
    optimizer.step()
    assert all(bool(each.isfinite().all()) for each in pair)
    # Its first update is one of size η, as if it had only begun now.
    assert float((pair[1].detach() - before[1])[1].abs().max()) == pytest.approx(0.05, rel=1e-4)


def test_weights_without_gradients_stay_and_no_active_seed_means_no_step() -> None:
    pair = weights()
    before = [each.detach().clone() for each in pair]
    optimizer = FoldedAdam([ParameterGroup("all", tuple(pair), 0.05)])
    optimizer.zero_grad()
    optimizer.step()
    optimizer.step([False] * 3)
    assert optimizer.steps == [1, 1, 1]
    assert all(torch.equal(each, old) for each, old in zip(pair, before, strict=True))


def test_what_cannot_be_optimized_gets_a_sentence() -> None:
    pair = weights()
    with pytest.raises(LengthwiseError, match="at least one weight"):
        FoldedAdam([])
    optimizer = FoldedAdam([ParameterGroup("all", tuple(pair), 0.05)])
    with pytest.raises(LengthwiseError, match="2 flags for 3 seeds; give one for each seed"):
        optimizer.step([True, False])
    with pytest.raises(LengthwiseError, match="the same weights as this one, of the chosen seeds"):
        optimizer.subset([ParameterGroup("all", tuple(weights(2)), 0.05)], [0])
