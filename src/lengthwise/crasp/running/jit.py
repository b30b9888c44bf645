"""Machine code from LLVM IR, in this process: the thin layer over llvmlite that `kernels` compiles through."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir


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
