"""Few of many: functions and attention that depend on a handful of positions of a long input.

- `construct` writes down and checks a transformer for a sparse Boolean function (Edelman et al., appendix B).
- `check_ensemble` sets the loss on longer inputs beside the bound (Golowich et al., Theorem 4.3, repaired).
- `check_coupling` does so for tasks that position coupling makes local (Definition 4.1, Proposition 4.4).

What they are made of: `boolean` (functions, bases, weights), `ensembles` (inputs with planted tokens), `functional`
(sparse functional attention and risk minimisation), `bounds` (Theorem 4.3) and `coupling`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lengthwise.sparse import boolean, bounds, coupling, ensembles, functional
    from lengthwise.sparse.boolean.construct import Built, construct
    from lengthwise.sparse.bounds.check import INSTANCES, EnsembleReport, check_ensemble
    from lengthwise.sparse.coupling.check import COUPLED_TASKS, CouplingReport, check_coupling

__all__ = [
    "COUPLED_TASKS",
    "INSTANCES",
    "Built",
    "CouplingReport",
    "EnsembleReport",
    "boolean",
    "bounds",
    "check_coupling",
    "check_ensemble",
    "construct",
    "coupling",
    "ensembles",
    "functional",
]
_PLACES = {
    "Built": "lengthwise.sparse.boolean.construct",
    "INSTANCES": "lengthwise.sparse.bounds.check",
    "CouplingReport": "lengthwise.sparse.coupling.check",
    "EnsembleReport": "lengthwise.sparse.bounds.check",
    "COUPLED_TASKS": "lengthwise.sparse.coupling.check",
    "check_coupling": "lengthwise.sparse.coupling.check",
    "check_ensemble": "lengthwise.sparse.bounds.check",
    "construct": "lengthwise.sparse.boolean.construct",
}
"""Where those live that are no packages."""


def __getattr__(name: str) -> Any:
    # Loaded when first used: training reads the Boolean functions and needs nothing else of this package.
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    if name in __all__:
        return importlib.import_module(f"lengthwise.sparse.{name}")
    raise AttributeError(f"module 'lengthwise.sparse' has no attribute {name!r}")
