"""Files that are drawn from kept results say what the runs were computed with, never what draws them.

Every kind of figure is made once, then the environment in each of its kept results is replaced by that of another
machine, or of one of two, and the figure is drawn again here. What it says of its origin must be those, and no value of
this machine's own environment may be left in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments import kept
from lengthwise.experiments.positional import Cell, Fits
from lengthwise.runs import environment as surroundings
from lengthwise.runs.store.sealed import sealed
from tests.experiments.reproduced import reproduced

ELSEWHERE = [
    {
        "lengthwise": f"77.{which}",
        "commit": f"{which}" * 40,
        "python": f"4.{which}",
        "packages": {"torch": f"88.{which}", "numpy": "99.0"},
        "system": "Multics",
        "machine": "pdp11",
        "processor": f"KA10 number {which}",
        "cores": 1000 + which,
    }
    for which in (1, 2)
]
HERE = surroundings.environment()
"""What this process would say of itself."""


def changed_files(paths: Iterable[Path], number: int) -> int:
    """Give results that are kept one to a file, in turn, one of so many other environments; how many there were."""
    turn = 0
    for turn, path in enumerate(sorted(paths), start=1):
        data = json.loads(path.read_text(encoding="utf-8"))
        assert data["environment"] == HERE
        path.write_text(json.dumps(sealed({**data, "environment": ELSEWHERE[turn % number]})), encoding="utf-8")
    return turn


def changed_runs(store: Path, number: int) -> int:
    """The same for run directories, whose files have digests."""
    turn = 0
    for turn, run in enumerate(sorted(path for path in (store / "runs").iterdir() if path.is_dir()), start=1):
        facts = json.loads((run / "environment.json").read_text(encoding="utf-8"))
        own = {name: value for name, value in facts.items() if name not in HERE}
        (run / "environment.json").write_text(json.dumps({**own, **ELSEWHERE[turn % number]}), encoding="utf-8")
        done = json.loads((run / "done.json").read_text(encoding="utf-8"))
        done["files"]["environment.json"] = hashlib.sha256((run / "environment.json").read_bytes()).hexdigest()
        (run / "done.json").write_text(json.dumps(sealed(done)), encoding="utf-8")
    return turn


def values(data: Any) -> Iterator[Any]:
    """All that stands in plain data."""
    if isinstance(data, dict):
        for each in data.values():
            yield from values(each)
    elif isinstance(data, list):
        for each in data:
            yield from values(each)
    else:
        yield data


def require_only_elsewhere(facts: dict[str, Any], number: int, results: int, count: str = "cells") -> None:
    """That facts name so many other environments, with all results, and nothing of this one."""
    found = facts["environments"]
    assert sorted(each["processor"] for each in found) == [each["processor"] for each in ELSEWHERE[:number]]
    assert all(any(here.items() <= each.items() for here in ELSEWHERE) for each in found)
    assert sum(each[count] for each in found) == results
    require_nothing_of_here(facts)


def require_nothing_of_here(facts: dict[str, Any]) -> None:
    told = {each for each in values(facts) if isinstance(each, str)}
    assert told.isdisjoint({each for each in values(HERE) if isinstance(each, str)})


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", ["edelman-fig2", "edelman-fig3"])
def test_a_figure_of_probes_names_the_environments_of_its_trials(name: str, number: int, tmp_path: Path) -> None:
    drawn = reproduced(name, tmp_path)
    before = {path.name: path.read_bytes() for path in drawn.iterdir()}
    results = changed_files((tmp_path / "store" / "probes").glob("*.json"), number)
    reproduced(name, tmp_path, train=False)
    facts = json.loads((drawn / "summary.json").read_text(encoding="utf-8"))
    require_only_elsewhere(facts, number, results)
    assert (drawn / "figure.svg").read_bytes() == before["figure.svg"]
    assert {**json.loads(before["summary.json"]), "environments": facts["environments"]} == facts


@pytest.mark.parametrize("number", [1, 2])
def test_a_figure_of_positional_functions_names_the_environments_of_its_fits(number: int, tmp_path: Path) -> None:
    drawn = reproduced("huang-fig5", tmp_path)
    results = changed_files((tmp_path / "store" / "positional").glob("*.json"), number)
    reproduced("huang-fig5", tmp_path, train=False)
    require_only_elsewhere(json.loads((drawn / "provenance.json").read_text(encoding="utf-8")), number, results)


def test_a_figure_about_text_names_the_environment_of_each_model(tmp_path: Path) -> None:
    drawn = reproduced("golowich-fig4", tmp_path)
    kept_models = [path for path in (tmp_path / "store" / "text").glob("*/*.json") if "weights" in path.read_text()]
    assert changed_files(kept_models, 2) == 2
    reproduced("golowich-fig4", tmp_path, train=False)
    facts = json.loads((drawn / "provenance.json").read_text(encoding="utf-8"))
    cells = facts["cells"]
    assert sorted(cell["environment"]["processor"] for cell in cells) == [each["processor"] for each in ELSEWHERE]
    require_nothing_of_here(facts)


@pytest.mark.parametrize("name", ["izzo-fig1", "huang-fig1"], ids=["sweeps", "generalization"])
def test_a_figure_of_runs_names_their_environments_also_from_kept_results(name: str, tmp_path: Path) -> None:
    reproduced(name, tmp_path)
    results = changed_runs(tmp_path / "store", 2)
    drawn = reproduced(name, tmp_path, train=False)
    text = (drawn / "provenance.json").read_text(encoding="utf-8")
    require_only_elsewhere(json.loads(text), 2, results, "runs")
    caption = (drawn / "figure.svg").read_text(encoding="utf-8")
    assert "lengthwise 77.1, 77.2" in caption
    assert "88.1, 88.2" in caption
    assert (HERE["commit"] or "no commit")[:12] not in caption
    # The two files of results alone, as they are put under version control, make the same again.
    again = reproduced(name, tmp_path, train=False, store="fresh", out=tmp_path / "again", kept=tmp_path / "out")
    assert (again / "provenance.json").read_text(encoding="utf-8") == text


def test_the_environment_of_a_cell_is_that_of_the_process_that_computed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers may run on another machine than the process that keeps what they return."""
    monkeypatch.setattr(kept, "environment", lambda: ELSEWHERE[0])
    cell = Cell(function="j = i - 1", width=2)
    assert kept._with_environment(lambda each: Fits(each, ()), cell).environment == ELSEWHERE[0]
    monkeypatch.undo()
    drawn = reproduced("edelman-fig3", tmp_path)
    assert [each["processor"] for each in json.loads((drawn / "summary.json").read_text())["environments"]] == [
        HERE["processor"]
    ]


def test_results_kept_without_an_environment_are_counted_and_one_that_is_no_record_is_refused(tmp_path: Path) -> None:
    drawn = reproduced("edelman-fig3", tmp_path)
    paths = sorted((tmp_path / "store" / "probes").glob("*.json"))
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        del data["environment"], data["digest"]
        path.write_text(json.dumps(data), encoding="utf-8")
    reproduced("edelman-fig3", tmp_path, train=False)
    assert json.loads((drawn / "summary.json").read_text())["environments"] == [{"cells": len(paths)}]
    paths[0].write_text(json.dumps({**json.loads(paths[0].read_text()), "environment": "a machine"}), encoding="utf-8")
    with pytest.raises(LengthwiseError, match="does not say what it was computed with; delete it"):
        reproduced("edelman-fig3", tmp_path, train=False)
