"""What was measured on pairs of models of text: perplexities, correlations, and every number behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.diagnose.influence.scatter import Measured
from lengthwise.experiments.experiment import Report, cell_timings
from lengthwise.experiments.finding import Finding, table
from lengthwise.experiments.results import as_csv
from lengthwise.experiments.text.claims import judged
from lengthwise.experiments.text.parts import CHOOSERS, CONTEXTS, PairOutcome
from lengthwise.experiments.text.text_plot import plot_text
from lengthwise.runs.text.cell import Name
from lengthwise.runs.text.corpus import Corpus
from lengthwise.runs.text.pair import NAMES

if TYPE_CHECKING:
    from lengthwise.experiments.text.experiment import Text

BESIDE_CORRELATIONS = (
    "Both coordinates of a correlation begin with L_short, so that it alone says little: random bytes, in rows above, "
    "have one as well."
)
"""What is told of them beside the verdicts."""


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
            "corpus": self.corpus.as_json(),
            "cells": [
                {
                    "settings": each.cell.id,
                    "weights": each.weights,
                    "loss": each.curve[-1][1],
                    **each.cell.model_dump(mode="json"),
                    "environment": each.environment,
                }
                for each in trained
            ],
        }

    @property
    def timings(self) -> dict[str, Any]:
        """How long each model took."""
        return cell_timings(each.trained[name] for each in self.outcomes for name in NAMES)

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
