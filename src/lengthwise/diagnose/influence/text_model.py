"""`TextModel`: what influence is measured on, a causal language model in which tokens can be hidden.

A hidden token is out of every attention: no other token sees it, in any layer. It keeps its place, and so do the others
their position ids. The last token cannot be hidden, as it is the one that is asked what comes next.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from lengthwise.diagnose import DiagnosisError

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class TextModel(Protocol):
    """A model of one vocabulary of tokens."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        ...

    @property
    def longest(self) -> int | None:
        """How many tokens it can read at most; None if there is no limit."""
        ...

    @property
    def at_once(self) -> int:
        """How many inputs are best read at once."""
        ...

    def outputs(self, tokens: Ints, hidden: Bools) -> npt.NDArray[np.float32]:
        """Logits of the next token (inputs, vocabulary) behind tokens (inputs, length), some of which are hidden."""
        ...

    def encode(self, text: bytes) -> Ints:
        """The tokens of a text."""
        ...

    def decode(self, token: int) -> str:
        """What a token stands for, to be shown."""
        ...


def checked(model: TextModel, tokens: Ints, hidden: Bools) -> None:
    """Refuse what a model cannot read."""
    if tokens.ndim != 2 or tokens.shape != hidden.shape or not tokens.size:
        raise DiagnosisError(
            f"tokens (inputs, length) and which of them are hidden have one shape, got {tokens.shape} and "
            f"{hidden.shape}"
        )
    if hidden[:, -1].any():
        raise DiagnosisError("the last token is asked what comes next, and cannot be hidden")
    if model.longest is not None and tokens.shape[1] > model.longest:
        raise DiagnosisError(
            f"the model reads at most {model.longest} tokens, and {tokens.shape[1]} are asked for; "
            "take a shorter window"
        )
    if tokens.min() < 0 or tokens.max() >= model.vocabulary:
        raise DiagnosisError(f"the model has tokens 0 to {model.vocabulary - 1}, and the text has others")


def bytes_of(text: bytes) -> Ints:
    """A text as tokens that are its bytes."""
    return np.frombuffer(text, dtype=np.uint8).astype(np.int64)


def byte_shown(token: int) -> str:
    """A byte as it is shown: itself if it is a printable character of ASCII, else escaped."""
    return chr(token) if 32 <= token < 127 else repr(bytes([token]))[2:-1]
