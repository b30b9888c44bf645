"""The confusion table: what a theory predicts against what was measured.

A cell counts for a predictor if that predicts something and the task was learned. Beside the error rate at 90 %, which
is a choice, there is a number that needs no threshold: the probability that a task which should generalize has a higher
accuracy on long words than one which should not (the area under the ROC curve; ties count half).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.experiments.generalization.measured import GENERALIZES, Measured
from lengthwise.experiments.generalization.predictors import PREDICTORS

THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Accuracies from which on a model could be said to generalize."""


@dataclass(frozen=True)
class Confusion:
    """How often a predictor was right, over cells that were learned."""

    predictor: str
    threshold: float
    right_yes: tuple[Measured, ...]
    """Predicted to generalize, and do."""
    wrong_yes: tuple[Measured, ...]
    """Predicted to generalize, and fail."""
    wrong_no: tuple[Measured, ...]
    """Predicted to fail, and generalize."""
    right_no: tuple[Measured, ...]
    """Predicted to fail, and do."""

    @property
    def counted(self) -> int:
        """The cells that count."""
        return len(self.right_yes) + len(self.wrong_yes) + len(self.wrong_no) + len(self.right_no)

    @property
    def errors(self) -> int:
        """The cells in which it was wrong."""
        return len(self.wrong_yes) + len(self.wrong_no)

    @property
    def error_rate(self) -> float:
        """The share of wrong predictions; NaN if there are none at all."""
        return self.errors / self.counted if self.counted else math.nan

    @property
    def area(self) -> float:
        """The area under the ROC curve; NaN if one of both kinds is missing."""
        yes, no = (_accuracies(cells) for cells in (self.right_yes + self.wrong_yes, self.wrong_no + self.right_no))
        wins = [1.0 if high > low else 0.5 if high == low else 0.0 for high in yes for low in no]
        return math.fsum(wins) / len(wins) if wins else math.nan

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        cells = ("right_yes", "wrong_yes", "wrong_no", "right_no")
        return {
            "predictor": self.predictor,
            "threshold": self.threshold,
            **{name: [f"{each.cell.task} {each.cell.scheme}" for each in getattr(self, name)] for name in cells},
            "counted": self.counted,
            "errors": self.errors,
            "error_rate": self.error_rate,
            "area": self.area,
        }


def confusion(predictor: str, measured: Sequence[Measured], threshold: float = GENERALIZES) -> Confusion:
    """The table of one predictor; baselines, which nobody predicts anything about, are left out."""
    found: dict[tuple[bool, bool], list[Measured]] = {
        (predicted, happened): [] for predicted in (True, False) for happened in (True, False)
    }
    for each in measured:
        if each.cell.scheme == "baseline":
            continue
        predicted = PREDICTORS[predictor](each.cell.task, each.cell.scheme)
        outcome = each.outcome_at(threshold)
        if predicted is not None and outcome in ("generalizes", "fails"):
            found[predicted, outcome == "generalizes"].append(each)
    right_yes, wrong_yes, wrong_no, right_no = (
        tuple(found[key]) for key in ((True, True), (True, False), (False, True), (False, False))
    )
    return Confusion(predictor, threshold, right_yes, wrong_yes, wrong_no, right_no)


def same_cells(predictors: Sequence[str], measured: Sequence[Measured]) -> list[Measured]:
    """The cells about which all of some predictors say something, so that their error rates can be compared."""
    return [
        each
        for each in measured
        if each.cell.scheme != "baseline"
        and all(PREDICTORS[name](each.cell.task, each.cell.scheme) is not None for name in predictors)
    ]


def _accuracies(cells: Sequence[Measured]) -> list[float]:
    return [each.mean(-1) or 0.0 for each in cells]
