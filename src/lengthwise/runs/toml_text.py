"""Settings as TOML text; the standard library only reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(settings: Mapping[str, Any]) -> str:
    """Nested settings as TOML: values first, then each group under its heading. None is written "none"."""
    return "\n".join(_lines(settings, ())).strip() + "\n"


def _lines(settings: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for name, value in settings.items():
        if not isinstance(value, Mapping):
            yield f"{_key(name)} = {_value(value)}"
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            here = (*path, name)
            yield ""
            yield f"[{'.'.join(map(_key, here))}]"
            yield from _lines(value, here)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_value(entry)}" for name, entry in value.items()) + "}"
    return repr(value)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for the delete character, which JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
