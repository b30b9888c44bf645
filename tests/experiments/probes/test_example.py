import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.experiments.catalogue import find
from lengthwise.experiments.kept import Kept
from lengthwise.experiments.probes import Cell, Example, Examples, ProbeError, follow, measure
from lengthwise.experiments.probes.experiment import WATCHED
from lengthwise.experiments.probes.problem import holdout
from tests.experiments.probes.reference import Reference

SMALL: dict[str, Any] = {"width": 16, "heads": 4, "hidden": 24, "rate": 1e-2}
GIVEN: dict[str, Any] = {
    "context": 6, "samples": 25, "trials": 5, "steps": 45, "holdout": 1300, "function": "and-2", "model": SMALL,
}  # fmt: skip


def test_an_example_is_the_trial_of_the_cell_with_the_same_number_followed_to_the_end() -> None:
    curves, trials = follow(Example(**GIVEN)).curves, measure(Cell(**GIVEN)).trials
    assert {trial.success for trial in trials} == {True, False}
    for curve, trial in zip(curves, trials, strict=True):
        assert curve.places == trial.places
        assert curve.steps == (0, 10, 20, 30, 40, 45)
        good = [step for step, share in zip(curve.steps, curve.holdout_accuracies, strict=True) if share > 0.99]
        assert (good[0] if good else GIVEN["steps"]) == trial.step
        assert bool(good) == trial.success
        assert dict(zip(curve.steps, curve.losses, strict=True))[trial.step] == trial.loss


def test_followed_together_or_one_by_one_examples_are_the_same() -> None:
    assert follow(Example(**GIVEN), at_once=5) == follow(Example(**GIVEN), at_once=1)


def test_the_first_look_at_a_holdout_sample_is_what_plain_pytorch_says_of_the_whole_of_it() -> None:
    cell = Example(**{**GIVEN, "trials": 2, "steps": 1})
    for curve in follow(cell).curves:
        strings, labels = (
            torch.from_numpy(np.concatenate(each)) for each in zip(*holdout(cell, curve.trial).parts(99), strict=True)
        )
        with torch.no_grad():
            outputs = Reference(cell, curve.trial)(strings)
        expected = torch.nn.functional.cross_entropy(outputs, labels.long()).item()
        assert curve.holdout_losses[0] == pytest.approx(expected, rel=1e-4)
        share = (outputs.argmax(1) == labels.long()).double().mean().item()
        assert curve.holdout_accuracies[0] == pytest.approx(share, abs=2 / 1300)


def test_examples_come_back_from_their_files_even_if_they_diverged(tmp_path: Path) -> None:
    wild = {**SMALL, "rate": 1e30, "longest_gradient": None, "layer_norm": False}
    for model in (SMALL, wild):
        cell = Example(**{**GIVEN, "trials": 2, "steps": 20, "model": model})
        kept = Kept(tmp_path, Examples, ProbeError)
        (found,) = kept.completed(follow, [cell])
        again = kept.get(cell)
        assert again is not None
        for one, other in zip(again.curves, found.curves, strict=True):
            assert (one.trial, one.places, one.steps) == (other.trial, other.places, other.steps)
            np.testing.assert_array_equal(one.losses, other.losses)
            np.testing.assert_array_equal(one.holdout_losses, other.holdout_losses)
        assert any(math.isnan(loss) for loss in again.curves[0].losses) == (model is wild)
        assert "NaN" not in kept.path(cell).read_text(encoding="utf-8")


def test_an_example_is_kept_apart_from_its_cell() -> None:
    assert Example(**GIVEN).id != Cell(**GIVEN).id
    assert json.loads(Example(**GIVEN).model_dump_json()) == json.loads(Cell(**GIVEN).model_dump_json())


def test_the_papers_examples_are_those_of_its_caption() -> None:
    figure = find("edelman-fig2").figure
    assert [(each.context, each.samples) for each in figure.examples("paper")] == [(400, 100), (400, 200)]


@pytest.mark.parametrize("preset", ["smoke", "quick", "paper"])
def test_examples_have_the_settings_of_the_cells_beside_them(preset: str) -> None:
    figure = find("edelman-fig2").figure
    apart = {"samples": 1, "trials": WATCHED}
    cells = {
        json.dumps(cell.model_copy(update=apart).model_dump(mode="json"))
        for cell in figure.cells(preset)
        if cell.context in {each.context for each in figure.examples(preset)}
    }
    examples = {json.dumps(each.model_copy(update=apart).model_dump(mode="json")) for each in figure.examples(preset)}
    assert examples == cells
    assert len(examples) == 1
