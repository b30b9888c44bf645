"""Operations on tensors (seeds, …) whose result for one seed has the same bits whatever stands beside it.

Batched products of torch do not have this property: with MKL, `bmm` chooses kernels by the number of matrices (a
product with a vector differs in the last bit between one seed and several), and every product depends on where in a
cache line its operands begin. So products are taken seed by seed, on matrices that begin at a cache line: the call for
a seed is then the same call as if it were alone. That is no slower than `bmm`, as the products are large enough, and
what one seed computes stays in the cache. Sums, exponentials and the like are taken of all seeds at once where they
have been found to be independent; that was checked with one thread, and with several some sums are split differently.

On other devices than the CPU products are batched: faster there, and without the promise.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

CACHE_LINE = 64
"""Bytes; memory that torch allocates begins at a multiple of it."""


def aligned(tensor: Tensor) -> Tensor:
    """The same tensor, copied if it does not begin at a cache line."""
    return tensor if tensor.data_ptr() % CACHE_LINE == 0 else tensor.clone()


def products(left: Tensor, right: Tensor) -> Tensor:
    """(seeds, m, k) times (seeds, k, n)."""
    if left.device.type != "cpu":
        return torch.bmm(left, right)
    seeds, rows, columns = left.shape[0], left.shape[1], right.shape[2]
    out = left.new_empty(seeds, rows, columns)
    whole_lines = rows * columns * out.element_size() % CACHE_LINE == 0
    for seed in range(seeds):
        if whole_lines:
            torch.mm(aligned(left[seed]), aligned(right[seed]), out=out[seed])
        else:
            out[seed] = torch.mm(aligned(left[seed]), aligned(right[seed]))
    return out


class _Matmul(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor) -> Tensor:
        ctx.save_for_backward(left, right)
        return products(left, right)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        left, right = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        return products(gradient, right.transpose(1, 2)), products(left.transpose(1, 2), gradient)


def matmul(vectors: Tensor, matrix: Tensor) -> Tensor:
    """(seeds, …, k) times (seeds, k, n): for each seed its own matrix."""
    flat = vectors.reshape(vectors.shape[0], -1, vectors.shape[-1])
    result: Tensor = _Matmul.apply(flat, matrix)  # type: ignore[no-untyped-call]
    return result.view(*vectors.shape[:-1], matrix.shape[-1])


class _MLP(torch.autograd.Function):
    """B ψ(A y + b), with the hidden units of one seed at a time so that they stay in the cache."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, hidden: Tensor, bias: Tensor, output: Tensor, activation: str) -> Tensor:
        kept = inputs.new_empty(*inputs.shape[:2], hidden.shape[1])
        out = []
        for seed in range(len(inputs)):
            before = torch.mm(aligned(inputs[seed]), aligned(hidden[seed]).t(), out=_room(kept[seed])).add_(bias[seed])
            # ReLU needs only what comes out of it to be differentiated, GELU what goes in.
            after = F.relu_(before) if activation == "relu" else F.gelu(before)
            out.append(torch.mm(after, aligned(output[seed]).t()))
            if before.data_ptr() != kept[seed].data_ptr():
                kept[seed] = before
        ctx.save_for_backward(inputs, hidden, output, kept)
        ctx.activation = activation
        return torch.stack(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, hidden, output, kept = ctx.saved_tensors
        found: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
        for seed, gradient in enumerate(gradients[0].contiguous()):
            gradient, before, given = aligned(gradient), aligned(kept[seed]), aligned(inputs[seed])
            after = before if ctx.activation == "relu" else F.gelu(before)
            of_output = torch.mm(gradient.t(), after)
            of_after = torch.mm(gradient, aligned(output[seed]))
            if ctx.activation == "relu":
                of_before = torch.ops.aten.threshold_backward(of_after, before, 0)
            else:
                of_before = torch.ops.aten.gelu_backward(of_after, before)
            of_hidden = torch.mm(given.t(), of_before).t()
            found.append((torch.mm(of_before, aligned(hidden[seed])), of_hidden, of_before.sum(0), of_output))
        return (*(torch.stack(each) for each in zip(*found, strict=True)), None)
