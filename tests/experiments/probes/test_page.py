"""The page on the probes shows the kept results, and they are of the figures as they are now."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lengthwise.experiments.catalogue import find
from lengthwise.experiments.probes import Outcome, Outcomes, summarise

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs" / "explanation" / "probes.md"
TEXT = PAGE.read_text(encoding="utf-8")
NAMES = ["edelman-fig2", "edelman-fig3"]


def kept(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((RESULTS / name / "quick" / "summary.json").read_text(encoding="utf-8"))
    return data


def said(text: str) -> bool:
    """Whether the page says so, wherever its lines break."""
    return text in re.sub(r"\s+", " ", TEXT)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_kept_figure(name: str) -> None:
    assert f"(figures/{name}-quick.svg)" in TEXT
    drawn = (PAGE.parent / "figures" / f"{name}-quick.svg").read_bytes()
    assert drawn == (RESULTS / name / "quick" / "figure.svg").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_kept_results_are_those_of_all_cells_of_the_preset(name: str) -> None:
    figure, found = find(name).figure, kept(name)
    cells = [*figure.cells("quick"), *figure.examples("quick")] if name == NAMES[0] else figure.online("quick")
    assert found["cells"] == [cell.id for cell in cells]
    assert found["command"] == f"lengthwise reproduce {name} --preset quick"
    (seed,) = {cell.seed for cell in cells}
    assert said(f"The kept {'trials' if name == NAMES[0] else 'curves'} have the seed {seed}")


def _parts(data: Any, path: str = "") -> tuple[dict[str, float], dict[str, Any]]:
    """The numbers in nested data, and everything else, by where they stand."""
    if isinstance(data, float):
        return {path: data}, {}
    if not isinstance(data, dict | list):
        return {}, {path: data}
    numbers: dict[str, float] = {}
    others: dict[str, Any] = {}
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        some, more = _parts(value, f"{path}/{key}")
        numbers |= some
        others |= more
    return numbers, others


def test_kept_numbers_follow_from_the_kept_outcomes() -> None:
    found = kept("edelman-fig2")
    cells = {cell.id: cell for cell in find("edelman-fig2").figure.cells("quick")}
    results = []
    for each in found["outcomes"]:
        rows = zip(each["endings"], each["steps"], each["losses"], strict=True)
        trials = [Outcome(trial, (1, 2, 3), *row) for trial, row in enumerate(rows)]
        results.append(Outcomes(cells[each["cell"]], tuple(trials)))
    again = summarise(results).as_json()
    for key in ("success", "critical", "scaling", "information", "verdict"):
        numbers, texts = _parts(again[key])
        kept_numbers, kept_texts = _parts(found[key])
        assert texts == kept_texts
        assert numbers == pytest.approx(kept_numbers, rel=1e-9)  # the last bits of a fit are the processor's


def test_critical_sizes_are_the_smallest_with_more_than_half_of_the_trials() -> None:
    found = kept("edelman-fig2")
    for row in found["critical"]["smallest"]:
        shares = {
            each["samples"]: each["endings"].count("success") / len(each["endings"])
            for each in found["outcomes"]
            if each["context"] == row["context"]
        }
        assert row["size"] == min(size for size, share in shares.items() if share > 0.5)
        assert row["size"] > min(shares)


def test_the_table_of_critical_sizes_is_that_of_the_results() -> None:
    found = kept("edelman-fig2")
    rows = zip(found["critical"]["smallest"], found["critical"]["crossing"], found["information"], strict=True)
    expected = [
        f"| {paper['context']} | {paper['text']} | {crossing['text']} | {line['fewest_samples']:.1f} |"
        for paper, crossing, line in rows
    ]
    begin = TEXT.index("| *T* | *m*\\*, the paper's rule |")
    assert TEXT[begin:].splitlines()[2 : 2 + len(expected)] == expected


@pytest.mark.parametrize(("rule", "words"), [("smallest", "the paper's rule"), ("crossing", "the crossing of ½")])
def test_the_verdicts_on_sublinear_growth_are_those_of_the_results(rule: str, words: str) -> None:
    found = kept("edelman-fig2")["scaling"][rule]
    exponent = found["exponent"]
    value, low, high = (exponent[name] for name in ("value", "low", "high"))
    assert said(f"by {words} **{exponent['verdict']}**, T^{value:.2f} [{low:.2f}, {high:.2f}]")
    better = found["logarithm_fits_better"]
    assert said(f"{better:.0%} of the resamples by {words}")


def outcomes(context: int, samples: int) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = (
        each for each in kept("edelman-fig2")["outcomes"] if (each["context"], each["samples"]) == (context, samples)
    )
    return found


def test_what_is_said_of_the_papers_example_is_in_the_results() -> None:
    endings = outcomes(400, 200)["endings"]
    assert said(f"{endings.count('success')} of {len(endings)} trials succeed at T = 400 and m = 200")


def test_what_is_said_of_late_successes_and_fitted_samples_is_in_the_results() -> None:
    rows = [
        row
        for each in kept("edelman-fig2")["outcomes"]
        for row in zip(each["endings"], each["steps"], each["losses"], strict=True)
    ]
    steps = [step for ending, step, _ in rows if ending == "success"]
    late = sum(step > 200 for step in steps)
    assert said(f"Of {len(steps)} successes {late} came after step 200")
    losses = [loss for ending, _, loss in rows if ending == "steps"]
    assert said(
        f"{sum(loss < 1e-3 for loss in losses)} of {len(losses)} failures had a loss below 10⁻³ on their sample"
    )
    assert said(f"{sum(loss < 1e-4 for loss in losses)} one below 10⁻⁴")


def test_what_is_said_of_parities_is_in_the_results() -> None:
    for row in kept("edelman-fig3")["transitions"]:
        steps = sorted(each["step"] for each in row["each"] if each["step"] is not None)
        median, low, high = ("never" if row[name] is None else f"{row[name]:.0f}" for name in ("median", "low", "high"))
        learned = f"{len(steps)} of {len(row['each'])}"
        width = "–" if row["width"] is None else f"{row['width']:.2f}"
        assert f"| {row['context']} | {learned} | {median} [{low}, {high}] | {width} |" in TEXT.splitlines()
