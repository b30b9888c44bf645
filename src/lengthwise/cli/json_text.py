"""What `--json` prints: every object begins with the version of its keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.output import plain

SCHEMA = 1
"""The version of the keys: raised when a key goes or changes its meaning, not when one is added."""


def json_text(answer: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """The JSON of a verb's answer, with `"schema"` as its first key.

    Answers that are lists have no place for a version and are printed without one (docs/reference/stability.md).

    Args:
        answer: What the verb found. An answer with a version of its own keeps it. Numbers that JSON cannot express,
            NaN and the infinities, become null.

    Returns:
        Indented JSON.

    Example:
        >>> print(json_text({"equal": True}))
        {
          "schema": 1,
          "equal": true
        }

    """
    found = {"schema": SCHEMA, **plain(answer)} if isinstance(answer, Mapping) else plain(answer)
    return json.dumps(found, ensure_ascii=False, indent=2)
