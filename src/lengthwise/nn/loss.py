"""The losses of tasks, one number for each seed: their sum trains every seed as if it were alone.

- regression: the mean squared error, over inputs and outputs;
- next-token: the mean cross entropy (in nats) of scored positions;
- next-set: the mean binary cross entropy of scored positions and all outputs.

Outputs come from all positions (seeds, batch, length, outputs) or from the last (seeds, batch, outputs); of targets and
mask those of the last position are then used. Outputs may also come from those positions alone where the mask is true
(how many, outputs), as `asked.outputs` gives them. Regression is always scored at the last position.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.task import Loss


class LossError(LengthwiseError):
    """Outputs that cannot be scored against these targets."""


def losses(kind: Loss, outputs: Tensor, targets: Tensor, mask: Tensor | None = None) -> Tensor:
    """The loss of each seed (seeds,); targets and mask as in `Batch`, with the seeds in front.

    Without a mask all positions there are outputs for are scored.

    Args:
        kind: The loss of the task: `regression`, `next-token` or `next-set`.
        outputs: The outputs of all seeds.
        targets: The targets of the task.
        mask: Which positions are scored; None for all, or for regression.

    Returns:
        The loss of each seed.

    Example:
        >>> losses("regression", torch.zeros(2, 4, 1), torch.ones(2, 4, 1))
        tensor([1., 1.])

    """
    if kind == "regression":
        outputs = outputs[:, :, -1] if outputs.dim() == 4 else outputs
        _require(outputs.shape == targets.shape, outputs, targets)
        # Seed by seed, here and below: with several threads, sums over all at once are split by the number of seeds.
        return torch.stack([F.mse_loss(*pair) for pair in zip(outputs.unbind(), targets.unbind(), strict=True)])
    if outputs.dim() == 2 and mask is not None:
        return _losses_where_asked(kind, outputs, targets, mask)
    if outputs.dim() == 3:
        outputs, targets = outputs.unsqueeze(2), targets[:, :, -1:]
        mask = None if mask is None else mask[:, :, -1:]
    _require(outputs.shape[: targets.dim()] == targets.shape, outputs, targets)
    scores = [_entropies(kind, *pair) for pair in zip(outputs.unbind(), targets.unbind(), strict=True)]
    if mask is None:
        return torch.stack([each.mean() for each in scores])
    _require(mask.shape == outputs.shape[:-1], outputs, mask)
    # Not a product with 0: at positions that are not scored, outputs may be anything.
    return torch.stack(
        [
            torch.where(scored, each, 0.0).sum() / scored.sum()
            for each, scored in zip(scores, mask.unbind(), strict=True)
        ]
    )


def _losses_where_asked(kind: Loss, outputs: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    _require(mask.shape == targets.shape[: mask.dim()], mask, targets)
    parts = torch.split(outputs, mask.flatten(1).sum(1).tolist())
    pairs = [(part, each[scored]) for part, each, scored in zip(parts, targets, mask, strict=True)]
    return torch.stack([_entropies(kind, *pair).mean() for pair in pairs])


def _entropies(kind: Loss, outputs: Tensor, targets: Tensor) -> Tensor:
    """The entropy at every position, in the shape of the outputs without their last axis."""
    if kind == "next-token":
        _require(outputs.shape[:-1] == targets.shape, outputs, targets)
        flat = F.cross_entropy(outputs.flatten(0, -2), targets.flatten(), reduction="none")
        return flat.view(targets.shape)
    if kind == "next-set":
        _require(outputs.shape == targets.shape, outputs, targets)
        entropies = F.binary_cross_entropy_with_logits(outputs, targets.to(outputs.dtype), reduction="none")
        return entropies.mean(dim=-1)
    raise LossError(f"there is no loss {kind!r}; there are regression, next-token and next-set")


def _require(fits: bool, outputs: Tensor, targets: Tensor) -> None:
    if not fits:
        raise LossError(f"outputs of shape {tuple(outputs.shape)} cannot be scored by shape {tuple(targets.shape)}")
