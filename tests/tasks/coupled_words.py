"""Words of coupled tasks read as a person would, and all outcomes of a sampler counted one by one.

Nothing here imports lengthwise: what the tasks are is written down once more, from the paper's appendix E.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

Ids = list[int]


@dataclass(frozen=True)
class Word:
    """A whole word in symbols, with the token that is written last."""

    symbols: list[str]
    ids: Ids | None
    asked: list[bool]
    """For every symbol whether a model is asked for it."""


def words_of(symbols: Sequence[str], batch: Any) -> list[Word]:
    """The words of a batch; what is read and what comes next must fit together."""
    assert np.array_equal(batch.tokens[:, 1:], batch.targets[:, :-1])
    if batch.positions is not None:
        assert np.array_equal(batch.positions[:, 1:], batch.next_positions[:, :-1])
    found = []
    for row in range(len(batch.tokens)):
        tokens = [*batch.tokens[row].tolist(), int(batch.targets[row, -1])]
        ids = None
        if batch.positions is not None:
            ids = [*batch.positions[row].tolist(), int(batch.next_positions[row, -1])]
        found.append(Word([symbols[token] for token in tokens], ids, [False, *batch.mask[row].tolist()]))
    return found


def parity(bits: Sequence[str]) -> str:
    return str(sum(int(bit) for bit in bits) % 2)


# --------------------------------------------------------------------- what is written, and which IDs all tokens have


def sparse_parity(symbols: list[str], indices: int) -> tuple[list[str], int]:
    """What a word ends with, by (20), and how many bits count in it."""
    assert (symbols[0], symbols[-2]) == ("BOS", "SEP")
    numbers, bits = symbols[1:-2:2], symbols[2:-2:2]
    assert all(1 <= int(number) <= indices for number in numbers)
    assert set(bits) <= {"t0", "t1"}
    marked = [bit[1] for number, bit in zip(numbers, bits, strict=True) if 2 * int(number) <= indices]
    return ["t" + parity(marked)], len(marked)


def scratchpad_parity(symbols: list[str], jumps: int, scratchpad: bool) -> tuple[list[str], Ids]:
    """What is written behind SEP, by (21), and the IDs of the whole word."""
    assert symbols[0] == "BOS"
    bits = symbols[1 : symbols.index("SEP")]
    parities, ids = [], []
    for step in range(1, math.ceil(len(bits) / jumps) + 1):
        parities.append(parity(bits[: step * jumps]))
        ids.append(step)
    read = [math.ceil(place / jumps) for place in range(1, len(bits) + 1)]
    if not scratchpad:
        parities, ids = parities[-1:], ids[-1:]
    return parities, [0, *read, 0, *ids]


def variable_assignment(symbols: list[str], depth: int, scratchpad: bool) -> tuple[list[str], Ids]:
    """What is written behind SEP2, by (22), and the IDs of the whole word: follow the assignments one by one."""
    assert (symbols[0], symbols[2]) == ("BOS", "SEP1")
    end = symbols.index("SEP2")
    assigned, place_of = {}, {}
    for place in range(3, end, 3):
        left, arrow, right = symbols[place : place + 3]
        assert arrow == "←"
        assert left not in assigned, "no variable is assigned twice"
        assigned[left], place_of[left] = right, place
    here, written, ids = symbols[1], [], []
    for _ in range(depth):
        place = place_of[here]
        written += [here, "←", assigned[here]]
        ids += [place, place + 1, place + 2]  # BOS has ID 0, so a place counted from 0 is the ID
        here = assigned[here]
    assert here not in assigned, "the chain ends"
    if not scratchpad:
        written, ids = written[-1:], ids[-1:]
    return written, [*range(end), 0, *ids]


def chain_lengths(symbols: list[str]) -> list[int]:
    """How many assignments the chains of a question have."""
    triples = symbols[3 : symbols.index("SEP2")]
    assigned = dict(zip(triples[::3], triples[2::3], strict=True))
    found = []
    for variable in set(assigned) - set(assigned.values()):
        steps = 0
        while variable in assigned:
            variable, steps = assigned[variable], steps + 1
        found.append(steps)
    return found


def reversal(symbols: list[str]) -> tuple[list[str], Ids]:
    """What is written behind SEP, by (1), and the IDs, by (2)."""
    letters = symbols[: symbols.index("SEP")]
    forwards = list(range(1, len(letters) + 1))
    return list(reversed(letters)), [*forwards, 0, *reversed(forwards)]


def column_addition(symbols: list[str], base: int) -> tuple[list[str], Ids]:
    """The sum with the last digit first, and the IDs: one for every column, counted from that of the last carry."""
    assert symbols[0] == "BOS"
    left, right = "".join(symbols[1 : symbols.index("=")]).split("+")
    assert len(left) == len(right)
    total, digits = int(left, base) + int(right, base), []
    for _ in range(len(left) + 1):
        digits.append("0123456789abcdefghijklmnopqrstuvwxyz"[total % base])
        total //= base
    assert total == 0
    columns = {place: 1 + place for place in range(1, len(left) + 1)}
    number = [*columns.values(), len(left) + 2]
    return digits, [0, *number, *number, *reversed(columns.values()), 1]


# ------------------------------------------------------------------------------------------------ all outcomes


class EveryOutcome:
    """In place of a random generator: the words of a batch get all combinations of outcomes, each once.

    The number of a word is written in digits, one for each thing that is drawn for a word, with as many values as
    there are outcomes. `outcomes` is how many combinations there are: with so many words each occurs exactly once.
    """

    def __init__(self) -> None:
        self.outcomes = 1
        self.calls = 0

    def _digits(self, batch: int, count: int, values: int) -> Any:
        found = np.empty((batch, count), dtype=np.int64)
        for place in range(count):
            found[:, place] = np.arange(batch) // self.outcomes % values
            self.outcomes *= values
        return found

    def integers(self, low: int, high: int | None = None, size: tuple[int, ...] = (), dtype: Any = int) -> Any:
        self.calls += 1
        low, high = (0, low) if high is None else (low, high)
        return (low + self._digits(size[0], math.prod(size[1:]), high - low)).reshape(size).astype(dtype)

    def permuted(self, rows: Any, axis: int) -> Any:
        assert axis == 1
        self.calls += 1
        orders = np.array(list(permutations(range(rows.shape[1]))))
        chosen = self._digits(len(rows), 1, len(orders))[:, 0]
        return np.take_along_axis(np.asarray(rows), orders[chosen], axis=1)


def every_word(task: Any, length: int) -> tuple[list[Word], int]:
    """All words that a sampler can draw, as often as it has ways to draw them, and how often it was asked."""
    counting = EveryOutcome()
    task.sample(length, 1, counting)
    every = EveryOutcome()
    batch = task.sample(length, counting.outcomes, every)
    assert every.outcomes == counting.outcomes
    return words_of(task.alphabet.symbols, batch), every.calls
