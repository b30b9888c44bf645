"""What objects show in a notebook, as a browser shows it: on any background, at any width, on paper."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from lengthwise import decide
from lengthwise.bounds import certified, worst_case
from lengthwise.crasp import load, parse
from lengthwise.limit.constructions import simple_task
from lengthwise.runs.store.run_directory import SeedSummary
from lengthwise.runs.store.summary import AtLength, Summary
from tests.browser.conftest import Open
from tests.browser.looks import Looks
from tests.runs.stand_in import config

NOTEBOOKS = {
    "plain": "",
    # What JupyterLab's dark theme sets around outputs, while the system prefers light pages.
    "dark theme": """
        body { background: #111; color: #ddd; }
        .out table { border-collapse: collapse; table-layout: fixed; margin-left: auto; font-size: 12px; }
        .out td, .out th, .out tr { text-align: right; padding: .5em; white-space: normal; max-width: none; }
        .out tbody tr:nth-child(odd) { background: #111; } .out tbody tr:hover { background: #243; }
        .out pre, .out code { color: #ddd; background: #111; border: 0; font-size: 13px; }
        .out dl dt { float: left; font-weight: bold; width: 20%; } .out p { margin-bottom: 1em; }
    """,
}


def cards() -> list[str]:
    model = simple_task(3).model
    verdict = decide("(a|b)*bb(a|b)*")
    seeds = (SeedSummary(0, 9, "diverged", math.nan), SeedSummary(1, 400, "loss", 1e-5), SeedSummary(2, 1, "loss", 1.0))
    lengths = (AtLength(4, (math.nan, 1e-5, 2e-5), None, 8), AtLength(8, (math.nan, 0.0, 0.4), None, 8))
    objects = [
        verdict,
        verdict.nope,
        load("dyck1"),
        parse('alphabet "<script>" "b"\nD = # "<script>" > 0  // <img src=x>', "</title><script>alert(1)</script>"),
        load("dyck1").run("(())"),
        decide("parity"),
        worst_case(model, model, 0.1),
        certified(model, 0.1),
        Summary(config(seeds=3), ("run",), seeds, lengths),
    ]
    return [each._repr_html_() for each in objects]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def outputs() -> str:
    return "".join(f'<div class="out">{card}</div>\n' for card in cards())


def notebook(outputs: str, style: str, path: Path) -> Path:
    path.write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>body {{ margin: 8px; }} .out {{ margin-bottom: 1rem; }} {style}</style></head>"
        f"<body>{outputs}</body></html>",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("theme", NOTEBOOKS)
@pytest.mark.parametrize(("width", "dark"), [(360, False), (360, True), (1000, False)])
def test_cards_can_be_read_on_any_background_and_load_nothing(
    outputs: str, tmp_path: Path, open_page: Open, width: int, dark: bool, theme: str
) -> None:
    opened = open_page(notebook(outputs, NOTEBOOKS[theme], tmp_path / "notebook.html"), width, dark)
    looks = Looks(opened.page)
    assert opened.problems == []
    assert opened.requests == []
    assert looks.sideways() == 0
    assert looks.low_contrast() == []
    assert looks.without_alternative() == []
    assert looks.narrow_cells() == []
    assert opened.page.locator("script, img").count() == 0


def test_cards_hide_nothing_on_paper(outputs: str, tmp_path: Path, open_page: Open) -> None:
    looks = Looks(open_page(notebook(outputs, "", tmp_path / "notebook.html")).page)
    on_screen = set(looks.readable())
    paper = looks.on_paper()
    assert on_screen <= set(paper.readable())
    assert paper.cut_off() == []


def test_low_contrast_is_noticed(tmp_path: Path, open_page: Open) -> None:
    grey = '<p style="color: #999">pale</p><p style="color: #767676">enough</p><p style="opacity: .3">faded</p>'
    svg = '<svg role="img" aria-label="x"><text y="20" fill="#ddd">drawn</text></svg><svg><text y="9">dumb</text></svg>'
    opened = open_page(notebook(grey + svg + '<hr style="width: 3000px">', "", tmp_path / "bad.html"))
    looks = Looks(opened.page)
    assert [line.split()[1] for line in looks.low_contrast()] == ["pale", "faded", "drawn"]
    assert len(looks.without_alternative()) == 1
    assert looks.sideways() > 2000


def test_requests_and_errors_are_noticed(tmp_path: Path, open_page: Open) -> None:
    bad = '<img alt="" src="missing.png"><script>console.error("oh"); throw new Error("no")</script>'
    opened = open_page(notebook(bad, "", tmp_path / "bad.html"))
    assert [address.rsplit("/", 1)[-1] for address in opened.requests] == ["missing.png"]
    assert "oh" in opened.problems
    assert any("no" in problem for problem in opened.problems)
