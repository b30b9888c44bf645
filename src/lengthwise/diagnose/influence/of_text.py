"""The influence of far tokens on the predictions of one model in one text: what `lengthwise diagnose` shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.dependence import (
    Dependence,
    at_random,
    base_losses,
    by_influence,
    far_tokens,
    losses_without_each,
    require_tokens,
    sparse_losses,
)
from lengthwise.diagnose.influence.scatter import Measured, scatter
from lengthwise.diagnose.influence.text_model import Floats, Ints, TextModel
from lengthwise.runs.resampling import FEWEST_IN_ALL
from lengthwise.runs.text.training import DONE

SHOWN = 24
"""Tokens before the predicted one that are shown of a window."""


@dataclass(frozen=True, eq=False)
class TextInfluence:
    """Windows of a text with their losses."""

    model: TextModel
    recent: int
    windows: Ints
    begins: Ints
    """Where each window begins in the text, in tokens from 0 on."""
    positions: Ints
    """The influential tokens of each window, (windows, k)."""
    without: Floats
    """The loss without each of these, (windows, k)."""
    found: Dependence
    random: Dependence
    """With as many tokens at random."""

    def statistics(self) -> dict[str, dict[str, Measured]]:
        """The scatter of influential tokens, and that of random ones; here it is windows that are resampled.

        Ends of intervals are NaN if there are too few windows.
        """
        numbers = np.arange(len(self.windows))
        found = {
            name: scatter(each.sparse_gain, each.gain, numbers)
            for name, each in (("influential", self.found), ("random", self.random))
        }
        if self.has_intervals:
            return found
        return {
            name: {statistic: replace(each, low=np.nan, high=np.nan) for statistic, each in measured.items()}
            for name, measured in found.items()
        }

    @property
    def has_intervals(self) -> bool:
        """Whether there are as many windows as intervals need: of fewer, resamples are too often all the same."""
        return len(self.windows) >= FEWEST_IN_ALL

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        rows = zip(self.begins.tolist(), self.windows, self.positions.tolist(), self.without.tolist(), strict=True)
        return {
            "window": int(self.windows.shape[1]),
            "recent": self.recent,
            "tokens": int(self.positions.shape[1]),
            "statistics": {
                chosen: {
                    name: {"value": each.value, "low": each.low, "high": each.high} for name, each in numbers.items()
                }
                for chosen, numbers in self.statistics().items()
            },
            "windows": [
                {
                    "begin": begin,
                    "predicted": self.model.decode(int(window[-1])),
                    "loss_short": float(self.found.short[number]),
                    "loss_long": float(self.found.long[number]),
                    "loss_sparse": float(self.found.sparse[number]),
                    "loss_random": float(self.random.sparse[number]),
                    "influential": [
                        {"position": place, "token": self.model.decode(int(window[place - 1])), "loss_without": loss}
                        for place, loss in zip(places, losses, strict=True)
                    ],
                }
                for number, (begin, window, places, losses) in enumerate(rows)
            ],
        }

    def lines(self) -> Iterator[str]:
        """As text: a line for each window, then the statistics."""
        yield "L_short  L_long  sparse  the end of the window [predicted]  influential tokens by position"
        for number, window in enumerate(self.windows):
            before = "".join(self.model.decode(int(token)) for token in window[-1 - SHOWN : -1])
            named = [
                f"{place}:{self.model.decode(int(window[place - 1]))}" for place in self.positions[number].tolist()
            ]
            yield (
                f"{self.found.short[number]:7.3f}  {self.found.long[number]:6.3f}  {self.found.sparse[number]:6.3f}  "
                f"{before}[{self.model.decode(int(window[-1]))}]  {' '.join(named)}"
            )
        yield ""
        for chosen, numbers in self.statistics().items():
            told = ", ".join(f"{name} {_shown(each)}" for name, each in numbers.items())
            yield f"{chosen} tokens: {told}"
        if not self.has_intervals:
            number = len(self.windows)
            yield (
                f"{number} window{' is' if number == 1 else 's are'} too few for intervals, which need "
                f"{FEWEST_IN_ALL}: take more --examples, of a longer text if it has no more windows"
            )


def influence_in(
    model: TextModel, text: bytes, window: int, recent: int, tokens: int, examples: int, seed: int = 0
) -> TextInfluence:
    """The influence in so many windows, spread evenly over a text."""
    require_tokens([tokens], window, recent)
    ids = model.encode(text)
    if len(ids) < window:
        raise DiagnosisError(f"the text has {len(ids)} tokens, and a window has {window}; take a longer text")
    begins = np.unique(np.linspace(0, len(ids) - window, examples).astype(np.int64))
    windows = ids[begins[:, None] + np.arange(window)]
    losses = losses_without_each(model, windows, recent)
    positions = by_influence(losses)[:, :tokens]
    random = at_random(len(windows), far_tokens(window, recent), seed)[:, :tokens]
    short, long = base_losses(model, windows, recent)
    return TextInfluence(
        model,
        recent,
        windows,
        begins,
        positions,
        np.take_along_axis(losses, positions - 1, axis=1),
        Dependence(short, long, sparse_losses(model, windows, recent, positions)),
        Dependence(short, long, sparse_losses(model, windows, recent, random)),
    )


def load_text_model(directory: Path) -> TextModel:
    """A model of text in a directory: one of ours, or one of Hugging Face."""
    from lengthwise.diagnose.influence.hugging_face import SETTINGS, load_hugging_face
    from lengthwise.diagnose.influence.our_model import load_ours

    if (directory / DONE).is_file():
        return load_ours(directory)
    if (directory / "done.json").is_file():
        raise DiagnosisError(
            f"{directory} is the run of a task, whose words are no text; influence is measured on models of text"
        )
    if not (directory / SETTINGS).is_file():
        raise DiagnosisError(
            f"{directory} is no model: neither one of text that `lengthwise reproduce` trained ({DONE}) nor one of "
            f"Hugging Face ({SETTINGS})"
        )
    return load_hugging_face(directory)


def _shown(found: Measured) -> str:
    """A number with its interval, as far as there are any; an end that is infinite is none."""
    if not np.isfinite(found.value):
        return "undefined"
    low, high = (f"{end:.3f}" if np.isfinite(end) else "–" for end in (found.low, found.high))
    return f"{found.value:.3f}" if low == high == "–" else f"{found.value:.3f} [{low}, {high}]"
