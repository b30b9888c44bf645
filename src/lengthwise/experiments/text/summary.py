"""What the results of a figure about text say, as files, as plain data and as text: computed from kept parts alone.

    perplexity.csv      Table 1, with intervals, and the authors' numbers beside it
    correlations.csv    each panel of Figures 4 and 6 in numbers, for every k, and for tokens at random
    examples.csv        every point: the losses of each window by model and chooser
    corpus.csv          every file of the text
    claims.json         the findings on the claims of the figure
    provenance.json     which models, with which settings, and what they were computed with

The same results give the same bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.diagnose.influence.scatter import Measured
from lengthwise.experiments.claims.finding import Finding, table
from lengthwise.experiments.paper_files import digest
from lengthwise.experiments.results import as_bytes
from lengthwise.experiments.text.claims import judged
from lengthwise.experiments.text.outcome import CONTEXTS, PairOutcome
from lengthwise.experiments.text.parts import CHOOSERS
from lengthwise.experiments.text.published import TextFigure
from lengthwise.runs.text.cell import Name
from lengthwise.runs.text.corpus import Corpus
from lengthwise.runs.text.pair import NAMES

BESIDE_CORRELATIONS = (
    "Both coordinates of a correlation begin with L_short, so that it alone says little: random bytes, in rows above, "
    "have one as well."
)
"""What is told of them beside the verdicts."""


@dataclass(frozen=True, eq=False)
class TextSummary:
    """A figure with the results there are for a preset."""

    name: str
    path: Path
    preset: str
    outcomes: Sequence[PairOutcome]
    """Those of every seed that has results."""
    corpus: Corpus

    @cached_property
    def figure(self) -> TextFigure:
        """What the file of the figure says."""
        return TextFigure.from_file(self.path)

    @cached_property
    def findings(self) -> list[Finding]:
        """On the claims of the figure."""
        return [judged(claim, self.outcomes) for claim in self.figure.claims]

    @cached_property
    def perplexities(self) -> list[dict[str, Any]]:
        """Table 1: a record for each seed, model and way to predict; the authors' are by token, ours by byte."""
        found = []
        for outcome in self.outcomes:
            pair = outcome.pair
            for name in NAMES:
                for context in CONTEXTS:
                    length = pair.recent if context == "short" else pair.window
                    theirs = None if context == "recent" else self.figure.published.get(name, {}).get(length)
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

    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from; nothing in it depends on the clock or on where files are."""
        trained = [each.trained[name] for each in self.outcomes for name in NAMES]
        return {
            "figure": self.name,
            "title": self.figure.title,
            "preset": self.preset,
            "file_sha256": digest(self.path),
            "command": f"lengthwise reproduce {self.name} --preset {self.preset}",
            "models": 2 * len(self.figure.pairs(self.preset)),
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

    def files(self) -> dict[str, bytes]:
        """All but the drawing."""
        return {
            "perplexity.csv": _csv(self.perplexities),
            "correlations.csv": _csv(self.panels),
            "examples.csv": _csv(self.examples()),
            "corpus.csv": _csv(asdict(each) for each in self.corpus.origins),
            "claims.json": as_bytes([finding.as_json() for finding in self.findings]),
            "provenance.json": as_bytes(self.provenance()),
        }

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            **self.provenance(),
            "claims": [finding.as_json() for finding in self.findings],
            "perplexity": self.perplexities,
            "correlations": self.panels,
        }

    def lines(self) -> Iterator[str]:
        """As text."""
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


def _csv(records: Iterable[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    rows = list(records)
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
