"""Adam for all seeds at once, each of which can be stopped on its own (Kingma and Ba, 2015).

Weights may decay as well, apart from the gradient: AdamW (Loshchilov and Hutter, 2019). Gradients may be kept short:
the whole gradient of a seed is clipped at a norm (Pascanu et al., 2013).

Every number is updated from itself and its own gradient by operations that round correctly, so a seed's updates have
the same bits whatever other seeds there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lengthwise.errors import LengthwiseError
from lengthwise.nn.seedwise import aligned


@dataclass(frozen=True, eq=False)
class ParameterGroup:
    """Weights (seeds, …) that share a learning rate.

    Attributes:
        name: What the group is called.
        parameters: The weights.
        rate: Their learning rate.

    """

    name: str
    parameters: tuple[nn.Parameter, ...]
    rate: float
    decays: bool = True
    """Whether weight decay, if there is any, is for these."""


class FoldedAdam:
    """Adam over weights with a first axis of seeds.

    Args:
        groups: The weights, in groups that share a learning rate.
        betas: The decay rates of both moments.
        epsilon: What is added to the root of the second moment.
        weight_decay: The decoupled weight decay.
        max_grad_norm: The norm to which the gradient of each seed is clipped; None for no clipping.

    Raises:
        LengthwiseError: There is no weight.

    Example:
        >>> from lengthwise.nn import Decoder, DecoderConfig, groups
        >>> model = Decoder(DecoderConfig(vocabulary=3, outputs=1), seeds=[0])
        >>> FoldedAdam(groups(model)).weight_decay
        0.0

    """

    def __init__(
        self,
        groups: Sequence[ParameterGroup],
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
        max_grad_norm: float | None = None,
    ) -> None:
        self.groups, self.betas, self.epsilon, self.weight_decay = tuple(groups), betas, epsilon, weight_decay
        self.max_grad_norm = max_grad_norm
        self._parameters = [each for group in self.groups for each in group.parameters]
        if not self._parameters:
            raise LengthwiseError("an optimizer needs at least one weight")
        sizes = [each[0].numel() for each in self._parameters]
        rates = [group.rate for group in self.groups for _ in group.parameters]
        decays = [weight_decay * group.decays for group in self.groups for _ in group.parameters]
        first = self._parameters[0]
        # One row for each seed, in which all its weights stand one after the other: few large operations.
        self._sizes = sizes
        self._rates, self._decays = (
            torch.cat([first.new_full((size,), number) for size, number in zip(sizes, numbers, strict=True)])
            for numbers in (rates, decays)
        )
        self._mean = first.new_zeros(len(first), sum(sizes), requires_grad=False)
        self._square = torch.zeros_like(self._mean)
        self.steps = [0] * len(first)
        """How many updates each seed has had."""

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for each in self._parameters:
            each.grad = None

    @torch.no_grad()
    def step(self, active: Sequence[bool] | None = None, factor: float = 1.0) -> None:
        """One update; seeds that are not `active` keep weights and state. `factor` multiplies all learning rates."""
        moving = [True] * len(self.steps) if active is None else [bool(each) for each in active]
        if len(moving) != len(self.steps):
            raise LengthwiseError(f"{len(moving)} flags for {len(self.steps)} seeds; give one for each seed")
        if not any(moving):
            return
        self.steps = [steps + moves for steps, moves in zip(self.steps, moving, strict=True)]
        first, second = self.betas
        gradient = torch.cat([_gradient(each).flatten(1) for each in self._parameters], dim=1)
        if self.max_grad_norm is not None:
            gradient.mul_(_shortening(gradient, self.max_grad_norm))
        # In place, as far as may be: with large models, most of the time would go into fresh memory.
        mean, square = (self._mean, self._square) if all(moving) else (self._mean.clone(), self._square.clone())
        part = gradient * (1 - first)
        mean.mul_(first).add_(part)
        torch.mul(gradient, gradient, out=part).mul_(1 - second)
        square.mul_(second).add_(part)
        deviation = torch.mul(square, self._per_seed(second), out=part).sqrt_().add_(self.epsilon)
        update = torch.mul(mean, self._per_seed(first), out=gradient).div_(deviation)
        if self.weight_decay:
            update.add_(torch.cat([each.flatten(1) for each in self._parameters], dim=1).mul_(self._decays))
        update.mul_(self._rates * factor)
        if not all(moving):
            # Not a product with 0: a stopped seed may have diverged, and 0 · ∞ would reach its weights.
            kept = torch.tensor(moving, device=mean.device).unsqueeze(1)
            mean, square = torch.where(kept, mean, self._mean), torch.where(kept, square, self._square)
            update = torch.where(kept, update, 0.0)
        self._mean, self._square = mean, square
        for each, change in zip(self._parameters, torch.split(update, self._sizes, dim=1), strict=True):
            each.sub_(change.reshape(each.shape))

    def _per_seed(self, beta: float) -> Tensor:
        """1 / (1 - β^t) in a column: what makes up for averages that started from 0."""
        return self._mean.new_tensor([[1 / (1 - beta**steps) if steps else 1.0] for steps in self.steps])

    def state(self) -> dict[str, Tensor]:
        """Both moments of all seeds, which with `steps` are all that updates depend on beside gradients."""
        return {"mean": self._mean, "square": self._square}

    def restore(self, state: Mapping[str, Tensor], steps: Sequence[int]) -> None:
        """Go on with moments that another optimizer of the same weights had."""
        if any(state[name].shape != each.shape for name, each in self.state().items()) or len(steps) != len(self.steps):
            raise LengthwiseError("an optimizer goes on with moments of the same weights and seeds")
        self._mean.copy_(state["mean"])
        self._square.copy_(state["square"])
        self.steps = list(steps)

    def subset(self, groups: Sequence[ParameterGroup], chosen: Sequence[int]) -> FoldedAdam:
        """The optimizer that goes on with some of the seeds, given by their places; `groups` are their weights."""
        smaller = FoldedAdam(groups, self.betas, self.epsilon, self.weight_decay, self.max_grad_norm)
        if smaller._sizes != self._sizes or len(smaller.steps) != len(chosen):
            raise LengthwiseError("a smaller optimizer has the same weights as this one, of the chosen seeds")
        smaller._mean, smaller._square = self._mean[list(chosen)], self._square[list(chosen)]
        smaller.steps = [self.steps[place] for place in chosen]
        return smaller


def _gradient(parameter: nn.Parameter) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


def _shortening(gradient: Tensor, longest: float) -> Tensor:
    """What the gradient of each seed, a row, is multiplied by, in a column: 1, or what makes its norm the longest."""
    # Seed by seed: a sum over all at once may be split by the number of rows.
    norms = torch.stack([aligned(row.unsqueeze(0)).square().sum().sqrt() for row in gradient.unbind()])
    return (longest / (norms + 1e-6)).clamp(max=1.0).unsqueeze(1)
