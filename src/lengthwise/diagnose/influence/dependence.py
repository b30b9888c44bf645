"""How much the prediction of a token owes to what is far, and how much of that to a few tokens (section 5.3).

For a window X_1, …, X_L̄ with L recent tokens and far tokens J_1, …, J_k:

    L_short         −log h(X_L̄ | X_{L̄-L}, …, X_{L̄-1})                      the far tokens hidden
    L_long          −log h(X_L̄ | X_1, …, X_{L̄-1})                          none
    L_short,sparse  −log h(X_L̄ | X_J1, …, X_Jk, X_{L̄-L}, …, X_{L̄-1})       the far ones but J hidden

Hidden tokens keep their places. For a model that only knows distances, such as RoPE, L_short is the loss of the recent
tokens read by themselves; a model with absolute positions reads them at the places they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.leave_one_out import (
    by_influence,
    far_tokens,
    hidden_but,
    losses_without_each,
    target_losses,
)
from lengthwise.diagnose.influence.text_model import Floats, Ints, TextModel

RANDOM = 0
"""What a stream of random numbers is for."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """The losses of windows, (windows,)."""

    short: Floats
    long: Floats
    sparse: Floats
    """With some far tokens."""

    @property
    def gain(self) -> Floats:
        """L_short - L_long: what all far tokens are worth."""
        return self.short - self.long

    @property
    def sparse_gain(self) -> Floats:
        """L_short - L_short,sparse: what the chosen ones are worth."""
        return self.short - self.sparse


def influential(model: TextModel, windows: Ints, recent: int) -> Ints:
    """The far tokens of each window by their positions, the most influential first: (windows, far tokens)."""
    return by_influence(losses_without_each(model, windows, recent))


def at_random(windows: int, far: int, seed: int, first: int = 0) -> Ints:
    """The far tokens of each window in random order, to compare with: each window has its own, whatever others do."""
    if seed < 0:
        raise DiagnosisError(f"the seed of random tokens is a whole number from 0 on, not {seed}")
    rows = [
        np.random.default_rng(np.random.SeedSequence([seed, first + row], spawn_key=(RANDOM,))).permutation(far) + 1
        for row in range(windows)
    ]
    return np.array(rows, dtype=np.int64).reshape(windows, far)


def base_losses(model: TextModel, windows: Ints, recent: int) -> tuple[Floats, Floats]:
    """L_short and L_long of each window."""
    hidden = hidden_but(windows.shape[1], recent, np.empty((len(windows), 0), dtype=np.int64))
    return target_losses(model, windows, hidden), target_losses(model, windows, np.zeros_like(hidden))


def sparse_losses(model: TextModel, windows: Ints, recent: int, kept: Ints) -> Floats:
    """L_short,sparse of each window, with the far tokens at the positions `kept` (windows, k)."""
    return target_losses(model, windows, hidden_but(windows.shape[1], recent, kept))


def dependence(model: TextModel, windows: Ints, recent: int, kept: Ints) -> Dependence:
    """All three."""
    short, long = base_losses(model, windows, recent)
    return Dependence(short, long, sparse_losses(model, windows, recent, kept))


def require_tokens(counts: Sequence[int], window: int, recent: int) -> None:
    """Refuse more influential tokens than there are far ones."""
    far = far_tokens(window, recent)
    for count in counts:
        if count < 1:
            raise DiagnosisError(f"there is 1 influential token or more, not {count}")
        if count > far:
            raise DiagnosisError(f"a window of {window} with {recent} recent tokens has {far} far ones, not {count}")
