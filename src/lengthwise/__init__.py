"""Will a transformer trained on short inputs work on long ones, and how short may "short" be?

    >>> import lengthwise as lw
    >>> lw.decide("(ab)*").ape.kind, lw.verify("d2", "(a(ab)*b)*").equal
    ('yes', True)

The functions do what the verbs of the command line do: `decide`, `verify`, `study`, `train`, `load`, `evaluate`,
`bound`, `simulate`, `compile` and others. The packages hold what they work with: `lw.crasp` is the programming language
C-RASP[periodic, local], `lw.regular` decides which languages it can express, `lw.limit` are the Limit Transformers it
compiles to, `lw.runs` the runs of trained models.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise import atlas, bounds, crasp, diagnose, experiments, limit, nn, regular, runs, sparse, tasks
    from lengthwise.experiments.catalogue import figures
    from lengthwise.experiments.reproduce import reproduce
    from lengthwise.public import (
        bound,
        check,
        check_proof,
        compile,  # noqa: A004 - the verb's name
        decide,
        describe_task,
        evaluate,
        identification,
        learn,
        load,
        model_norms,
        plan_study,
        protocol,
        rivals,
        run,
        search,
        show,
        simulate,
        study,
        train,
        verify,
    )
    from lengthwise.runs import Run, RunConfig
    from lengthwise.runs.store.inspection import check_store, repair_store
    from lengthwise.statements import papers
    from lengthwise.subjects import Subject

__version__ = "0.2.0"
__all__ = [
    "Alphabet",
    "LengthwiseError",
    "Run",
    "RunConfig",
    "Subject",
    "__version__",
    "atlas",
    "bound",
    "bounds",
    "check",
    "check_proof",
    "check_store",
    "compile",
    "crasp",
    "decide",
    "describe_task",
    "diagnose",
    "evaluate",
    "experiments",
    "figures",
    "identification",
    "learn",
    "limit",
    "load",
    "model_norms",
    "nn",
    "papers",
    "plan_study",
    "protocol",
    "regular",
    "repair_store",
    "reproduce",
    "rivals",
    "run",
    "runs",
    "search",
    "show",
    "simulate",
    "sparse",
    "study",
    "tasks",
    "train",
    "verify",
]
_PACKAGES = {"atlas", "bounds", "crasp", "diagnose", "experiments", "limit", "nn", "regular", "runs", "sparse", "tasks"}
_PLACES = {
    "Run": "lengthwise.runs",
    "RunConfig": "lengthwise.runs",
    "Subject": "lengthwise.subjects",
    "check_store": "lengthwise.runs.store.inspection",
    "figures": "lengthwise.experiments.catalogue",
    "papers": "lengthwise.statements",
    "repair_store": "lengthwise.runs.store.inspection",
    "reproduce": "lengthwise.experiments.reproduce",
}
"""Where those names live that are neither packages nor functions, which `lengthwise.public` has."""


def __getattr__(name: str) -> Any:
    # Packages and what is in them are loaded when first used, so that `import lengthwise` stays quick.
    if name in _PACKAGES:
        return importlib.import_module(f"lengthwise.{name}")
    if name in __all__:
        return getattr(importlib.import_module(_PLACES.get(name, "lengthwise.public")), name)
    raise AttributeError(f"module 'lengthwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


class _CallablePackage(ModuleType):
    """A package of the same name as a public function; calling it calls the function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        name = self.__name__.rpartition(".")[2]
        return getattr(importlib.import_module("lengthwise.public"), name)(*args, **options)


class _Lengthwise(ModuleType):
    """The package `lengthwise`, whose function `study` stays callable when the package of that name is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in __all__ and name not in _PACKAGES and isinstance(value, ModuleType):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Lengthwise
