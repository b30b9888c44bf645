"""Parameters as text: `omega=2` on a command line, and what a text is worth as a number."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Union, get_args, get_origin

from lengthwise.errors import LengthwiseError

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """The names and values of texts such as `omega=2`.

    Args:
        texts: Texts such as `omega=2`.

    Returns:
        The values by name, as text.

    Raises:
        LengthwiseError: A text is not of this form, or a name is set twice.

    Example:
        >>> read_settings(["omega=2"])
        {'omega': '2'}

    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise LengthwiseError(f"a parameter is set as in omega=2, not {text!r}")
        if name in found:
            raise LengthwiseError(f"the parameter {name!r} is set twice, to {found[name]} and to {value.strip()}")
        found[name] = value.strip()
    return found


def converted(name: str, value: Any, kind: Any) -> Any:
    """The value of a parameter as the wanted kind: a number, a truth value or text, given as itself or as text.

    Of `X | None` it is X, and None stays; kinds other than int, float, bool and str take any value.
    """
    if get_origin(kind) in (Union, types.UnionType):
        wanted = [part for part in get_args(kind) if part is not types.NoneType]
        if value is None and len(wanted) < len(get_args(kind)):
            return None
        kind = wanted[0] if len(wanted) == 1 else Any
    if kind not in _WORDS:
        return value
    fitting = _fitting(value, kind)
    if fitting is None:
        raise LengthwiseError(f"the parameter {name!r} is {_WORDS[kind]}, not {value!r}")
    return fitting


def _fitting(value: Any, kind: type) -> Any:
    if kind is str:
        return value if isinstance(value, str) else None
    if kind is bool:
        return _TRUTH.get(value.lower()) if isinstance(value, str) else value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            return kind(value)
        except ValueError:
            return None
    if kind is float:
        return float(value) if isinstance(value, int | float) else None
    return value if isinstance(value, int) else None
