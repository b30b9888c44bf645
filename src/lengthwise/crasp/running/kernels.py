"""A program as one loop over the positions: the evaluator for long words and large batches.

All operations of a position are computed in registers before the next symbol is read; running counts and recent values
are carried from step to step. `Emitter` writes one such step either for one word (64-bit counts) or for many words side
by side, one in each lane of a vector, with counters just wide enough for the length (`magnitude.longest_exact`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import llvmlite.ir as ir

from lengthwise.crasp.running.jit import WIDE, Value
from lengthwise.crasp.running.operations import Operation, runs
from lengthwise.crasp.running.state import Layout

BIT, BYTE, INT32 = ir.IntType(1), ir.IntType(8), ir.IntType(32)
IN_REGISTERS = 8
"""Up to this reach, recent values are carried in registers; beyond it they are read from memory."""
SUMMED_ONE_BY_ONE = 4
"""A longer run of consecutive offsets is kept as a sliding sum."""


def sliding_runs(layout: Layout) -> list[tuple[int, int, int]]:
    """The runs kept as sliding sums: (remembered Boolean, nearest offset, farthest offset), by slot."""
    found: dict[tuple[int, int, int], None] = {}
    for index in layout.needed:
        operation = layout.listing.operations[index]
        if operation.kind == "window":
            for near, far in runs(operation.numbers):
                if far - near + 1 > SUMMED_ONE_BY_ONE:
                    found[(operation.operands[0], near, far)] = None
    return list(found)


@dataclass(frozen=True, slots=True)
class Shape:
    """How values are held: `lanes` words side by side, counts of `bits` bits, symbols of `token_bits` bits."""

    lanes: int = 1
    bits: int = 64
    token_bits: int = 8

    def type(self, scalar: ir.IntType) -> Any:
        """The type of one value per lane."""
        return ir.VectorType(scalar, self.lanes) if self.lanes > 1 else scalar

    def constant(self, scalar: ir.IntType, number: int) -> Value:
        """The same constant in every lane, modulo the width of the type."""
        wrapped = number % 2**scalar.width
        return ir.Constant(self.type(scalar), [wrapped] * self.lanes if self.lanes > 1 else wrapped)


class Emitter:
    """Writes the loop that evaluates a layout over `length` positions into a function.

    `memory` holds the addresses of the remembered values. Without it, the word is read from its beginning and no
    Boolean may be remembered for longer than registers do.
    """

    def __init__(self, layout: Layout, shape: Shape, builder: ir.IRBuilder, memory: Value) -> None:
        self.layout, self.shape, self.builder = layout, shape, builder
        self.count = ir.IntType(shape.bits)
        self.reach = dict(layout.remembered)
        self.values: dict[int, Value] = {}
        self.step: Value = None
        self.carried: list[tuple[Value, Value]] = []
        self.totals: dict[int, Value] = {}
        self.recent: dict[int, list[Value]] = {}
        self.sums: dict[tuple[int, int, int], Value] = {}
        self.slid: dict[tuple[int, int, int], Value] = {}
        self.residues: dict[int, Value] = {}
        self.regions: dict[int, Value] = {}
        if memory is not None:
            self.regions = {
                operand: builder.load(builder.gep(memory, [ir.Constant(WIDE, slot)]))
                for slot, (operand, _) in enumerate(layout.remembered)
            }

    # --------------------------------------------------------------------------------- entering the loop

    def carry(self, initial: Value) -> Value:
        """A value that each step passes to the next."""
        phi = self.builder.phi(initial.type)
        phi.add_incoming(initial, self.entry)
        return phi

    def open(self, position: Value, counts: dict[int, Value], sums: dict[Any, Value]) -> None:
        """Start the loop body: `position` symbols were read before it, with these running counts and sliding sums."""
        builder = self.builder
        moduli = {
            self.layout.listing.operations[index].value
            for index in self.layout.needed
            if self.layout.listing.operations[index].kind == "periodic"
        }
        following = builder.add(position, ir.Constant(WIDE, 1))
        starts = {modulus: builder.urem(following, ir.Constant(WIDE, modulus)) for modulus in sorted(moduli)}
        tails = {
            operand: [self._remembered(operand, reach - back) for back in range(1, reach + 1)]
            for operand, reach in self.layout.remembered
            if reach <= IN_REGISTERS
        }
        self.entry = builder.block
        body = builder.append_basic_block("body")
        builder.branch(body)
        builder.position_at_end(body)
        self.body = body
        self.step = self.carry(ir.Constant(WIDE, 0))
        self.residues = {modulus: self.carry(start) for modulus, start in starts.items()}
        self.totals = {operand: self.carry(counts[operand]) for operand in self.layout.counted}
        self.recent = {operand: [self.carry(value) for value in tail] for operand, tail in tails.items()}
        self.sums = {run: self.carry(sums[run]) for run in sliding_runs(self.layout)}

    def _remembered(self, operand: int, place: int) -> Value:
        if not self.regions:
            return self.shape.constant(BIT, 0)
        return self._load(operand, ir.Constant(WIDE, place))

    def close(self, length: Value) -> None:
        """End the loop body after `length` steps and go on after it."""
        builder = self.builder
        after = builder.add(self.step, ir.Constant(WIDE, 1))
        updates = [(self.step, after), *self.carried]
        for modulus, residue in self.residues.items():
            raised = builder.add(residue, ir.Constant(WIDE, 1))
            wraps = builder.icmp_unsigned("==", raised, ir.Constant(WIDE, modulus))
            updates.append((residue, builder.select(wraps, ir.Constant(WIDE, 0), raised)))
        self.final_totals = {operand: self._total(operand) for operand in self.layout.counted}
        updates += [(self.totals[operand], total) for operand, total in self.final_totals.items()]
        self.final_recent: dict[int, list[Value]] = {}
        for operand, recent in self.recent.items():
            shifted = [self.values[operand], *recent[:-1]]
            self.final_recent[operand] = shifted
            updates += list(zip(recent, shifted, strict=True))
        for phi, value in updates:
            phi.add_incoming(value, builder.block)
        finished = builder.append_basic_block("finished")
        builder.cbranch(builder.icmp_signed("<", after, length), self.body, finished)
        builder.position_at_end(finished)

    def save_tails(self) -> None:
        """Behind the loop: put the last values held in registers back into memory, oldest first."""
        for operand, recent in self.final_recent.items():
            for back, value in enumerate(recent, start=1):
                self._store(operand, ir.Constant(WIDE, self.reach[operand] - back), value)

    # ------------------------------------------------------------------------------------------ memory

    def _address(self, operand: int, place: Value) -> Value:
        offset = self.builder.mul(place, ir.Constant(WIDE, self.shape.lanes))
        pointer = self.builder.gep(self.regions[operand], [offset])
        return self.builder.bitcast(pointer, self.shape.type(BYTE).as_pointer())

    def _load(self, operand: int, place: Value) -> Value:
        byte = self.builder.load(self._address(operand, place), align=1)
        return self.builder.icmp_unsigned("!=", byte, self.shape.constant(BYTE, 0))

    def _store(self, operand: int, place: Value, value: Value) -> None:
        self.builder.store(self.builder.zext(value, self.shape.type(BYTE)), self._address(operand, place), align=1)

    # ------------------------------------------------------------------------------------------ one step

    def compute(self, token: Value) -> None:
        """All needed operations at the current position, which holds `token`."""
        for index in self.layout.needed:
            self.values[index] = self._operation(self.layout.listing.operations[index], token)
            reach = self.reach.get(index, 0)
            if reach > IN_REGISTERS:
                self._store(index, self.builder.add(self.step, ir.Constant(WIDE, reach)), self.values[index])

    def _widened(self, value: Value) -> Value:
        return self.builder.zext(value, self.shape.type(self.count))

    def number(self, value: int) -> Value:
        """The same count in every lane."""
        return self.shape.constant(self.count, value)

    def _everywhere(self, bit: Value) -> Value:
        """One bit copied into every lane."""
        if self.shape.lanes == 1:
            return bit
        vector = self.shape.type(BIT)
        single = self.builder.insert_element(ir.Constant(vector, ir.Undefined), bit, ir.Constant(INT32, 0))
        mask = ir.Constant(ir.VectorType(INT32, self.shape.lanes), [0] * self.shape.lanes)
        return self.builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), mask)

    def _total(self, operand: int) -> Value:
        return self.builder.add(self.totals[operand], self._widened(self.values[operand]))

    def _operation(self, operation: Operation, token: Value) -> Value:
        builder = self.builder
        parts = [self.values[index] for index in operation.operands]
        match operation.kind:
            case "symbol":
                if operation.value < 0:
                    return self.shape.constant(BIT, 0)
                scalar = ir.IntType(self.shape.token_bits)
                return builder.icmp_unsigned("==", token, self.shape.constant(scalar, operation.value))
            case "truth":
                return self.shape.constant(BIT, operation.value)
            case "number":
                return self.number(operation.value)
            case "periodic":
                return self._periodic(operation)
            case "not":
                return builder.not_(parts[0])
            case "and" | "or":
                result = parts[0]
                for part in parts[1:]:
                    result = builder.and_(result, part) if operation.kind == "and" else builder.or_(result, part)
                return result
            case "==" | "!=" | "<" | "<=":
                return builder.icmp_signed(operation.kind, *parts)
            case "count":
                return self._total(operation.operands[0])
            case "before":
                return self.totals[operation.operands[0]]
            case "window":
                return self._window(operation)
            case "min":
                return builder.select(builder.icmp_signed("<", *parts), *parts)
            case "max":
                return builder.select(builder.icmp_signed("<", *parts), *parts[::-1])
            case "select":
                return builder.select(*parts)
            case "sum":
                return self._combination(parts, operation)

    def _combination(self, parts: list[Value], operation: Operation) -> Value:
        result = self.number(operation.value)
        for part, factor in zip(parts, operation.numbers, strict=True):
            scaled = part if abs(factor) == 1 else self.builder.mul(part, self.number(abs(factor)))
            result = self.builder.add(result, scaled) if factor > 0 else self.builder.sub(result, scaled)
        return result

    def _periodic(self, operation: Operation) -> Value:
        builder, modulus, residue = self.builder, operation.value, self.residues[operation.value]
        if modulus <= 64:
            mask = ir.Constant(WIDE, sum(1 << member for member in operation.numbers))
            return self._everywhere(builder.trunc(builder.lshr(mask, residue), BIT))
        members = set(operation.numbers)
        table = ir.ArrayType(BYTE, modulus)
        name = builder.module.get_unique_name("residues")
        values = ir.GlobalVariable(builder.module, table, name)
        values.global_constant = True
        values.initializer = ir.Constant(table, [int(member in members) for member in range(modulus)])
        entry = builder.load(builder.gep(values, [ir.Constant(WIDE, 0), residue]))
        return self._everywhere(builder.trunc(entry, BIT))

    def _window(self, operation: Operation) -> Value:
        operand = operation.operands[0]
        result = self.number(0)
        for near, far in runs(operation.numbers):
            if far - near + 1 <= SUMMED_ONE_BY_ONE:
                for offset in range(near, far + 1):
                    result = self.builder.add(result, self._widened(self._back(operand, offset)))
            else:
                result = self.builder.add(result, self._slide((operand, near, far)))
        return result

    def _slide(self, run: tuple[int, int, int]) -> Value:
        """Σ P(t-o) over a run of offsets: what the step before left, and the value that has just entered.

        The carried sum leaves out the farthest offset, so that it can be rebuilt from the remembered values alone.
        """
        operand, near, far = run
        if run not in self.slid:
            whole = self.builder.add(self.sums[run], self._widened(self._back(operand, near)))
            rest = self.builder.sub(whole, self._widened(self._back(operand, far)))
            self.carried.append((self.sums[run], rest))
            self.slid[run] = whole
        return self.slid[run]

    def _back(self, operand: int, offset: int) -> Value:
        """The value of a remembered Boolean `offset` positions ago."""
        if offset == 0:
            return self.values[operand]
        if self.reach[operand] <= IN_REGISTERS:
            return self.recent[operand][offset - 1]
        place = self.builder.add(self.step, ir.Constant(WIDE, self.reach[operand] - offset))
        return self._load(operand, place)
