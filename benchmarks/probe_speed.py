"""How fast the trials of a probe train: what asking [CLS] alone, reading bits and folding trials are worth.

Training steps per cpu-second and trial on one thread, for samples of m strings of T bits and the paper's model (Edelman
et al., appendix C.1: width 64, 16 heads, 256 hidden units). `plain` is what one would do without this package: every
trial an ordinary module of its own, trained by autograd and `torch.optim.AdamW`, one after the other. (It is not the
slowest: it asks at [CLS] only, where minGPT asks at all positions.) `tokens` is `lengthwise.nn.Decoder` for one trial,
`bits` the same weights evaluated on bits (`lengthwise.nn.bits`), `bits × 10` ten trials as one folded model, which is
how probes are trained. Gradients are clipped in all of them.

Those are training steps alone. `with looks` is a whole trial, from drawing its data on, with the looks of the preset
`quick` at a holdout sample of 2000 strings every 10 steps; there `bits × 10` is `measure`, whose looks end when there
are too many errors for a success, and `plain` looks at all strings. `×plain` is the ratio of speeds to `plain` of the
same kind, `×bits` that to `bits`, in this run; the variants take turns, and the best round of each counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from benchmarks.timing import cpu_seconds
from lengthwise.experiments import probes
from lengthwise.experiments.probes import Cell
from lengthwise.experiments.probes.problem import holdout, sample
from lengthwise.experiments.probes.trials import AT_ONCE, cross_entropies, started
from lengthwise.nn import bits

SIZES = ((100, 100), (200, 120), (400, 160), (800, 200))
"""Contexts T, and about as many samples m as they need."""
STEPS = 30
"""Of a whole trial with looks: too few for a success, so that all trials are equally long."""
LOOKS = " with looks"


@dataclass(frozen=True)
class Speed:
    """One row of the table."""

    context: int
    samples: int
    variant: str
    trials: int
    steps: float
    """Training steps per cpu-second and trial."""
    ratio: float
    """Against the plain module, one trial after the other."""
    folding: float
    """Against the same evaluation on bits, one trial after the other; NaN where that is not measured."""


class Plain(nn.Module):
    """The same model as a user of PyTorch would write it down."""

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        settings = cell.model
        self.heads, width = settings.heads, settings.width
        self.embedding, self.positions = nn.Embedding(3, width), nn.Embedding(cell.context + 1, width)
        self.attention_norm, self.mlp_norm, self.final_norm = (nn.LayerNorm(width) for _ in range(3))
        self.query, self.mix = nn.Linear(width, width), nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.mlp = nn.Sequential(nn.Linear(width, settings.hidden), nn.GELU(), nn.Linear(settings.hidden, width))
        self.unembedding = nn.Linear(width, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        """Outputs at [CLS], which is last."""
        stream = self.embedding(tokens) + self.positions.weight
        seen = self.attention_norm(stream)
        query, key, value = (
            each.unflatten(2, (self.heads, -1)).transpose(1, 2)
            for each in (self.query(seen[:, -1:]), *self.key_value(seen).chunk(2, dim=2))
        )
        means = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)[:, 0]
        last = stream[:, -1] + self.mix(means)
        last = last + self.mlp(self.mlp_norm(last))
        outputs: Tensor = self.unembedding(self.final_norm(last))
        return outputs


def data(cell: Cell, trials: int) -> tuple[Tensor, Tensor]:
    """Strings (trials, m, T) and labels (trials, m)."""
    drawn = [sample(cell, trial) for trial in range(trials)]
    strings, labels = (torch.from_numpy(np.stack([each[which] for each in drawn])).long() for which in (0, 1))
    return strings, labels


def tokens_of(strings: Tensor) -> Tensor:
    """Strings with [CLS] behind them."""
    return torch.cat([strings, torch.full_like(strings[..., :1], bits.CLS)], dim=-1)


def plain_step(cell: Cell, model: Plain | None = None) -> Callable[[], None]:
    """A training step of the plain module."""
    strings, labels = data(cell, 1)
    tokens = tokens_of(strings)[0]
    model = model or Plain(cell)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cell.model.rate, weight_decay=cell.model.weight_decay)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(F.cross_entropy(model(tokens), labels[0]))
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def plain_trial(cell: Cell) -> None:
    """A whole trial of the plain module: success is what the holdout sample says at a look."""
    model = Plain(cell)
    step = plain_step(cell, model)
    ((strings, labels),) = holdout(cell, 0).parts(cell.holdout)
    tokens, expected = tokens_of(torch.from_numpy(strings).long()), torch.from_numpy(labels).long()
    for number in range(cell.steps + 1):
        if number % cell.check_every == 0:
            with torch.no_grad():
                accuracy = (model(tokens).argmax(1) == expected).double().mean().item()
            if accuracy > cell.accuracy:
                return
        step()


def folded_step(cell: Cell, trials: int, on_bits: bool) -> Callable[[], None]:
    """A training step of a decoder with several trials."""
    strings, labels = data(cell, trials)
    tokens, chosen = tokens_of(strings), bits.choices(strings)
    model, optimizer = started(cell, range(trials))

    def step() -> None:
        optimizer.zero_grad()
        outputs = bits.outputs(model, chosen) if on_bits else model(tokens)
        torch.autograd.backward(cross_entropies(outputs, labels).sum())
        optimizer.step()

    return step


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` leaves out the long contexts."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        sizes = SIZES[:2] if quick else SIZES
        return [row for size in sizes for row in _size(*size, rounds=3 if quick else 6)]
    finally:
        torch.set_num_threads(threads)


def _size(context: int, samples: int, rounds: int) -> list[Speed]:
    cell = Cell(context=context, samples=samples)
    whole = Cell(context=context, samples=samples, trials=AT_ONCE, steps=STEPS, holdout=2000)
    folded = f"bits × {AT_ONCE}"
    variants: dict[tuple[str, int], Callable[[], object]] = {
        ("plain", 1): plain_step(cell),
        ("tokens", 1): folded_step(cell, 1, on_bits=False),
        ("bits", 1): folded_step(cell, 1, on_bits=True),
        (folded, AT_ONCE): folded_step(cell, AT_ONCE, on_bits=True),
        ("plain" + LOOKS, 1): lambda: plain_trial(whole),
        (folded + LOOKS, AT_ONCE): lambda: probes.measure(whole),
    }
    best = dict.fromkeys(variants, float("inf"))
    for number in range(rounds):
        for variant, work in variants.items():
            if LOOKS not in variant[0]:
                best[variant] = min(best[variant], cpu_seconds(work, calls=5))
            elif number < 2:  # seconds long, so that two are enough
                best[variant] = min(best[variant], cpu_seconds(work, calls=1, warm=False) / STEPS)
    rates = {variant: variant[1] / seconds for variant, seconds in best.items()}
    alone = rates["bits", 1]
    found = []
    for (name, trials), rate in rates.items():
        looks = LOOKS in name
        plain = rates["plain" + LOOKS if looks else "plain", 1]
        found.append(Speed(context, samples, name, trials, rate, rate / plain, math.nan if looks else rate / alone))
    return found


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    lines = [("T", "m", "variant", "steps per cpu-second and trial", "×plain", "×bits")]
    for row in rows:
        numbers = f"{row.steps:,.1f}", f"{row.ratio:,.1f}", "–" if math.isnan(row.folding) else f"{row.folding:,.1f}"
        lines.append((str(row.context), str(row.samples), row.variant, *numbers))
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data, with null for what was not measured."""
    return [{**asdict(row), "folding": None if math.isnan(row.folding) else row.folding} for row in rows]


if __name__ == "__main__":
    print(table(measure()))
