"""`lengthwise figures`: the figures and tables that `lengthwise reproduce` knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from lengthwise.cli.reproduce_table import TABLES
from lengthwise.errors import LengthwiseError


def figures(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the figures and tables of papers that can be reproduced, and how much each preset trains."""
    from lengthwise.experiments.generalization.experiment import catalogue as experiments
    from lengthwise.experiments.positional.published import catalogue as positional
    from lengthwise.experiments.probes.published import catalogue as probes
    from lengthwise.experiments.sweeps.published import catalogue
    from lengthwise.experiments.text.published import catalogue as texts

    found = [_facts(name) for name in catalogue()] + [_probe_facts(name, path) for name, path in probes().items()]
    found += [_positional_facts(name, path) for name, path in positional().items()]
    found += [_experiment_facts(name) for name in experiments()]
    found += [_text_facts(name, path) for name, path in texts().items()]
    found += [{"name": name, "title": title, "presets": {}} for name, title in TABLES.items()]
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    width = max(len(facts["name"]) for facts in found) + 2
    for facts in found:
        for line in _lines(facts, width):
            typer.echo(line)


def _facts(name: str) -> dict[str, Any]:
    """What there is to say about a figure, or what is wrong with its file: that does not hide the others."""
    from dataclasses import asdict

    from lengthwise.experiments.sweeps.published import find

    published = find(name)
    try:
        figure = published.figure
        presets = {preset: asdict(published.size(preset)) for preset in figure.presets}
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}
    return {"name": name, "title": figure.title, "presets": presets}


def _probe_facts(name: str, path: Path) -> dict[str, Any]:
    """The same of a figure of probes, whose cells are what others have as configs, and its trials their seeds."""
    from lengthwise.experiments.probes.published import ProbeFigure

    try:
        figure = ProbeFigure.from_file(path)
        presets: dict[str, Any] = {}
        for preset in figure.presets:
            cells = figure.cells(preset) if figure.kind == "samples" else figure.online(preset)
            trials = [cell.trials for cell in cells]
            presets[preset] = {"configs": len(cells), "seeds": max(trials), "models": sum(trials)}
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}
    return {"name": name, "title": figure.title, "presets": presets}


def _experiment_facts(name: str) -> dict[str, Any]:
    """The same of an experiment, whose cells are what others have as configs; seeds that do not learn come on top."""
    from lengthwise.experiments.generalization.source import Source

    try:
        return Source.named(name).facts()
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}


def _positional_facts(name: str, path: Path) -> dict[str, Any]:
    """The same of a figure of positional functions, whose cells are configs, and its trials their seeds."""
    from lengthwise.experiments.positional.published import PositionalFigure

    try:
        figure = PositionalFigure.from_file(path)
        trials = {preset: [cell.trials for cell in figure.all_cells(preset)] for preset in figure.presets}
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}
    presets = {
        preset: {"configs": len(each), "seeds": max(each), "models": sum(each)} for preset, each in trials.items()
    }
    return {"name": name, "title": figure.title, "presets": presets}


def _text_facts(name: str, path: Path) -> dict[str, Any]:
    """The same of a figure about text, which has two models for each seed."""
    from lengthwise.experiments.text.published import TextFigure

    try:
        figure = TextFigure.from_file(path)
        seeds = {preset: len(figure.pairs(preset)) for preset in figure.presets}
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}
    presets = {preset: {"configs": 2, "seeds": count, "models": 2 * count} for preset, count in seeds.items()}
    return {"name": name, "title": figure.title, "presets": presets}


def _lines(facts: dict[str, Any], width: int) -> Iterator[str]:
    if "problem" in facts:
        yield f"{facts['name']:{width}}{facts['problem']}"
        return
    yield f"{facts['name']:{width}}{facts['title']}"
    sizes = [
        f"{preset}: {size['configs']} configs x {size['seeds']} seeds"
        if size["models"] == size["configs"] * size["seeds"]
        else f"{preset}: {size['configs']} configs, {size['models']} models"
        for preset, size in facts["presets"].items()
    ]
    yield " " * width + ("; ".join(sizes) or "computed, nothing is trained")
