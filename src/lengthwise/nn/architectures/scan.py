"""The recurrence h_t = a_t h_(t-1) + b_t with h_0 = 0, for all t at once in ⌈log₂ T⌉ steps instead of T.

Two steps of the recurrence are one of the same form, (a, b) after (a', b') being (a a', a b' + b); so after a step that
joins each position with the one 2^k before it, every position knows of 2^(k+1) symbols (Hillis and Steele, 1986).
"""

from __future__ import annotations

import torch
from torch import Tensor


def scan(decay: Tensor, added: Tensor) -> Tensor:
    """The states of a linear recurrence.

    Args:
        decay: a, (words, length, …).
        added: b, in the same shape.

    Returns:
        h at every position, in the same shape.

    Example:
        >>> scan(torch.tensor([[0.5, 0.5, 0.5]]), torch.tensor([[1.0, 1.0, 0.0]]))
        tensor([[1.0000, 1.5000, 0.7500]])

    """
    reach, length = 1, decay.shape[1]
    while reach < length:
        added = torch.cat([added[:, :reach], added[:, reach:] + decay[:, reach:] * added[:, :-reach]], dim=1)
        if 2 * reach < length:
            decay = torch.cat([decay[:, :reach], decay[:, reach:] * decay[:, :-reach]], dim=1)
        reach *= 2
    return added
