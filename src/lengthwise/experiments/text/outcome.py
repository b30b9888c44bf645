"""What was measured on a pair of models, put together from its parts, and the numbers that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.diagnose.influence.dependence import Dependence
from lengthwise.diagnose.influence.scatter import Measured, by_file, measured, resampled, scatter
from lengthwise.diagnose.influence.text_model import Floats, Ints
from lengthwise.experiments.text.parts import parts_of, read_part
from lengthwise.runs.text.cell import Name
from lengthwise.runs.text.pair import TextPair, trained_pair
from lengthwise.runs.text.training import Trained

CONTEXTS = ("short", "long", "recent")
"""How the bytes of a window are predicted (`lab.text.perplexity`)."""


@dataclass(frozen=True, eq=False)
class PairOutcome:
    """Both models with all windows they were tested on, as far as parts are there."""

    pair: TextPair
    trained: dict[Name, Trained]
    examples: list[dict[str, Any]]
    """The parts of examples there are, in order."""
    windows: dict[str, Any] | None
    """That of the perplexities."""

    @property
    def complete(self) -> bool:
        """Whether no part is missing."""
        return self.windows is not None and len(self.files) == self.pair.examples

    @cached_property
    def files(self) -> Ints:
        """The file of each example."""
        return np.array([file for part in self.examples for file in part["files"]], dtype=np.int64)

    def dependence(self, model: Name, chooser: str, place: int = 0) -> Dependence:
        """The losses of a model, with k tokens by a chooser; k is given by its place among those of the pair."""
        short, long = (self._losses(model, kind) for kind in ("short", "long"))
        sparse = [row[place] for part in self.examples for row in part["losses"][model]["sparse"][chooser]]
        return Dependence(short, long, np.array(sparse, dtype=np.float64))

    def chosen(self, chooser: str) -> Ints:
        """The chosen positions of each example, the most influential first."""
        return np.array([row for part in self.examples for row in part["chosen"][chooser]], dtype=np.int64)

    def scatter(self, model: Name, chooser: str, place: int = 0) -> dict[str, Measured]:
        """The statistics of a panel; those of one model share their resamples, whoever chooses."""
        found = self.dependence(model, chooser, place)
        return scatter(found.sparse_gain, found.gain, self.files)

    def entropy(self, model: Name, context: str) -> Measured:
        """The mean loss of all bytes, of which the perplexity is the exponential."""
        if self.windows is None:
            return Measured(np.nan, np.nan, np.nan, 0, np.empty(0))
        values: Floats = np.array(self.windows[model][context], dtype=np.float64)
        sums = by_file(np.stack([np.ones_like(values), values], axis=1), np.array(self.windows["files"]))
        whole, drawn = sums.sum(axis=0), resampled(sums)
        return measured(float(whole[1] / whole[0]), drawn[:, 1] / drawn[:, 0], len(sums))

    def _losses(self, model: Name, kind: str) -> Floats:
        return np.array([loss for part in self.examples for loss in part["losses"][model][kind]], dtype=np.float64)


def outcome_of(store: Path, pair: TextPair) -> PairOutcome | None:
    """What a store has of a pair; None if its models are not both trained or nothing is measured."""
    trained = trained_pair(store, pair)
    if trained is None:
        return None
    found = [(part, read_part(store, part, trained)) for part in parts_of(pair)]
    examples = [data for part, data in found if part.first is not None and data is not None]
    windows = next((data for part, data in found if part.first is None), None)
    return PairOutcome(pair, trained, examples, windows) if examples else None
