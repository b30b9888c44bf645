"""`Outcomes`: what a store has on the cells of an experiment, and what is still lacking."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lengthwise.experiments.generalization.cell import Cell, Scheme
from lengthwise.experiments.generalization.measured import Measured, Outcome
from lengthwise.experiments.generalization.names import Verdict, bin_names, verdict
from lengthwise.runs.grid import flat

if TYPE_CHECKING:
    from lengthwise.experiments.generalization.experiment import Generalization

OUTCOMES: tuple[Outcome, ...] = ("generalizes", "fails", "not learned", "not run")


@dataclass(frozen=True)
class Outcomes:
    """The cells of a preset with the seeds that were trained."""

    experiment: Generalization
    preset: str
    measured: tuple[Measured, ...]

    @property
    def judged(self) -> tuple[Measured, ...]:
        """The cells that theories are about: all but the baselines."""
        return tuple(each for each in self.measured if each.cell.scheme != "baseline")

    @property
    def baselines(self) -> tuple[Measured, ...]:
        """The models that see the current symbol alone."""
        return tuple(each for each in self.measured if each.cell.scheme == "baseline")

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """The schemes that there are cells of, APE first as in the paper."""
        there = {each.cell.scheme for each in self.judged}
        order: tuple[Scheme, ...] = ("ape", "nope")
        return tuple(scheme for scheme in order if scheme in there)

    @cached_property
    def tasks(self) -> dict[str, dict[Scheme, Measured]]:
        """The cells by task and scheme, in the order of the experiment."""
        found: dict[str, dict[Scheme, Measured]] = {}
        for each in self.measured:
            found.setdefault(each.cell.task, {})[each.cell.scheme] = each
        return found

    @cached_property
    def reported(self) -> tuple[Measured, ...]:
        """The accuracies that the authors report, of all cells of the experiment, whatever the preset trains."""
        return tuple(self.experiment.figure.reported())

    @property
    def absent(self) -> list[str]:
        """The tasks of the experiment that the preset leaves out."""
        return [entry.task for entry in self.experiment.figure.entries if entry.task not in self.tasks]

    @property
    def changes(self) -> list[str]:
        """The settings in which the preset differs from the experiment, models aside."""
        changed = flat(self.experiment.figure.preset(self.preset).settings)
        return [f"{name} = {json.dumps(value)}" for name, value in changed]

    @property
    def bins(self) -> list[str]:
        """The bins of test lengths; all cells of an experiment have the same."""
        return bin_names(self.measured[0].cell.bins)

    @property
    def models(self) -> int:
        """How many models were trained and are looked at."""
        return sum(len(each.seeds) for each in self.measured)

    @property
    def seeds(self) -> list[int]:
        """The numbers of the seeds that were trained, of whichever cells."""
        return sorted({seed.number for each in self.measured for seed in each.seeds})

    def lacking(self) -> list[tuple[Cell, int]]:
        """The cells that want more seeds, each with the number of models that it wants next."""
        found = []
        for each in self.measured:
            wanted = each.cell.next(list(each.seeds))
            if wanted is not None:
                found.append((each.cell, len(wanted.seeds) - len(each.seeds)))
        return found

    def with_outcome(self, *outcomes: Outcome) -> list[Measured]:
        """The cells with one of some outcomes, baselines aside."""
        return [each for each in self.judged if each.outcome in outcomes]


def chosen(
    cells: Sequence[Measured], scheme: Scheme | None = None, said: Verdict | None = None, outcome: Outcome | None = None
) -> list[Measured]:
    """The cells of a scheme, with a verdict, with an outcome."""
    return [
        each
        for each in cells
        if (scheme is None or each.cell.scheme == scheme)
        and (said is None or verdict(each.cell.task, each.cell.scheme) == said)
        and (outcome is None or each.outcome == outcome)
    ]
