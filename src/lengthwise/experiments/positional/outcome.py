"""What came of fitting a function: plain data that goes into files and comes back from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from lengthwise.experiments.positional.cell import Cell


@dataclass(frozen=True)
class Look:
    """A test of one trial after so many steps."""

    step: int
    losses: tuple[float, ...]
    """The mean squared error over all windows of each test length; NaN if the trial diverged."""


@dataclass(frozen=True)
class Fit:
    """The tests of one trial; the last one counts."""

    trial: int
    looks: tuple[Look, ...]

    @property
    def losses(self) -> tuple[float, ...]:
        """By test length, after the last step."""
        return self.looks[-1].losses


@dataclass(frozen=True)
class Fits:
    """A cell with its trials, in their order."""

    cell: Cell
    trials: tuple[Fit, ...]
    seconds: float = field(default=math.nan, compare=False)
    """What it took."""
    environment: Mapping[str, Any] | None = field(default=None, compare=False)
    """What it was computed with; known of results that come from a file."""

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        at = self.cell.test_lengths[-1]
        last = ", ".join(f"{trial.losses[-1]:.3g}" for trial in self.trials)
        return f"{self.cell.function}, d = {self.cell.width}: loss {last} at length {at}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; null for a loss that is no number."""
        return {
            "cell": self.cell.model_dump(mode="json"),
            "trials": [asdict(trial) for trial in self.trials],
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `as_json` gave."""
        trials = [
            Fit(each["trial"], tuple(Look(look["step"], tuple(map(_loss, look["losses"]))) for look in each["looks"]))
            for each in data["trials"]
        ]
        return cls(Cell(**data["cell"]), tuple(trials), _loss(data["seconds"]), data.get("environment"))


def _loss(value: float | None) -> float:
    return math.nan if value is None else float(value)
