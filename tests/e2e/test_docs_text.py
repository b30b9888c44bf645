"""The page on the dependence of text says what the kept results of Golowich et al., Figure 4, say."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "results" / "golowich-fig4" / "quick"
PAGE = ROOT / "docs" / "explanation" / "text-dependence.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]


def records(name: str) -> list[dict[str, str]]:
    with (KEPT / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def with_interval(row: dict[str, str], name: str, digits: int) -> str:
    value, low, high = (float(row[key]) for key in (name, f"{name}_low", f"{name}_high"))
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def perplexities() -> list[str]:
    """A row for each model: at L, at L̄, and at L̄ from the last L bytes alone."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in records("perplexity.csv"):
        found[row["model"]].append(with_interval(row, "perplexity", 3))
    return [f"| {' | '.join([f'`{model}`', *entries])} |" for model, entries in found.items()]


def correlations() -> list[str]:
    """A row for each model, each choice of tokens and each number of them."""
    return [
        f"| `{row['model']}` | {chooser(row['chosen_by'])} | {row['tokens']} | "
        f"{' | '.join(with_interval(row, name, 2) for name in ('correlation', 'explained', 'recovered'))} |"
        for row in records("correlations.csv")
    ]


def chooser(name: str) -> str:
    return name if name == "random" else f"`{name}`"


def findings() -> list[str]:
    """A row for each claim."""
    claims = json.loads((KEPT / "claims.json").read_text(encoding="utf-8"))
    return [
        f"| {each['text']} | {each['statistic']} | {each['value']:+.3f} [{each['low']:+.3f}, {each['high']:+.3f}] | "
        f"{each['verdict']} |"
        for each in claims
    ]


def test_tables_are_those_of_the_kept_results() -> None:
    expected = perplexities() + correlations() + findings()
    assert len(expected) > 10
    assert [row for row in expected if row not in ROWS] == []


def test_the_figure_is_the_kept_one() -> None:
    drawing = PAGE.parent / "figures" / "golowich-fig4-quick.svg"
    assert drawing.read_bytes() == (KEPT / "figure.svg").read_bytes()


def test_both_models_were_trained_and_all_windows_measured() -> None:
    provenance = json.loads((KEPT / "provenance.json").read_text(encoding="utf-8"))
    assert provenance["models"] == provenance["trained"] == 2
    assert provenance["complete"]
    assert len({(row["model"], row["chosen_by"], row["tokens"]) for row in records("correlations.csv")}) == len(
        records("correlations.csv")
    )
