"""Enumeration by complexity: of all expressions with the same answers, the first and so one of the simplest is kept.

Answers are remembered for the expressions that others are made of, as long as memory allows, and made again from their
parts where they are not. A function costs some 45 bytes besides: its hashes, its place in the table, its operation and
parts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from lengthwise.atlas.grammar import BINARY, Grammar, Kind, Operation
from lengthwise.atlas.kernels import AT, FIELDS, call, pack_numbers, unpack_numbers
from lengthwise.atlas.words import Rows, Words

BATCH = 1 << 18
"""Pairs that are combined before the time and the space are looked at again."""
BLOCK_BYTES = 64 << 20
"""Memory for rows that are made again."""
BYTES_EACH = 48
"""What a function takes beside its row."""
TABLE_SEED = 0x1E4617
DEEPEST = 255

COLUMNS = {
    "codes": np.uint8,
    "depths": np.uint8,
    "numbers": np.uint32,
    "lefts": np.uint32,
    "rights": np.uint32,
    "first_hash": np.uint64,
    "second_hash": np.uint64,
}
"""What is known of each function: its operation and parts, its depth, the hashes of its answers."""


def hash_keys(width: int, seed: int = TABLE_SEED) -> Rows:
    """The keys of both hashes for every 64-bit number of a row."""
    keys: Rows = np.random.default_rng(seed).integers(0, 2**32, size=(width, 4), dtype=np.uint64)
    return keys


class OutOfBudgetError(Exception):
    """The time or the memory is used up; whole levels are kept."""


@dataclass
class Functions:
    """The functions found so far, by complexity: columns that grow, the rows that fit, and where each level begins."""

    grammar: Grammar
    words: Words
    memory: int
    seed: int = TABLE_SEED
    count: int = 0
    stored: int = 0
    """How many functions have their rows in `rows`."""
    starts: list[int] = field(default_factory=lambda: [0])
    """`starts[κ]` is the first function of complexity κ; the last entry, the number of all."""
    columns: dict[str, npt.NDArray[np.generic]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.row_capacity = max(4096, self.memory // 2 // (8 * self.words.width))
        # Pages that are never written to take no memory.
        self.rows: Rows = np.empty((self.row_capacity + 1, self.words.width), np.uint64)
        self.columns = self.columns or {name: np.zeros(4096, kind) for name, kind in COLUMNS.items()}
        self.table = np.zeros(1 << 14, np.uint32)
        self.keys = hash_keys(self.words.width, self.seed)
        self.longest = int(self.words.lengths.max())
        self.scratch = np.zeros(self.words.width * 32, np.uint64)
        self.parents = np.ascontiguousarray(self.words.parents)
        self.candidates = 0

    @property
    def level(self) -> int:
        """The complexity that was finished last."""
        return len(self.starts) - 2

    def ids(self, complexity: int) -> range:
        """The functions of one complexity."""
        if not 0 <= complexity <= self.level:
            return range(0)
        return range(self.starts[complexity], self.starts[complexity + 1])

    def take_over(self, columns: dict[str, npt.NDArray[np.generic]], rows: Rows, starts: list[int]) -> None:
        """Go on from functions that were found before; their columns and rows may be read-only."""
        self.columns, self.count, self.starts = columns, starts[-1], starts
        self.stored = min(len(rows), self.row_capacity)
        self.rows, self.row_capacity = rows[: self.stored], self.stored
        self.table = np.zeros(0, np.uint32)

    def make_writable(self) -> None:
        """Copy what was taken over, before functions are added to it."""
        if len(self.table):
            return
        old, stored = self.rows, self.stored
        self.row_capacity = max(4096, self.memory // 2 // (8 * self.words.width))
        self.rows = np.empty((self.row_capacity + 1, self.words.width), np.uint64)
        self.rows[:stored] = old
        # What was not written is made again, so that later levels find all rows that fit.
        for start in range(stored, min(self.count, self.row_capacity), 4096):
            part = range(start, min(start + 4096, self.count, self.row_capacity))
            self.rows[part.start : part.stop] = self.rows_of(part)
        self.stored = min(self.count, self.row_capacity)
        self.columns = {name: np.array(column) for name, column in self.columns.items()}
        self.table = np.zeros(1 << max(14, (2 * self.count).bit_length()), np.uint32)
        self.fill()

    def up_to(self, complexity: int) -> Functions:
        """The functions up to a complexity; these themselves if there are no others."""
        if complexity >= self.level:
            return self
        fewer = Functions(self.grammar, self.words, self.memory, self.seed)
        starts = self.starts[: complexity + 2]
        columns = {name: column[: starts[-1]] for name, column in self.columns.items()}
        fewer.take_over(columns, self.rows[: min(self.stored, starts[-1])], starts)
        return fewer

    # ------------------------------------------------------------------------------------- calls

    def state(self, **values: int | npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
        """The array that kernels read; arrays stand for their addresses."""
        common: dict[str, int | npt.NDArray[np.generic]] = {
            "width": self.words.width,
            "parents": self.parents,
            "scratch": self.scratch,
            "keys": self.keys,
            "count": self.count,
            "rows": self.rows,
            "row_capacity": self.row_capacity,
            "table": self.table,
            "shift": 65 - len(self.table).bit_length(),
            "deepest": DEEPEST if self.grammar.depth is None else self.grammar.depth,
            "coloured": int(self.grammar.depth is not None),
            **self.columns,
            **values,
        }
        found = np.zeros(len(FIELDS), np.int64)
        for name, value in common.items():
            found[AT[name]] = value.ctypes.data if isinstance(value, np.ndarray) else value
        return found

    def make_room(self, more: int) -> None:
        """Let the columns and the table hold so many functions more."""
        needed = self.count + more
        size = len(self.columns["codes"])
        if needed > size:
            longer = max(needed, size + size // 2)
            for name, column in self.columns.items():
                new = np.zeros(longer, column.dtype)
                new[: self.count] = column[: self.count]
                self.columns[name] = new
        if 3 * needed > 2 * len(self.table):
            self.table = np.zeros(1 << (2 * needed - 1).bit_length(), np.uint32)
            self.fill()

    def fill(self) -> None:
        """Put all functions into the table."""
        call("fill", Operation(Kind.NOT), self.longest, self.state())

    def hashes(self, rows: Rows) -> tuple[Rows, Rows]:
        """Both hashes of rows."""
        rows = np.ascontiguousarray(rows)
        first, second = np.empty(len(rows), np.uint64), np.empty(len(rows), np.uint64)
        state = self.state(rows=rows, first_hash=first, second_hash=second, count=len(rows))
        call("hash", Operation(Kind.NOT), self.longest, state)
        return first, second

    # ------------------------------------------------------------------------------------- rows

    def operation(self, number: int) -> Operation:
        """The operation of a function."""
        kind = Kind(int(self.columns["codes"][number]))
        return Operation(kind, unpack_numbers(kind, int(self.columns["numbers"][number])))

    def leaf_row(self, operation: Operation) -> Rows:
        """The answers of an operation without parts."""
        if operation.kind is Kind.SYMBOL:
            plane: Rows = self.words.planes[operation.numbers[0]]
            return plane
        holds = np.ones(self.words.width, bool)
        if operation.kind is Kind.PERIOD:
            holds = self.words.lengths % operation.numbers[0] == operation.numbers[1]
        holds[0] = False
        return np.where(holds, np.uint64(2**64 - 1), np.uint64(0))

    def rows_of(self, numbers: npt.NDArray[np.integer[np.typing.NBitBase]] | range) -> Rows:
        """The answers of functions: those that are remembered, others made again from their parts."""
        if isinstance(numbers, range) and numbers.stop <= self.stored and numbers.step == 1:
            return self.rows[numbers.start : numbers.stop]
        asked = np.asarray(numbers, np.int64)
        found = np.empty((len(asked), self.words.width), np.uint64)
        known = asked < self.stored
        found[known] = self.rows[asked[known]]
        open_places = np.flatnonzero(~known)
        if len(open_places):
            found[open_places] = self._made_again(asked[open_places])
        return found

    def _made_again(self, asked: npt.NDArray[np.int64]) -> Rows:
        found = np.empty((len(asked), self.words.width), np.uint64)
        codes, packed = self.columns["codes"][asked], self.columns["numbers"][asked]
        for code, number in sorted(set(zip(codes.tolist(), packed.tolist(), strict=True))):
            kind = Kind(code)
            operation = Operation(kind, unpack_numbers(kind, number))
            places = np.flatnonzero((codes == code) & (packed == number))
            if kind in (Kind.SYMBOL, Kind.TRUE, Kind.PERIOD):
                found[places] = self.leaf_row(operation)
                continue
            lefts = self.columns["lefts"][asked[places]].astype(np.int64)
            rights = self.columns["rights"][asked[places]].astype(np.int64) if kind in BINARY else lefts
            parts, at = np.unique(np.concatenate([lefts, rights]), return_inverse=True)
            found[places] = self.applied(operation, self.rows_of(parts), at[: len(places)], at[len(places) :])
        return found

    def applied(
        self, operation: Operation, rows: Rows, lefts: npt.NDArray[np.int64], rights: npt.NDArray[np.int64]
    ) -> Rows:
        """An operation on listed pairs of rows."""
        rows = np.ascontiguousarray(rows)
        lefts, rights = np.ascontiguousarray(lefts, np.int64), np.ascontiguousarray(rights, np.int64)
        found = np.empty((len(lefts), self.words.width), np.uint64)
        state = self.state(
            left=rows, right=rows, rows=found, left_index=lefts, right_index=rights, left_count=len(lefts)
        )
        call("apply", operation, self.longest, state)
        return found

    def blocks(self, numbers: range) -> Iterator[tuple[range, Rows]]:
        """The rows of consecutive functions, in blocks of bounded memory."""
        size = max(1, BLOCK_BYTES // (8 * self.words.width))
        for start in range(numbers.start, numbers.stop, size):
            part = range(start, min(start + size, numbers.stop))
            yield part, self.rows_of(part)

    # ------------------------------------------------------------------------------------- enumeration

    def add_leaf(self, operation: Operation) -> None:
        """Keep an operation without parts if its answers are new."""
        self.make_room(1)
        row = self.leaf_row(operation)[None]
        first, second = self.hashes(row)
        known = self.columns["first_hash"][: self.count] == first[0]
        if known.any():
            return
        at = self.count
        for name, value in (
            ("codes", operation.kind.value),
            ("numbers", pack_numbers(operation)),
            ("first_hash", first[0]),
            ("second_hash", second[0]),
        ):
            self.columns[name][at] = value
        if at < self.row_capacity:
            self.rows[at] = row[0]
        self.count += 1
        self.fill()

    def candidates_of(self, complexity: int) -> Iterator[tuple[Operation, range, range, bool]]:
        """What makes an expression of a complexity: operations with the levels of their parts."""
        for cost, operation in self.grammar.operations:
            if operation.kind not in BINARY:
                if ids := self.ids(complexity - cost):
                    yield operation, ids, range(0), False
                continue
            both = complexity - cost
            commutes = operation.kind is not Kind.COMPARE
            for left in range(1, both // 2 + 1 if commutes else both):
                first, second = self.ids(left), self.ids(both - left)
                if first and second:
                    yield operation, first, second, commutes and 2 * left == both

    def merge(
        self, operation: Operation, lefts: range, rights: range, triangular: bool, merged: bool = False
    ) -> Iterator[npt.NDArray[np.int64] | None]:
        """Combine two levels, a batch at a time; with `merged`, give what had the answers of an earlier function."""
        height = min(len(lefts), max(1, BLOCK_BYTES // (8 * self.words.width)))
        for left_start in range(lefts.start, lefts.stop, height):
            left_ids = range(left_start, min(left_start + height, lefts.stop))
            left_rows = np.ascontiguousarray(self.rows_of(left_ids))
            for right_ids, right_rows in self.blocks(rights) if rights else [(range(0), left_rows)]:
                across = max(1, len(right_ids))
                step = max(1, BATCH // across)
                diagonal = triangular and right_ids.start <= left_ids.stop
                for start in range(0, len(left_ids), step):
                    many = min(step, len(left_ids) - start)
                    if triangular and right_ids.stop <= left_ids[start]:
                        continue
                    self.make_room(many * across)
                    buffer = np.zeros((many * across if merged else 1, 3), np.int64)
                    state = self.state(
                        left=left_rows[start:],
                        left_first=left_ids[start],
                        left_count=many,
                        right=right_rows,
                        right_first=right_ids.start if right_ids else 0,
                        right_count=len(right_ids),
                        triangular=int(diagonal),
                        start=left_ids[start] - right_ids.start if diagonal else 0,
                        merged=buffer,
                    )
                    call("merge", operation, self.longest, state, merged)
                    self.count = int(state[AT["count"]])
                    self.candidates += int(state[AT["candidates"]])
                    yield buffer[buffer[:, 2] > 0] if merged else None

    def _give_up(self, before: int, reason: str) -> NoReturn:
        self.count = before
        self.table[:] = 0
        self.fill()
        raise OutOfBudgetError(reason)

    def next_level(self, deadline: float | None = None, tick: Callable[[int, int], None] | None = None) -> None:
        """Enumerate the expressions of the next complexity.

        Raises:
            OutOfBudgetError: The deadline or the end of the memory came first; the level is given up.

        """
        self.make_writable()
        complexity = len(self.starts) - 1
        before = self.count
        keeps_rows = self.stored == before
        for cost, operation in self.grammar.leaves:
            if cost == complexity:
                self.add_leaf(operation)
        for operation, lefts, rights, triangular in self.candidates_of(complexity):
            for _ in self.merge(operation, lefts, rights, triangular):
                if tick is not None:
                    tick(complexity, self.count)
                if deadline is not None and time.monotonic() > deadline:
                    self._give_up(before, f"the time was over at complexity {complexity}")
                if BYTES_EACH * self.count > self.memory // 2:
                    functions = f"{self.count} functions at complexity {complexity}"
                    self._give_up(before, f"more than {functions} do not fit into {self.memory / 2**30:.2g} GB")
        if keeps_rows:
            self.stored = min(self.count, self.row_capacity)
        self.starts.append(self.count)
