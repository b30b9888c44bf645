"""What came of trials: plain data that goes into files and comes back from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from lengthwise.experiments.probes.cell import Cell

Ending = Literal["success", "steps", "diverged"]


@dataclass(frozen=True)
class Outcome:
    """How one trial ended."""

    trial: int
    places: tuple[int, ...]
    """Where the bits were that it had to find."""
    ending: Ending
    """`success`: the accuracy on the holdout sample was high enough; `steps`: it never was; `diverged`: nor can be."""
    step: int
    """After so many steps."""
    loss: float
    """On the sample, when it was last looked at; NaN if it diverged."""

    @property
    def success(self) -> bool:
        """Whether the function was found."""
        return self.ending == "success"


@dataclass(frozen=True)
class Outcomes:
    """A cell with the outcomes of its trials, in their order."""

    cell: Cell
    trials: tuple[Outcome, ...]

    @property
    def successes(self) -> tuple[bool, ...]:
        """Of each trial."""
        return tuple(trial.success for trial in self.trials)

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        found = f"{sum(self.successes)} of {len(self.trials)} trials succeed"
        return f"{self.cell.function}, T = {self.cell.context}, m = {self.cell.samples}: {found}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {"cell": self.cell.model_dump(mode="json"), "trials": [asdict(trial) for trial in self.trials]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `as_json` gave."""
        trials = []
        for each in data["trials"]:
            loss = float("nan") if each["loss"] is None else each["loss"]
            trials.append(Outcome(**{**each, "places": tuple(each["places"]), "loss": loss}))
        return cls(Cell(**data["cell"]), tuple(trials))


@dataclass(frozen=True)
class Curve:
    """The losses of one trial on fresh batches, each before the step that learns from it."""

    trial: int
    places: tuple[int, ...]
    every: int
    """Losses are kept every so many steps, from step 0 on."""
    losses: tuple[float, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """At which there is a loss."""
        return tuple(range(0, self.every * len(self.losses), self.every))
