"""The loss of predictive position coupling, and when a word counts as right (Golowich et al., section 5.2).

The loss of a seed is the mean cross entropy of the next symbols plus that of the next ids, both where the task scores;
the paper does not say how it weighs one against the other. A word is right if all symbols and all ids are.

Outputs come from all positions (`position_head.outputs`) or from those alone where the mask is true
(`asked.outputs_with_ids`).
"""

from __future__ import annotations

from torch import Tensor

from lengthwise.nn import loss
from lengthwise.nn.loss import LossError


def losses(outputs: tuple[Tensor, Tensor], targets: Tensor, next_positions: Tensor | None, mask: Tensor) -> Tensor:
    """The loss of each seed (seeds,), for a batch with the seeds in front."""
    symbols, ids = outputs
    following = _checked(next_positions, ids)
    return loss.losses("next-token", symbols, targets, mask) + loss.losses("next-token", ids, following, mask)


def right(
    outputs: tuple[Tensor, Tensor], targets: Tensor, next_positions: Tensor | None, mask: Tensor, answers: Tensor
) -> Tensor:
    """Which words (seeds, batch) are right wherever it counts, which is where `answers` is true.

    Given what should stand before, that is; but then generation goes the same way (`generation.generate`).
    """
    return (right_positions(outputs, targets, next_positions, mask) | ~answers).all(-1)


def right_positions(
    outputs: tuple[Tensor, Tensor], targets: Tensor, next_positions: Tensor | None, mask: Tensor
) -> Tensor:
    """At which positions (seeds, batch, length) the largest outputs are at the right symbol and the right id.

    Outputs that come from masked positions alone are of these.
    """
    symbols, ids = outputs
    expected = targets, _checked(next_positions, ids)
    where_asked = symbols.dim() == 2
    symbol, following = (each[mask] for each in expected) if where_asked else expected
    both = symbols.argmax(-1).eq(symbol) & ids.argmax(-1).eq(following)
    return mask.clone().masked_scatter(mask, both) if where_asked else both


def _checked(next_positions: Tensor | None, ids: Tensor) -> Tensor:
    if next_positions is None:
        raise LossError("to predict position ids, a model needs a task that says which come next")
    if int(next_positions.max()) >= ids.shape[-1] or int(next_positions.min()) < 0:
        raise LossError(
            f"position ids from {int(next_positions.min())} to {int(next_positions.max())} cannot be scored by a head "
            f"for the ids 0 to {ids.shape[-1] - 1}"
        )
    return next_positions
