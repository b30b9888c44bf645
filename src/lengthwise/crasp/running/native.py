"""Evaluation in machine code: kernels for one long word and for a batch of words side by side.

Compiling takes some tens of milliseconds, so `evaluate` comes here only when there is enough to do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.ir as ir
import numpy as np
import numpy.typing as npt

from lengthwise.crasp.running.jit import WIDE, Compiled, Value, element, loop, new_function, pointer_to
from lengthwise.crasp.running.kernels import BYTE, IN_REGISTERS, INT32, Emitter, Shape, sliding_runs
from lengthwise.crasp.running.state import Layout, State

Array = npt.NDArray[Any]

BLOCK = 1 << 16
"""Positions evaluated at a time where remembered values live in memory; bounds that memory."""
TILE = 16
"""Side of the square of bytes that is transposed in registers."""


class WordKernel:
    """Reads one word, or one piece of it after another, and gives the roots' values at its end or at every position.

    Everything but the symbols passes through one array of 64-bit integers, the workspace: running counts, sliding sums,
    addresses of the remembered values, addresses of the output columns, results. One address keeps a call short.
    """

    def __init__(self, layout: Layout, token_bits: int, everywhere: bool) -> None:
        self.layout, self.everywhere = layout, everywhere
        self.sliding = sliding_runs(layout)
        self.in_memory = any(reach > IN_REGISTERS for _, reach in layout.remembered)
        operations = layout.listing.operations
        self.kinds = [np.int64 if operations[root].is_count else np.bool_ for root in layout.roots]
        self.sums_at = len(layout.counted)
        self.memory_at = self.sums_at + len(self.sliding)
        self.outputs_at = self.memory_at + len(layout.remembered)
        self.results_at = self.outputs_at + len(layout.roots)
        self.size = self.results_at + len(layout.roots)
        module = ir.Module()
        self._write_word(module, token_bits)
        direct = len(layout.roots) == 1 and not self.in_memory
        if direct:
            self._write_direct(module, token_bits)
        self._compiled = Compiled(module)
        self._call = self._compiled.function("word", 4)
        self._direct = self._compiled.function("direct", 3) if direct else None

    def _write_direct(self, module: ir.Module, token_bits: int) -> None:
        """A second function for whole words and one root: no workspace, so that a short word is read in no time."""
        builder, (tokens_at, length, column_at) = new_function(module, "direct", 3)
        tokens = pointer_to(builder, tokens_at, ir.IntType(token_bits))
        column = pointer_to(builder, column_at, WIDE if self.kinds[0] is np.int64 else BYTE)
        emitter = Emitter(self.layout, Shape(token_bits=token_bits), builder, None)
        nothing = ir.Constant(WIDE, 0)
        emitter.open(nothing, dict.fromkeys(self.layout.counted, nothing), dict.fromkeys(self.sliding, nothing))
        emitter.compute(builder.load(builder.gep(tokens, [emitter.step])))
        value = emitter.values[self.layout.roots[0]]
        value = value if self.kinds[0] is np.int64 else builder.zext(value, BYTE)
        if self.everywhere:
            builder.store(value, builder.gep(column, [emitter.step]))
        emitter.close(length)
        builder.ret(value if value.type == WIDE else builder.zext(value, WIDE))

    def _write_word(self, module: ir.Module, token_bits: int) -> None:
        layout = self.layout
        builder, (tokens_at, length, position, workspace_at) = new_function(module, "word", 4)
        tokens = pointer_to(builder, tokens_at, ir.IntType(token_bits))
        workspace = pointer_to(builder, workspace_at, WIDE)
        memory = builder.bitcast(element(builder, workspace, self.memory_at), BYTE.as_pointer().as_pointer())
        emitter = Emitter(layout, Shape(token_bits=token_bits), builder, memory)
        columns = []
        for place, kind in enumerate(self.kinds if self.everywhere else ()):
            address = builder.load(element(builder, workspace, self.outputs_at + place))
            columns.append(pointer_to(builder, address, WIDE if kind is np.int64 else BYTE))
        emitter.open(
            position,
            {operand: builder.load(element(builder, workspace, slot)) for slot, operand in enumerate(layout.counted)},
            {run: builder.load(element(builder, workspace, self.sums_at + k)) for k, run in enumerate(self.sliding)},
        )
        emitter.compute(builder.load(builder.gep(tokens, [emitter.step])))
        roots = [
            emitter.values[root] if kind is np.int64 else builder.zext(emitter.values[root], BYTE)
            for root, kind in zip(layout.roots, self.kinds, strict=True)
        ]
        for value, column in zip(roots, columns, strict=False):
            builder.store(value, builder.gep(column, [emitter.step]))
        emitter.close(length)
        emitter.save_tails()
        for slot, operand in enumerate(layout.counted):
            builder.store(emitter.final_totals[operand], element(builder, workspace, slot))
        for place, value in enumerate(roots):
            wide = value if value.type == WIDE else builder.zext(value, WIDE)
            builder.store(wide, element(builder, workspace, self.results_at + place))
        builder.ret(ir.Constant(WIDE, 0))

    def last(self, ids: Array, state: State | None = None) -> list[int]:
        """The roots' values at the last position of a non-empty piece, read on from `state` or as a word of its own."""
        if state is None and self._direct is not None:
            symbols = ids if ids.flags.c_contiguous else np.ascontiguousarray(ids)
            return [self._direct(_address(symbols), len(symbols), 0)]
        workspace = self._read(ids, state, [])
        values: list[int] = workspace[self.results_at :].tolist()
        return values

    def at_all(self, ids: Array) -> list[Array]:
        """The roots' values at every position of a non-empty word, one array a root."""
        columns: list[Array] = [np.empty(len(ids), dtype=kind) for kind in self.kinds]
        if self._direct is not None:
            symbols = ids if ids.flags.c_contiguous else np.ascontiguousarray(ids)
            self._direct(_address(symbols), len(symbols), _address(columns[0]))
        else:
            self._read(ids, None, columns)
        return columns

    def _read(self, ids: Array, state: State | None, columns: list[Array]) -> Array:
        workspace = np.zeros(self.size, dtype=np.int64)
        if state is None and not self.in_memory:
            # The remembered values before a word are all zero, and nobody asks for those after it.
            regions = [np.zeros(reach, dtype=np.uint8) for _, reach in self.layout.remembered]
            self._pass(ids, 0, workspace, regions, [_address(column) for column in columns])
            return workspace
        current = State(self.layout) if state is None else state
        workspace[: self.sums_at] = current.counts
        piece = min(BLOCK, len(ids)) if self.in_memory else len(ids)
        regions = [
            np.zeros(reach if reach <= IN_REGISTERS else reach + piece, dtype=np.uint8)
            for _, reach in self.layout.remembered
        ]
        for start in range(0, len(ids), piece):
            part = ids[start : start + piece]
            for region, tail in zip(regions, current.tails, strict=True):
                region[: len(tail)] = tail
            self._restore_sums(workspace, current)
            outputs = [_address(column) + start * column.itemsize for column in columns]
            self._pass(part, current.position, workspace, regions, outputs)
            current.position += len(part)
            for region, tail in zip(regions, current.tails, strict=True):
                end = len(part) if len(tail) > IN_REGISTERS else 0
                tail[:] = region[end : end + len(tail)]
        current.counts[:] = workspace[: self.sums_at]
        return workspace

    def _pass(self, ids: Array, position: int, workspace: Array, regions: list[Array], outputs: list[int]) -> None:
        symbols = ids if ids.flags.c_contiguous else np.ascontiguousarray(ids)
        if regions:
            workspace[self.memory_at : self.outputs_at] = [_address(region) for region in regions]
        if outputs:
            workspace[self.outputs_at : self.results_at] = outputs
        self._call(_address(symbols), len(symbols), position, _address(workspace))

    def _restore_sums(self, workspace: Array, state: State) -> None:
        """The carried part of every sliding sum, from the remembered values (see `Emitter`)."""
        slots = {operand: slot for slot, (operand, _) in enumerate(self.layout.remembered)}
        for place, (operand, near, far) in enumerate(self.sliding):
            tail = state.tails[slots[operand]]
            workspace[self.sums_at + place] = int(tail[len(tail) - far : len(tail) - near].sum())


def _address(array: Array) -> int:
    try:
        # Four times as quick as array.ctypes.data, which matters for words of a thousand symbols.
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    except (TypeError, ValueError, BufferError):  # read-only, empty or not contiguous
        return int(array.ctypes.data)


def _addresses(arrays: list[Array]) -> Array:
    return np.array([_address(array) for array in arrays] or [0], dtype=np.int64)


class BatchKernel:
    """Decides many words at once: `lanes` of them side by side, position after position."""

    def __init__(self, layout: Layout, bits: int, ragged: bool, by_position: bool) -> None:
        (self.root,) = layout.roots
        self.layout, self.ragged, self.by_position = layout, ragged, by_position
        self.lanes = 64 if bits == 8 else 32
        shape = Shape(self.lanes, bits)
        module = ir.Module()
        builder, arguments = new_function(module, "batch", 8)
        ids, stride, groups, length, scratch, memory, lengths, results = arguments
        source, tile = pointer_to(builder, ids, BYTE), pointer_to(builder, scratch, BYTE)
        regions = pointer_to(builder, memory, BYTE.as_pointer())
        zero, lanes = ir.Constant(WIDE, 0), ir.Constant(WIDE, self.lanes)
        with loop(builder, zero, groups, 1) as group:
            first = builder.mul(group, lanes)
            if by_position:
                symbols, pitch = builder.gep(source, [first]), stride
            else:
                _transpose(builder, builder.gep(source, [builder.mul(first, stride)]), stride, length, tile, self.lanes)
                symbols, pitch = tile, lanes
            vector = builder.gep(pointer_to(builder, results, BYTE), [first])
            ends = None
            if ragged:
                wanted = builder.gep(pointer_to(builder, lengths, INT32), [first])
                ends = builder.load(builder.bitcast(wanted, shape.type(INT32).as_pointer()), align=1)
            verdict = self._side_by_side(Emitter(layout, shape, builder, regions), symbols, pitch, length, ends)
            target = builder.bitcast(vector, shape.type(BYTE).as_pointer())
            builder.store(builder.zext(verdict, shape.type(BYTE)), target, align=1)
        builder.ret(zero)
        self._compiled = Compiled(module)
        self._call: Callable[..., int] = self._compiled.function("batch", 8)

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
        # The first `reach` places stand for what precedes the word and stay zero; the loop only writes after them.
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
        addresses = [_address(array) for array in (scratch, regions, ends, verdicts)]
        self._call(_address(ids), stride, groups, ids.shape[1], *addresses)


def _transpose(builder: ir.IRBuilder, rows: Value, stride: Value, length: Value, tile: Value, lanes: int) -> None:
    """Copy `lanes` rows of `length` bytes so that the bytes of one position lie side by side."""
    vector = ir.VectorType(BYTE, TILE)
    zero = ir.Constant(WIDE, 0)
    low, high = (
        ir.Constant(ir.VectorType(INT32, TILE), [place // 2 + start + TILE * (place % 2) for place in range(TILE)])
        for start in (0, TILE // 2)
    )
    whole = builder.and_(length, ir.Constant(WIDE, -TILE))
    with loop(builder, zero, whole, TILE) as column:
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
    with loop(builder, whole, length, 1) as column:
        start = builder.mul(column, ir.Constant(WIDE, lanes))
        with loop(builder, zero, ir.Constant(WIDE, lanes), 1) as row:
            byte = builder.load(builder.gep(rows, [builder.add(builder.mul(row, stride), column)]))
            builder.store(byte, builder.gep(tile, [builder.add(start, row)]))


def available() -> bool:
    """Whether machine code can be made and run here."""
    try:
        module = ir.Module()
        builder, _ = new_function(module, "probe", 0)
        builder.ret(ir.Constant(WIDE, 0))
        compiled = Compiled(module)
        compiled.function("probe", 0)()
    except (OSError, RuntimeError):
        return False
    return ctypes.sizeof(ctypes.c_void_p) == 8
