"""The gallery says what its reports say, and its reports are whole."""

from __future__ import annotations

import html
import json
import re
import runpy
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lengthwise.regular import Answer, Verdict
from lengthwise.study.expectation import promises
from lengthwise.tasks.task import Task

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "gallery"
STUDIES = sorted(path.parent.name for path in GALLERY.glob("*/report.json"))


def report(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GALLERY / name / "report.json").read_text(encoding="utf-8"))
    return found


def shown(name: str) -> str:
    """The page of a study as text."""
    page = (GALLERY / name / "report.html").read_text(encoding="utf-8")
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", page)).split())


def test_the_page_of_the_gallery_has_the_numbers_of_its_reports() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "gallery_index.py"))
    assert made["index"]() == (GALLERY / "index.md").read_text(encoding="utf-8")
    assert sorted(made["TEXTS"]) == STUDIES


def test_the_studies_are_those_that_the_script_makes() -> None:
    script = (ROOT / "scripts" / "gallery").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^study (\S+) ", script, flags=re.M)) == STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_shows_its_answer_and_every_model_was_trained(name: str) -> None:
    found, text = report(name), shown(name)
    for sentence in ("headline", "expected", "measured"):
        assert " ".join(found["answer"][sentence].split()) in text.replace("\u00a0", " ")
    assert all(each["missing_seeds"] == 0 for one in found["measured"].values() for each in one["trained"])
    assert len({seed for one in found["measured"].values() for each in one["trained"] for seed in each["seeds"]}) >= 3
    page = (GALLERY / name / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=[\"']https?:", page)


@pytest.mark.parametrize("name", STUDIES)
def test_outcomes_are_what_the_rule_makes_of_the_numbers(name: str) -> None:
    found = report(name)
    for scheme, outcome in found["outcomes"].items():
        measured = found["measured"][scheme]
        (trained,) = (each for each in measured["trained"] if each["train_length"] == outcome["train_length"])
        medians = {each["test_length"]: median(each["scores"]) for each in trained["results"]}
        length = outcome["train_length"]
        least, bad = (0.95 if measured["measure"] != "accuracy" else 0.99), 0.5
        bad = 0.75 if measured["two_answers"] else bad
        if medians[length] < least:
            expected = "undecided"
        elif medians[2 * length] >= 0.9:
            expected = "generalizes"
        else:
            expected = "fails" if medians[3 * length] <= bad else "undecided"
        assert outcome["outcome"] == expected


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_promises_what_studies_promise_today(name: str) -> None:
    found = report(name)
    task = SimpleNamespace(language=None)  # beyond the verdict, only that is looked at
    nope, ape, local = (Answer(found["verdict"][each]["answer"], "") for each in ("nope", "ape", "local"))
    verdict = Verdict(name, nope, ape, local, "last")
    today = promises(cast(Task, task), verdict, [scheme for scheme in found["outcomes"] if scheme != "periodic"])
    assert set(today.does) <= set(found["promises"]["does"])
    assert set(today.does_not) == set(found["promises"]["does_not"])
    promised = (*found["promises"]["does"], *found["promises"]["does_not"])
    assert all(sentence in shown(name) for sentence in promised)


def test_a_yes_promises_length_n_after_half_of_it_and_nothing_about_longer_inputs() -> None:
    """Theorem 7 of Huang et al. says of T_n, fitted up to n/2, that it is right up to n."""
    yes = Answer("yes", "")
    told = promises(cast(Task, SimpleNamespace(language=None)), Verdict("it", yes, yes, yes, "last"), ["nope", "ape"])
    (promise,) = told.does
    assert "right on all inputs of at most n/2 symbols" in promise
    assert "then gets all inputs of at most n symbols right" in promise
    assert "longer" not in promise
    assert any(
        "nor that a model is right on inputs longer than those it was chosen for" in each for each in told.does_not
    )
