"""Figures about models of text: their files, the pairs of models that these ask for, and what the results say.

settings = { longest = 128 }              # of both models (`TextCell`)
short = { context = 64 }                  # of one of them
long = { context = 128 }
tokens = [5]                              # and what else a pair has (`TextPair`)

[presets.quick]
seeds = [0]                               # a pair of models for each
settings = { steps = 4000 }               # these win over those above; also short, long
examples = 400

[[claims]]
text = "…"
kind = "correlated"                       # see `claims`
model = "short"
chosen = "short"

[published]                               # the authors' perplexities by model and length
short = { 64 = 17.59, 128 = 14.74 }

    perplexity.csv      Table 1, with intervals, and the authors' numbers beside it
    correlations.csv    each panel of Figures 4 and 6 in numbers, for every k, and for tokens at random
    examples.csv        every point: the losses of each window by model and chooser
    corpus.csv          every file of the text
    results.csv         the losses of each window that perplexities are computed from
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from lengthwise.diagnose.influence.scatter import Measured
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.claims.finding import Finding, table
from lengthwise.experiments.experiment import Experiment, Lacking, Report, computed
from lengthwise.experiments.figure_file import FigureFile, Preset, preset_of
from lengthwise.experiments.results import Size, as_csv
from lengthwise.experiments.text.claims import Claim, judged
from lengthwise.experiments.text.parts import (
    CHOOSERS,
    CONTEXTS,
    PairOutcome,
    Part,
    measure_part,
    missing_parts,
    outcome_of,
)
from lengthwise.runs.display.watch import RunningRun
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.labels import scheme_label, size_label
from lengthwise.runs.settings import Natural, Parameters, Positive, Values
from lengthwise.runs.text.cell import Name, TextCell
from lengthwise.runs.text.checkpoint import steps_done
from lengthwise.runs.text.corpus import Corpus, TextError
from lengthwise.runs.text.kept_corpus import kept_corpus
from lengthwise.runs.text.pair import NAMES, TextPair, corpus_of, train_cell
from lengthwise.runs.text.training import read_trained

MEASURED = ("tokens", "examples", "windows", "looks")
"""What a pair has beside its models."""
FOLDER = "text"
"""The directory within a store that has texts, models of them, and what was measured."""
BESIDE_CORRELATIONS = (
    "Both coordinates of a correlation begin with L_short, so that it alone says little: random bytes, in rows above, "
    "have one as well."
)
"""What is told of them beside the verdicts."""


class TextPreset(Preset):
    """What is trained and measured in a preset."""

    seeds: tuple[Natural, ...] = (0,)
    short: Parameters = Values()
    long: Parameters = Values()
    tokens: tuple[Positive, ...] | None = None
    examples: Positive | None = None
    windows: Positive | None = None
    looks: Positive | None = None


class TextFigure(FigureFile):
    """The content of a file."""

    problem = TextError
    short: Parameters
    long: Parameters
    tokens: tuple[Positive, ...] = (5,)
    presets: Mapping[str, TextPreset]
    claims: tuple[Claim, ...] = ()
    published: Mapping[Name, Mapping[int, float]] = Field(default_factory=dict)

    def pairs(self, preset: str) -> list[TextPair]:
        """A pair of models for each seed."""
        chosen = preset_of(self.presets, preset)
        given = {name: getattr(chosen, name) for name in MEASURED}
        return [
            self.made(
                TextPair,
                {
                    "short": self._cell(chosen, "short", seed),
                    "long": self._cell(chosen, "long", seed),
                    "tokens": self.tokens,
                    **{name: value for name, value in given.items() if value is not None},
                },
            )
            for seed in chosen.seeds
        ]

    def _cell(self, preset: TextPreset, name: Name, seed: int) -> TextCell:
        groups = (self.settings, getattr(self, name), preset.settings, getattr(preset, name), {"seed": seed})
        return self.made(TextCell, *groups)


class Text(Experiment[TextFigure]):
    """A figure about pairs of models of text: what is measured on a pair depends on both of its models."""

    content = TextFigure
    tables = ("perplexity.csv", "correlations.csv", "examples.csv", "corpus.csv", "results.csv")
    keeps = "checkpoints and finished parts are kept, and the same command goes on"

    def cells(self, preset: str) -> list[TextPair]:
        """The pairs of models."""
        return self.figure.pairs(preset)

    def size(self, preset: str) -> Size:
        """Two models for each seed."""
        pairs = len(self.cells(preset))
        return Size(2, pairs, 2 * pairs)

    def next(self, preset: str, store: Path) -> Sequence[TextCell] | Sequence[Part]:
        """The models that are not trained; if all are, the parts that are not measured."""
        pairs, kept = self.cells(preset), Path(store) / FOLDER
        cells = [cell for pair in pairs for cell in pair.cells.values()]
        return [cell for cell in cells if read_trained(kept / cell.id) is None] or missing_parts(kept, pairs)

    def train(self, preset: str, store: Path, engine: Engine) -> Sequence[Any]:
        """Train models, each from its last checkpoint on, and measure them."""
        if not engine.shares_disk:
            raise LengthwiseError(f"{self.name} keeps its checkpoints on this machine; take --engine local or serial")
        kept = Path(store) / FOLDER
        for corpus in {pair.short.corpus for pair in self.cells(preset)}:
            kept_corpus(kept, corpus)  # once, before several processes would
        while wanted := self.next(preset, store):
            cells = [each for each in wanted if isinstance(each, TextCell)]
            if cells:
                computed(
                    partial(train_cell, kept), cells, engine, partial(_in_training, kept, cells, _steps(kept, cells))
                )
            else:
                computed(partial(measure_part, kept), wanted, engine)
        return ()

    def take_over(self, preset: str, store: Path, directory: Path) -> str:
        """Nothing: what is measured belongs to models, whose weights are in a store alone."""
        raise LengthwiseError(f"{self.name} is measured on models, which are kept in the store alone; leave --kept out")

    def lacking(self, preset: str, store: Path) -> list[Lacking]:
        """Whether models are not trained, or parts not measured."""
        pairs, outcomes = self.cells(preset), self.there(preset, store)
        if not outcomes:
            return [Lacking(f"{Path(store) / FOLDER} has no results for the {len(pairs)} pairs of models", True)]
        whole = len(outcomes) == len(pairs) and all(each.complete for each in outcomes)
        return [] if whole else [Lacking("some results are missing", False)]

    def there(self, preset: str, store: Path) -> list[PairOutcome]:
        """What was measured on the pairs that have results."""
        found = (outcome_of(Path(store) / FOLDER, pair) for pair in self.cells(preset))
        return [each for each in found if each is not None]

    def report(self, preset: str, store: Path) -> TextReport:
        """What was measured, put together."""
        outcomes = self.there(preset, store)
        return TextReport(
            self, preset, outcomes, corpus_of(Path(store) / FOLDER, outcomes[0].pair, outcomes[0].trained)
        )


def _steps(kept: Path, cells: Sequence[TextCell]) -> dict[str, int]:
    """How many steps the checkpoint of each cell has behind it; a finished cell has no checkpoint any more."""
    return {cell.id: steps_done(kept / cell.id) for cell in cells}


def _in_training(kept: Path, cells: Sequence[TextCell], at_first: Mapping[str, int]) -> list[RunningRun]:
    """The models that have come further than they were at first."""
    now = _steps(kept, cells)
    return [
        RunningRun(
            cell.id,
            "text",
            scheme_label("pose" if cell.pose_steps else "rope"),
            cell.context,
            size_label(cell.model.layers, cell.model.heads, cell.model.width),
            str(cell.seed),
            now[cell.id],
            cell.steps,
            first_step=at_first[cell.id],
        )
        for cell in cells
        if now[cell.id] > at_first[cell.id]
    ]


class TextReport(Report):
    """Perplexities and correlations."""

    def __init__(self, experiment: Text, preset: str, outcomes: Sequence[PairOutcome], corpus: Corpus) -> None:
        self.experiment, self.preset, self.outcomes, self.corpus = experiment, preset, outcomes, corpus

    @cached_property
    def findings(self) -> list[Finding]:
        """On the claims of the figure."""
        return [judged(claim, self.outcomes) for claim in self.experiment.figure.claims]

    @cached_property
    def perplexities(self) -> list[dict[str, Any]]:
        """Table 1: a record for each seed, model and way to predict; the authors' are by token, ours by byte."""
        found = []
        for outcome in self.outcomes:
            pair = outcome.pair
            for name in NAMES:
                for context in CONTEXTS:
                    length = pair.recent if context == "short" else pair.window
                    theirs = None if context == "recent" else self.experiment.figure.published.get(name, {}).get(length)
                    numbers = outcome.entropy(name, context)
                    found.append(
                        {
                            "seed": pair.short.seed,
                            "model": name,
                            "train_length": pair.cells[name].context,
                            "test_length": length,
                            "seen": min(length, pair.recent) if context == "recent" else length,
                            **_numbers("perplexity", numbers, np.exp),
                            "files": numbers.files,
                            "published": theirs,
                        }
                    )
        return found

    @cached_property
    def panels(self) -> list[dict[str, Any]]:
        """The statistics of every scatter: a record for each seed, model, chooser and k."""
        return [
            {
                "seed": outcome.pair.short.seed,
                "model": name,
                "chosen_by": chooser,
                "tokens": count,
                "examples": len(outcome.files),
                "files": len(set(outcome.files.tolist())),
                **{
                    key: value
                    for statistic, numbers in outcome.scatter(name, chooser, place).items()
                    for key, value in _numbers(statistic, numbers).items()
                },
            }
            for outcome in self.outcomes
            for name in NAMES
            for chooser in CHOOSERS
            for place, count in enumerate(outcome.pair.tokens)
        ]

    def examples(self) -> Iterator[dict[str, Any]]:
        """Every point of every scatter."""
        for outcome in self.outcomes:
            for name in NAMES:
                for chooser in CHOOSERS:
                    yield from _points(outcome, name, chooser)

    def records(self) -> Iterator[dict[str, Any]]:
        """The losses of every window that perplexities are computed from."""
        for outcome in self.outcomes:
            windows = outcome.windows or {"files": []}
            for name in NAMES:
                for number, file in enumerate(windows["files"]):
                    losses = {f"loss_{context}": windows[name][context][number] for context in CONTEXTS}
                    yield {"seed": outcome.pair.short.seed, "model": name, "window": number, "file": file, **losses}

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Which models, with which settings, and what they were computed with."""
        trained = [each.trained[name] for each in self.outcomes for name in NAMES]
        return {
            **self.facts,
            "models": self.experiment.size(self.preset).models,
            "trained": len(trained),
            "complete": bool(self.outcomes) and all(each.complete for each in self.outcomes),
            "seconds": round(sum(each.seconds for each in trained), 3),
            "corpus": self.corpus.as_json(),
            "cells": [
                {
                    "settings": each.cell.id,
                    "weights": each.weights,
                    "seconds": each.seconds,
                    "loss": each.curve[-1][1],
                    **each.cell.model_dump(mode="json"),
                    "environment": each.environment,
                }
                for each in trained
            ],
        }

    def tables(self) -> dict[str, bytes]:
        """Table 1, the panels in numbers, their points, the text, and the losses of windows."""
        return {
            "perplexity.csv": as_csv(self.perplexities),
            "correlations.csv": as_csv(self.panels),
            "examples.csv": as_csv(self.examples()),
            "corpus.csv": as_csv(asdict(each) for each in self.corpus.origins),
            **super().tables(),
        }

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {**super().as_json(), "perplexity": self.perplexities, "correlations": self.panels}

    def lines(self) -> Iterator[str]:
        """As text."""
        yield ""
        facts = self.corpus.as_json()
        for side in ("training", "validation"):
            part: Any = facts[side]
            yield f"{side}: {part['bytes']} bytes of {part['files']} files of {len(part['packages'])} packages"
        yield ""
        yield "seed  model  trained at  tested at  seen  perplexity by byte     published (by token)"
        for row in self.perplexities:
            theirs = "" if row["published"] is None else f"{row['published']:.2f}"
            shown = f"{row['perplexity']:.3f} [{row['perplexity_low']:.3f}, {row['perplexity_high']:.3f}]"
            yield (
                f"{row['seed']:4}  {row['model']:5}  {row['train_length']:10}  {row['test_length']:9}  "
                f"{row['seen']:4}  {shown:21}  {theirs}"
            ).rstrip()
        yield ""
        yield "seed  losses of  chosen by   k  correlation           explained  recovered  gain"
        for row in self.panels:
            ends = f"[{row['correlation_low']:.2f}, {row['correlation_high']:.2f}]"
            yield (
                f"{row['seed']:4}  {row['model']:9}  {row['chosen_by']:9}  {row['tokens']:2}  "
                f"{row['correlation']:5.2f} {ends:15}  {row['explained']:9.2f}  {row['recovered']:9.2f}  "
                f"{row['gain']:.3f}"
            )
        if self.findings:
            yield ""
            yield table(self.findings)
        if any(finding.kind == "correlated" for finding in self.findings):
            yield ""
            yield BESIDE_CORRELATIONS
        yield ""

    def draw(self, path: Path) -> None:
        """The four panels."""
        from lengthwise.experiments.text.text_plot import plot_text

        plot_text(self, path)


def _points(outcome: PairOutcome, name: Name, chooser: str) -> Iterator[dict[str, Any]]:
    chosen = outcome.chosen(chooser)
    for place, count in enumerate(outcome.pair.tokens):
        found = outcome.dependence(name, chooser, place)
        for number, file in enumerate(outcome.files.tolist()):
            yield {
                "seed": outcome.pair.short.seed,
                "model": name,
                "chosen_by": chooser,
                "tokens": count,
                "example": number,
                "file": file,
                "loss_short": found.short[number],
                "loss_long": found.long[number],
                "loss_sparse": found.sparse[number],
                "positions": " ".join(map(str, chosen[number, :count].tolist())),
            }


def _numbers(name: str, found: Measured, shown: Any = float) -> dict[str, float]:
    """A number and the ends of its interval, under names of their own."""
    ends = {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    return {key: float(shown(value)) for key, value in ends.items()}
