"""The agreement of verdicts and studies: cells by the rule, counts from cells, the page from both."""

from __future__ import annotations

import json
import runpy
import tomllib
from pathlib import Path
from statistics import median
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "study-agreement"
CELLS: list[dict[str, Any]] = json.loads((RESULTS / "cells.json").read_text(encoding="utf-8"))
ANSWERED_AT_THE_END = ("task:parity", "task:binary-majority", "program:majority")


def at(cell: dict[str, Any], multiple: int) -> float:
    return float(median(cell["accuracies"][str(multiple * cell["train_length"])]))


@pytest.mark.parametrize("cell", CELLS, ids=[f"{each['task']} {each['scheme']}" for each in CELLS])
def test_a_cell_is_what_the_rule_makes_of_its_numbers(cell: dict[str, Any]) -> None:
    if at(cell, 1) < 0.99:
        expected = "undecided"
    elif at(cell, 2) >= 0.9:
        expected = "generalizes"
    else:
        bad = 0.75 if cell["task"] in ANSWERED_AT_THE_END else 0.5
        expected = "fails" if at(cell, 3) <= bad else "undecided"
    assert cell["outcome"] == expected
    meets = {("yes", "generalizes"): "confirmed", ("no", "fails"): "confirmed", ("yes", "fails"): "contradicted",
             ("no", "generalizes"): "contradicted"}  # fmt: skip
    assert cell["agreement"] == meets.get((cell["verdict"], expected), "undecided")
    assert not cell["learned"] or len(cell["accuracies"][str(cell["train_length"])]) == 3


def test_counts_are_those_of_the_cells() -> None:
    summary = json.loads((RESULTS / "summary.json").read_text(encoding="utf-8"))
    for scheme in ("nope", "ape"):
        found = [each["agreement"] for each in CELLS if each["scheme"] == scheme]
        decisive = len(found) - found.count("undecided")
        assert summary["after"][scheme]["undecided"]["right"] == found.count("undecided")
        assert summary["after"][scheme]["confirmed"]["right"] == found.count("confirmed")
        assert summary["after"][scheme]["confirmed"]["of"] == decisive


def test_every_listed_task_is_there_at_most_once_and_none_that_is_not_listed() -> None:
    data = tomllib.loads((RESULTS / "tasks.toml").read_text(encoding="utf-8"))
    listed = [*data["catalogue"]["subjects"], *data["programs"]["subjects"], *data["sequences"]["subjects"]]
    listed += [f"regex:{each}" for group in data["random"].values() for each in group["subjects"]]
    assert len(listed) >= 30
    there = [(each["task"], each["scheme"]) for each in CELLS]
    assert len(set(there)) == len(there)
    assert {task for task, _ in there} <= set(listed)


def test_the_page_has_the_numbers_of_the_results() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "study_agreement_page.py"))
    assert made["page"]() == (ROOT / "docs" / "explanation" / "study-agreement.md").read_text(encoding="utf-8")
