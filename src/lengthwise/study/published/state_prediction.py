"""The published runs on state prediction, one row for each of 56 languages (`state_prediction.csv`).

GPT-2s with learned absolute positions were trained on words of up to 50 symbols: after every symbol of an accepted word
they predict the state of the minimal automaton. A word counts if all of its states are right. A row has the median and
the best accuracy over the runs that fitted words of training lengths, by bins of test lengths, and our own verdicts.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, get_args

from lengthwise.regular import Language

SOURCE = "arXiv 2608.13433"
"""Algebraic Decomposition Theory for Transformer Length Generalization."""
REPOSITORY = "https://github.com/bveseli/state-tracking-crasp"
FILE = "state_prediction.csv"
TRAIN_LENGTH = 50
BINS = ((51, 100), (101, 150), (151, 200), (201, 250))
"""The bins that are shown. In training, position ids are shifted to at most 500, and a word of n symbols takes 2n + 4
of them, so that words of more than 248 symbols meet ids that were never trained."""
FITTED = 0.99
"""A run fitted if it was right on this share of words of training lengths."""

VerdictClass = Literal["counts", "local", "periodic", "none"]
"""The least fragment that has a program: `counts` is C-RASP[∅] read at an end marker, `local` C-RASP[local], `periodic`
C-RASP[periodic, local], both read at the last symbol, and `none` is for languages outside."""
Run = Literal["best", "median"]


@dataclass(frozen=True)
class StatePrediction:
    """What the runs on one language did."""

    name: str
    """As the authors' repository calls it."""
    regex: str
    runs: int
    fitted: int
    """Runs that are right on at least 99 % of words of training lengths; medians and best ones are over these."""
    verdict_class: VerdictClass
    nope_last: bool
    """Whether there is a program of C-RASP[∅] that is read at the last symbol."""
    form: str
    """The digest of the canonical form."""
    median: Mapping[tuple[int, int], float]
    """The accuracy of the median run by bin."""
    best: Mapping[tuple[int, int], float]

    @property
    def language(self) -> Language:
        """The language, over the letters of its regex as in the authors' data."""
        return Language.from_regex(self.regex)

    def accuracy(self, run: Run, lengths: tuple[int, int]) -> float:
        """The accuracy of the best or the median run in a bin."""
        return (self.best if run == "best" else self.median)[lengths]


@cache
def state_prediction() -> tuple[StatePrediction, ...]:
    """The rows of the data file, in its order."""
    text = resources.files("lengthwise.study.published").joinpath(FILE).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(_row(row) for row in csv.DictReader(lines))


def _row(row: Mapping[str, str]) -> StatePrediction:
    verdict_class = next(known for known in get_args(VerdictClass) if known == row["class"])
    return StatePrediction(
        row["language"], row["regex"], int(row["runs"]), int(row["fitted"]), verdict_class, row["nope_last"] == "yes",
        row["form"],
        {lengths: float(row[f"median_{lengths[0]}-{lengths[1]}"]) for lengths in BINS},
        {lengths: float(row[f"best_{lengths[0]}-{lengths[1]}"]) for lengths in BINS},
    )  # fmt: skip
