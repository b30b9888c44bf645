"""How fast products are fitted to a positional function: what counting pairs in place of building windows is worth.

Training steps per cpu-second and trial on one thread, at the settings of Huang et al., appendix G.2 (64 windows of 50
among 200 positions). `windows` is a step as one would write it down: the vectors of every window are looked up, all
products within it computed, and the rest left to autograd and `torch.optim.Adam`. `pairs` is a step of
`experiments.positional` for one trial, `pairs × 3` for three at once, which is how cells are fitted. `×windows` are
ratios of speeds in this run; the variants take turns, and the best round of each counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from benchmarks.timing import cpu_seconds
from lengthwise.experiments.positional import Cell
from lengthwise.experiments.positional.fitting import Pairs, batches, gradients, started

WIDTHS = (32, 256)
TRIALS = 3


@dataclass(frozen=True)
class Speed:
    """One row of the table."""

    width: int
    variant: str
    trials: int
    steps: float
    """Training steps per cpu-second and trial."""
    ratio: float
    """Against windows."""


def windows_step(cell: Cell) -> Callable[[], None]:
    """A training step on windows."""
    vectors, both = (torch.nn.Parameter(each[0]) for each in started(cell, [0]))
    target = torch.from_numpy(cell.height * cell.positional_function.table(cell.window)).float()
    causal = torch.ones(cell.window, cell.window, dtype=torch.bool).tril()
    optimizer = torch.optim.Adam([vectors, both], lr=cell.rate)

    def step() -> None:
        starts = torch.randint(cell.positions - cell.window + 1, (cell.batch, 1))
        keys, queries = (vectors[starts + torch.arange(cell.window)] @ both.T).chunk(2, dim=-1)
        errors = (queries @ keys.mT - target)[:, causal]
        optimizer.zero_grad()
        sizes = vectors.square().mean() + 2 * both.square().mean()
        torch.autograd.backward(errors.square().mean() + cell.penalty * sizes)
        optimizer.step()

    return step


def pairs_step(cell: Cell, trials: int) -> Callable[[], None]:
    """A training step on counts of pairs."""
    vectors, both = (torch.nn.Parameter(each) for each in started(cell, range(trials)))
    target = torch.from_numpy(cell.height * cell.positional_function.table(cell.positions)).float()
    optimizer = torch.optim.Adam([vectors, both], lr=cell.rate, fused=True)
    pairs, drawn = Pairs(cell.positions, cell.window, vectors), batches(cell, range(trials))

    def step() -> None:
        weights = pairs.weights(next(drawn))
        vectors.grad, both.grad = gradients(vectors.detach(), both.detach(), weights, target, cell.penalty)
        optimizer.step()

    return step


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` leaves out the large width."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [row for width in (WIDTHS[:1] if quick else WIDTHS) for row in _width(width, rounds=3 if quick else 6)]
    finally:
        torch.set_num_threads(threads)


def _width(width: int, rounds: int) -> list[Speed]:
    cell = Cell(function="j = i - 1", width=width)
    variants = {
        ("windows", 1): windows_step(cell),
        ("pairs", 1): pairs_step(cell, 1),
        (f"pairs × {TRIALS}", TRIALS): pairs_step(cell, TRIALS),
    }
    best = dict.fromkeys(variants, float("inf"))
    for _ in range(rounds):
        for variant, step in variants.items():
            best[variant] = min(best[variant], cpu_seconds(step))
    rates = {variant: variant[1] / seconds for variant, seconds in best.items()}
    plain = rates["windows", 1]
    return [Speed(width, name, trials, rate, rate / plain) for (name, trials), rate in rates.items()]


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    lines = [f"{'d':>4}  {'variant':10}  steps per cpu-second and trial  ×windows"]
    lines += [f"{row.width:4}  {row.variant:10}  {row.steps:30,.0f}  {row.ratio:8.1f}" for row in rows]
    return "\n".join(lines)


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    print(table(measure()))
