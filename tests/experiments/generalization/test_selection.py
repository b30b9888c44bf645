"""The hyper-parameter rule against a full sweep that is judged by hand."""

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.generalization import training
from lengthwise.experiments.generalization.cell import Cell
from lengthwise.experiments.generalization.experiment import Entry, Experiment, catalogue
from lengthwise.experiments.generalization.selection import LARGEST, Selection, search_space, select
from lengthwise.experiments.generalization.size import Size
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from tests.experiments.generalization.made_up import Accuracies, trainer

EXPERIMENT = Experiment.from_file(catalogue()["huang-fig1"])
FEW = search_space(layers=[1], heads=[1, 2])
"""Twelve models, for what does not need all."""


def cell_of(size: Size) -> Cell:
    return EXPERIMENT.cell(Entry(task="tomita-1", kind="regular"), "ape", size, wanted=1, most=1)


def searched(
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    table: Mapping[tuple[int, int, int, float], Accuracies],
    sizes: Sequence[Size] | None = None,
    otherwise: Sequence[Size] = (),
) -> tuple[Selection, int]:
    """What the rule chooses given the accuracies of every model, and how many models were trained for it."""
    seen: list[tuple[str, int]] = []

    def accuracies(config: RunConfig, seed: int) -> Accuracies:
        model: Any = config.model
        return table[model.layers, model.heads, model.width, config.optimizer.learning_rate.hidden]

    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=trainer(accuracies, seen)))
    return select(sizes or search_space(), cell_of, Store(store), Serial(), otherwise), len(seen)


def everywhere(accuracies: Accuracies) -> dict[tuple[int, int, int, float], Accuracies]:
    """The same accuracies for every model of the search space."""
    return {(size.layers, size.heads, size.width, size.rate): accuracies for size in search_space()}


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
    table = everywhere((1.0, 0.5, 0.0))
    table[1, 2, 16, 1e-4] = (1.0, 1.0, 0.3)
    selection, trained = searched(monkeypatch, tmp_path, table)
    assert selection.chosen is not None
    assert str(selection.chosen.cell.size) == "1/2/16"
    assert trained == len(selection.tried) == 8
    again, trained = searched(monkeypatch, tmp_path, table)
    assert trained == 0
    assert again.chosen == selection.chosen


def test_a_task_that_no_model_learns_has_no_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    selection, trained = searched(monkeypatch, tmp_path, everywhere((0.9995, 1.0, 1.0)))
    assert selection.chosen is None
    assert trained == 54


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widths": [0]}, "'width' should be greater than or equal to 1, got 0"),
        ({"layers": [2, 0]}, "'layers' should be greater than or equal to 1, got 0"),
        ({"heads": [-1]}, "'heads' should be greater than or equal to 0, got -1"),
        ({"steps": 0}, "'steps' should be greater than or equal to 1, got 0"),
        ({"rates": [float("nan")]}, "'rate' should be a finite number, got nan"),
        ({"rates": [1e-3, -1.0]}, r"'rate' should be greater than 0, got -1\.0"),
    ],
)
def test_models_that_cannot_be_are_refused_in_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        search_space(**changes)


@pytest.mark.parametrize("lengths", [["N"], [50, "N"], ["2N"], ["2N", "3N"], [51, 100, 150]])
def test_test_lengths_without_the_bins_that_the_rule_looks_at_are_refused_before_training(
    lengths: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []
    made_up = trainer(lambda config, seed: (1.0,) * len(config.test_lengths), seen)
    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=made_up))

    def tested(size: Size, test_lengths: list[Any]) -> Cell:
        entry = Entry(task="tomita-1", kind="regular")
        return EXPERIMENT.cell(entry, "ape", size, 1, 1, {"test_lengths": test_lengths})

    with pytest.raises(LengthwiseError, match=r"longer than N = 50 .* give N and at least one more"):
        select(search_space(), lambda size: tested(size, lengths), Store(tmp_path), Serial())
    assert seen == []
    # Two are enough: what comes behind the second is not looked at.
    selection = select(search_space(), lambda size: tested(size, ["N", 70]), Store(tmp_path), Serial())
    assert selection.chosen is not None
    assert len(seen) == 2


def test_a_model_that_cannot_be_built_is_refused_before_simpler_ones_are_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []
    made_up = trainer(lambda config, seed: (1.0, 0.5, 0.5), seen)
    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=made_up))
    with pytest.raises(LengthwiseError, match="3 heads do not divide the width 16 evenly"):
        select(search_space(heads=[1, 3]), cell_of, Store(tmp_path), Serial())
    assert seen == []


def test_the_largest_models_are_those_of_tables_6_and_7() -> None:
    published = {size for entry in EXPERIMENT.entries for size in (entry.nope, entry.ape) if size is not None}
    assert {size for size in published if size.layers == 12} == set(LARGEST)
    assert [size.rate for size in LARGEST] == [1e-4, 3e-5]


@pytest.mark.parametrize(
    ("first", "second", "tried", "chosen"),
    [(0.96, 1.0, 1, 1e-4), (0.9, 0.96, 2, 3e-5), (0.9, 0.9, 2, None), (1.0, 1.0, 1, 1e-4)],
)
def test_the_largest_model_is_taken_where_no_other_learns_with_the_first_rate_that_works(
    first: float, second: float, tried: int, chosen: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = {(12, 12, 768, 1e-4): (first, 0.1, 0.0), (12, 12, 768, 3e-5): (second, 0.9, 0.9)}
    table = {**everywhere((0.999, 1.0, 1.0)), **large}
    selection, trained = searched(monkeypatch, tmp_path, table, FEW, LARGEST)
    assert trained == len(selection.tried) == len(FEW) + tried
    assert (None if selection.chosen is None else selection.chosen.cell.size.rate) == chosen
    assert selection.chosen is None or str(selection.chosen.cell.size) == "12/12/768"


def test_the_largest_model_is_not_tried_where_a_smaller_one_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {**everywhere((0.999, 1.0, 1.0)), (1, 2, 256, 1e-4): (1.0, 0.0, 0.0)}
    selection, trained = searched(monkeypatch, tmp_path, table, FEW, LARGEST)
    assert trained == len(FEW)
    assert selection.chosen is not None
    assert str(selection.chosen.cell.size) == "1/2/256"


def test_the_largest_model_is_not_tried_where_a_smaller_one_could_not_be_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def accuracies(config: RunConfig, seed: int) -> Accuracies:
        if config.model.width == 64:
            raise LengthwiseError("no more memory")
        return 0.9, 0.9, 0.9

    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=trainer(accuracies)))
    selection = select(FEW, cell_of, Store(tmp_path), Serial(), LARGEST)
    assert {failure.reason for failure in selection.failed} == {"no more memory"}
    assert all(each.cell.size.layers == 1 for each in selection.tried)
