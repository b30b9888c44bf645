"""The page on the figures of Izzo et al. says what the kept results say."""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
PAGE = ROOT / "docs" / "explanation" / "izzo-figures.md"
TEXT = PAGE.read_text(encoding="utf-8")
DRAWN = [tuple(name.rsplit("-", 1)) for name in re.findall(r"\(figures/([\w-]+)\.svg\)", TEXT)]
KEPT = sorted(path.parent for path in RESULTS.glob("izzo-*/*/claims.json"))


def estimate(entry: dict[str, Any]) -> str:
    value, low, high = (entry[name] for name in ("value", "low", "high"))
    return f"{value:+.2f}" + ("" if low is None else f" [{low:+.2f}, {high:+.2f}]")


def records(directory: Path) -> list[dict[str, str]]:
    with (directory / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("figure", "preset"), DRAWN)
def test_the_page_shows_the_kept_figures_and_the_findings_on_their_claims(figure: str, preset: str) -> None:
    kept = RESULTS / figure / preset
    drawing = PAGE.parent / "figures" / f"{figure}-{preset}.svg"
    assert drawing.read_bytes() == (kept / "figure.svg").read_bytes()
    rows = [line for line in TEXT.splitlines() if line.startswith("|")]
    for finding in json.loads((kept / "claims.json").read_text(encoding="utf-8")):
        entries = [finding, *finding["others"]]
        assert any(
            finding["text"] in row
            and row.endswith(f"| {finding['verdict']} |")
            and all(estimate(entry) in row for entry in entries)
            for row in rows
        ), finding["text"]


def test_every_figure_of_the_paper_was_run_and_is_on_the_page() -> None:
    names = {path.stem for path in (ROOT / "papers" / "izzo").glob("*.toml")}
    assert {directory.parent.name.removeprefix("izzo-") for directory in KEPT if directory.name == "quick"} == names
    assert {directory.parent.name for directory in KEPT if directory.name == "paper"} == {
        f"izzo-{version}fig{number}" for version in ("", "workshop-") for number in (1, 2, 3)
    }


@pytest.mark.parametrize("directory", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_kept_results_are_complete(directory: Path) -> None:
    provenance = json.loads((directory / "provenance.json").read_text(encoding="utf-8"))
    found = {(row["settings"], row["seed"]) for row in records(directory)}
    assert len(found) == provenance["models"] == provenance["trained"]
    assert (directory / "figure.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("figure", "setting", "symbol"), [("izzo-fig1", "parameters.omega", "ω"), ("izzo-fig2", "parameters.period", "Δ")]
)
def test_the_tables_of_plateaus_are_medians_over_seeds(figure: str, setting: str, symbol: str) -> None:
    losses: dict[tuple[float, int], list[float]] = defaultdict(list)
    for row in records(RESULTS / figure / "paper"):
        if int(row["test_length"]) == 1024 * int(row["train_length"]):
            losses[float(row[setting]), int(row["train_length"])].append(float(row["loss"]))
    table = TEXT[TEXT.index(f"| {symbol} | N = 8 |") :].split("\n\n")[0].splitlines()[2:]
    shown = {
        (float(first), length): text
        for first, *others in ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
        for length, text in zip((8, 16, 32, 64), others, strict=True)
    }
    assert shown == {place: f"{statistics.median(found):.1e}" for place, found in losses.items()}
