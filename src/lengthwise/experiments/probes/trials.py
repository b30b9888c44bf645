"""Training the trials of a cell as one folded model, each with its own data, hidden places and end.

A trial is over as soon as its outcome is certain: when its accuracy on the holdout sample is high enough, or after the
last step. A look at the holdout sample ends as soon as there are too many errors for that. So outcomes are those that
the whole of every look would give, and a trial's numbers have the same bits whatever other trials there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.probes.answers import answers
from lengthwise.experiments.probes.cell import Cell, Probe, ProbeModel
from lengthwise.experiments.probes.function import Bits
from lengthwise.experiments.probes.outcome import Ending, Outcome, Outcomes
from lengthwise.experiments.probes.problem import Holdout, hidden_places, holdout, sample
from lengthwise.runs.training.one_thread import one_thread

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder
    from lengthwise.nn.optimizer import FoldedAdam, ParameterGroup

AT_ONCE = 10
"""Trials in one model. More of them share no more work, and leave the cache."""
LOOK = 1000
"""Strings of the holdout sample that are looked at before the errors are counted."""


def measure(cell: Cell, at_once: int = AT_ONCE) -> Outcomes:
    """The outcomes of all trials of a cell; how many are trained at once does not change them."""
    with one_thread():
        return Outcomes(
            cell, tuple(outcome for part in in_parts(cell.trials, at_once) for outcome in trained(cell, part))
        )


def in_parts(trials: int, at_once: int) -> list[range]:
    """The numbers of all trials, as many in a part as are trained at once."""
    return [range(trials)[begin : begin + at_once] for begin in range(0, trials, at_once)]


def trained(cell: Cell, trials: Sequence[int]) -> list[Outcome]:
    """The outcomes of some trials, trained together."""
    import torch

    from lengthwise.nn import bits

    model, optimizer = started(cell, trials)
    running = [_Trial(number, hidden_places(cell, number), holdout(cell, number)) for number in trials]
    samples = [sample(cell, number) for number in trials]
    chosen = bits.choices(torch.from_numpy(np.stack([strings for strings, _ in samples])))
    targets = torch.from_numpy(np.stack([labels for _, labels in samples])).long()
    ended: dict[int, Outcome] = {}
    for step in range(cell.steps + 1):
        losses = cross_entropies(answers(model, chosen), targets)
        values = losses.tolist()
        ends: dict[int, Ending] = {place: "diverged" for place, loss in enumerate(values) if not math.isfinite(loss)}
        if step % cell.check_every == 0 or step == cell.steps:
            found = found_out(cell, model, [trial.holdout for trial in running])
            ends |= {place: "success" for place in found if place not in ends}
        if step == cell.steps:
            ends = {place: ends.get(place, "steps") for place in range(len(running))}
        for place, ending in ends.items():
            trial = running[place]
            loss = values[place] if ending != "diverged" else math.nan
            ended[trial.number] = Outcome(trial.number, trial.places, ending, step, loss)
        staying = [place for place in range(len(running)) if place not in ends]
        if not staying:
            break
        optimizer.zero_grad()
        losses.sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step([place in staying for place in range(len(running))])
        if ends:
            model, optimizer = fewer(cell.model, model, optimizer, staying)
            running, chosen, targets = [running[place] for place in staying], chosen[staying], targets[staying]
    return [ended[number] for number in trials]


@dataclass(frozen=True, eq=False)
class _Trial:
    number: int
    places: tuple[int, ...]
    holdout: Holdout


def started(probe: Probe, trials: Sequence[int]) -> tuple[Decoder, FoldedAdam]:
    """The model of some trials and its optimizer, before the first step."""
    from lengthwise.nn.model import Decoder
    from lengthwise.nn.optimizer import FoldedAdam

    settings = probe.model
    model = Decoder(settings.decoder(probe.context), [probe.weights_seed(trial) for trial in trials])
    optimizer = FoldedAdam(
        _groups(settings, model),
        settings.betas,
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.longest_gradient,
    )
    return model, optimizer


def fewer(
    settings: ProbeModel, model: Decoder, optimizer: FoldedAdam, staying: Sequence[int]
) -> tuple[Decoder, FoldedAdam]:
    """The model and the optimizer that go on with the trials at these places."""
    smaller = model.subset(staying)
    return smaller, optimizer.subset(_groups(settings, smaller), staying)


def cross_entropies(outputs: Tensor, targets: Tensor) -> Tensor:
    """The loss of each trial (trials,) for outputs (trials, m, 2) and labels (trials, m)."""
    from lengthwise.nn.loss import losses

    return losses("next-token", outputs, targets.unsqueeze(2))


def found_out(cell: Cell, model: Decoder, holdouts: Sequence[Holdout]) -> list[int]:
    """The places of the trials whose accuracy on their holdout samples is greater than the cell asks for."""
    import torch

    from lengthwise.nn import bits

    places, errors = list(range(len(holdouts))), np.zeros(len(holdouts), dtype=np.int64)
    with torch.no_grad():
        for parts in zip(*(each.parts(LOOK) for each in holdouts), strict=True):
            strings, labels = (np.stack([parts[place][which] for place in places]) for which in (0, 1))
            outputs = answers(model, bits.choices(torch.from_numpy(strings))).numpy()
            errors[places] += (~right_answers(outputs, labels)).sum(axis=1)
            good = [1 - int(errors[place]) / cell.holdout > cell.accuracy for place in places]
            if not all(good):
                staying = [number for number, fine in enumerate(good) if fine]
                if not staying:
                    return []
                model, places = model.subset(staying), [places[number] for number in staying]
    return places


def right_answers(outputs: npt.NDArray[np.float32], labels: Bits) -> Bits:
    """Whether the larger of two outputs (…, 2) is that of the label (…); NaN is no answer, and compares to neither."""
    return np.where(labels, outputs[..., 1] > outputs[..., 0], outputs[..., 0] >= outputs[..., 1])


def _groups(settings: ProbeModel, model: Decoder) -> list[ParameterGroup]:
    from lengthwise.nn.mup import Rates, groups

    rate = settings.rate
    rates = Rates(embedding=rate, hidden=rate, readout=rate, bias=rate, scaling="plain", decaying="matrices")
    return groups(model, rates)
