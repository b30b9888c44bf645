"""Every numbered statement of the papers has a row, and every place that a row names is there."""

from __future__ import annotations

import importlib
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lengthwise as lw
from lengthwise.cli import app
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.experiments.catalogue import TABLES, find
from lengthwise.statements import PAPERS, STATUSES, Statement, papers
from tests.statements.labels import LABELS

ROOT = Path(__file__).parents[2]
ROWS = papers()
IDS = [f"{row.paper} {row.label}" for row in ROWS]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_numbered_statement_has_one_row_in_the_order_of_the_paper(paper: str) -> None:
    assert [row.label for row in papers(paper)] == LABELS[paper]


@pytest.mark.parametrize("name", sorted({name for row in ROWS for name in row.names}))
def test_every_name_can_be_imported(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.slow
def test_every_test_is_collected() -> None:
    wanted = sorted({test for row in ROWS for test in row.tests})
    files = sorted({test.partition("::")[0] for test in wanted})
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-p",
        "no:cacheprovider",
        *files,
    ]  # -q is an option of the project
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    there = {line.partition("[")[0] for line in listed}
    assert [test for test in wanted if test not in there and test not in files] == []


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_what_can_be_executed_has_a_test_and_what_cannot_a_reason(row: Statement) -> None:
    assert row.tests if row.names else row.command or row.proof or row.same or row.note
    if row.status == "refuted":
        assert row.tests or row.same, "a refutation is executable"
    if row.status == "repaired":
        assert row.note or row.same, "what was corrected is said"
    if row.same:
        assert row.same in LABELS[row.paper]


@pytest.mark.parametrize("proof", sorted({row.proof for row in ROWS if row.proof}))
def test_pages_of_proofs_are_there(proof: str) -> None:
    page, _, anchor = proof.partition("#")
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    heads = [line.lstrip("# ").lower() for line in text.splitlines() if line.startswith("#")]
    words = {"".join(char for char in head if char.isalnum() or char in " -_").replace(" ", "-") for head in heads}
    assert not anchor or anchor in words


COMMANDS = sorted({row.command for row in ROWS if row.command}, key=lambda command: "show" in command)
"""In an order in which what a command shows has been written."""


def test_every_command_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        name, *words = shlex.split(command)
        assert name == "lengthwise"
        if words[0] == "reproduce" and words[1] not in TABLES:  # the figure and the preset exist
            assert words[2] == "--preset"
            assert words[3] in find(words[1]).facts()["presets"]
        else:
            done = CliRunner().invoke(app, words)
            assert done.exit_code in (0, 1), f"{command}: {done.output}"


def test_the_page_is_made_of_the_rows() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "statements_page.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](ROWS)


def test_a_paper_or_status_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="there is no paper 'hunag'; did you mean huang"):
        lw.papers("hunag")
    with pytest.raises(UnknownNameError, match="there is no status 'refutd'; did you mean refuted"):
        lw.papers(status="refutd")


def test_a_row_without_a_place_or_a_reason_is_refused() -> None:
    with pytest.raises(LengthwiseError, match="neither a place nor a reason"):
        Statement(paper="huang", label="Theorem 0", says="nothing", status="open")
    with pytest.raises(LengthwiseError, match="there is no status 'perhaps'"):
        Statement(paper="huang", label="Theorem 0", says="nothing", status="perhaps", note="a reason")


def test_the_command_prints_every_row_of_a_paper_and_counts_the_statuses() -> None:
    shown = CliRunner().invoke(app, ["papers", "golowich"]).stdout
    assert all(label in shown for label in LABELS["golowich"])
    chosen = papers("golowich")
    assert shown.splitlines()[-1].startswith(f"{len(chosen)} statements: ")
    for status in STATUSES:
        assert (f"{sum(row.status == status for row in chosen)} {status}" in shown) == any(
            row.status == status for row in chosen
        )
