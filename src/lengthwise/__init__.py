"""Will a transformer trained on short inputs work on long ones, and how short may "short" be?

`lengthwise.crasp` is the programming language C-RASP[periodic, local], `lengthwise.limit` the Limit Transformers it
compiles to.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise import crasp, limit

__version__ = "0.1.0"
__all__ = ["Alphabet", "LengthwiseError", "__version__", "crasp", "limit"]


def __getattr__(name: str) -> Any:
    # Packages are loaded when first used, so that `import lengthwise` stays quick.
    if name in __all__:
        return importlib.import_module(f"lengthwise.{name}")
    raise AttributeError(f"module 'lengthwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
