"""One-layer models on strings of bits with [CLS] behind them: the same function of the same weights, far cheaper.

At a position stands one of two symbols, so a layer reads one of two vectors there, whatever the string: of T bits and
[CLS] there are 2T + 1 in all. [CLS] is the only position that asks, and its query is always the same. So a string x
enters by which of these vectors it has, and a head's softmax average is a ratio of two sums that are linear in that,

    Σ_i e(i, x_i) v(i, x_i)  /  Σ_i e(i, x_i),    e = exp(q · k)

which is one product of matrices for all strings and heads. Sums of positive numbers: nothing cancels. Exponentials are
taken relative to the largest of all 2T + 1 logits of a head, so in single precision a string none of whose vectors
comes within e^-71 of it has no average that could be relied on; its output is NaN then, not some number.
"""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.nn.inputs import InputError
from lengthwise.nn.model import Decoder
from lengthwise.nn.positions.scheme import PositionScheme
from lengthwise.nn.seedwise import linear, matmul

CLS = 2
"""The symbol id of [CLS]; bits are their own."""


def why_not(model: Decoder) -> str | None:
    """Why a model cannot be evaluated on bits; None if it can."""
    config = model.config
    if config.layers != 1 or not config.heads_by_layer[0]:
        return "only models of one layer with attention can be evaluated on bits"
    if config.read != "last" or config.vocabulary != CLS + 1:
        return 'a model on bits knows the symbols 0, 1 and [CLS], and is read at [CLS]: read must be "last"'
    if model.positions.rotates or type(model.positions).phi is not PositionScheme.phi:
        return f"logits with the positions {config.position!r} are not those of queries and keys alone"
    return None


def choices(bits: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Which of the 2T + 1 vectors strings (…, T) have: 1 where a bit is 0, then where it is 1, then for [CLS]."""
    ones = bits.to(dtype)
    return torch.cat([1 - ones, ones, torch.ones_like(ones[..., :1])], dim=-1)


def outputs(model: Decoder, chosen: Tensor) -> Tensor:
    """Outputs (seeds, batch, outputs) at [CLS], for strings given by their `choices` (seeds, batch, 2T + 1)."""
    if reason := why_not(model):
        raise InputError(reason)
    if chosen.dim() != 3 or len(chosen) != model.seed_count or chosen.shape[2] % 2 != 1:
        raise InputError(
            f"expected choices in the shape ({model.seed_count}, batch, 2T + 1), got them in {tuple(chosen.shape)}"
        )
    layer, length = model.layers[0], chosen.shape[2] // 2
    vectors = _vectors(model, length)
    seen = layer.attention_norm(vectors)
    query = layer.split("query", seen[:, -1:])[:, 0] * model.scale(layer, length + 1)
    # q·K y = (K^T q)·y; what a bias adds to all keys is the same for all and changes no average. A sum, not a product
    # of matrices for each head: these are small, and there are many.
    key = layer.weight("key").view(*query.shape, -1)
    logits = linear(seen, (query.unsqueeze(3) * key).sum(2))
    raised = torch.exp(logits - logits.detach().amax(1, keepdim=True))
    values = layer.split("value", seen)
    terms = torch.cat([(raised.unsqueeze(3) * values).flatten(2), raised], dim=2)
    sums = matmul(chosen, terms)
    above, below = sums[..., : -layer.heads], sums[..., -layer.heads :]
    # Below this, terms that matter may have lost digits, or all of them.
    info = torch.finfo(below.dtype)
    below = below.masked_fill(below < info.tiny / info.eps, torch.nan)
    means = above.view(*below.shape, -1) / below.unsqueeze(3)
    return model.unembed(layer.after_mlp(vectors[:, -1:] + layer.mixed(means)))


def _vectors(model: Decoder, length: int) -> Tensor:
    """What the layer reads: (seeds, 2T + 1, width), in the order of `choices`."""
    places = torch.arange(1, length + 2, device=model.embedding.device)
    embedded = model.embedding[:, :CLS].repeat_interleave(length, dim=1)
    stream = torch.cat([embedded, model.embedding[:, CLS : CLS + 1]], dim=1).unsqueeze(1)
    return model.positions.embed(stream, torch.cat([places[:-1], places]).view(1, 1, -1)).squeeze(1)
