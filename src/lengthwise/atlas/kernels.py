"""The inner loops of an atlas in machine code: an operation on answers, their hashes, and the table of what was seen.

Answers are rows of 64-bit numbers, whose order `Words` gives. What a comparison `#φ >= #ψ` needs of the past is one
number for each word, the difference of the counts so far, and it changes by at most 1 from a word to its child. So 64
differences are kept as the digits of 64 numbers in two's complement, one 64-bit number a digit, and a step adds with
the carry going from digit to digit: no count is ever stored, and nothing is unpacked.

Two rows are told apart by two hashes of 64 bits with keys of their own, each of them NH (Black et al. 1999, UMAC):
Σ (x_i + k_i mod 2³²)(y_i + l_i mod 2³²) over the halves x, y of the numbers. Two given rows that differ have the same
hash with probability at most 2⁻³² each, 2⁻⁶⁴ together, so n functions are all told apart except with probability
n²/2⁶⁵: below 2⁻¹⁸ for ten million.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import llvmlite.ir as ir
import numpy as np
import numpy.typing as npt

from lengthwise.atlas.grammar import BINARY, COUNTING, Kind, Operation
from lengthwise.crasp.running.jit import WIDE, Compiled, Value, element, loop, new_function, pointer_to

BYTE, INT32 = ir.IntType(8), ir.IntType(32)

FIELDS = (
    "left", "left_first", "left_count", "right", "right_first", "right_count", "triangular",
    "width", "parents", "scratch", "keys", "count", "capacity", "rows", "row_capacity", "first_hash", "second_hash",
    "table", "shift", "codes", "depths", "numbers", "lefts", "rights", "deepest", "coloured", "candidates", "merged",
    "left_index", "right_index", "start",
)  # fmt: skip
"""What a kernel reads and writes: addresses and numbers in an array of 64-bit integers."""
AT = {name: place for place, name in enumerate(FIELDS)}


def variable(builder: ir.IRBuilder) -> Value:
    """A place for a 64-bit integer, taken once for each call."""
    with builder.goto_entry_block():
        return builder.alloca(WIDE)


def planes_for(longest: int, operation: Operation) -> int:
    """How many digits the difference of two scaled counts needs, its sign included."""
    left, right, constant = operation.numbers
    return (max(left, right) * longest + constant).bit_length() + 1


class Emitter:
    """Writes the loops of one operation."""

    def __init__(self, operation: Operation, planes: int) -> None:
        self.operation, self.planes = operation, planes
        self.module = ir.Module()

    def number(self, value: int) -> Value:
        """A constant."""
        return ir.Constant(WIDE, value)

    def field(self, builder: ir.IRBuilder, state: Value, name: str) -> Value:
        """What stands in the state under a name."""
        return builder.load(element(builder, state, AT[name]))

    def addresses(self, builder: ir.IRBuilder, state: Value, *names: str) -> list[Value]:
        """Addresses in the state as pointers."""
        return [pointer_to(builder, self.field(builder, state, name), WIDE) for name in names]

    # ------------------------------------------------------------------------------------- one row

    def row(self, builder: ir.IRBuilder, state: Value, out: Value, left: Value, right: Value) -> None:
        """Write the answers of the operation on two rows."""
        width = self.field(builder, state, "width")
        parents, scratch = self.addresses(builder, state, "parents", "scratch")
        kind, number = self.operation.kind, self.number
        builder.store(number(0), out)
        least = self.operation.numbers[0] if kind is Kind.THRESHOLD else 0
        planes = self.planes if kind is Kind.COMPARE else least
        start = -self.operation.numbers[2] if kind is Kind.COMPARE else 0
        for plane in range(planes):
            builder.store(number(-(start >> plane & 1)), element(builder, scratch, plane))
        with loop(builder, number(1), width) as at:
            first = builder.load(builder.gep(left, [at]))
            if kind is Kind.NOT:
                value = builder.not_(first)
            elif kind in (Kind.AND, Kind.OR):
                second = builder.load(builder.gep(right, [at]))
                value = builder.and_(first, second) if kind is Kind.AND else builder.or_(first, second)
            else:
                parent = builder.load(builder.gep(parents, [at]))
                if kind is Kind.PREVIOUS:
                    value = builder.load(builder.gep(left, [parent]))
                else:
                    before = builder.gep(scratch, [builder.mul(parent, number(planes))])
                    after = builder.gep(scratch, [builder.mul(at, number(planes))])
                    old = [builder.load(element(builder, before, plane)) for plane in range(planes)]
                    if kind is Kind.THRESHOLD:
                        # Digit k says whether at least k + 1 were seen.
                        new = [
                            builder.or_(each, first if plane == 0 else builder.and_(old[plane - 1], first))
                            for plane, each in enumerate(old)
                        ]
                        value = new[-1]
                    else:
                        second = builder.load(builder.gep(right, [at]))
                        new = self._added(builder, old, first, second)
                        value = builder.not_(new[-1])
                    for plane, each in enumerate(new):
                        builder.store(each, element(builder, after, plane))
            builder.store(value, builder.gep(out, [at]))

    def _added(self, builder: ir.IRBuilder, old: list[Value], first: Value, second: Value) -> list[Value]:
        """The digits of old + p·first − q·second."""
        left, right, _ = self.operation.numbers
        only_first = builder.and_(first, builder.not_(second))
        only_second = builder.and_(second, builder.not_(first))
        both = builder.and_(first, second)
        carry: Value = None
        found = []
        for plane, digit in enumerate(old):
            parts = [
                mask
                for mask, change in ((only_first, left), (only_second, -right), (both, left - right))
                if change >> plane & 1
            ]
            added: Value = self.number(0)
            for part in parts:
                added = builder.or_(added, part)
            half = builder.xor(digit, added)
            if carry is None:
                found.append(half)
                carry = builder.and_(digit, added)
            else:
                found.append(builder.xor(half, carry))
                carry = builder.or_(builder.and_(digit, added), builder.and_(half, carry))
        return found

    def hashes(self, builder: ir.IRBuilder, state: Value, row: Value) -> tuple[Value, Value]:
        """The two hashes of a row."""
        width = self.field(builder, state, "width")
        (keys,) = self.addresses(builder, state, "keys")
        low, half = self.number(2**32 - 1), self.number(32)
        sums = [variable(builder) for _ in range(2)]
        for each in sums:
            builder.store(self.number(0), each)
        with loop(builder, self.number(1), width) as at:
            value = builder.load(builder.gep(row, [at]))
            upper = builder.lshr(value, half)
            place = builder.mul(at, self.number(4))
            for which, each in enumerate(sums):
                key = builder.gep(keys, [builder.add(place, self.number(2 * which))])
                x = builder.and_(builder.add(value, builder.load(key)), low)
                y = builder.and_(builder.add(upper, builder.load(element(builder, key, 1))), low)
                builder.store(builder.add(builder.load(each), builder.mul(x, y)), each)
        return builder.load(sums[0]), builder.load(sums[1])

    # ------------------------------------------------------------------------------------- the table

    def find(self, builder: ir.IRBuilder, state: Value, first: Value, second: Value) -> tuple[Value, Value]:
        """The slot at which two hashes stand or would stand, and what is in it: 0, or a number of a function plus 1."""
        (seconds, firsts) = self.addresses(builder, state, "second_hash", "first_hash")
        table = pointer_to(builder, self.field(builder, state, "table"), INT32)
        shift = self.field(builder, state, "shift")
        mask = builder.lshr(self.number(-1), shift)
        slot = variable(builder)
        builder.store(builder.lshr(builder.mul(first, self.number(0x9E3779B97F4A7C15)), shift), slot)
        check, compare, following, done = (
            builder.append_basic_block(part) for part in ("check", "compare", "following", "done")
        )
        builder.branch(check)
        builder.position_at_end(check)
        at = builder.load(slot)
        entry = builder.zext(builder.load(builder.gep(table, [at])), WIDE)
        builder.cbranch(builder.icmp_unsigned("==", entry, self.number(0)), done, compare)
        builder.position_at_end(compare)
        place = builder.sub(entry, self.number(1))
        same = builder.and_(
            builder.icmp_unsigned("==", builder.load(builder.gep(firsts, [place])), first),
            builder.icmp_unsigned("==", builder.load(builder.gep(seconds, [place])), second),
        )
        builder.cbranch(same, done, following)
        builder.position_at_end(following)
        builder.store(builder.and_(builder.add(at, self.number(1)), mask), slot)
        builder.branch(check)
        builder.position_at_end(done)
        return at, entry

    # ------------------------------------------------------------------------------------- whole functions

    @contextmanager
    def pairs(self, builder: ir.IRBuilder, state: Value) -> Iterator[tuple[Value, Value]]:
        """All pairs of a left and a right row, or all left rows."""
        left_count = self.field(builder, state, "left_count")
        zero, one = self.number(0), self.number(1)
        with loop(builder, zero, left_count) as i:
            if self.operation.kind in BINARY:
                triangular = self.field(builder, state, "triangular")
                after = builder.add(builder.add(i, self.field(builder, state, "start")), one)
                inside = builder.and_(
                    builder.icmp_signed("!=", triangular, zero), builder.icmp_signed(">", after, zero)
                )
                first = builder.select(inside, after, zero)
                with loop(builder, first, self.field(builder, state, "right_count")) as j:
                    yield i, j
            else:
                yield i, zero

    def write_merge(self, reporting: bool) -> None:
        """The function that applies the operation to all pairs and keeps the rows that are new."""
        builder, (address,) = new_function(self.module, "merge", 1)
        state = pointer_to(builder, address, WIDE)
        left, right, rows, firsts, seconds, merged = self.addresses(
            builder, state, "left", "right", "rows", "first_hash", "second_hash", "merged"
        )
        table, lefts, rights = (
            pointer_to(builder, self.field(builder, state, name), INT32) for name in ("table", "lefts", "rights")
        )
        codes, depths = (pointer_to(builder, self.field(builder, state, name), BYTE) for name in ("codes", "depths"))
        numbers = pointer_to(builder, self.field(builder, state, "numbers"), INT32)
        code, packed_numbers = self.operation.kind.value, pack_numbers(self.operation)
        width, deepest, coloured = (self.field(builder, state, name) for name in ("width", "deepest", "coloured"))
        left_first, right_first = (self.field(builder, state, name) for name in ("left_first", "right_first"))
        row_capacity = self.field(builder, state, "row_capacity")
        # The row is made where it would stay; a last row is left for those that are not kept.
        slots = {name: element(builder, state, AT[name]) for name in ("count", "candidates")}
        with self.pairs(builder, state) as (i, j):
            left_id, right_id = builder.add(left_first, i), builder.add(right_first, j)
            depth = builder.zext(builder.load(builder.gep(depths, [left_id])), WIDE)
            if self.operation.kind in BINARY:
                other = builder.zext(builder.load(builder.gep(depths, [right_id])), WIDE)
                depth = builder.select(builder.icmp_unsigned(">", depth, other), depth, other)
            if self.operation.kind in COUNTING:
                deeper = self.number(1)
                if self.operation.kind is Kind.PREVIOUS:
                    # Two steps back are one window, as deep as one step.
                    inner = builder.load(builder.gep(codes, [left_id]))
                    again = builder.icmp_unsigned("==", inner, ir.Constant(BYTE, code))
                    deeper = builder.select(again, self.number(0), deeper)
                depth = builder.add(depth, deeper)
            with builder.if_then(builder.icmp_unsigned("<=", depth, deepest)):
                count = builder.load(slots["count"])
                builder.store(builder.add(builder.load(slots["candidates"]), self.number(1)), slots["candidates"])
                kept = builder.icmp_unsigned("<", count, row_capacity)
                out = builder.gep(rows, [builder.mul(builder.select(kept, count, row_capacity), width)])
                self.row(
                    builder,
                    state,
                    out,
                    builder.gep(left, [builder.mul(i, width)]),
                    builder.gep(right, [builder.mul(j, width)]),
                )
                first, second = self.hashes(builder, state, out)
                entry_slot = variable(builder)
                builder.store(self.number(0), entry_slot)
                # Under a limit of depth the same answers may stand there once for each depth, and less is better.
                lowest = builder.select(builder.icmp_signed("!=", coloured, self.number(0)), self.number(0), depth)
                at_slot = variable(builder)
                with loop(builder, lowest, builder.add(depth, self.number(1))) as colour:
                    shade = builder.mul(builder.mul(colour, coloured), self.number(0xD6E8FEB86659FD93))
                    at, entry = self.find(builder, state, builder.xor(first, shade), second)
                    builder.store(at, at_slot)
                    seen = builder.load(entry_slot)
                    nothing = builder.icmp_unsigned("==", seen, self.number(0))
                    builder.store(builder.select(nothing, entry, seen), entry_slot)
                entry = builder.load(entry_slot)
                new = builder.icmp_unsigned("==", entry, self.number(0))
                with builder.if_else(new) as (then, otherwise):
                    with then:
                        shade = builder.mul(builder.mul(depth, coloured), self.number(0xD6E8FEB86659FD93))
                        builder.store(builder.xor(first, shade), builder.gep(firsts, [count]))
                        builder.store(second, builder.gep(seconds, [count]))
                        builder.store(ir.Constant(BYTE, code), builder.gep(codes, [count]))
                        builder.store(builder.trunc(depth, BYTE), builder.gep(depths, [count]))
                        builder.store(ir.Constant(INT32, packed_numbers), builder.gep(numbers, [count]))
                        builder.store(builder.trunc(left_id, INT32), builder.gep(lefts, [count]))
                        builder.store(builder.trunc(right_id, INT32), builder.gep(rights, [count]))
                        following = builder.add(count, self.number(1))
                        builder.store(builder.trunc(following, INT32), builder.gep(table, [builder.load(at_slot)]))
                        builder.store(following, slots["count"])
                    with otherwise:
                        if reporting:
                            place = builder.mul(
                                builder.sub(builder.load(slots["candidates"]), self.number(1)), self.number(3)
                            )
                            target = builder.gep(merged, [place])
                            for offset, value in enumerate((left_id, right_id, entry)):
                                builder.store(value, element(builder, target, offset))
        builder.ret(self.number(0))

    def write_apply(self) -> None:
        """The function that writes the rows of listed pairs."""
        builder, (address,) = new_function(self.module, "apply", 1)
        state = pointer_to(builder, address, WIDE)
        left, right, rows, left_index, right_index = self.addresses(
            builder, state, "left", "right", "rows", "left_index", "right_index"
        )
        width = self.field(builder, state, "width")
        with loop(builder, self.number(0), self.field(builder, state, "left_count")) as i:
            first = builder.gep(left, [builder.mul(builder.load(builder.gep(left_index, [i])), width)])
            second = builder.gep(right, [builder.mul(builder.load(builder.gep(right_index, [i])), width)])
            self.row(builder, state, builder.gep(rows, [builder.mul(i, width)]), first, second)
        builder.ret(self.number(0))

    def write_table(self) -> None:
        """Functions of any operation: hash rows, and put what was kept into a table."""
        builder, (address,) = new_function(self.module, "hash", 1)
        state = pointer_to(builder, address, WIDE)
        rows, firsts, seconds = self.addresses(builder, state, "rows", "first_hash", "second_hash")
        width = self.field(builder, state, "width")
        with loop(builder, self.number(0), self.field(builder, state, "count")) as i:
            first, second = self.hashes(builder, state, builder.gep(rows, [builder.mul(i, width)]))
            builder.store(first, builder.gep(firsts, [i]))
            builder.store(second, builder.gep(seconds, [i]))
        builder.ret(self.number(0))
        builder, (address,) = new_function(self.module, "fill", 1)
        state = pointer_to(builder, address, WIDE)
        firsts, seconds = self.addresses(builder, state, "first_hash", "second_hash")
        table = pointer_to(builder, self.field(builder, state, "table"), INT32)
        with loop(builder, self.number(0), self.field(builder, state, "count")) as i:
            at, _ = self.find(
                builder, state, builder.load(builder.gep(firsts, [i])), builder.load(builder.gep(seconds, [i]))
            )
            builder.store(builder.trunc(builder.add(i, self.number(1)), INT32), builder.gep(table, [at]))
        builder.ret(self.number(0))


def pack_numbers(operation: Operation) -> int:
    """The numbers of an operation in 32 bits."""
    return sum(number << (8 * place) for place, number in enumerate(operation.numbers))


def unpack_numbers(kind: Kind, packed: int) -> tuple[int, ...]:
    """The numbers that `pack_numbers` packed."""
    count = {Kind.SYMBOL: 1, Kind.PERIOD: 2, Kind.THRESHOLD: 1, Kind.COMPARE: 3}.get(kind, 0)
    return tuple(packed >> (8 * place) & 255 for place in range(count))


@lru_cache(maxsize=64)
def compiled(operation: Operation, planes: int, reporting: bool = False) -> Compiled:
    """The code of an operation."""
    emitter = Emitter(operation, planes)
    emitter.write_merge(reporting)
    emitter.write_apply()
    if operation.kind is Kind.NOT:
        emitter.write_table()
    return Compiled(emitter.module)


def call(name: str, operation: Operation, longest: int, state: npt.NDArray[np.int64], reporting: bool = False) -> None:
    """Run a function on a state."""
    planes = planes_for(longest, operation) if operation.kind is Kind.COMPARE else 0
    function: Callable[..., Any] = compiled(operation, planes, reporting).function(name, 1)
    function(state.ctypes.data)
