"""What models answer to a batch, and what that is worth: losses to train on, and the share of words that are right.

A word is right if it is at all positions that decide on it. Models that predict position ids as well have to be right
about these, too (`lengthwise.nn.coupled_loss`).
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
        where_asked = self.outputs.dim() == 2
        expected = self.targets[self.mask] if where_asked else self.targets
        if expected.dim() == self.outputs.dim():
            found = (self.outputs > 0).eq(expected).all(-1)  # a truth value for each output
        else:
            found = self.outputs.argmax(-1).eq(expected)  # the id of the right one
        if where_asked:
            found = self.mask.clone().masked_scatter(self.mask, found)
        return _shares((found | ~self.decisive).all(-1))


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
        from lengthwise.nn import coupled_loss

        return coupled_loss.losses(self.outputs, self.targets, self.next_positions, self.mask)

    def accuracies(self) -> list[float]:
        """For each seed the share of words whose symbols and ids are all right."""
        from lengthwise.nn import coupled_loss

        return _shares(coupled_loss.right(self.outputs, self.targets, self.next_positions, self.mask, self.decisive))


def _shares(right: Tensor) -> list[float]:
    return [float(share) for share in right.double().mean(-1)]
