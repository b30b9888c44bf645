"""The table of the documentation: certified lengths of SimpleTask over ω and of ModPTask over Δ, and how they grow.

Beside them stand the repaired Theorem 4.1 and its printed form, for the same promise: stand-ins within ε make an error
of at most ε_train + 2ε on every word, so the theorem is evaluated at 2ε. Izzo et al. trained models on both tasks over
the same ranges (appendix C) and found the training length that is needed to grow linearly in ω and in Δ (workshop
version, figures 1 and 2, right panes): the exponents of growth are fitted for comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lengthwise.bounds.certified.length import certified
from lengthwise.bounds.theorems.worst_case import worst_case
from lengthwise.limit.constructions import mod_p_task, simple_task
from lengthwise.limit.model import LimitTransformer

EPSILONS = (0.1, 0.03, 0.01)
OMEGAS = (2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5)
PERIODS = (3, 4, 5, 6, 7, 8)
MEASURED = 1.0
"""The exponent of growth that was measured, in ω and in Δ."""

Task = Literal["SimpleTask", "ModPTask"]
Column = Literal["alone", "every", "repaired", "printed"]
TITLES: dict[Column, str] = {
    "alone": "certified, *f* alone",
    "every": "certified, every *g* as steep",
    "repaired": "Theorem 4.1, repaired",
    "printed": "as printed, τ + 1 for τ",
}


@dataclass(frozen=True)
class Row:
    """The lengths for one task and one ε."""

    task: Task
    parameter: float
    """ω or Δ."""
    epsilon: float
    alone: int
    """The certified length of f: stand-ins keep its output."""
    every: int
    """The certified length for all models that attend to the same keys and are not steeper than f."""
    exact: bool
    """Whether both are exact."""
    repaired: int
    """Theorem 4.1, repaired."""
    printed: float
    """The decimal logarithm of L²Δ⁷|Σ|⁶(τ + 1)²/ε²."""

    def log10(self, column: Column) -> float:
        """The decimal logarithm of a length."""
        return self.printed if column == "printed" else math.log10(getattr(self, column))


def table(
    seconds: float = 60.0,
    epsilons: Sequence[float] = EPSILONS,
    omegas: Sequence[float] = OMEGAS,
    periods: Sequence[int] = PERIODS,
) -> list[Row]:
    """The rows, for SimpleTask and for ModPTask (positions congruent to 0); `seconds` limits each certified length."""
    tasks: list[tuple[Task, Sequence[float], Callable[[float], LimitTransformer]]] = [
        ("SimpleTask", omegas, lambda omega: simple_task(omega).model),
        ("ModPTask", periods, lambda period: mod_p_task(int(period), 0).model),
    ]
    return [
        _row(task, parameter, build(parameter), epsilon, seconds)
        for task, parameters, build in tasks
        for parameter in parameters
        for epsilon in epsilons
    ]


def _row(task: Task, parameter: float, model: LimitTransformer, epsilon: float, seconds: float) -> Row:
    alone = certified(model, epsilon, seconds=seconds)
    every = certified(model, epsilon, sensitivity="own", seconds=seconds)
    theorem = worst_case(model, model, 2 * epsilon)
    if not isinstance(theorem.value, int):
        raise TypeError("Theorem 4.1 gives an exact length for models with hardmax attention from length 2 on")
    with_window = theorem.printed[2].log10
    exact = alone.exact and every.exact
    return Row(task, float(parameter), epsilon, alone.length, every.length, exact, theorem.value, with_window)


def exponent(rows: Sequence[Row], task: Task, epsilon: float, column: Column) -> float:
    """The slope of the logarithm of the lengths against that of ω or Δ, by least squares."""
    chosen = [row for row in rows if (row.task, row.epsilon) == (task, epsilon)]
    parameters = [math.log10(row.parameter) for row in chosen]
    return float(np.polyfit(parameters, [row.log10(column) for row in chosen], 1)[0])


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    """Plain data with stable keys."""
    return {
        "rows": [
            {
                "task": row.task,
                "parameter": row.parameter,
                "epsilon": row.epsilon,
                "certified": row.alone,
                "certified_every": row.every,
                "exact": row.exact,
                "repaired": row.repaired,
                "printed_log10": row.printed,
            }
            for row in rows
        ],
        "exponents": [
            {"task": task, "epsilon": epsilon, **{column: exponent(rows, task, epsilon, column) for column in TITLES}}
            for task, epsilon in _fits(rows)
        ],
        "measured_exponent": MEASURED,
    }


def as_markdown(rows: Sequence[Row]) -> str:
    """One table of lengths for each task, and one of the exponents of growth."""
    parts = []
    for task, name in (("SimpleTask", "ω"), ("ModPTask", "Δ")):
        epsilons = sorted({row.epsilon for row in rows if row.task == task}, reverse=True)
        lines = [
            f"**{task}**, for ε = {', '.join(f'{epsilon:g}' for epsilon in epsilons)}:",
            "",
            f"| {name} | " + " | ".join(TITLES.values()) + " |",
            "|---|" + "---|" * len(TITLES),
        ]
        for parameter in sorted({row.parameter for row in rows if row.task == task}):
            found = {row.epsilon: row for row in rows if (row.task, row.parameter) == (task, parameter)}
            cells = [", ".join(_length(found[epsilon], column) for epsilon in epsilons) for column in TITLES]
            lines.append(f"| {parameter:g} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    lines = [
        "**Exponents of growth** in ω and Δ, fitted; measured by training: linear, 1:",
        "",
        "| task | ε | " + " | ".join(TITLES.values()) + " |",
        "|---|---|" + "---|" * len(TITLES),
    ]
    for task, epsilon in _fits(rows):
        fitted = " | ".join(f"{exponent(rows, task, epsilon, column):.2f}" for column in TITLES)
        lines.append(f"| {task} | {epsilon:g} | {fitted} |")
    parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _fits(rows: Sequence[Row]) -> Iterator[tuple[Task, float]]:
    """The tasks and ε with enough rows for a slope."""
    for task, epsilon in dict.fromkeys((row.task, row.epsilon) for row in rows):
        if len([row for row in rows if (row.task, row.epsilon) == (task, epsilon)]) > 1:
            yield task, epsilon


def _length(row: Row, column: Column) -> str:
    if column in ("alone", "every"):
        return f"{getattr(row, column):,}" + ("" if row.exact else " (at most)")
    mantissa, power = divmod(row.log10(column), 1)[::-1]
    return f"{10**mantissa:.1f}·10^{int(power)}"
