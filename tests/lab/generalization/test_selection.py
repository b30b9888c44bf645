"""The hyper-parameter rule against a full sweep that is judged by hand."""

import random
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lengthwise.lab.config import RunConfig
from lengthwise.lab.engines import Serial
from lengthwise.lab.generalization import training
from lengthwise.lab.generalization.cell import Cell
from lengthwise.lab.generalization.experiment import Entry, Experiment, catalogue
from lengthwise.lab.generalization.selection import Selection, search_space, select
from lengthwise.lab.generalization.size import Size
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import run_sweep
from tests.lab.generalization.made_up import Accuracies, trainer

EXPERIMENT = Experiment.from_file(catalogue()["huang-fig1"])


def cell_of(size: Size) -> Cell:
    return EXPERIMENT.cell(Entry(task="tomita-1", kind="regular"), "ape", size, wanted=1, most=1)


def searched(
    monkeypatch: pytest.MonkeyPatch, store: Path, table: Mapping[tuple[int, int, int, float], Accuracies]
) -> tuple[Selection, int]:
    """What the rule chooses given the accuracies of every model, and how many models were trained for it."""
    seen: list[tuple[str, int]] = []

    def accuracies(config: RunConfig, seed: int) -> Accuracies:
        model: Any = config.model
        return table[model.layers, model.heads, model.width, config.optimizer.rates.hidden]

    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=trainer(accuracies, seen)))
    return select(search_space(), cell_of, Store(store), Serial()), len(seen)


def test_the_search_space_is_the_papers_from_the_simplest_on() -> None:
    sizes = search_space()
    assert len(sizes) == 3 * 3 * 3 * 2 == len(set(map(str, [(size, size.rate) for size in sizes])))
    assert [size.complexity for size in sizes] == sorted(size.complexity for size in sizes)
    assert (sizes[0].rate, sizes[1].rate) == (1e-3, 1e-4)


@pytest.mark.parametrize("case", range(6))
def test_the_choice_is_that_of_the_whole_sweep(case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(case)
    table = {
        (size.layers, size.heads, size.width, size.rate): (
            chance.choice([1.0, 0.99]),
            chance.choice([0.2, 0.5, 0.9, *([1.0] if case % 3 == 0 else [])]),
            chance.random(),
        )
        for size in search_space()
    }
    # By hand: best middle bin among those with 100 %, then fewest layers, heads, width, then the first rate.
    learned = [(-row[1], *key[:3], -key[3]) for key, row in table.items() if row[0] == 1.0]
    _, layers, heads, width, rate = min(learned)
    selection, _ = searched(monkeypatch, tmp_path, table)
    assert selection.chosen is not None
    size = selection.chosen.cell.size
    assert (size.layers, size.heads, size.width, size.rate) == (layers, heads, width, -rate)


def test_nothing_larger_is_trained_than_a_model_that_is_perfect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {(size.layers, size.heads, size.width, size.rate): (1.0, 0.5, 0.0) for size in search_space()}
    table[1, 2, 16, 1e-4] = (1.0, 1.0, 0.3)
    selection, trained = searched(monkeypatch, tmp_path, table)
    assert selection.chosen is not None
    assert str(selection.chosen.cell.size) == "1/2/16"
    assert trained == len(selection.tried) == 8
    again, trained = searched(monkeypatch, tmp_path, table)
    assert trained == 0
    assert again.chosen == selection.chosen


def test_a_task_that_no_model_learns_has_no_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {(size.layers, size.heads, size.width, size.rate): (0.9995, 1.0, 1.0) for size in search_space()}
    selection, trained = searched(monkeypatch, tmp_path, table)
    assert selection.chosen is None
    assert trained == 54
