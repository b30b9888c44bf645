"""Training runs draw themselves: losses by length, with their spread over seeds."""

from __future__ import annotations

import math
import re
from pathlib import Path

from lengthwise.runs.store.run_directory import RunDirectory, SeedSummary
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import AtLength, Summary, summarise
from tests.markup import Markup
from tests.runs.stand_in import config, loss, pretended


def drawn(found: Summary | RunDirectory) -> Markup:
    markup = Markup(found._repr_html_())
    markup.assert_harmless()
    return markup


def made_up(losses: dict[int, tuple[float, ...]], accuracies: tuple[float, ...] | None = None) -> Summary:
    number = len(next(iter(losses.values())))
    seeds = tuple(SeedSummary(seed, 40, "loss" if seed else "diverged", 0.1) for seed in range(number))
    lengths = tuple(AtLength(length, found, accuracies, 8) for length, found in losses.items())
    return Summary(config(seeds=number), ("run",), seeds, lengths)


def marks(markup: Markup) -> list[list[float]]:
    """Where the circles of each strip are."""
    strips: list[list[float]] = []
    for tag, attributes in markup.tags:
        if tag == "svg":
            strips.append([])
        elif tag == "circle":
            strips[-1].append(float(attributes["cx"] or "nan"))
    return strips


def test_a_summary_shows_median_lowest_and_highest_loss_at_every_length() -> None:
    found = drawn(made_up({4: (0.3, 0.1, 0.2), 8: (0.5, 0.25, 0.75)}))
    assert found.rows[0] == ["length", "median loss", "lowest", "highest", "all seeds, log scale"]
    assert [cells[:4] for cells in found.rows[1:]] == [["4", "0.2", "0.1", "0.3"], ["8", "0.5", "0.25", "0.75"]]
    assert "simple-task omega=2.0 N=4" in found.text
    told = dict(zip(found.texts["dt"], found.texts["dd"], strict=True))
    assert told["reached loss 1e-05"] == "2 of 3"
    assert told["diverged"] == "1 of 3"
    assert told["steps (median)"] == "40"


def test_accuracies_have_a_column_where_there_are_any() -> None:
    found = drawn(made_up({4: (0.3, 0.1, 0.2)}, (0.5, 1.0, 0.75)))
    assert [cells[4] for cells in found.rows] == ["accuracy", "75.0%"]


def test_marks_stand_on_one_logarithmic_axis_and_every_strip_has_words() -> None:
    found = drawn(made_up({4: (1e-4, 1e-3, 1e-2), 8: (1e-2, 1e-1, 1.0)}))
    first, second = marks(found)
    steps = [after - before for before, after in zip([*first, *second[1:]], [*first[1:], *second[1:]], strict=False)]
    assert first[2] == second[0]
    assert max(steps) - min(steps) < 0.2
    labels = [attributes["aria-label"] for tag, attributes in found.tags if tag == "svg"]
    assert labels == ["Losses of the seeds: 0.0001, 0.001, 0.01", "Losses of the seeds: 0.01, 0.1, 1"]
    assert {attributes["role"] for tag, attributes in found.tags if tag == "svg"} == {"img"}


def test_a_seed_that_diverged_is_a_cross_and_a_loss_of_nothing_can_be_drawn() -> None:
    found = drawn(made_up({4: (math.nan, 0.0, 1e-3)}))
    assert found.rows[1][:4] == ["4", "0.001", "0", "diverged"]
    assert len(marks(found)[0]) == 2
    assert sum(tag == "path" for tag, _ in found.tags) == 1
    assert all(0 <= place <= 160 for place in marks(found)[0])


def test_a_config_that_was_not_run_says_so(tmp_path: Path) -> None:
    found = drawn(summarise(Store(tmp_path), config()))
    assert "0 of 2 seeds trained" in found.text
    assert "No seed is trained yet." in found.text
    assert found.rows == []


def test_a_run_shows_the_same_numbers_as_its_summary(tmp_path: Path) -> None:
    directory = pretended(config(), tmp_path / "runs")
    run, summary = drawn(directory), drawn(summarise(Store(tmp_path), config()))
    assert run.rows == summary.rows
    assert directory.run in run.text
    assert float(run.rows[1][2]) == float(f"{min(loss(config(), seed, -4) for seed in (0, 1)):.3g}")


def test_a_damaged_run_says_so_instead_of_failing(tmp_path: Path) -> None:
    directory = pretended(config(), tmp_path / "<i>runs")
    (directory.path / "metrics.jsonl").write_text("", encoding="utf-8")
    found = drawn(directory)
    assert "metrics.jsonl has changed since it was written" in found.text
    assert "<i>runs" in found.text


def test_a_task_with_a_hostile_name_stays_text() -> None:
    summary = made_up({4: (0.3, 0.1, 0.2)})
    hostile = Summary(config(task="('<script>'|a)*", seeds=3), ("x",), summary.seeds, summary.lengths)
    found = drawn(hostile)
    assert "('<script>'|a)* N=4" in found.text
    assert not re.search("<script", hostile._repr_html_())
