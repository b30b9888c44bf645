"""Example training curves: trials that are watched to the last step (Edelman et al., Figure 2, right).

A trial of a cell ends when its outcome is certain, and a look at its holdout sample when there are too many errors. An
example has the data and the weights of the same trial of the cell, but goes on to the last step, and every look is at
the whole holdout sample. So one sees both regimes: with too few samples the loss on the holdout sample rises while that
on the sample falls, with enough of them both fall.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lengthwise.experiments.probes.answers import answers
from lengthwise.experiments.probes.cell import Cell
from lengthwise.experiments.probes.problem import Holdout, hidden_places, holdout, sample
from lengthwise.experiments.probes.trials import AT_ONCE, LOOK, cross_entropies, in_parts, right_answers, started
from lengthwise.runs.settings import Positive
from lengthwise.runs.training.one_thread import one_thread

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder


class Example(Cell):
    """A cell with a few trials that are there to be looked at."""

    trials: Positive = 3


@dataclass(frozen=True)
class TrainingCurve:
    """One trial at every look, from step 0 on; a number is NaN where the model had none."""

    trial: int
    places: tuple[int, ...]
    steps: tuple[int, ...]
    losses: tuple[float, ...]
    """On the sample."""
    holdout_losses: tuple[float, ...]
    holdout_accuracies: tuple[float, ...]


@dataclass(frozen=True)
class Examples:
    """An example with the curves of its trials, in their order."""

    cell: Example
    curves: tuple[TrainingCurve, ...]

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        best = ", ".join(f"{max(curve.holdout_accuracies):.3f}" for curve in self.curves)
        where = f"T = {self.cell.context}, m = {self.cell.samples}"
        return f"{self.cell.function}, {where}: best accuracies of the examples {best}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {"cell": self.cell.model_dump(mode="json"), "curves": [asdict(curve) for curve in self.curves]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `as_json` gave, with null for a number that is none."""
        curves = []
        for each in data["curves"]:
            losses, seen, accuracies = (
                tuple(math.nan if number is None else float(number) for number in each[name])
                for name in ("losses", "holdout_losses", "holdout_accuracies")
            )
            places, steps = tuple(each["places"]), tuple(each["steps"])
            curves.append(TrainingCurve(each["trial"], places, steps, losses, seen, accuracies))
        return cls(Example(**data["cell"]), tuple(curves))


def follow(cell: Example, at_once: int = AT_ONCE) -> Examples:
    """The curves of all trials; how many are trained at once does not change them."""
    with one_thread():
        return Examples(
            cell, tuple(curve for part in in_parts(cell.trials, at_once) for curve in _followed(cell, part))
        )


def _followed(cell: Example, trials: Sequence[int]) -> list[TrainingCurve]:
    import torch

    from lengthwise.nn import bits

    model, optimizer = started(cell, trials)
    samples = [sample(cell, number) for number in trials]
    holdouts = [holdout(cell, number) for number in trials]
    chosen = bits.choices(torch.from_numpy(np.stack([strings for strings, _ in samples])))
    targets = torch.from_numpy(np.stack([labels for _, labels in samples])).long()
    steps: list[int] = []
    rows: list[tuple[list[float], ...]] = []
    for step in range(cell.steps + 1):
        losses = cross_entropies(answers(model, chosen), targets)
        if step % cell.check_every == 0 or step == cell.steps:
            steps.append(step)
            rows.append((losses.tolist(), *_look(cell, model, holdouts)))
        if step < cell.steps:
            optimizer.zero_grad()
            losses.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    columns = [[tuple(row[kind][place] for row in rows) for kind in range(3)] for place in range(len(trials))]
    return [
        TrainingCurve(number, hidden_places(cell, number), tuple(steps), *columns[place])
        for place, number in enumerate(trials)
    ]


def _look(cell: Example, model: Decoder, holdouts: Sequence[Holdout]) -> tuple[list[float], list[float]]:
    """The loss and the accuracy of each trial on the whole of its holdout sample."""
    import torch

    from lengthwise.nn import bits

    losses, right = np.zeros(len(holdouts)), np.zeros(len(holdouts), dtype=np.int64)
    with torch.no_grad():
        for parts in zip(*(each.parts(LOOK) for each in holdouts), strict=True):
            strings, labels = (np.stack([part[which] for part in parts]) for which in (0, 1))
            outputs = answers(model, bits.choices(torch.from_numpy(strings)))
            means = cross_entropies(outputs, torch.from_numpy(labels).long()).double().numpy()
            losses += means * labels.shape[1] / cell.holdout
            right += right_answers(outputs.numpy(), labels).sum(axis=1)
    return losses.tolist(), (right / cell.holdout).tolist()
