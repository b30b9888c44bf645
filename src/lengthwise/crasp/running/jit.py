"""Machine code from LLVM IR, in this process: the thin layer over llvmlite that kernels are written with."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeAlias

import llvmlite.binding as llvm
import llvmlite.ir as ir

WIDE = ir.IntType(64)
Value: TypeAlias = Any
"""A value of LLVM IR."""


def new_function(module: ir.Module, name: str, arguments: int) -> tuple[ir.IRBuilder, list[Value]]:
    """A function of 64-bit integers that returns one: the builder of its first block, and its arguments."""
    function = ir.Function(module, ir.FunctionType(WIDE, [WIDE] * arguments), name=name)
    return ir.IRBuilder(function.append_basic_block("entry")), list(function.args)


def pointer_to(builder: ir.IRBuilder, address: Value, target: ir.Type) -> Value:
    """An address as a pointer to values of a type."""
    return builder.inttoptr(address, target.as_pointer())


def element(builder: ir.IRBuilder, pointer: Value, index: int) -> Value:
    """The pointer to an element that is known when the code is written."""
    return builder.gep(pointer, [ir.Constant(WIDE, index)])


@contextmanager
def loop(builder: ir.IRBuilder, start: Value, stop: Value, step: int = 1) -> Iterator[Value]:
    """A loop over start, start + step, … below `stop`, possibly empty; the builder ends up after it."""
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


@lru_cache(maxsize=1)
def _host() -> tuple[str, str]:
    """Processor name and features, after LLVM has been told to generate code for this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


class Compiled:
    """A compiled module; it must outlive every function taken from it."""

    def __init__(self, module: ir.Module) -> None:
        cpu, features = _host()
        # The execution engine owns its target machine, so each module gets one of its own.
        machine = llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=3)
        module.triple = llvm.get_default_triple()
        module.data_layout = str(machine.target_data)
        parsed = llvm.parse_assembly(str(module))
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = True
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(parsed, builder)
        self._engine = llvm.create_mcjit_compiler(parsed, machine)
        self._engine.finalize_object()

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """A function of addresses and 64-bit integers that returns one; it runs without the interpreter's lock."""
        address = self._engine.get_function_address(name)
        kind: Any = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)
        function: Callable[..., int] = kind(address)
        return function
