"""The page on the experiments of Golowich et al. says what the kept results say."""

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
PAGE = ROOT / "docs" / "explanation" / "golowich-experiments.md"
TEXT = PAGE.read_text(encoding="utf-8")
DRAWN = re.findall(r"\(figures/(golowich-fig\d)-quick\.svg\)", TEXT)
ROWS = [line for line in TEXT.splitlines() if line.startswith("|")]
VARIED = {
    "golowich-fig1": ["parameters.most", "evaluation.parameters.most"],
    "golowich-fig2": ["parameters.jumps"],
    "golowich-fig3": ["sweep", "parameters.depth"],
    "golowich-fig8": ["sweep"],
}
"""The columns by which tables of accuracies are ordered."""
NAMES = {
    "predictive": "predictive coupling",
    "learned": "shifted absolute",
    "pose": "RoPE with PoSE",
    "answer-only": "RoPE with PoSE, answer only",
}


def records(figure: str, preset: str = "quick") -> list[dict[str, str]]:
    with (RESULTS / figure / preset / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def spread(shares: list[float]) -> str:
    """The median over seeds, and their range where they differ."""
    low, median, high = (percent(each) for each in (min(shares), statistics.median(shares), max(shares)))
    return median if low == high else f"{median} ({low}–{high})"


def accuracies(figure: str, preset: str = "quick") -> list[str]:
    """A row for each setting, with a column for each test length."""
    found: dict[tuple[str, ...], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in records(figure, preset):
        place = tuple(NAMES.get(row[name], row[name]) for name in VARIED[figure])
        found[place][int(row["test_length"])].append(float(row["accuracy"]))
    return [
        f"| {' | '.join([*place, *(spread(shares) for _, shares in sorted(lengths.items()))])} |"
        for place, lengths in found.items()
    ]


def estimate(entry: dict[str, Any]) -> str:
    value, low, high = (entry[name] for name in ("value", "low", "high"))
    return f"{value:+.2f}" + ("" if low is None else f" [{low:+.2f}, {high:+.2f}]")


def findings(figure: str, preset: str = "quick") -> list[str]:
    """A row for each claim: by medians, by means, the verdict."""
    claims = json.loads((RESULTS / figure / preset / "claims.json").read_text(encoding="utf-8"))
    return [
        f"| {' | '.join([each['text'], *map(estimate, (each, *each['others'])), each['verdict']])} |" for each in claims
    ]


def test_every_kept_figure_is_on_the_page() -> None:
    kept = {path.parents[1].name for path in RESULTS.glob("golowich-fig*/quick/results.csv")}
    assert set(DRAWN) == kept
    assert kept >= {"golowich-fig2", "golowich-fig3"}


@pytest.mark.parametrize("figure", DRAWN)
def test_figures_claims_and_accuracies_are_those_of_the_kept_results(figure: str) -> None:
    drawing = PAGE.parent / "figures" / f"{figure}-quick.svg"
    assert drawing.read_bytes() == (RESULTS / figure / "quick" / "figure.svg").read_bytes()
    expected = findings(figure) + accuracies(figure)
    assert len(expected) > 2
    assert [row for row in expected if row not in ROWS] == []


def test_jumps_with_as_many_ids_as_they_need_stand_beside_those_with_the_same_number() -> None:
    expected = [*accuracies("golowich-fig2", "own-ids"), *findings("golowich-fig2", "own-ids")]
    assert len(expected) == 4
    assert [row for row in expected if row not in ROWS] == []


@pytest.mark.parametrize("figure", DRAWN)
def test_kept_results_are_complete(figure: str) -> None:
    provenance = json.loads((RESULTS / figure / "quick" / "provenance.json").read_text(encoding="utf-8"))
    found = {(row["settings"], row["seed"]) for row in records(figure)}
    assert len(found) == provenance["models"] == provenance["trained"]
