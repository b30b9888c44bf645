"""One-layer models on counts: the same function of the same weights, at a cost that does not depend on the length.

Without a window, attention at the last position sees of an input only how often each (symbol, residue) occurs: keys of
one type have one logit. So a softmax over T keys is one over types with log counts added, and queries differ in their
type alone. Inputs of different lengths are evaluated together.
"""

from __future__ import annotations

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


def outputs(model: Decoder, counts: Tensor, last: Tensor, lengths: int | Tensor) -> Tensor:
    """Outputs (seeds, batch, outputs) for inputs given by counts.

    `counts` (seeds, batch, symbols, period) say how often a symbol stands at positions of each residue, the last
    position included; `last` (seeds, batch) are the last symbols, `lengths` (seeds, batch) the lengths, or one for all.
    Without the axis of seeds, inputs are the same for all. The model's period must divide that of the counts.
    """
    if reason := why_not(model):
        raise InputError(reason)
    counts, last, lengths = _checked(model, counts, last, lengths)
    layer, period = model.layers[0], model.positions.period or 1
    types = _types(model, period)
    seen = layer.attention_norm(types)
    asking = last * period + lengths % period
    queries, keys, values = (
        # Every head of every seed has products of its own.
        each.transpose(1, 2).flatten(0, 1)
        for each in (layer.split("query", seen), layer.split("key", seen), layer.split("value", seen))
    )
    logits = pick(linear(queries, keys), asking.repeat_interleave(layer.heads, 0))
    scale = model.scale(layer, lengths.unsqueeze(2))
    if isinstance(scale, Tensor):
        scale = scale.repeat_interleave(layer.heads, 0)
    occurrences = counts.flatten(2).to(types.dtype).log()
    weights = F.softmax(logits * scale + occurrences.repeat_interleave(layer.heads, 0), dim=-1)
    heads = matmul(weights, values).view(len(types), layer.heads, last.shape[1], -1).transpose(1, 2)
    after = pick(types, asking) + layer.mixed(heads)
    return model.unembed(layer.after_mlp(after))


def _types(model: Decoder, period: int) -> Tensor:
    """What the layer reads at a (symbol, residue): (seeds, symbols · period, width)."""
    embedded = model.embedding[:, : model.config.vocabulary].repeat_interleave(period, dim=1).unsqueeze(1)
    residues = torch.arange(period, device=embedded.device).repeat(model.config.vocabulary)
    return model.positions.embed(embedded, residues.view(1, 1, -1)).squeeze(1)


def _checked(model: Decoder, counts: Tensor, last: Tensor, lengths: int | Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Inputs with an axis of seeds, and counts of the model's own period."""
    seeds, period = model.seed_count, model.positions.period or 1
    counts = counts.expand(seeds, *counts.shape) if counts.dim() == 3 else counts
    last = last.expand(seeds, *last.shape) if last.dim() == 1 else last
    symbols = model.config.vocabulary
    if counts.dim() != 4 or counts.shape[0] != seeds or counts.shape[2] != symbols:
        raise InputError(
            f"expected counts in the shape ({seeds}, batch, {symbols}, period), got them in {tuple(counts.shape)}"
        )
    if last.shape != counts.shape[:2] or (last.numel() and not 0 <= int(last.min()) <= int(last.max()) < symbols):
        raise InputError(f"expected a last symbol id, 0 to {symbols - 1}, for each of {tuple(counts.shape[:2])} inputs")
    if isinstance(lengths, int):
        lengths = torch.tensor(lengths, device=counts.device)
    if lengths.dim() and lengths.shape not in (last.shape, last.shape[1:]):
        raise InputError(f"expected one length or one for each of {tuple(last.shape)} inputs")
    lengths = lengths.expand(last.shape)
    if counts.shape[3] % period:
        raise InputError(f"positions of period {period} cannot be told from counts of period {counts.shape[3]}")
    if counts.shape[3] != period:
        counts = counts.reshape(*counts.shape[:3], -1, period).sum(3)
    return counts, last, lengths
