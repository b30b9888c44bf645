"""Learning from fresh batches: parities that are found all of a sudden (Edelman et al., Figure 3 and appendix C.2).

Every step has a new batch of 2048 strings, so there is no sample to be fitted and no holdout sample: the loss of a
batch before it is learned from is a test loss. All trials of a context are one folded model, each with its own hidden
places and its own batches. A trial ends after the last step, or when its loss has stayed below `stop` for `patience`
looks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from lengthwise.experiments.probes.answers import answers
from lengthwise.experiments.probes.cell import Probe
from lengthwise.experiments.probes.outcome import Curve
from lengthwise.experiments.probes.problem import BATCHES, drawn, hidden_places
from lengthwise.experiments.probes.trials import AT_ONCE, cross_entropies, fewer, in_parts, started
from lengthwise.runs.settings import Positive, PositiveReal
from lengthwise.runs.training.one_thread import one_thread


class Online(Probe):
    """Trials with fresh batches; the defaults are those of the paper's Figure 3."""

    function: str = "parity-3"
    trials: Positive = 10
    batch: Positive = 2048
    steps: Positive = 10_000
    every: Positive = 10
    """Steps between the losses that are kept."""
    stop: PositiveReal | None = 1e-2
    """A loss below which nothing more is going to happen; None trains to the last step."""
    patience: Positive = 3


@dataclass(frozen=True)
class Curves:
    """The loss curves of all trials."""

    cell: Online
    curves: tuple[Curve, ...]

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        last = ", ".join(f"{curve.losses[-1]:.2g}" for curve in self.curves)
        return f"{self.cell.function}, T = {self.cell.context}: last losses {last}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; null for a loss that is no number."""
        return {"cell": self.cell.model_dump(mode="json"), "curves": [asdict(curve) for curve in self.curves]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `as_json` gave."""
        curves = []
        for each in data["curves"]:
            losses = tuple(math.nan if loss is None else float(loss) for loss in each["losses"])
            curves.append(Curve(**{**each, "places": tuple(each["places"]), "losses": losses}))
        return cls(Online(**data["cell"]), tuple(curves))


def watch(cell: Online, at_once: int = AT_ONCE) -> Curves:
    """The loss curves of all trials; how many are trained at once does not change them."""
    with one_thread():
        return Curves(cell, tuple(curve for part in in_parts(cell.trials, at_once) for curve in _watched(cell, part)))


def _watched(cell: Online, trials: Sequence[int]) -> list[Curve]:
    import torch

    from lengthwise.nn import bits

    model, optimizer = started(cell, trials)
    running = list(trials)
    streams = {trial: cell.stream(trial, BATCHES) for trial in trials}
    kept: dict[int, list[float]] = {trial: [] for trial in trials}
    for step in range(cell.steps + 1):
        batches = [drawn(cell, trial, cell.batch, streams[trial]) for trial in running]
        chosen = bits.choices(torch.from_numpy(np.stack([strings for strings, _ in batches])))
        targets = torch.from_numpy(np.stack([labels for _, labels in batches])).long()
        losses = cross_entropies(answers(model, chosen), targets)
        stays = [True] * len(running)
        if step % cell.every == 0:
            for place, (trial, loss) in enumerate(zip(running, losses.tolist(), strict=True)):
                kept[trial].append(loss)
                stays[place] = not _is_over(cell, kept[trial])
        staying = [place for place, stay in enumerate(stays) if stay]
        if not staying or step == cell.steps:
            break
        optimizer.zero_grad()
        losses.sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step(stays)
        if len(staying) < len(running):
            model, optimizer = fewer(cell.model, model, optimizer, staying)
            running = [running[place] for place in staying]
    return [Curve(trial, hidden_places(cell, trial), cell.every, tuple(kept[trial])) for trial in trials]


def _is_over(cell: Online, losses: Sequence[float]) -> bool:
    """Whether a trial has nothing left to show: it diverged, or its last losses are all small."""
    if not math.isfinite(losses[-1]):
        return True
    recent = losses[-cell.patience :]
    return cell.stop is not None and len(recent) == cell.patience and max(recent) < cell.stop
