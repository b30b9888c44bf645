"""One-layer models on counts: the same function of the same weights, at a cost that does not depend on the length.

Without a window, attention at the last position sees of an input only how often each (symbol, residue) occurs: keys of
one type have one logit. So a softmax over T keys is one over types with log counts added, and queries differ in the
last symbol alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from lengthwise.nn.inputs import InputError
from lengthwise.nn.model import Decoder
from lengthwise.nn.seedwise import linear, matmul, pick


def why_not(model: Decoder) -> str | None:
    """Why a model cannot be evaluated on counts; None if it can."""
    config = model.config
    if config.layers != 1 or not config.heads_by_layer[0]:
        return "only models of one layer with attention see no more than counts"
    if config.read != "last":
        return 'counts tell the output at the last position only, so read must be "last"'
    if model.positions.period is None:
        return f"the positions {config.position!r} tell more than residues"
    return None


def outputs(model: Decoder, counts: Tensor, last: Tensor, lengths: int | Sequence[int]) -> Tensor:
    """Outputs (seeds, batch, outputs) for inputs given by counts.

    `counts` (seeds, batch, symbols, period) say how often a symbol stands at positions of each residue, the last
    position included; `last` (seeds, batch) are the last symbols; `lengths` are those of each seed's inputs, or one for
    all. Without the axis of seeds, inputs are the same for all. The model's period must divide that of the counts.
    """
    if reason := why_not(model):
        raise InputError(reason)
    counts, last, by_seed = _checked(model, counts, last, lengths)
    layer, period, symbols = model.layers[0], model.positions.period or 1, model.config.vocabulary
    types = _types(model, period)
    seen = layer.attention_norm(types)
    # The residue of the last position is the same for all inputs of a seed, so there is a query for each symbol.
    residues = torch.tensor([[length % period] for length in by_seed], device=counts.device)
    lasts = torch.arange(symbols, device=counts.device) * period + residues
    asking = pick(seen, lasts)
    scale = types.new_tensor([model.scale(layer, length) for length in by_seed]).view(-1, 1, 1, 1)
    queries, keys, values = (
        # Every head of every seed has products of its own.
        each.transpose(1, 2).flatten(0, 1)
        for each in (layer.split("query", asking) * scale, layer.split("key", seen), layer.split("value", seen))
    )
    logits = pick(linear(queries, keys), last.repeat_interleave(layer.heads, 0))
    occurrences = counts.flatten(2).to(types.dtype).log()
    weights = F.softmax(logits + occurrences.repeat_interleave(layer.heads, 0), dim=-1)
    heads = matmul(weights, values).view(len(types), layer.heads, last.shape[1], -1).transpose(1, 2)
    after = pick(pick(types, lasts), last) + layer.mixed(heads)
    return model.unembed(layer.after_mlp(after))


def _types(model: Decoder, period: int) -> Tensor:
    """What the layer reads at a (symbol, residue): (seeds, symbols · period, width)."""
    embedded = model.embedding.repeat_interleave(period, dim=1).unsqueeze(1)
    residues = torch.arange(period, device=embedded.device).repeat(model.config.vocabulary)
    return model.positions.embed(embedded, residues.view(1, 1, -1)).squeeze(1)


def _checked(
    model: Decoder, counts: Tensor, last: Tensor, lengths: int | Sequence[int]
) -> tuple[Tensor, Tensor, list[int]]:
    """Inputs with an axis of seeds, and counts of the model's own period."""
    seeds, period = model.seed_count, model.positions.period or 1
    by_seed = [lengths] * seeds if isinstance(lengths, int) else [int(length) for length in lengths]
    counts = counts.expand(seeds, *counts.shape) if counts.dim() == 3 else counts
    last = last.expand(seeds, *last.shape) if last.dim() == 1 else last
    symbols = model.config.vocabulary
    if counts.dim() != 4 or counts.shape[0] != seeds or counts.shape[2] != symbols or len(by_seed) != seeds:
        raise InputError(
            f"expected counts in the shape ({seeds}, batch, {symbols}, period) and a length for each seed, got counts "
            f"of shape {tuple(counts.shape)} and {len(by_seed)} lengths"
        )
    if last.shape != counts.shape[:2] or (last.numel() and not 0 <= int(last.min()) <= int(last.max()) < symbols):
        raise InputError(f"expected a last symbol id, 0 to {symbols - 1}, for each of {tuple(counts.shape[:2])} inputs")
    if counts.shape[3] % period:
        raise InputError(f"positions of period {period} cannot be told from counts of period {counts.shape[3]}")
    if counts.shape[3] != period:
        counts = counts.reshape(*counts.shape[:3], -1, period).sum(3)
    return counts, last, by_seed
