"""What models answer to a batch, and what that is worth: losses to train on, and which predictions are right.

A word is right if it is at all positions that decide on it. Models that predict position ids as well have to be right
about these, too (`lengthwise.nn.position_head`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.tasks.task import Loss


class Answers(Protocol):
    """Answers of all seeds."""

    def losses(self) -> Tensor:
        """The loss of each seed (seeds,)."""
        ...

    def accuracies(self) -> list[float]:
        """For each seed the share of words that are right."""
        ...

    def right(self) -> Tensor:
        """Whether the prediction at each position is right (seeds, batch, length); true where nothing is scored."""
        ...

    def predicted(self) -> Tensor:
        """What is predicted at each position: ids (seeds, batch, length), or Booleans with an axis of outputs."""
        ...


@dataclass(frozen=True, eq=False)
class Outputs:
    """Outputs at all positions or at the last; or (how many, outputs) at those alone where the mask is true."""

    loss: Loss
    outputs: Tensor
    targets: Tensor
    mask: Tensor
    decisive: Tensor
    """The positions that decide on a word."""

    def losses(self) -> Tensor:
        """The loss of each seed."""
        from lengthwise.nn.loss import losses

        return losses(self.loss, self.outputs, self.targets, self.mask)

    def accuracies(self) -> list[float]:
        """For each seed the share of words that are right."""
        return _shares((self.right() | ~self.decisive).all(-1))

    def right(self) -> Tensor:
        """Whether the prediction at each position is right (seeds, batch, length); true where nothing is scored."""
        found = self.predicted().eq(self.targets)
        return (found.all(-1) if found.dim() > self.mask.dim() else found) | ~self.mask

    def predicted(self) -> Tensor:
        """What is predicted at each position: ids (seeds, batch, length), or Booleans with an axis of outputs."""
        # A truth value for each output, or the id of the one that is chosen.
        by_output = self.targets.dim() > self.mask.dim()
        found = self.outputs > 0 if by_output else self.outputs.argmax(-1)
        return _spread(found, self.mask) if self.outputs.dim() == 2 else found


@dataclass(frozen=True, eq=False)
class OutputsWithIds:
    """Outputs for the next symbol and for the next position id, at all positions or where the mask is true."""

    outputs: tuple[Tensor, Tensor]
    targets: Tensor
    next_positions: Tensor | None
    mask: Tensor
    decisive: Tensor

    def losses(self) -> Tensor:
        """The loss of each seed."""
        from lengthwise.nn import position_head

        return position_head.losses(self.outputs, self.targets, self.next_positions, self.mask)

    def accuracies(self) -> list[float]:
        """For each seed the share of words whose symbols and ids are all right."""
        return _shares((self.right() | ~self.decisive).all(-1))

    def right(self) -> Tensor:
        """Whether symbol and id are right at each position (seeds, batch, length); true where nothing is scored."""
        from lengthwise.nn import position_head

        return position_head.right_positions(self.outputs, self.targets, self.next_positions, self.mask) | ~self.mask

    def predicted(self) -> Tensor:
        """The ids of the symbols that are predicted (seeds, batch, length)."""
        found = self.outputs[0].argmax(-1)
        return _spread(found, self.mask) if self.outputs[0].dim() == 2 else found


def _spread(found: Tensor, mask: Tensor) -> Tensor:
    """What was found where a mask is true, at these places among zeros."""
    everywhere = found.new_zeros(*mask.shape, *found.shape[1:])
    everywhere[mask] = found
    return everywhere


def _shares(right: Tensor) -> list[float]:
    return [float(share) for share in right.double().mean(-1)]
