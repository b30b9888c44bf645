from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.experiments.probes import Cell, Online, ProbeModel, measure, watch
from lengthwise.experiments.probes.trials import SLICE, answers, started
from lengthwise.nn import bits
from lengthwise.nn.model import Decoder
from tests.experiments.probes.reference import Reference

SMALL: dict[str, Any] = {"width": 16, "heads": 4, "hidden": 24}
CELL = Cell(function="and-2", context=6, samples=2 * SLICE + 7, trials=2, model=ProbeModel(**SMALL))


def sharp(factor: float) -> tuple[Decoder, torch.Tensor]:
    """Two trials, the second of which attends with logits so many times larger, and all strings of six bits."""
    model, _ = started(CELL, [0, 1])
    with torch.no_grad():
        dict(model.named_parameters())["layers.0.key"][1].mul_(factor)
    strings = np.random.default_rng(0).integers(2, size=(2, CELL.samples, CELL.context)).astype(bool)
    return model, torch.from_numpy(strings)


def reference(model: Decoder, trial: int) -> Reference:
    """The plain module with the weights of one trial."""
    plain = Reference(CELL, trial)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            plain.weights[name.replace(".", "_")].copy_(weight[trial])
    return plain


def test_strings_that_bits_have_no_digits_for_are_answered_as_in_plain_pytorch_gradients_too() -> None:
    model, strings = sharp(1e4)
    chosen = bits.choices(strings)
    lost = torch.isnan(bits.outputs(model, chosen)).any(dim=2)
    assert not lost[0].any()
    assert 0 < lost[1].sum() < CELL.samples
    found = answers(model, chosen)
    weights = torch.linspace(-1, 1, found[0].numel()).view_as(found[0])
    torch.autograd.backward((found * weights).sum())
    for trial in (0, 1):
        plain = reference(model, trial)
        expected = plain(strings[trial])
        torch.testing.assert_close(found[trial], expected, rtol=1e-3, atol=1e-4)
        torch.autograd.backward((expected * weights).sum())
        for name, weight in model.named_parameters():
            theirs = plain.weights[name.replace(".", "_")].grad
            if "key_bias" not in name:  # which changes nothing, but for rounding
                assert weight.grad is not None
                assert theirs is not None
                scale = float(theirs.abs().max())
                torch.testing.assert_close(weight.grad[trial], theirs, rtol=1e-2, atol=1e-2 * scale + 1e-6)


def test_a_trial_whose_strings_are_lost_leaves_the_bits_of_the_others_alone() -> None:
    gradients = []
    for factor in (1.0, 1e4):
        model, strings = sharp(factor)
        found = answers(model, bits.choices(strings))
        torch.autograd.backward(found[0].pow(2).sum() + found[1].sum())
        asked = (each.grad for name, each in model.named_parameters() if "key_bias" not in name)
        gradients.append([found[0].detach(), *(gradient[0] for gradient in asked if gradient is not None)])
    assert len(gradients[0]) > 15
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))


def test_weights_that_are_no_numbers_give_no_answers() -> None:
    model, strings = sharp(float("nan"))
    found = answers(model, bits.choices(strings))
    assert torch.isfinite(found[0]).all()
    assert torch.isnan(found[1]).all()


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_a_trial_that_attends_very_sharply_has_not_diverged(rate: float) -> None:
    """With rates as large as these logits soon differ by hundreds, and the weights stay finite."""
    settings = {"context": 5, "trials": 3, "function": "and-2", "model": {**SMALL, "rate": rate}, "steps": 40}
    online = watch(Online(batch=64, every=5, stop=None, **settings))  # type: ignore[arg-type]
    assert all(len(curve.losses) == 9 and np.isfinite(curve.losses).all() for curve in online.curves)
    cell = Cell(samples=40, holdout=300, **settings)  # type: ignore[arg-type]
    found = measure(cell)
    assert "diverged" not in {trial.ending for trial in found.trials}
    assert found == measure(cell, at_once=1)
