"""What a model must not see: tokens that come later, and tokens that are hidden.

Whether it does is not asked of its name or its settings, but tried: two inputs that differ in one token only have the
same logits wherever that token is out of sight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.text_model import Bools, Ints

Logits: TypeAlias = Callable[[Ints, Bools], npt.NDArray[np.float32]]
"""From tokens (inputs, length), some of which are hidden, to numbers (inputs, length, vocabulary)."""

LENGTH = 8
"""Tokens of an input that is tried; few, as a token is the less noticed the more there are."""
ROUNDING = 1e-5
"""How far logits may be apart, in parts of the largest. Experts of a mixture round differently with other tokens beside
them, by 1e-8; an encoder with weights of 0.02 is apart by 1e-3."""


def require_no_sight(logits: Logits, vocabulary: int, longest: int | None, name: str) -> None:
    """Refuse a model that sees the future or what is hidden, or whose numbers are none; `name` is what it is called."""
    length = LENGTH if longest is None else min(LENGTH, longest)
    if vocabulary < 2 or length < 2:
        return
    shown = np.zeros(length, dtype=np.bool_)
    if not _alike(logits, vocabulary, shown, length - 1, slice(0, -1), name):
        raise DiagnosisError(
            f"{name} is not causal: another last token changes what it says before that one; influence is measured on "
            "models that predict the next token from those before it"
        )
    hidden = np.arange(length) == length // 2 - 1
    if not _alike(logits, vocabulary, hidden, length // 2 - 1, slice(-1, None), name):
        raise DiagnosisError(
            f"{name} sees tokens that its attention mask hides; influence cannot be measured on it by hiding them"
        )


def _alike(logits: Logits, vocabulary: int, hidden: Bools, changed: int, read: slice, name: str) -> bool:
    """Whether the logits that are read are the same with another token at the place `changed`."""
    tokens = np.random.default_rng(0).integers(0, vocabulary, len(hidden)).repeat(2).reshape(-1, 2).T.copy()
    tokens[1, changed] = (tokens[1, changed] + 1) % vocabulary
    found = logits(tokens, np.stack([hidden, hidden]))[:, read]
    if not np.isfinite(found).all():
        raise DiagnosisError(f"{name} does not give finite numbers; its weights may be damaged")
    return bool(np.abs(found[0] - found[1]).max() <= ROUNDING * np.abs(found).max())
