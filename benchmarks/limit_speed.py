"""How fast Limit Transformers are evaluated, beside the definition.

Columns, in seconds for one word: `outputs` at all positions, `last` at the last one only, `naive` all positions read
off the definition (quadratic, so short words only). `×naive` is naive / outputs. Behind the table stand the growth
exponents of `outputs` and `last` over the longest words: 1 is linear. The models: a random layer with one head; Dyck-1
and Σ*abΣ* compiled from C-RASP (counting heads, and heads with a window); two random layers, where every key of the
second is a class of its own and little is saved.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.timing import seconds
from lengthwise.alphabet import Alphabet
from lengthwise.crasp import load
from lengthwise.limit import Head, Layer, LimitTransformer
from lengthwise.limit.compiling.from_crasp import from_crasp
from lengthwise.limit.evaluation import evaluate, naive

LENGTHS = (10**3, 4 * 10**3, 10**4, 10**5, 10**6)
NAIVE_LIMIT = 4 * 10**3
"""The longest word given to the definition."""
QUADRATIC_LIMIT = 10**4
"""The longest word given to models for which evaluation is quadratic."""


@dataclass(frozen=True)
class Speed:
    """One row of the table, in seconds; None where a column is left out."""

    model: str
    length: int
    outputs: float
    last: float
    naive: float | None


def models() -> dict[str, tuple[LimitTransformer, int]]:
    """The measured models, each with the longest word it is given."""
    longest = LENGTHS[-1]
    return {
        "one random layer": (_random(layers=1), longest),
        "dyck1": (from_crasp(load("dyck1")), longest),
        "contains-ab": (from_crasp(load("contains-ab")), longest),
        "two random layers": (_random(layers=2), QUADRATIC_LIMIT),
    }


def _random(layers: int, width: int = 8, symbols: int = 3, period: int = 2, window: int = 2) -> LimitTransformer:
    rng = np.random.default_rng(0)

    def weights(*shape: int) -> npt.NDArray[np.float64]:
        return np.asarray(rng.normal(size=shape) / np.sqrt(shape[-1]))

    def layer() -> Layer:
        head = Head(weights(width, width), weights(width, width), weights(window + 1))
        steps = np.zeros(width, dtype=bool)
        return Layer((head,), weights(width, width), weights(width), weights(width, width), steps)

    return LimitTransformer(
        alphabet=Alphabet(tuple("abc"[:symbols])),
        embedding=weights(symbols, width),
        positions=weights(period, width),
        layers=tuple(layer() for _ in range(layers)),
        unembedding=weights(1, width),
        outputs=("accept",),
    )


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` leaves out the longest words."""
    rows = []
    for name, (model, longest) in models().items():
        for length in LENGTHS[: 2 if quick else None]:
            if length <= longest:
                rows.append(_word(name, model, length, with_naive=length <= (1000 if quick else NAIVE_LIMIT)))
        if quick and longest > QUADRATIC_LIMIT:
            rows.append(_word(name, model, 10**5, with_naive=False))
    return rows


def _word(name: str, model: LimitTransformer, length: int, with_naive: bool) -> Speed:
    tokens = np.random.default_rng(0).integers(0, len(model.alphabet), length)
    if model.has_start:
        tokens[0] = model.alphabet.id_count
    return Speed(
        model=name,
        length=length,
        outputs=seconds(lambda: evaluate.outputs(model, tokens)),
        last=seconds(lambda: evaluate.last_output(model, tokens)),
        naive=seconds(lambda: naive.outputs(model, tokens), budget=0.0) if with_naive else None,
    )


def growth(rows: list[Speed]) -> dict[str, tuple[float, float]]:
    """For each model the exponents of the times of `outputs` and `last` in the length, over its two longest words."""
    exponents = {}
    for name in dict.fromkeys(row.model for row in rows):
        short, long = [row for row in rows if row.model == name][-2:]
        step = log(long.length / short.length)
        exponents[name] = (log(long.outputs / short.outputs) / step, log(long.last / short.last) / step)
    return exponents


def table(rows: list[Speed]) -> str:
    """The rows as aligned text, and the growth exponents."""
    head = ("model", "length", "outputs", "last", "naive", "×naive")
    lines: list[tuple[str, ...]] = [head]
    for row in rows:
        ratio = f"{row.naive / row.outputs:,.1f}" if row.naive else "-"
        cells = (f"{row.length:,}", *map(_cell, (row.outputs, row.last, row.naive)), ratio)
        lines.append((row.model, *cells))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    exponents = ", ".join(f"{name} {all_:.2f}/{last:.2f}" for name, (all_, last) in growth(rows).items())
    return f"{text}\n\nGrowth exponents of outputs/last (1 is linear): {exponents}"


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    print(table(measure()))
