"""How fast C-RASP programs run: symbols per second on one core, beside a plain interpreter and a copy of the bytes.

Columns, in millions of symbols per second: `accept` the verdict on one word, `prefixes` the deciding Boolean at every
position, `values` every named operation at every position, `numpy` the verdict without machine code, `lists` a plain
list interpreter, `naive` the oracle (a direct reading of the definition). `×lists` is accept / lists, `copy/accept` how
many times faster NumPy copies the same bytes. Slow columns are measured on as much as they manage in a moment.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy as np
from tests.crasp import naive

from benchmarks import listwise
from benchmarks.timing import rate, seconds
from lengthwise.crasp import Program, load
from lengthwise.crasp.running.evaluate import Evaluator

PROGRAMS = ("dyck1", "majority", "anbncn", "contains-ab", "aa-star")
LENGTHS = (10**3, 10**5, 10**7)
BATCH = (4096, 256)
GUARDED_LIMIT = 10**3
"""The longest word given to interpreters that are quadratic on it."""


@dataclass(frozen=True)
class Speed:
    """One row of the table; rates in symbols per second, None where a column does not apply."""

    program: str
    input: str
    accept: float
    prefixes: float | None
    values: float | None
    numpy: float
    lists: float | None
    naive: float | None
    copy: float


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` leaves out the longest words."""
    rows = []
    for name in PROGRAMS:
        program = load(name)
        for length in LENGTHS[: 2 if quick else 3]:
            rows.append(_word(name, program, length))
        rows.append(_batch(name, program))
    return rows


def _symbols(program: Program, shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, len(program.alphabet), shape).astype(np.uint8)


def _word(name: str, program: Program, length: int) -> Speed:
    ids = _symbols(program, (length,))
    listing = program.listing
    accept = listing.accept
    assert accept is not None
    native = Evaluator(listing, program.alphabet, "native")
    plain = Evaluator(listing, program.alphabet, "numpy")
    short = ids[:GUARDED_LIMIT].tolist()
    lists = ids[: GUARDED_LIMIT if program.window else 10**5].tolist()
    words = program.alphabet.decode(ids[:300])
    return Speed(
        program=name,
        input=f"10^{len(str(length)) - 1}",
        accept=rate(length, lambda: native.last((accept,), ids)),
        prefixes=rate(length, lambda: native.everywhere((accept,), ids)),
        values=rate(length, lambda: native.everywhere(listing.statements, ids)),
        numpy=rate(length, lambda: plain.last((accept,), ids)),
        lists=rate(len(lists), lambda: listwise.last(listing, accept, lists)) if len(lists) >= len(short) else None,
        naive=rate(len(words), lambda: naive.values(program.statements, words), 0.1),
        copy=rate(length, lambda: ids.copy()),
    )


def _batch(name: str, program: Program) -> Speed:
    ids = _symbols(program, BATCH)
    accept = program.listing.accept
    assert accept is not None
    native = Evaluator(program.listing, program.alphabet, "native")
    plain = Evaluator(program.listing, program.alphabet, "numpy")
    rows = [row.tolist() for row in ids[:64]]
    lists = rate(64 * BATCH[1], lambda: [listwise.last(program.listing, accept, row) for row in rows])
    return Speed(
        program=name,
        input=f"{BATCH[0]}x{BATCH[1]}",
        accept=rate(ids.size, lambda: native.batch(accept, ids, None)),
        prefixes=None,
        values=None,
        numpy=rate(ids.size, lambda: plain.batch(accept, ids, None)),
        lists=lists,
        naive=None,
        copy=rate(ids.size, lambda: ids.copy()),
    )


def growth(program: Program, longest: int = 10**7) -> float:
    """The exponent of the running time in the length: 1 means linear."""
    accept = program.listing.accept
    assert accept is not None
    native = Evaluator(program.listing, program.alphabet, "native")
    short, long = longest // 100, longest
    whole = _symbols(program, (long,))
    part = whole[:short]
    ratio = seconds(lambda: native.last((accept,), whole)) / seconds(lambda: native.last((accept,), part))
    return log(ratio) / log(long / short)


def _cell(value: float | None, scale: float = 1e6) -> str:
    if value is None:
        return "-"
    scaled = value / scale
    return f"{scaled:,.0f}" if scaled >= 10 else f"{scaled:.3g}"


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    head = ("program", "input", "accept", "prefixes", "values", "numpy", "lists", "naive", "×lists", "copy/accept")
    lines: list[tuple[str, ...]] = [head]
    for row in rows:
        cells = (row.accept, row.prefixes, row.values, row.numpy, row.lists, row.naive)
        ratio = f"{row.accept / row.lists:,.0f}" if row.lists else "-"
        lines.append((row.program, row.input, *map(_cell, cells), ratio, f"{row.copy / row.accept:.1f}"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]
