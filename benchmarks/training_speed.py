"""How fast one-layer models train: what asking one question, training on counts and folding seeds are worth.

Training steps per cpu-second and seed on one thread, with batches of 1024 words of length 32 drawn as SimpleTask (three
symbols, no positions) and ModPTask (two symbols, period 3) draw theirs. `plain` is an
ordinary module for one seed: attention and MLP at all positions, `torch.optim.Adam`. The others are
`lengthwise.nn.Decoder`, all with the same function: `last query` reads at the last position only, `counts` evaluates on
counts, `counts × 8` does so for eight seeds at once. `×plain` is the ratio of speeds in
this run; the variants take turns, and the best round of each counts. About half of what `plain` takes are page faults
for its large tensors, so a C library that keeps freed memory makes the ratios half as large. Drawing the words is not
part of a step; `drawing` is what it adds, as a share of both, with lengths uniform up to 32 (`runs.training.feeds`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

from benchmarks.timing import cpu_seconds
from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, counts, groups, losses
from lengthwise.runs.training.feeds import AHEAD, Supply
from lengthwise.tasks import CountedTask, ModPTask, SimpleTask

TASKS: dict[str, CountedTask] = {"simple": SimpleTask(2.0), "modp": ModPTask(3)}

LENGTH = 32
BATCH = 1024
SEEDS = 8


@dataclass(frozen=True)
class Speed:
    """One row of the table."""

    task: str
    variant: str
    seeds: int
    steps: float
    """Training steps per cpu-second and seed."""
    ratio: float
    """Against the plain module."""
    drawing: float
    """The share of drawing in drawing and training: counts for models on counts, and else words of one length."""


class Plain(nn.Module):
    """The same model as a user of PyTorch would write it down."""

    def __init__(self, config: DecoderConfig, period: int) -> None:
        super().__init__()
        width, hidden = config.width, config.hidden_by_layer[0]
        self.embedding = nn.Embedding(config.vocabulary, width)
        self.positions = nn.Embedding(period, width)
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.hidden, self.output = nn.Linear(width, hidden), nn.Linear(hidden, width, bias=False)
        self.unembedding = nn.Linear(width, config.outputs, bias=False)
        self.period = period

    def forward(self, tokens: Tensor) -> Tensor:
        """Outputs at the last position."""
        stream = self.embedding(tokens)
        if self.period > 1:
            stream = stream + self.positions(torch.arange(1, tokens.shape[1] + 1) % self.period)
        query, key, value = (each(stream).unsqueeze(1) for each in (self.query, self.key, self.value))
        stream = stream + F.scaled_dot_product_attention(query, key, value, is_causal=True).squeeze(1)
        stream = stream + self.output(F.relu(self.hidden(stream)))
        outputs: Tensor = self.unembedding(stream)[:, -1]
        return outputs


def words(task: str, seeds: int) -> tuple[Tensor, int, int]:
    """Words (seeds, batch, length) of a task, its number of symbols and its period."""
    rng = np.random.default_rng(0)
    if task == "simple":
        shares = rng.dirichlet(np.ones(3), (seeds, BATCH, 1)).cumsum(-1)
        return torch.from_numpy((rng.random((seeds, BATCH, LENGTH, 1)) > shares[..., :2]).sum(-1)), 3, 1
    shares = rng.random((seeds, BATCH, 3))[..., np.arange(1, LENGTH + 1) % 3]
    return torch.from_numpy((rng.random((seeds, BATCH, LENGTH)) < shares).astype(np.int64)), 2, 3


def counted(tokens: Tensor, symbols: int, period: int) -> Tensor:
    """How often each symbol stands at each residue."""
    residues = F.one_hot(torch.arange(1, LENGTH + 1) % period, period)
    return torch.einsum("sbtv,tr->sbvr", F.one_hot(tokens, symbols), residues)


def plain_step(task: str) -> Callable[[], None]:
    """A training step of the plain module."""
    tokens, symbols, period = words(task, 1)
    targets = torch.zeros(BATCH, 1)
    model = Plain(DecoderConfig(vocabulary=symbols, outputs=1), period)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(F.mse_loss(model(tokens[0]), targets))
        optimizer.step()

    return step


def folded_step(task: str, seeds: int, on_counts: bool) -> Callable[[], None]:
    """A training step of a decoder with several seeds."""
    tokens, symbols, period = words(task, seeds)
    targets, statistics, last = torch.zeros(seeds, BATCH, 1), counted(tokens, symbols, period), tokens[:, :, -1]
    config = DecoderConfig(vocabulary=symbols, outputs=1)
    if period > 1:
        config = replace(config, position="periodic", position_parameters={"period": period})
    model = Decoder(config, range(seeds))
    optimizer = FoldedAdam(groups(model))

    def step() -> None:
        optimizer.zero_grad()
        outputs = counts.outputs(model, statistics, last, LENGTH) if on_counts else model(tokens)
        torch.autograd.backward(losses("regression", outputs, targets).sum())
        optimizer.step()

    return step


def drawn_words(task: str) -> Callable[[], None]:
    """Drawing a batch of words of one length."""
    rng = np.random.default_rng(0)

    def draw() -> None:
        TASKS[task].sample(LENGTH, BATCH, rng)

    return draw


def drawn_counts(task: str, seeds: int) -> Callable[[], None]:
    """Drawing as many batches of counts as are drawn at a time."""
    lengths = range(TASKS[task].min_length, LENGTH + 1)
    supplies = [Supply(TASKS[task], lengths, BATCH, True, np.random.default_rng(seed)) for seed in range(seeds)]

    def draw() -> None:
        for supply in supplies:
            for _ in range(AHEAD):
                supply.batch()

    return draw


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` takes fewer rounds."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [row for task in ("simple", "modp") for row in _task(task, rounds=3 if quick else 12)]
    finally:
        torch.set_num_threads(threads)


def _task(task: str, rounds: int) -> list[Speed]:
    variants = {
        ("plain", 1): plain_step(task),
        ("last query", 1): folded_step(task, 1, on_counts=False),
        ("counts", 1): folded_step(task, 1, on_counts=True),
        (f"counts × {SEEDS}", SEEDS): folded_step(task, SEEDS, on_counts=True),
    }
    best = dict.fromkeys(variants, float("inf"))
    for _ in range(rounds):
        for variant, step in variants.items():
            best[variant] = min(best[variant], cpu_seconds(step))
    rates = {variant: variant[1] / seconds for variant, seconds in best.items()}
    plain = rates["plain", 1]
    words = min(cpu_seconds(drawn_words(task), 3) for _ in range(rounds))
    rows = []
    for (name, seeds), rate in rates.items():
        drawing = min(cpu_seconds(drawn_counts(task, seeds), 1) for _ in range(rounds)) / AHEAD
        drawing = drawing if name.startswith("counts") else words * seeds
        rows.append(Speed(task, name, seeds, rate, rate / plain, drawing / (drawing + best[name, seeds])))
    return rows


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    lines = [("task", "variant", "steps per cpu-second and seed", "×plain", "drawing")]
    lines += [(row.task, row.variant, f"{row.steps:,.1f}", f"{row.ratio:,.1f}", f"{row.drawing:.1%}") for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place > 1 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    print(table(measure()))
