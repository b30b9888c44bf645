"""Models that a study does not train stand in its report with the scores that `evaluate` gives them."""

from dataclasses import replace
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.runs.config import RunConfig
from lengthwise.study.result import found_lines
from lengthwise.study.scored import read_models, score_models
from tests.e2e.command import lengthwise
from tests.study.pretended import pretended_study

MINE = """
def right(symbols):
    return {"a", "end"} if symbols[-1] == "b" else {"b"}


def wrong(symbols):
    return {"a"}
"""


def good(config: RunConfig, seed: int) -> str:
    return "generalizes"


def test_given_models_stand_in_the_report_with_the_scores_of_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    study = pretended_study(tmp_path / "store", "(ab)*", good)
    assert "scored" not in study.as_json()
    models = read_models(["mine.py:right", "mine.py:wrong"], study.subject.task, None)
    scored = score_models(models, study.subject.task, study.plan.lengths)
    made = replace(study, scored=scored)
    found = made.as_json()["scored"]
    assert [each["model"] for each in found] == ["mine.py:right", "mine.py:wrong"]
    assert [{row["accuracy"] for row in each["results"]} for each in found] == [{1.0}, {0.0}]
    assert {row["length"] for row in found[0]["results"]} >= {study.plan.lengths.target}
    first = found[1]["results"][0]
    (alone,) = lw.evaluate(lambda symbols: {"a"}, "(ab)*", first["length"]).results
    assert alone.as_json() == first
    page = made.to_html()
    assert "Models that were given" in page
    assert "mine.py:right (right)" in page
    assert "Models that were given" not in study.to_html()
    assert any(line.startswith("mine.py:right (right): 100.0% at ") for line in found_lines(made))


def test_a_model_that_does_not_fit_is_refused_before_training(tmp_path: Path) -> None:
    done = lengthwise("study", "(ab)*", "--checkpoint", str(tmp_path), "--minutes", "0.01", cwd=tmp_path)
    assert done.returncode == 2
    assert "is neither a finished run nor a model of Hugging Face" in done.stderr
    assert not (tmp_path / "lengthwise-runs").exists()
