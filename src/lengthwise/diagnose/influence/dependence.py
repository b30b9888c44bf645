"""How much the prediction of a token owes to what is far, and how much of that to a few tokens (section 5.3).

For a window X_1, …, X_L̄ with L recent tokens and far tokens J_1, …, J_k:

    L_short         −log h(X_L̄ | X_{L̄-L}, …, X_{L̄-1})                      the far tokens hidden
    L_long          −log h(X_L̄ | X_1, …, X_{L̄-1})                          none
    L_short,sparse  −log h(X_L̄ | X_J1, …, X_Jk, X_{L̄-L}, …, X_{L̄-1})       the far ones but J hidden

Hidden tokens keep their places. For a model that only knows distances, such as RoPE, L_short is the loss of the recent
tokens read by themselves; a model with absolute positions reads them at the places they have.

Influential tokens: those without which the next token is least expected (Golowich et al., section 5.3, eq. (6)).

A window X_1, …, X_L̄ is L̄ tokens, of which the last is predicted from the others. Of these, the last L are *recent*:
X_{L̄-L}, …, X_{L̄-1}. The others, j = 1, …, L̄ - L - 1, are *far*. Each far token is hidden in turn, and the k
influential ones are those whose absence makes the probability of X_L̄ smallest. (The text of the paper also has "the
first L̄ - L tokens"; its formulas and its Figure 5 have one fewer, as here.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.text_model import Bools, Floats, Ints, TextModel

SHORTEST = 3
"""Tokens of the smallest window."""


def far_tokens(window: int, recent: int) -> int:
    """How many far tokens a window has, L̄ - L - 1."""
    if window < SHORTEST:
        raise DiagnosisError(
            f"a window of {window} tokens is too short; it has {SHORTEST} or more: a far one, a recent one, and the "
            "one that is predicted"
        )
    if not 1 <= recent <= window - 2:
        raise DiagnosisError(
            f"of a window of {window} tokens, between 1 and {window - 2} recent ones leave others that are far, "
            f"not {recent}"
        )
    return window - recent - 1


def target_losses(model: TextModel, windows: Ints, hidden: Bools) -> Floats:
    """−log of what the model gives the last token of each window (inputs, L̄), given the others (inputs, L̄ - 1).

    Inputs are read many at a time.
    """
    found = [
        _losses(model, windows[begin : begin + model.at_once], hidden[begin : begin + model.at_once])
        for begin in range(0, len(windows), model.at_once)
    ]
    return np.concatenate(found) if found else np.empty(0)


def _losses(model: TextModel, windows: Ints, hidden: Bools) -> Floats:
    logits = model.outputs(np.ascontiguousarray(windows[:, :-1]), np.ascontiguousarray(hidden)).astype(np.float64)
    largest = logits.max(axis=1)
    total = np.log(np.exp(logits - largest[:, None]).sum(axis=1)) + largest
    return np.asarray(total - logits[np.arange(len(windows)), windows[:, -1]])


def losses_without_each(model: TextModel, windows: Ints, recent: int) -> Floats:
    """The loss of every window without its first, second, … far token: (windows, far tokens).

    All windows and all far tokens are one batch of inputs.
    """
    far = far_tokens(windows.shape[1], recent)
    hidden = np.eye(far, windows.shape[1] - 1, dtype=np.bool_)
    losses = target_losses(model, windows.repeat(far, axis=0), np.tile(hidden, (len(windows), 1)))
    return losses.reshape(len(windows), far)


def by_influence(losses: Floats) -> Ints:
    """The far tokens of each window by their positions 1, 2, …, the most influential first.

    `losses` are those without each. J_1, …, J_k are the first k; of tokens without which the loss is the same, the
    earlier comes first.
    """
    return np.argsort(-losses, axis=1, kind="stable") + 1


def hidden_but(window: int, recent: int, kept: Ints) -> Bools:
    """All far tokens hidden but those at the given positions (windows, k): (windows, L̄ - 1)."""
    hidden = np.zeros((len(kept), window - 1), dtype=np.bool_)
    hidden[:, : far_tokens(window, recent)] = True
    np.put_along_axis(hidden, np.asarray(kept, dtype=np.int64) - 1, False, axis=1)
    return hidden


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
