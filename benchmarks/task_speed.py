"""How fast tasks draw words: never the bottleneck of training.

Columns, in microseconds for one word, drawn 1024 at a time: `words` with their targets, `counts` the sufficient
statistic of the same words where the task has one. `×words` is words / counts. For comparison, the first row draws
nothing but one uniform number for each symbol. In the last column stands the growth from the shorter to the longer
words: 8 is linear, and counts do not grow.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.timing import seconds
from lengthwise.subjects import task_of
from lengthwise.tasks import CountedTask, Task

LENGTHS = (32, 256)
BATCH = 1024
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "simple-task": ("simple-task", {}),
    "mod-p-task, period 3": ("mod-p-task", {"period": 3}),
    "mod-p-task, period 8": ("mod-p-task", {"period": 8}),
    "k-gram, context 1 of 3": ("k-gram", {"context": 1, "alphabet_size": 3}),
    "k-gram, context 1 of 8": ("k-gram", {"context": 1, "alphabet_size": 8}),
    "k-gram, context 3 of 2": ("k-gram", {"context": 3, "alphabet_size": 2}),
    "language (aa)*": ("(aa)*", {}),
    "language tomita-3": ("tomita-3", {}),
    "language d12": ("d12", {}),
    "program induction-all, uniform": ("induction-all", {"followed": 0.0}),
    "program induction-all, followed": ("induction-all", {"followed": 1.0}),
    "program sort": ("sort", {}),
}
"""What is measured: names and parameters."""
NOTHING_BUT_NUMBERS = "(uniform numbers)"


@dataclass(frozen=True)
class Speed:
    """One row of the table, in microseconds for a word; None where a task has no counts."""

    task: str
    length: int
    words: float
    counts: float | None


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` takes less time for each."""
    rng = np.random.default_rng(0)
    budget = 0.05 if quick else 0.4
    rows = [_numbers(length, rng, budget) for length in LENGTHS]
    for title, (name, parameters) in TASKS.items():
        task = task_of(name, **parameters)
        rows += [_row(title, task, length, rng, budget) for length in LENGTHS]
    return rows


def _numbers(length: int, rng: np.random.Generator, budget: float) -> Speed:
    return Speed(NOTHING_BUT_NUMBERS, length, _each(seconds(lambda: rng.random((BATCH, length)), budget)), None)


def _row(title: str, task: Task, length: int, rng: np.random.Generator, budget: float) -> Speed:
    words = _each(seconds(lambda: task.sample(length, BATCH, rng), budget))
    if not isinstance(task, CountedTask):
        return Speed(title, length, words, None)
    return Speed(title, length, words, _each(seconds(lambda: task.sample_counts(length, BATCH, rng), budget)))


def _each(time: float) -> float:
    return 1e6 * time / BATCH


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    lines: list[tuple[str, ...]] = [("task", "length", "words", "counts", "×words", "growth")]
    shorter = {row.task: row.words for row in rows if row.length == LENGTHS[0]}
    for row in rows:
        ratio = f"{row.words / row.counts:.1f}" if row.counts else "-"
        growth = f"{row.words / shorter[row.task]:.1f}" if row.length != LENGTHS[0] else "-"
        counts = "-" if row.counts is None else f"{row.counts:.2g}"
        lines.append((row.task, str(row.length), f"{row.words:.2g}", counts, ratio, growth))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    print(table(measure()))
