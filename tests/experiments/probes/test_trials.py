import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.experiments.kept import Kept
from lengthwise.experiments.probes import (
    Cell,
    Curves,
    Online,
    Outcomes,
    ProbeError,
    experiment,
    grid,
    measure,
    run,
    watch,
)
from lengthwise.experiments.probes.problem import hidden_places, holdout, sample
from lengthwise.runs.store.sealed import write_sealed
from tests.experiments.probes.reference import Reference

SMALL: dict[str, Any] = {"width": 16, "heads": 4, "hidden": 24, "rate": 1e-2}


def small(**changes: Any) -> Cell:
    given = {"context": 6, "samples": 40, "trials": 6, "steps": 60, "holdout": 500, "function": "and-2", "model": SMALL}
    return Cell(**{**given, **changes})


def online(**changes: Any) -> Online:
    given = {"context": 5, "trials": 3, "batch": 64, "steps": 40, "every": 5, "function": "and-2", "model": SMALL}
    return Online(**{**given, **changes})


def test_trials_trained_together_are_those_trained_one_by_one() -> None:
    cell = small(samples=20)
    together, apart = measure(cell, at_once=6), measure(cell, at_once=1)
    assert together == apart
    assert len({trial.step for trial in together.trials}) > 1, "some trials must leave before others"


def test_curves_watched_together_are_those_watched_one_by_one() -> None:
    cell = online(stop=0.05, patience=1)
    assert watch(cell, at_once=3) == watch(cell, at_once=1)


def test_a_trial_is_what_plain_pytorch_makes_of_the_same_data() -> None:
    """torch.optim.AdamW with clipped gradients, and every look at the whole of the holdout sample."""
    cell = small(trials=4, samples=25, steps=40)
    found = measure(cell)
    endings = set()
    for outcome in found.trials:
        model = Reference(cell, outcome.trial)
        matrices = [weight for name, weight in model.weights.items() if "bias" not in name and "gain" not in name]
        others = [weight for name, weight in model.weights.items() if "bias" in name or "gain" in name]
        groups = [{"params": matrices, "weight_decay": 1e-4}, {"params": others, "weight_decay": 0.0}]
        optimizer = torch.optim.AdamW(groups, lr=1e-2)
        strings, labels = (torch.from_numpy(each) for each in sample(cell, outcome.trial))
        unseen, expected = (
            torch.from_numpy(np.concatenate(each))
            for each in zip(*holdout(cell, outcome.trial).parts(100), strict=True)
        )
        success_at, last = None, math.nan
        for step in range(cell.steps + 1):
            loss = torch.nn.functional.cross_entropy(model(strings), labels.long())
            last = loss.item()
            if step % 10 == 0:
                with torch.no_grad():
                    right = model(unseen).argmax(1) == expected.long()
                if right.float().mean() > 0.99:
                    success_at = step
                    break
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        endings.add(success_at)
        assert outcome.success == (success_at is not None)
        assert outcome.step == (cell.steps if success_at is None else success_at)
        assert outcome.loss == pytest.approx(last, rel=1e-2, abs=1e-5)
    assert len(endings) > 1


def test_a_function_is_found_with_many_samples_and_not_with_few() -> None:
    many, few = measure(small(samples=200)), measure(small(samples=2))
    assert sum(many.successes) >= 5
    assert sum(few.successes) <= 1


def test_a_trial_that_diverges_fails_and_the_others_go_on() -> None:
    found = measure(small(trials=2, model={**SMALL, "rate": 1e30, "longest_gradient": None, "layer_norm": False}))
    assert {trial.ending for trial in found.trials} == {"diverged"}
    assert all(math.isnan(trial.loss) for trial in found.trials)


def test_a_loss_on_fresh_batches_falls_until_the_trial_stops() -> None:
    found = watch(online(steps=400, batch=256, stop=0.1, patience=2))
    for curve in found.curves:
        assert curve.places == hidden_places(found.cell, curve.trial)
        assert curve.losses[0] > 0.4
        assert max(curve.losses[-2:]) < 0.1
        assert curve.steps[-1] < 400


def test_without_a_stop_curves_reach_the_last_step() -> None:
    found = watch(online(trials=2, steps=12, every=4, stop=None))
    assert [curve.steps for curve in found.curves] == [(0, 4, 8, 12)] * 2


def test_a_kept_cell_is_never_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = grid([5, 6], [10, 20], trials=2, steps=10, holdout=50, function="and-2", model=SMALL)
    first = run(cells[:3], tmp_path)
    computed: list[str] = []

    def counted(cell: Cell) -> Outcomes:
        computed.append(cell.id)
        return measure(cell)

    monkeypatch.setattr(experiment, "measure", counted)
    second = run(cells, tmp_path)
    assert computed == [cells[3].id]
    assert second[:3] == first
    assert [(each.cell.context, each.cell.samples) for each in second] == [(5, 10), (5, 20), (6, 10), (6, 20)]
    assert run(cells, tmp_path) == second


def test_worker_processes_give_the_same_outcomes(tmp_path: Path) -> None:
    cells = grid([5, 6], [10], trials=2, steps=10, holdout=50, function="and-2", model=SMALL)
    assert run(cells, tmp_path / "local", "local") == run(cells, tmp_path / "serial", "serial")


def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    cell = small(trials=1, steps=1, holdout=10)
    kept = Kept(tmp_path, Outcomes, ProbeError)
    run([cell], tmp_path)
    whole = kept.path(cell).read_text(encoding="utf-8")
    kept.path(cell).write_text(whole[:50], encoding="utf-8")
    with pytest.raises(ProbeError, match=cell.id):
        kept.get(cell)
    other = json.loads(whole)
    other["cell"]["seed"] = 7
    kept.path(cell).write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(ProbeError, match="cannot be read as the result of a cell"):
        kept.get(cell)
    write_sealed(kept.path(cell), other)
    with pytest.raises(ProbeError, match="another cell"):
        kept.get(cell)


def test_a_diverged_loss_and_curves_come_back_from_their_files(tmp_path: Path) -> None:
    cell = online(
        trials=2, steps=6, every=2, model={**SMALL, "rate": 1e30, "longest_gradient": None, "layer_norm": False}
    )
    kept = Kept(tmp_path, Curves, ProbeError)
    (found,) = kept.completed(watch, [cell])
    again = kept.get(cell)
    assert again is not None
    assert again.cell == found.cell
    for one, other in zip(again.curves, found.curves, strict=True):
        np.testing.assert_array_equal(one.losses, other.losses)
    assert any(math.isnan(curve.losses[-1]) for curve in again.curves)
