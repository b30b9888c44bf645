"""Stopping rules: when a seed has been trained enough.

"Until the training loss crosses below 10^-5" (Izzo et al., appendix C) can mean the first batch below it, which may be
a lucky one, or an average over batches. Both are here; runs say which was used, and how each seed ended.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from lengthwise.runs.settings import StoppingSettings
from lengthwise.runs.store.run_directory import Ending


@dataclass(frozen=True)
class Stop:
    """That a seed stops: its place among those being trained, why, and with which loss."""

    place: int
    ending: Ending
    loss: float


class StoppingRule:
    """Watches the losses of the seeds that are being trained."""

    def __init__(self, settings: StoppingSettings, seeds: int) -> None:
        self._settings = settings
        length = settings.window if settings.rule == "moving-average" else 1
        self._recent: list[deque[float]] = [deque(maxlen=length) for _ in range(seeds)]

    def stops(self, step: int, losses: Sequence[float], accuracies: Sequence[float] | None = None) -> list[Stop]:
        """The seeds that stop at a step, given the losses of its batch before the weights are updated."""
        found: list[Stop] = []
        for place, (loss, recent) in enumerate(zip(losses, self._recent, strict=True)):
            recent.append(loss)
            mean = math.fsum(recent) / len(recent) if math.isfinite(loss) else math.nan
            ending = self._ending(step, mean, len(recent) == recent.maxlen, accuracies[place] if accuracies else 0.0)
            if ending is not None:
                found.append(Stop(place, ending, mean))
        return found

    def keep(self, places: Sequence[int]) -> None:
        """Go on with the seeds at these places."""
        self._recent = [self._recent[place] for place in places]

    @property
    def recent(self) -> list[list[float]]:
        """The losses that the averages of seeds are of."""
        return [list(each) for each in self._recent]

    @recent.setter
    def recent(self, losses: Sequence[Sequence[float]]) -> None:
        self._recent = [deque(each, maxlen=self._recent[0].maxlen) for each in losses]

    def _ending(self, step: int, loss: float, full: bool, accuracy: float) -> Ending | None:
        settings = self._settings
        if not math.isfinite(loss):
            return "diverged"
        if settings.loss is not None and full and loss < settings.loss:
            return "loss"
        # Not at the start: a model that is right by chance has learned nothing.
        if settings.accuracy is not None and step > 0 and accuracy >= settings.accuracy:
            return "accuracy"
        return "steps" if step >= settings.steps else None
