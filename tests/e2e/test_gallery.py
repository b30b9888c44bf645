"""The gallery says what its reports say, and its reports are whole."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lengthwise.report.study.promises import promises

from lengthwise.regular import Answer, Verdict
from lengthwise.tasks.task import Task

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "gallery"
TEXT = (GALLERY / "index.md").read_text(encoding="utf-8")
STUDIES = sorted(path.parent.name for path in GALLERY.glob("*/report.json"))
POSITIONS = {"none": "none (NoPE)", "learned": "learned (APE)", "periodic": "periodic"}


def report(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GALLERY / name / "report.json").read_text(encoding="utf-8"))
    return found


def section(name: str) -> str:
    """The part of the page on a study: from its heading to the next."""
    return next(part for part in re.split(r"^## ", TEXT, flags=re.M)[1:] if f"({name}/report.html)" in part)


def numbers(measured: dict[str, Any], result: dict[str, Any]) -> list[str]:
    """Median, lowest and highest of a test length as the page writes them."""
    if measured["measure"] == "accuracy":
        values = [result["median_score"], min(result["scores"]), max(result["scores"])]
        return [f"{round(100 * value, 1):g} %" for value in values]
    return [f"{value:.1e}" for value in (result["median_loss"], min(result["losses"]), max(result["losses"]))]


@pytest.mark.parametrize("name", STUDIES)
def test_the_table_of_a_study_has_its_numbers(name: str) -> None:
    found = report(name)
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in section(name).splitlines() if line[:1] == "|"
    ]
    assert len(rows) == 2 + len(found["outcomes"])
    for row, (scheme, outcome) in zip(rows[2:], found["outcomes"].items(), strict=True):
        measured = found["measured"][scheme]
        (trained,) = (each for each in measured["trained"] if each["train_length"] == outcome["train_length"])
        (short, *_), (median, low, high) = (numbers(measured, trained["results"][place]) for place in (0, -1))
        assert trained["results"][-1]["test_length"] == 8 * trained["train_length"]
        assert row == [
            POSITIONS[measured["position"]],
            outcome["verdict"],
            str(outcome["train_length"]),
            short,
            f"{median} ({low} to {high})",
            outcome["outcome"],
            outcome["agreement"],
        ]


def test_the_studies_are_those_that_the_script_makes() -> None:
    script = (ROOT / "scripts" / "gallery").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^study (\S+) ", script, flags=re.M)) == STUDIES
    assert len(STUDIES) == 5


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_shows_its_answer_and_every_model_was_trained(name: str) -> None:
    found, page = report(name), (GALLERY / name / "report.html").read_text(encoding="utf-8")
    words = html.unescape(re.sub("<[^>]*>", "", page)).split()
    assert all(" ".join(sentence.split()) in " ".join(words) for sentence in found["answer"])
    assert all(each["missing_seeds"] == 0 for one in found["measured"].values() for each in one["trained"])
    assert len({seed for one in found["measured"].values() for each in one["trained"] for seed in each["seeds"]}) >= 3
    assert not re.search(r"(src|href)=[\"']https?:", page)


def test_verdicts_are_confirmed_as_far_as_the_gallery_says() -> None:
    agreement = {
        name: {scheme: each["agreement"] for scheme, each in report(name)["outcomes"].items()} for name in STUDIES
    }
    assert agreement["majority"] == agreement["some-b"] == {"nope": "confirmed", "ape": "confirmed"}
    assert agreement["even-a"] == {"nope": "confirmed", "ape": "contradicted", "periodic": "confirmed"}
    assert report("parity")["outcomes"]["ape"]["outcome"] == "fails"


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_promises_what_studies_promise_today(name: str) -> None:
    found = report(name)
    task = SimpleNamespace(language=None)  # beyond the verdict, only that is looked at
    nope, ape, local = (Answer(found["verdict"][each]["answer"], "") for each in ("nope", "ape", "local"))
    verdict = Verdict(name, nope, ape, local, "last")
    today = promises(cast(Task, task), verdict, [scheme for scheme in found["outcomes"] if scheme != "periodic"])
    assert set(today.does) <= set(found["promises"]["does"])
    assert set(today.does_not) == set(found["promises"]["does_not"])
    page = html.unescape((GALLERY / name / "report.html").read_text(encoding="utf-8"))
    assert all(sentence in page for sentence in (*found["promises"]["does"], *found["promises"]["does_not"]))


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
