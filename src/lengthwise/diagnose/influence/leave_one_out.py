"""Influential tokens: those without which the next token is least expected (Golowich et al., section 5.3, eq. (6)).

A window X_1, …, X_L̄ is L̄ tokens, of which the last is predicted from the others. Of these, the last L are *recent*:
X_{L̄-L}, …, X_{L̄-1}. The others, j = 1, …, L̄ - L - 1, are *far*. Each far token is hidden in turn, and the k influential
ones are those whose absence makes the probability of X_L̄ smallest. (The text of the paper also has "the first L̄ - L
tokens"; its formulas and its Figure 5 have one fewer, as here.)
"""

from __future__ import annotations

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
