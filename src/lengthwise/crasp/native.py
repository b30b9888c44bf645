"""Evaluation in machine code: kernels for one long word and for a batch of words side by side.

Compiling takes some tens of milliseconds, so `evaluate` comes here only when there is enough to do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.ir as ir
import numpy as np
import numpy.typing as npt

from lengthwise.crasp.jit import Compiled
from lengthwise.crasp.kernels import BYTE, IN_REGISTERS, INT32, WIDE, Emitter, Shape, Value, sliding_runs
from lengthwise.crasp.state import Layout, State

Array = npt.NDArray[Any]

BLOCK = 1 << 16
"""Positions evaluated at a time where remembered values live in memory; bounds that memory."""
TILE = 16
"""Side of the square of bytes that is transposed in registers."""


def _function(name: str, arguments: int) -> tuple[ir.Module, ir.IRBuilder, list[Value]]:
    module = ir.Module(name=name)
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [WIDE] * arguments), name=name)
    return module, ir.IRBuilder(function.append_basic_block("entry")), list(function.args)


def _pointer(builder: ir.IRBuilder, address: Value, target: ir.Type) -> Value:
    return builder.inttoptr(address, target.as_pointer())


def _at(builder: ir.IRBuilder, pointer: Value, index: int) -> Value:
    return builder.gep(pointer, [ir.Constant(WIDE, index)])


@contextmanager
def _loop(builder: ir.IRBuilder, start: Value, stop: Value, step: int) -> Iterator[Value]:
    """A loop over start, start + step, … below `stop`, possibly empty; the builder ends up behind it."""
    before = builder.block
    head, body, behind = (builder.append_basic_block(part) for part in ("head", "loop", "behind"))
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(WIDE)
    index.add_incoming(start, before)
    builder.cbranch(builder.icmp_signed("<", index, stop), body, behind)
    builder.position_at_end(body)
    yield index
    index.add_incoming(builder.add(index, ir.Constant(WIDE, step)), builder.block)
    builder.branch(head)
    builder.position_at_end(behind)


class WordKernel:
    """Reads one word, or one piece of it after another, and gives the roots' values at its end or at every position."""

    def __init__(self, layout: Layout, token_bits: int, everywhere: bool) -> None:
        self.layout, self.everywhere = layout, everywhere
        self.sliding = sliding_runs(layout)
        self.in_memory = any(reach > IN_REGISTERS for _, reach in layout.remembered)
        module, builder, arguments = _function("word", 8)
        token_type = ir.IntType(token_bits)
        tokens = _pointer(builder, arguments[0], token_type)
        length, position = arguments[1], arguments[2]
        counts = _pointer(builder, arguments[3], WIDE)
        memory = _pointer(builder, arguments[4], BYTE.as_pointer())
        sums, results = _pointer(builder, arguments[5], WIDE), _pointer(builder, arguments[6], WIDE)
        outputs = _pointer(builder, arguments[7], WIDE)
        emitter = Emitter(layout, Shape(token_bits=token_bits), builder, memory)
        columns = []
        for place, root in enumerate(layout.roots if everywhere else ()):
            target = WIDE if layout.listing.operations[root].is_count else BYTE
            columns.append(_pointer(builder, builder.load(_at(builder, outputs, place)), target))
        emitter.open(
            position,
            {operand: builder.load(_at(builder, counts, slot)) for slot, operand in enumerate(layout.counted)},
            {run: builder.load(_at(builder, sums, slot)) for slot, run in enumerate(self.sliding)},
        )
        emitter.compute(builder.load(builder.gep(tokens, [emitter.step])))
        for root, column in zip(layout.roots, columns, strict=False):
            value = emitter.values[root]
            value = value if layout.listing.operations[root].is_count else builder.zext(value, BYTE)
            builder.store(value, builder.gep(column, [emitter.step]))
        emitter.close(length)
        emitter.save_tails()
        for slot, operand in enumerate(layout.counted):
            builder.store(emitter.final_totals[operand], _at(builder, counts, slot))
        for place, root in enumerate(layout.roots):
            value = emitter.values[root]
            value = value if layout.listing.operations[root].is_count else builder.zext(value, WIDE)
            builder.store(value, _at(builder, results, place))
        builder.ret_void()
        self._compiled = Compiled(module)
        self._call = self._compiled.function("word", 8)

    def __call__(self, ids: Array, state: State) -> list[Array]:
        """Read on from `state`. The roots' values: arrays over the positions, or of one element for the last."""
        operations = self.layout.listing.operations
        kinds = [np.int64 if operations[root].is_count else np.bool_ for root in self.layout.roots]
        columns: list[Array] = [np.empty(len(ids) if self.everywhere else 1, dtype=kind) for kind in kinds]
        piece = BLOCK if self.in_memory else max(1, len(ids))
        regions = [
            np.zeros(reach if reach <= IN_REGISTERS else reach + min(piece, len(ids)), dtype=np.uint8)
            for _, reach in self.layout.remembered
        ]
        memory = _addresses(regions)
        results = np.zeros(max(1, len(kinds)), dtype=np.int64)
        for start in range(0, len(ids), piece):
            part = np.ascontiguousarray(ids[start : start + piece])
            starts = [column.ctypes.data + start * column.itemsize for column in columns]
            outputs = np.array(starts if self.everywhere else [0], dtype=np.int64)
            for region, tail in zip(regions, state.tails, strict=True):
                region[: len(tail)] = tail
            sums = self._sums(state)
            arguments = (part, state.counts, memory, sums, results, outputs)
            data, counts, regions_at, sums_at, results_at, outputs_at = (array.ctypes.data for array in arguments)
            self._call(data, len(part), state.position, counts, regions_at, sums_at, results_at, outputs_at)
            state.position += len(part)
            for region, tail in zip(regions, state.tails, strict=True):
                end = len(part) if len(tail) > IN_REGISTERS else 0
                tail[:] = region[end : end + len(tail)]
        if not self.everywhere and len(ids):
            for place, column in enumerate(columns):
                column[0] = results[place]
        return columns

    def _sums(self, state: State) -> Array:
        """The carried part of every sliding sum, from the remembered values (see `Emitter.slide`)."""
        slots = {operand: slot for slot, (operand, _) in enumerate(self.layout.remembered)}
        sums = np.zeros(max(1, len(self.sliding)), dtype=np.int64)
        for place, (operand, near, far) in enumerate(self.sliding):
            tail = state.tails[slots[operand]]
            sums[place] = int(tail[len(tail) - far : len(tail) - near].sum())
        return sums


def _addresses(arrays: list[Array]) -> Array:
    return np.array([array.ctypes.data for array in arrays] or [0], dtype=np.int64)


class BatchKernel:
    """Decides many words at once: `lanes` of them side by side, position after position."""

    def __init__(self, layout: Layout, bits: int, ragged: bool, by_position: bool) -> None:
        (self.root,) = layout.roots
        self.layout, self.ragged, self.by_position = layout, ragged, by_position
        self.lanes = 64 if bits == 8 else 32
        shape = Shape(self.lanes, bits)
        module, builder, arguments = _function("batch", 8)
        ids, stride, groups, length, scratch, memory, lengths, results = arguments
        source, tile = _pointer(builder, ids, BYTE), _pointer(builder, scratch, BYTE)
        regions = _pointer(builder, memory, BYTE.as_pointer())
        zero, lanes = ir.Constant(WIDE, 0), ir.Constant(WIDE, self.lanes)
        with _loop(builder, zero, groups, 1) as group:
            first = builder.mul(group, lanes)
            if by_position:
                symbols, pitch = builder.gep(source, [first]), stride
            else:
                _transpose(builder, builder.gep(source, [builder.mul(first, stride)]), stride, length, tile, self.lanes)
                symbols, pitch = tile, lanes
            vector = builder.gep(_pointer(builder, results, BYTE), [first])
            ends = None
            if ragged:
                wanted = builder.gep(_pointer(builder, lengths, INT32), [first])
                ends = builder.load(builder.bitcast(wanted, shape.type(INT32).as_pointer()), align=1)
            verdict = self._side_by_side(Emitter(layout, shape, builder, regions), symbols, pitch, length, ends)
            target = builder.bitcast(vector, shape.type(BYTE).as_pointer())
            builder.store(builder.zext(verdict, shape.type(BYTE)), target, align=1)
        builder.ret_void()
        self._compiled = Compiled(module)
        self._call: Callable[..., None] = self._compiled.function("batch", 8)

    def _side_by_side(self, emitter: Emitter, symbols: Value, pitch: Value, length: Value, ends: Value) -> Value:
        """Whether each lane's word is accepted: read at its last position, which `ends` gives where lengths differ."""
        builder, shape = emitter.builder, emitter.shape
        nothing = emitter.number(0)
        emitter.open(
            ir.Constant(WIDE, 0),
            dict.fromkeys(self.layout.counted, nothing),
            dict.fromkeys(sliding_runs(self.layout), nothing),
        )
        held = emitter.carry(shape.constant(ir.IntType(1), 0)) if ends is not None else None
        place = builder.gep(symbols, [builder.mul(emitter.step, pitch)])
        emitter.compute(builder.load(builder.bitcast(place, shape.type(BYTE).as_pointer()), align=1))
        verdict = emitter.values[self.root]
        if held is not None:
            here = builder.trunc(builder.add(emitter.step, ir.Constant(WIDE, 1)), INT32)
            spread = builder.insert_element(ir.Constant(ends.type, ir.Undefined), here, ir.Constant(INT32, 0))
            every = ir.Constant(ir.VectorType(INT32, shape.lanes), [0] * shape.lanes)
            spread = builder.shuffle_vector(spread, spread, every)
            verdict = builder.select(builder.icmp_signed("==", spread, ends), verdict, held)
            emitter.carried.append((held, verdict))
        emitter.close(length)
        return verdict

    def __call__(self, ids: Array, lengths: Array | None) -> npt.NDArray[np.bool_]:
        """Verdicts for `ids` of shape (batch, length), both positive; `lengths` where the kernel is ragged."""
        batch, length = ids.shape
        groups, rest = divmod(batch, self.lanes)
        verdicts = np.zeros((groups + (rest > 0)) * self.lanes, dtype=np.uint8)
        ends = np.zeros(len(verdicts), dtype=np.int32)
        if lengths is not None:
            ends[:batch] = lengths
        # The first `reach` places stand for what precedes the word and stay zero; the loop only writes behind them.
        memory = [np.zeros((reach + length) * self.lanes, dtype=np.uint8) for _, reach in self.layout.remembered]
        scratch = np.empty(0 if self.by_position else length * self.lanes, dtype=np.uint8)
        self._run(ids, groups, memory, scratch, ends, verdicts)
        if rest:
            last = np.zeros((length, self.lanes) if self.by_position else (self.lanes, length), dtype=np.uint8)
            last = last.T if self.by_position else last
            last[:rest] = ids[groups * self.lanes :]
            done = groups * self.lanes
            self._run(last, 1, memory, scratch, ends[done:], verdicts[done:])
        return verdicts[:batch].view(np.bool_)

    def _run(self, ids: Array, groups: int, memory: list[Array], scratch: Array, ends: Array, verdicts: Array) -> None:
        regions = _addresses(memory)
        stride = ids.strides[1] if self.by_position else ids.strides[0]
        addresses = [array.ctypes.data for array in (scratch, regions, ends, verdicts)]
        self._call(ids.ctypes.data, stride, groups, ids.shape[1], *addresses)


def _transpose(builder: ir.IRBuilder, rows: Value, stride: Value, length: Value, tile: Value, lanes: int) -> None:
    """Copy `lanes` rows of `length` bytes so that the bytes of one position lie side by side."""
    vector = ir.VectorType(BYTE, TILE)
    zero = ir.Constant(WIDE, 0)
    low, high = (
        ir.Constant(ir.VectorType(INT32, TILE), [place // 2 + start + TILE * (place % 2) for place in range(TILE)])
        for start in (0, TILE // 2)
    )
    whole = builder.and_(length, ir.Constant(WIDE, -TILE))
    with _loop(builder, zero, whole, TILE) as column:
        for first in range(0, lanes, TILE):
            square = []
            for row in range(first, first + TILE):
                place = builder.add(builder.mul(stride, ir.Constant(WIDE, row)), column)
                pointer = builder.bitcast(builder.gep(rows, [place]), vector.as_pointer())
                square.append(builder.load(pointer, align=1))
            # Four perfect shuffles of sixteen rows exchange rows and columns.
            for _ in range(4):
                pairs = [(square[k], square[k + TILE // 2]) for k in range(TILE // 2)]
                square = [builder.shuffle_vector(a, b, mask) for a, b in pairs for mask in (low, high)]
            for k, line in enumerate(square):
                place = builder.mul(builder.add(column, ir.Constant(WIDE, k)), ir.Constant(WIDE, lanes))
                pointer = builder.gep(tile, [builder.add(place, ir.Constant(WIDE, first))])
                builder.store(line, builder.bitcast(pointer, vector.as_pointer()), align=1)
    with _loop(builder, whole, length, 1) as column:
        start = builder.mul(column, ir.Constant(WIDE, lanes))
        with _loop(builder, zero, ir.Constant(WIDE, lanes), 1) as row:
            byte = builder.load(builder.gep(rows, [builder.add(builder.mul(row, stride), column)]))
            builder.store(byte, builder.gep(tile, [builder.add(start, row)]))


def available() -> bool:
    """Whether machine code can be made and run here."""
    try:
        module, builder, _ = _function("probe", 0)
        builder.ret_void()
        Compiled(module).function("probe", 0)()
    except (OSError, RuntimeError):
        return False
    return ctypes.sizeof(ctypes.c_void_p) == 8
