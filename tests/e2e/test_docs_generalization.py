"""The page on the experiments of Huang et al. says what the kept results say."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "huang-fig1"
PAGE = ROOT / "docs" / "explanation" / "huang-experiments.md"
TEXT = PAGE.read_text(encoding="utf-8")
KEPT = sorted(path.parent.name for path in RESULTS.glob("*/cells.csv"))

Cells = dict[tuple[str, str], dict[str, str]]


def cells(preset: str) -> Cells:
    with (RESULTS / preset / "cells.csv").open(encoding="utf-8", newline="") as file:
        return {(row["title"], row["scheme"]): row for row in csv.DictReader(file) if row["scheme"] != "baseline"}


def bins(row: dict[str, str]) -> list[str]:
    return [name.removeprefix("mean_") for name in row if name.startswith("mean_")]


def percent(row: dict[str, str], length: str) -> str:
    """The mean of seeds, and their range where they differ."""
    mean, low, high = (float(row[f"{name}_{length}"]) for name in ("mean", "lowest", "highest"))
    return shown(mean) + (f" ({shown(low)}–{shown(high)})" if shown(low) != shown(high) else "")


def shown(share: float) -> str:
    return ">99.9" if 0.9995 <= share < 1 else f"{100 * share:.1f}"


def outcome(row: dict[str, str] | None) -> str:
    """The accuracy on the longest words, or on those of training if they were not learned."""
    if row is None or row["tried"] == "0":
        return "–"
    short, long = bins(row)[0], bins(row)[-1]
    if row["outcome"] == "not learned":
        return f"not learned: {percent(row, short)}"
    return f"**{percent(row, long)}**" if row["agrees"] == "no" else percent(row, long)


def table(preset: str, with_models: bool) -> list[str]:
    """The rows of the table of a preset: a line for each task."""
    found = cells(preset)
    names = {"program": "yes", "no program": "no"}
    lines = []
    for title in dict.fromkeys(title for title, _ in found):
        entries = [escaped(title)]
        for row in (found[title, "nope"], found[title, "ape"]):
            model = row["model"] + ("\\*" if row["changed"] == "True" else "")
            if with_models:
                entries += [names[row["verdict"]], model, outcome(row), shown(float(row["reported_150"]))]
            else:
                entries += [names[row["verdict"]], outcome(row)]
        lines.append(f"| {' | '.join(entries)} |")
    return lines


def escaped(title: str) -> str:
    return title.replace("*", "\\*")


def changes(presets: list[str]) -> list[str]:
    """Learned positions in several presets side by side: a line for each task that all but the first have."""
    found = [cells(preset) for preset in presets]
    tasks = [
        title for title, scheme in found[0] if scheme == "ape" and any((title, "ape") in each for each in found[1:])
    ]
    return [
        f"| {escaped(title)} | {' | '.join(outcome(each.get((title, 'ape'))) for each in found)} |" for title in tasks
    ]


@pytest.mark.parametrize("preset", KEPT)
def test_every_kept_preset_is_on_the_page_as_it_is_kept(preset: str) -> None:
    drawing = PAGE.parent / "figures" / f"huang-fig1-{preset}.svg"
    if preset in ("short", "quick"):
        assert drawing.read_bytes() == (RESULTS / preset / "figure.svg").read_bytes()
        missing = [line for line in table(preset, with_models=preset == "quick") if line not in TEXT]
        assert missing == []
    else:
        assert f"`{preset}`" in TEXT


def test_presets_that_change_something_are_set_beside_the_one_they_change() -> None:
    rows = changes(["short", "term8", "term8-strong", "penalty", "patient"])
    assert rows
    assert [line for line in rows if line not in TEXT] == []


@pytest.mark.parametrize("preset", KEPT)
def test_the_page_says_how_many_models_were_trained(preset: str) -> None:
    provenance = json.loads((RESULTS / preset / "provenance.json").read_text(encoding="utf-8"))
    assert f"`{preset}`: {provenance['trained']} models" in TEXT


def test_the_counts_in_the_text_are_those_of_the_kept_cells() -> None:
    def learned(scheme: str, verdict: str) -> list[str]:
        rows = [row for (_, each), row in cells("short").items() if each == scheme and row["verdict"] == verdict]
        return [row["agrees"] for row in rows if row["outcome"] != "not learned"]

    with_program, without = learned("ape", "program"), learned("ape", "no program")
    assert f"on {with_program.count('no')} of the {len(with_program)} that were learned" in TEXT
    bare = learned("nope", "program")
    assert f"{bare.count('yes')} of the {len(bare)} tasks with a program that were learned generalize" in TEXT
    every = with_program + without + bare + learned("nope", "no program")
    positioned = (with_program + without).count("no")
    assert f"C-RASP errs in {every.count('no')} of {len(every)} learned cells, {positioned} of them with" in TEXT


def errors(preset: str, on: str, predictor: str) -> tuple[str, str]:
    """Wrong predictions of all at 90 %, and the area under the ROC curve."""
    with (RESULTS / preset / "confusion.csv").open(encoding="utf-8", newline="") as file:
        (row,) = (
            row
            for row in csv.DictReader(file)
            if (row["on"], row["scheme"], row["predictor"], row["threshold"]) == (on, "all", predictor, "0.9")
        )
    return f"{row['errors']} of {row['cells']}", f"{float(row['area']):.3f}" if row["area"] else "–"


def predictor_rows() -> list[str]:
    """A line for each predictor: on our small models, on published ones, and on the authors' numbers."""
    sets = [("short", "shared cells"), ("quick", "shared cells"), ("quick", "authors', shared")]
    return [
        f"| {' | '.join([name, *(entry for preset, on in sets for entry in errors(preset, on, name))])} |"
        for name in ("C-RASP", "star-free", "dot-depth ≤ 1", "AC⁰")
    ]


def test_predictors_are_compared_on_the_page_as_in_the_kept_tables() -> None:
    assert [line for line in predictor_rows() if line not in TEXT] == []
    every = [errors(*which, "C-RASP")[0] for which in (("short", "all its cells"), ("quick", "all its cells"))]
    theirs = errors("quick", "authors', all", "C-RASP")
    assert f"C-RASP errs in {every[0]} of `short`, {every[1]} of `quick` and {theirs[0]} of theirs" in TEXT
    assert f"an area of {theirs[1]} over" in TEXT


def test_the_page_says_how_many_published_models_are_as_good_as_the_authors() -> None:
    rows = [row for row in cells("quick").values() if row["changed"] == "False"]
    learned = [row for row in rows if row["outcome"] in ("generalizes", "fails")]
    apart = sorted(abs(float(row["mean_150"]) - float(row["reported_150"])) for row in learned)
    near = [difference for difference in apart if difference < 0.05]
    assert f"Of the {len(learned)} published models that were learned, {len(near)} are within" in TEXT
    assert f"within {100 * near[-1]:.1f} points of the authors' means" in TEXT
