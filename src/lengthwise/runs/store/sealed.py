"""Sealed JSON: an object with a digest of its own content, so that a flipped bit or an edited number is noticed.

The digest is the SHA-256 of the content with its keys sorted, so the layout of the file does not matter. It guards
against accidents, not against somebody who computes it anew. Objects that earlier versions wrote have none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from lengthwise.output import plain
from lengthwise.runs.store.disk import write_json

DIGEST = "digest"
Seal = Literal["whole", "broken", "none"]
"""Whether the digest of an object is that of its content; `none` if it has no digest."""


def digest_of(data: Mapping[str, Any]) -> str:
    """The digest of an object, that it may have aside."""
    content = {key: value for key, value in data.items() if key != DIGEST}
    return hashlib.sha256(json.dumps(plain(content), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The object with its digest at the end, in place of the one it may have."""
    return {**{key: value for key, value in data.items() if key != DIGEST}, DIGEST: digest_of(data)}


def seal_of(data: Mapping[str, Any]) -> Seal:
    """What the digest of an object that was read says about it."""
    if DIGEST not in data:
        return "none"
    return "whole" if data[DIGEST] == digest_of(data) else "broken"


def write_sealed(path: Path, data: Mapping[str, Any]) -> None:
    """Write an object with its digest."""
    write_json(path, sealed(data))


def read_sealed(path: Path) -> dict[str, Any]:
    """Read an object that `write_sealed` or an earlier version wrote; ValueError if it has changed since."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise ValueError("it is no JSON object")
    if seal_of(data) == "broken":
        raise ValueError("it has changed since it was written")
    return data
