"""Will a transformer trained on short inputs work on long ones, and how short may "short" be?

`lengthwise.crasp` is the programming language C-RASP[periodic, local], `lengthwise.regular` decides which languages it
can express, and `lengthwise.limit` are the Limit Transformers it compiles to.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise import bounds, crasp, limit, nn, regular, sparse, tasks
    from lengthwise.public import decide, plan_study, study, verify
    from lengthwise.subjects import Subject

__version__ = "0.1.0"
__all__ = [
    "Alphabet",
    "LengthwiseError",
    "Subject",
    "__version__",
    "bounds",
    "crasp",
    "decide",
    "limit",
    "nn",
    "plan_study",
    "regular",
    "sparse",
    "study",
    "tasks",
    "verify",
]
_PLACES = {
    "Subject": "lengthwise.subjects",
    "decide": "lengthwise.public",
    "plan_study": "lengthwise.public",
    "study": "lengthwise.public",
    "verify": "lengthwise.public",
}
"""Where those live that are no packages."""


def __getattr__(name: str) -> Any:
    # Packages and what is in them are loaded when first used, so that `import lengthwise` stays quick.
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    if name in __all__:
        return importlib.import_module(f"lengthwise.{name}")
    raise AttributeError(f"module 'lengthwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


class _CallablePackage(ModuleType):
    """A package of the same name as a public function; calling it calls the function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        name = self.__name__.rpartition(".")[2]
        return getattr(importlib.import_module(_PLACES[name]), name)(*args, **options)


class _Lengthwise(ModuleType):
    """The package `lengthwise`, whose function `study` stays callable when the package of that name is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _PLACES and isinstance(value, ModuleType):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Lengthwise
