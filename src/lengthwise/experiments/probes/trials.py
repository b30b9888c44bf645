"""Training the trials of a cell as one folded model, each with its own data, hidden places and end.

A trial is over as soon as its outcome is certain: when its accuracy on the holdout sample is high enough, or after the
last step. A look at the holdout sample ends as soon as there are too many errors for that. So outcomes are those that
the whole of every look would give, and a trial's numbers have the same bits whatever other trials there are.

`follow` watches trials to the last step (Edelman et al., Figure 2, right).

A trial of a cell ends when its outcome is certain, and a look at its holdout sample when there are too many errors. An
example has the data and the weights of the same trial of the cell, but goes on to the last step, and every look is at
the whole holdout sample. So one sees both regimes: with too few samples the loss on the holdout sample rises while that
on the sample falls, with enough of them both fall.

`watch` is about fresh batches: parities are found all of a sudden (Edelman et al., Figure 3 and appendix C.2).

Every step has a new batch of 2048 strings, so there is no sample to be fitted and no holdout sample: the loss of a
batch before it is learned from is a test loss. All trials of a context are one folded model, each with its own hidden
places and its own batches. A trial ends after the last step, or when its loss has stayed below `stop` for `patience`
looks.

`answers` asks models by `nn.bits`, and token by token where that runs out of digits.

`nn.bits` takes all exponentials of a head relative to its largest logit, so that a string far below it has no average,
and says NaN. A trial that has found its function may attend so sharply that this happens: it is no divergence, and the
model has an answer. Strings without one are asked as tokens, each relative to its own largest logit. That is slow, and
rare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.probes.cell import (
    Cell,
    Curve,
    Curves,
    Ending,
    Example,
    Examples,
    Online,
    Outcome,
    Outcomes,
    Probe,
    ProbeModel,
    TrainingCurve,
)
from lengthwise.experiments.probes.function import Bits
from lengthwise.experiments.probes.problem import BATCHES, Holdout, drawn, hidden_places, holdout, sample
from lengthwise.runs.training.one_thread import one_thread

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder
    from lengthwise.nn.optimizer import FoldedAdam, ParameterGroup

AT_ONCE = 10
"""Trials in one model. More of them share no more work, and leave the cache."""
LOOK = 1000
"""Strings of the holdout sample that are looked at before the errors are counted."""
SLICE = 50
"""Strings that are asked as tokens at once: all tokens of all of them are in memory."""


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
    from lengthwise.nn.initialisation import Rates, groups

    rate = settings.rate
    rates = Rates(embedding=rate, hidden=rate, readout=rate, bias=rate, scaling="plain", decaying="matrices")
    return groups(model, rates)


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


def answers(model: Decoder, chosen: Tensor) -> Tensor:
    """Outputs (trials, strings, 2) at [CLS] for strings given by their `choices`; NaN only if the weights are."""
    import torch

    from lengthwise.nn import bits

    found = bits.outputs(model, chosen)
    lost = torch.isnan(found.detach()).any(dim=2, keepdim=True)
    if not lost.any():
        return found
    # Again without them: NaN times a gradient of 0 is NaN. A string with all vectors at once, which there is none, has
    # the largest logit among them.
    found = bits.outputs(model, torch.where(lost, torch.ones_like(chosen), chosen))
    lost &= torch.isfinite(found.detach()).all(dim=2, keepdim=True)  # weights that are NaN have no answer either way
    parts = []
    # Slices are the same whichever strings are lost, so that a trial's numbers do not depend on the other trials.
    for begin in range(0, chosen.shape[1], SLICE):
        part, missing = (each[:, begin : begin + SLICE] for each in (found, lost))
        if missing.any():
            part = torch.where(missing, model(_tokens(chosen[:, begin : begin + SLICE])), part)
        parts.append(part)
    return torch.cat(parts, dim=1)


def _tokens(chosen: Tensor) -> Tensor:
    """Strings with [CLS] behind them, from their choices."""
    import torch

    from lengthwise.nn.bits import CLS

    strings = chosen[..., chosen.shape[2] // 2 : -1].long()
    return torch.cat([strings, torch.full_like(strings[..., :1], CLS)], dim=2)
