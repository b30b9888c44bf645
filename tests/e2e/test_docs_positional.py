"""The page on positional functions says what the kept results of Huang et al., Figures 5 and 6, say."""

from __future__ import annotations

import csv
import json
import re
import statistics
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs" / "explanation" / "positional-functions.md"
TEXT = PAGE.read_text(encoding="utf-8")
DRAWN = [tuple(name.rsplit("-", 1)) for name in re.findall(r"\(figures/([\w-]+)\.svg\)", TEXT)]
KEPT = sorted(path.parent for name in ("huang-fig5", "huang-fig6") for path in (RESULTS / name).glob("*/results.csv"))
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("|")]

Losses = dict[tuple[str, int, int, int], list[float]]


def losses(directory: Path) -> Losses:
    """By function, width, step and test length, one for each seed."""
    found: Losses = defaultdict(list)
    with (directory / "results.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            place = row["function"], int(row["width"]), int(row["step"]), int(row["test_length"])
            found[place].append(float(row["loss"]))
    return found


def claims(directory: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((directory / "claims.json").read_text(encoding="utf-8"))
    return found


def estimate(entry: dict[str, Any]) -> str:
    return f"{entry['value']:+.2f} [{entry['low']:+.2f}, {entry['high']:+.2f}]"


def test_both_figures_are_on_the_page() -> None:
    assert [figure for figure, _ in DRAWN] == ["huang-fig5", "huang-fig6"]
    assert {(directory.parent.name, directory.name) for directory in KEPT} >= set(DRAWN)


@pytest.mark.parametrize(("figure", "preset"), DRAWN)
def test_the_page_shows_the_kept_figures_and_the_findings_on_their_claims(figure: str, preset: str) -> None:
    kept = RESULTS / figure / preset
    drawing = PAGE.parent / "figures" / f"{figure}-{preset}.svg"
    assert drawing.read_bytes() == (kept / "figure.svg").read_bytes()
    for finding in claims(kept):
        entries = [estimate(entry) for entry in (finding, *finding["others"])]
        shown = [row for row in ROWS if row[0] == finding["text"]]
        assert [row[1 : 1 + len(entries)] + row[-1:] for row in shown] == [[*entries, finding["verdict"]]]


@pytest.mark.parametrize(("figure", "preset"), DRAWN)
def test_the_tables_are_medians_over_seeds_beside_the_published_losses(figure: str, preset: str) -> None:
    measured = losses(RESULTS / figure / preset)
    content = tomllib.loads((ROOT / "papers/huang/positional" / f"{figure[-4:]}.toml").read_text(encoding="utf-8"))
    last = _last_steps(measured)
    drawn = {function for panel in content["panels"] if panel.get("drawn", True) for function in panel["functions"]}
    cells = {(function, width) for function, width, *_ in measured if function in drawn}
    shown = {(row[0].strip("`"), int(row[1])): row[2:] for row in ROWS if len(row) == 7 and "[" in row[4]}
    assert cells <= set(shown)
    for function, width in cells:
        by_length = [measured[function, width, last[function, width], length] for length in (50, 100, 150)]
        medians = [f"{statistics.median(each):.3g}" for each in by_length]
        spread = f"{medians[2]} [{min(by_length[2]):.3g}, {max(by_length[2]):.3g}]"
        theirs = f"{content['published'][str(width)][function][2]:.3g}"
        assert shown[function, width][:4] == [*medians[:2], spread, theirs]


def test_losses_by_step_are_those_of_the_kept_results() -> None:
    found: Losses = {}
    for figure, preset in DRAWN:
        found |= losses(RESULTS / figure / preset)
    begin = next(place for place, row in enumerate(ROWS) if row[2:] and row[2].startswith("3000"))
    steps = [int(text.removesuffix(" steps")) for text in ROWS[begin][2:]]
    rows = ROWS[begin + 2 : begin + 2 + 3]
    assert len(rows) == 3
    for name, width, *shown in rows:
        medians = [statistics.median(found[name.strip("`"), int(width), step, 150]) for step in steps]
        assert shown == [f"{each:.3g}" for each in medians]


def test_losses_by_start_are_those_of_the_kept_results_and_their_claims_are_told() -> None:
    begin = next(place for place, row in enumerate(ROWS) if row[0] == "start")
    places = [(name.split("`")[1], int(name.split()[-1])) for name in ROWS[begin][2:]]
    assert [row[0] for row in ROWS[begin + 2 : begin + 5]] == ["`uniform`", "`normal`", "`narrow`"]
    for start, preset, *shown in ROWS[begin + 2 : begin + 5]:
        directory = RESULTS / "huang-fig5" / preset.strip("`")
        provenance = json.loads((directory / "provenance.json").read_text(encoding="utf-8"))
        assert {cell["initialisation"] for cell in provenance["cells"]} == {start.strip("`")}
        measured = losses(directory)
        last = _last_steps(measured)
        assert shown == [f"{statistics.median(measured[*place, last[place], 150]):.3g}" for place in places]
    for preset, claim, verdict in (("normal", 0, "not reproduced"), ("narrow", 1, "undecided")):
        finding = claims(RESULTS / "huang-fig5" / preset)[claim]
        assert finding["verdict"] == verdict
        assert f"({estimate(finding)})" in TEXT.replace("\n", " ")


def _last_steps(measured: Losses) -> dict[tuple[str, int], int]:
    """The last step of each function and width."""
    found: dict[tuple[str, int], int] = {}
    for function, width, step, _ in measured:
        found[function, width] = max(step, found.get((function, width), 0))
    return found


@pytest.mark.parametrize("directory", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_kept_results_are_complete(directory: Path) -> None:
    provenance = json.loads((directory / "provenance.json").read_text(encoding="utf-8"))
    with (directory / "results.csv").open(encoding="utf-8", newline="") as file:
        found = {(row["settings"], row["seed"]) for row in csv.DictReader(file)}
    assert len(found) == provenance["models"] == provenance["trained"]
    assert {cell["settings"] for cell in provenance["cells"]} == {settings for settings, _ in found}
    assert (directory / "figure.svg").read_text(encoding="utf-8").startswith("<?xml")
