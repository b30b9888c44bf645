import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.hardmax import AT_ONCE, Group, check, check_run, expected, pooled
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import RunDirectory, RunError
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.streams import TESTING, stream
from tests.diagnose.made_runs import attending, config, save, untrained


def by_definition(run: RunDirectory, place: int, length: int, words: int) -> tuple[list[float], list[float]]:
    """The attention probabilities at positions ≡ k and at others, word by word and position by position."""
    settings = run.config()
    period, residue = settings.parameters["period"], settings.parameters["residue"]
    w = {name: weight[place].astype(float) for name, weight in run.model().items()}
    tokens = settings.get_task().sample(length, words, stream(settings.evaluation.seed, TESTING, length)).tokens
    groups: tuple[list[float], list[float]] = [], []
    for word in tokens:
        vectors = [w["embedding"][word[i]] + w["positions.vectors"][(i + 1) % period] for i in range(length)]
        query = w["layers.0.query"] @ vectors[-1]
        logits = [sum(query * (w["layers.0.key"] @ vector)) / len(query) for vector in vectors]
        powers = [math.exp(logit) for logit in logits]
        for i, power in enumerate(powers):
            groups[(i + 1) % period != residue].append(power / sum(powers))
    return groups


def test_groups_have_the_means_and_deviations_of_a_loop_over_positions(tmp_path: Path) -> None:
    wanted = config(seeds=2)
    run = save(wanted, tmp_path, untrained(wanted))
    found = check_run(run, 13, words=20)
    assert [each.seed for each in found] == [0, 1]
    for place, seed in enumerate(found):
        for group, values in zip((seed.attended, seed.others), by_definition(run, place, 13, 20), strict=True):
            assert group.positions * 20 == len(values)
            assert group.mean == pytest.approx(sum(values) / len(values), rel=1e-12)
            assert group.deviation == pytest.approx(float(np.std(values)), rel=1e-9)


def test_a_large_logit_makes_attention_a_hardmax_and_a_small_one_does_not(tmp_path: Path) -> None:
    wanted = config(seeds=3)
    hard, even, soft = check_run(save(wanted, tmp_path, attending(wanted, [40.0, 0.0, 1.0])), 80)
    assert hard.attended.mean == pytest.approx(1 / 16) == expected(wanted.get_task(), 80)
    assert hard.others.mass < 1e-15
    assert hard.attended.relative_deviation < 1e-9
    assert even.attended.mean == pytest.approx(even.others.mean) == pytest.approx(1 / 80)
    assert soft.others.mass == pytest.approx(64 / (64 + 16 * math.e))


def test_the_parts_that_words_are_taken_in_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = config(seeds=1)
    run = save(wanted, tmp_path, attending(wanted, [1.0], symbol=0.7))
    whole = check_run(run, 10, words=50)
    monkeypatch.setattr("lengthwise.diagnose.hardmax.AT_ONCE", 10 * 4 * 7)
    assert AT_ONCE > 10 * 4 * 50
    assert check_run(run, 10, words=50) == whole


def test_seeds_of_several_runs_are_gathered_in_their_order(tmp_path: Path) -> None:
    wanted = config(seeds=[0, 1, 2])
    store = Store(tmp_path)
    for seeds, logits in (([1], [1.0]), ([0, 2, 3], [0.0, 2.0, 3.0])):
        part = config(seeds=seeds)
        save(part, store.runs, attending(part, logits))
    found = check(store, wanted, 20, words=4)
    assert [each.seed for each in found.seeds] == [0, 1, 2]
    masses = [each.others.mass for each in found.seeds]
    assert masses == pytest.approx([16 / (16 + 4 * math.exp(logit)) for logit in (0, 1, 2)])
    assert found.expected == 1 / 4


def test_pooled_groups_have_the_deviation_of_all_values_together() -> None:
    values = np.random.default_rng(0).random((3, 100))
    found = pooled([Group(4, float(row.mean()), float(row.std())) for row in values])
    assert found.positions == 4
    assert found.mean == pytest.approx(values.mean())
    assert found.deviation == pytest.approx(values.std())


def test_a_period_of_one_leaves_no_others(tmp_path: Path) -> None:
    wanted = config(seeds=1, parameters={"period": 1, "residue": 0})
    (seed,) = check_run(save(wanted, tmp_path, untrained(wanted)), 6, words=3)
    assert seed.others == Group(0, 0.0, 0.0)
    assert seed.attended.mass == pytest.approx(1)


@pytest.mark.parametrize(
    ("changes", "length", "message"),
    [
        ({"task": "simple-task", "parameters": {}, "model": {}}, 8, "which mod-p-task has; simple-task has none"),
        ({}, 1, "words of mod-p-task have at least 2 symbols, not 1"),
    ],
)
def test_what_has_no_positions_of_a_residue_is_refused(
    tmp_path: Path, changes: dict[str, Any], length: int, message: str
) -> None:
    wanted = config(seeds=1, **changes)
    with pytest.raises(DiagnosisError, match=message):
        check_run(save(wanted, tmp_path, untrained(wanted)), length)


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    wanted: RunConfig = config(seeds=1)
    other = config(seeds=1, model={"position": "periodic", "width": 5, "hidden": 3})
    with pytest.raises(RunError, match="are not those of the model that its settings ask for"):
        check_run(save(wanted, tmp_path, untrained(other)), 8)
