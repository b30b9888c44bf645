"""Operations on tensors (seeds, …) whose result for one seed has the same bits whatever stands beside it.

Many batched operations of torch do not have this property (torch 2.13 with MKL, measured):

- `bmm` and `einsum` choose kernels by the number of matrices, so that a product with a single column differs between
  one seed and several; and any product depends on where in a cache line its operands begin and how they are laid out;
- GELU and the logistic function may round differently at the end of a tensor than within;
- attention inherits what products do.

So these are done seed by seed, on operands of one layout that begin at a cache line: the call for a seed is then the
very call that is made if it is alone. As what one seed computes stays in the cache, that costs nothing: the MLP took
1.3 ms a seed, with `bmm` 1.6. Additions, exponentials, sums, softmax, layer norms and look-ups are done at once.

The promise is for one thread. With two, sums over several axes (which losses take seed by seed) and softmax of a
handful of rows were seen to differ. On other devices than the CPU products are batched, without any promise.

Of activations, `gelu-tanh` is GPT-2's z (1 + tanh u) / 2 with u = √(2/π) (z + 0.044715 z³). It is z σ(2u) as well, and
the logistic function is three times as quick as torch's tanh; that matters, as with a width of 64 the activation took
as long as the products around it. Its slope is kept instead of z, so that backward is one product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

FIRST = 2 * math.sqrt(2 / math.pi)
THIRD = 0.044715 * FIRST
"""2u = FIRST z + THIRD z³."""


def activated(before: Tensor, activation: str) -> Tensor:
    """ψ of the numbers, with a gradient."""
    match activation:
        case "relu":
            return F.relu(before)
        case "gelu":
            return F.gelu(before)
    if not torch.is_grad_enabled():
        return before * _share(before)
    found: Tensor = _GeluTanh.apply(before)  # type: ignore[no-untyped-call]
    return found


def _share(before: Tensor) -> Tensor:
    """The numbers σ(2u)."""
    return (before * before).mul_(THIRD).add_(FIRST).mul_(before).sigmoid_()


def gelu_tanh(before: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers z σ(2u), and the slope there."""
    slope = (before * before).mul_(THIRD)
    share = (slope + FIRST).mul_(before).sigmoid_()
    value = before * share
    # σ + z σ (1 - σ) (2u)'
    slope.mul_(3).add_(FIRST).mul_(value)
    return value, slope.sub_(slope * share).add_(share)


class _GeluTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, before: Tensor) -> Tensor:
        value, slope = gelu_tanh(before)
        ctx.save_for_backward(slope)
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        slope: Tensor = ctx.saved_tensors[0]
        return gradients[0] * slope


CACHE_LINE = 64
"""Bytes; memory that torch allocates begins at a multiple of it."""


def aligned(matrix: Tensor) -> Tensor:
    """The same matrix row after row without gaps, from the beginning of a cache line on; copied if need be."""
    # Not `is_contiguous`, to which the strides of axes of size 1 do not matter; products may look at them.
    in_order = matrix.stride() == (matrix.shape[1], 1)
    if in_order and matrix.data_ptr() % CACHE_LINE == 0:
        return matrix
    return matrix.clone(memory_format=torch.contiguous_format)


def room(like: Tensor, seeds: int, rows: int, columns: int) -> Tensor:
    """Uninitialised memory for (seeds, rows, columns) in which every seed's matrix begins at a cache line."""
    in_line = CACHE_LINE // like.element_size()
    padded = -(-rows * columns // in_line) * in_line
    return like.new_empty(seeds, padded)[:, : rows * columns].view(seeds, rows, columns)


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Matrices of several seeds, one below the other; gradients too begin at a cache line for each of them."""
    kept: list[Tensor] = [_Aligned.apply(part) for part in parts]  # type: ignore[no-untyped-call]
    return torch.cat(kept)


class _Aligned(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Tensor) -> Tensor:
        return matrix.view_as(matrix)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return aligned(gradients[0])


def matmul(vectors: Tensor, matrix: Tensor) -> Tensor:
    """(seeds, …, k) times (seeds, k, n): every seed has a matrix of its own."""
    return _product(vectors, matrix, False)


def linear(vectors: Tensor, matrix: Tensor) -> Tensor:
    """(seeds, …, k) times the transpose of (seeds, n, k)."""
    return _product(vectors, matrix, True)


def _product(vectors: Tensor, matrix: Tensor, transposed: bool) -> Tensor:
    flat = vectors.reshape(vectors.shape[0], -1, vectors.shape[-1])
    if vectors.device.type != "cpu":
        result = torch.bmm(flat, matrix.transpose(1, 2) if transposed else matrix)
    else:
        result = _Product.apply(flat, matrix, transposed)  # type: ignore[no-untyped-call]
    return result.view(*vectors.shape[:-1], matrix.shape[1 if transposed else 2])


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, transposed: bool) -> Tensor:
        ctx.save_for_backward(left, right)
        ctx.transposed = transposed
        out = room(left, len(left), left.shape[1], right.shape[1 if transposed else 2])
        for seed in range(len(left)):
            matrix = aligned(right[seed])
            torch.mm(aligned(left[seed]), matrix.t() if transposed else matrix, out=out[seed])
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        left, right = ctx.saved_tensors
        for_left = room(left, *left.shape) if ctx.needs_input_grad[0] else None
        for_right = room(right, *right.shape) if ctx.needs_input_grad[1] else None
        for seed in range(len(left)):
            wanted = aligned(gradients[0][seed])
            if for_left is not None:
                matrix = aligned(right[seed])
                torch.mm(wanted, matrix if ctx.transposed else matrix.t(), out=for_left[seed])
            if for_right is not None:
                given = aligned(left[seed])
                pair = (wanted.t(), given) if ctx.transposed else (given.t(), wanted)
                torch.mm(*pair, out=for_right[seed])
        return for_left, for_right, None


def mlp(vectors: Tensor, hidden: Tensor, bias: Tensor, output: Tensor, activation: str) -> Tensor:
    """B ψ(A y + b) for vectors (seeds, …, d), A (seeds, h, d), b (seeds, h), B (seeds, d, h); ψ as in `activation`."""
    flat = vectors.reshape(vectors.shape[0], -1, vectors.shape[-1])
    if vectors.device.type != "cpu":
        before = torch.baddbmm(bias.unsqueeze(1), flat, hidden.transpose(1, 2))
        after = activated(before, activation)
        return torch.bmm(after, output.transpose(1, 2)).view(*vectors.shape[:-1], output.shape[1])
    result: Tensor = _MLP.apply(flat, hidden, bias, output, activation)  # type: ignore[no-untyped-call]
    return result.view(*vectors.shape[:-1], output.shape[1])


class _MLP(torch.autograd.Function):
    """All that one seed's hidden units are needed for is done while they are in the cache."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, hidden: Tensor, bias: Tensor, output: Tensor, activation: str) -> Tensor:
        seeds, rows = inputs.shape[:2]
        # ReLU is differentiated from what comes out of it, GELU from what goes in.
        kept, out = room(inputs, seeds, rows, hidden.shape[1]), room(inputs, seeds, rows, output.shape[1])
        for seed in range(seeds):
            before = torch.mm(aligned(inputs[seed]), aligned(hidden[seed]).t(), out=kept[seed]).add_(bias[seed])
            after = F.relu_(before) if activation == "relu" else _gelu(before, activation)
            torch.mm(after, aligned(output[seed]).t(), out=out[seed])
        ctx.save_for_backward(inputs, hidden, output, kept)
        ctx.activation = activation
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, hidden, output, kept = ctx.saved_tensors
        (seeds, rows, width), units = inputs.shape, hidden.shape[1]
        for_inputs, for_hidden = room(inputs, seeds, rows, width), room(inputs, seeds, width, units)
        for_bias, for_output = inputs.new_empty(seeds, units), room(inputs, seeds, output.shape[1], units)
        scratch = inputs.new_empty(rows, units)
        for seed in range(seeds):
            given, wanted = aligned(inputs[seed]), aligned(gradients[0][seed])
            torch.mm(wanted, aligned(output[seed]), out=scratch)
            after = kept[seed]
            if ctx.activation == "relu":
                torch.ops.aten.threshold_backward.grad_input(scratch, after, 0, grad_input=scratch)
            elif ctx.activation == "gelu":
                torch.ops.aten.gelu_backward.grad_input(scratch, after, grad_input=scratch)
                after = F.gelu(after)
            else:
                after, slope = gelu_tanh(after)
                scratch.mul_(slope)
            torch.mm(wanted.t(), after, out=for_output[seed])
            torch.mm(given.t(), scratch, out=for_hidden[seed])
            torch.sum(scratch, 0, out=for_bias[seed])
            torch.mm(scratch, aligned(hidden[seed]), out=for_inputs[seed])
        return for_inputs, for_hidden.transpose(1, 2), for_bias, for_output, None


def _gelu(before: Tensor, activation: str) -> Tensor:
    return F.gelu(before) if activation == "gelu" else gelu_tanh(before)[0]


def attend(queries: Tensor, keys: Tensor, values: Tensor, added: Tensor | None, causal: bool) -> Tensor:
    """Softmax averages of the values: (seeds, batch, heads, queries, v).

    Keys and values are (seeds, batch, heads, keys, …); what is `added` to the logits is (seeds, batch or 1, heads,
    queries, keys).
    """
    if added is not None and causal:
        future = torch.ones(added.shape[-2:], dtype=torch.bool, device=added.device).triu(1)
        added = added.masked_fill(future, -math.inf)
    means: Tensor = _Attend.apply(causal and added is None, added, queries, keys, values)  # type: ignore[no-untyped-call]
    return means


def _aligned_heads(tensor: Tensor) -> Tensor:
    """(batch, heads, positions, …) without gaps, heads or positions first, from the beginning of a cache line on."""
    if not (tensor.is_contiguous() or tensor.transpose(1, 2).is_contiguous()):
        return tensor.clone(memory_format=torch.contiguous_format)
    return tensor if tensor.data_ptr() % CACHE_LINE == 0 else tensor.clone()


class _Attend(torch.autograd.Function):
    """Attention seed by seed, each with a small graph of its own, so that gradients too begin at a cache line."""

    @staticmethod
    def forward(ctx: Any, causal: bool, added: Tensor | None, *tensors: Tensor) -> Tensor:
        given = tensors if added is None else (*tensors, added)
        ctx.graphs = []
        for seed in range(len(given[0])):
            # Keys and values may be one tensor, and then have one gradient.
            parts = {id(each): _aligned_heads(each[seed]).detach().requires_grad_(each.requires_grad) for each in given}
            query, key, value, *bias = (parts[id(each)] for each in given)
            with torch.enable_grad():
                mean = F.scaled_dot_product_attention(
                    query, key, value, bias[0] if bias else None, is_causal=causal, scale=1.0
                )
            ctx.graphs.append((mean, parts))
        ctx.places = [id(each) for each in given]
        return torch.stack([mean.detach() for mean, _ in ctx.graphs])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        found: dict[int, list[Tensor]] = {}
        for (mean, parts), gradient in zip(ctx.graphs, gradients[0], strict=True):
            wanted = {place: part for place, part in parts.items() if part.requires_grad}
            parts_of = torch.autograd.grad(mean, list(wanted.values()), _aligned_heads(gradient))
            for place, part in zip(wanted, parts_of, strict=True):
                found.setdefault(place, []).append(part)
        # A tensor given twice has its whole gradient in the first place.
        folded = {place: torch.stack(each) for place, each in found.items()}
        query, key, value, *bias = (folded.pop(place, None) for place in ctx.places)
        return None, bias[0] if bias else None, query, key, value


def pick(tables: Tensor, ids: Tensor) -> Tensor:
    """Rows of the table (seeds, rows, d) of each seed: ids (seeds or 1, …) give (seeds, …, d)."""
    seeds, count, width = tables.shape
    first = torch.arange(seeds, device=ids.device).view(seeds, *(1,) * (ids.dim() - 1)) * count
    places = ids + first
    return tables.reshape(seeds * count, width).index_select(0, places.flatten()).view(*places.shape, width)
