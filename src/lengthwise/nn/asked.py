"""Outputs where they are asked for and nowhere else: the same function of the same weights, with less work.

    asked.outputs(model, tokens, mask)            is   model(tokens)[mask]
    asked.outputs_with_ids(model, tokens, mask)   is   both of `position_head.outputs`, [mask]

A model that is trained to answer is scored at the positions of the answer alone. So the last layer asks its questions
only there, and positions behind the last answer of a word, which nothing depends on, are left out: words of several
lengths that are padded to one (`batches.joined`) cost what they have themselves.

Seeds are done one after the other, each by the calls that would be made if it were alone, so it has the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor

from lengthwise.nn import position_head, seedwise
from lengthwise.nn.inputs import InputError, checked_places, checked_tokens
from lengthwise.nn.layout import Layout
from lengthwise.nn.model import Decoder, Layer, Norm
from lengthwise.nn.parameters import Folded
from lengthwise.nn.seedwise import activated


def why_not(model: Decoder) -> str | None:
    """Why words that are padded mean something else to a model, or all positions must be computed; None if not."""
    if not model.config.causal:
        return "positions see what is behind them"
    if model.config.log_scaling == "length":
        return "logits depend on the length of a word"
    if type(model).attend is not Decoder.attend or model.positions.adds_to_logits:
        return f"attention with the positions {model.config.position!r} is not that of queries and keys alone"
    return None


def outputs(model: Decoder, tokens: Tensor, asked: Tensor, places: Tensor | None = None) -> Tensor:
    """Outputs (how many are asked for, outputs) at the positions where a mask (seeds, batch, length) is true.

    They come seed by seed, word by word. Tokens and places are as in `Decoder.forward`.
    """
    tokens, asked = _checked(model, tokens, asked)
    if why_not(model) is not None:
        everywhere: Tensor = model(tokens, places)
        return everywhere[asked]
    found = [seed.outputs(seed.final()) for seed in _one_by_one(model, tokens, asked, places)]
    return _joined(found) if found else model.embedding.new_empty(0, model.config.outputs)


def outputs_with_ids(model: Decoder, tokens: Tensor, asked: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """What a model that predicts position ids says of the next symbol and of the next id, where it is asked.

    That is (how many are asked for, outputs) and (how many, ids), in the order of `outputs`.
    """
    position_head.require_prediction(model)
    tokens, asked = _checked(model, tokens, asked)
    if why_not(model) is not None:
        symbols, ids = position_head.outputs(model, tokens, places)
        return symbols[asked], ids[asked]
    found = [(seed, seed.final()) for seed in _one_by_one(model, tokens, asked, places)]
    if not found:
        nothing = model.embedding.new_empty(model.seed_count, 0, model.config.width)
        return nothing.new_empty(0, model.config.outputs), model.positions.next_ids(nothing)[0]
    symbols = _joined([seed.outputs(final) for seed, final in found])
    return symbols, _joined([seed.next_ids(final) for seed, final in found])


def _checked(model: Decoder, tokens: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
    """Symbol ids and mask, both with the seeds in front."""
    if model.config.read != "all":
        raise InputError('a model can be asked anywhere if read is "all"')
    tokens = checked_tokens(tokens, model.seed_count, model.config.vocabulary)
    asked = asked.expand(model.seed_count, *asked.shape) if asked.dim() == 2 else asked
    if asked.shape != tokens.shape:
        raise InputError(f"a mask of shape {tuple(asked.shape)} does not fit symbol ids of shape {tuple(tokens.shape)}")
    return tokens, asked


def _one_by_one(model: Decoder, tokens: Tensor, asked: Tensor, places: Tensor | None) -> Iterator[_OneSeed]:
    """The seeds that are asked anything."""
    places = checked_places(places, tokens).expand(tokens.shape)
    for seed, each in enumerate(zip(tokens, asked, places, strict=True)):
        if each[1].any():
            yield _OneSeed(model, seed, *each)


def _joined(found: Sequence[Tensor]) -> Tensor:
    """The rows of all seeds."""
    return found[0] if len(found) == 1 else seedwise.joined(found)


class _OneSeed:
    """The words of one seed and how its weights answer them, on rows (rows, width)."""

    def __init__(self, model: Decoder, seed: int, tokens: Tensor, asked: Tensor, places: Tensor) -> None:
        self.model, self.seed = model, seed
        numbers = torch.arange(1, asked.shape[1] + 1, device=asked.device)
        self.ends = (asked * numbers).amax(1)
        """The last positions that are asked about, from 1 on; 0 if there are none."""
        needed = (numbers <= self.ends.unsqueeze(1)).flatten().nonzero().squeeze(1)
        self.tokens, self.places, wanted = (each.flatten().index_select(0, needed) for each in (tokens, places, asked))
        self.chosen = None if wanted.all() else wanted.nonzero().squeeze(1)
        """The wanted rows among those that are seen; None if these are all."""
        self.asked = asked

    def final(self) -> Tensor:
        """The residual stream behind the last layer (wanted rows, width), normed."""
        model = self.model
        stream = self.weight(model, "embedding").index_select(0, self.tokens)
        stream = self._of_all_seeds(model.positions.embed, stream, self.places)
        if self.chosen is not None and not model.layers:
            stream = stream.index_select(0, self.chosen)
        for layer in model.layers:
            stream = self.after(layer, stream)
        return self.normed(model.final_norm, stream)

    def outputs(self, final: Tensor) -> Tensor:
        """Outputs (wanted rows, outputs) from the final stream."""
        model = self.model
        if model.config.tied:
            return F.linear(final, self.weight(model, "embedding")[: model.config.outputs])
        return self.linear(model, "unembedding", final)

    def next_ids(self, final: Tensor) -> Tensor:
        """A number for each id of the next symbol (wanted rows, ids) from the final stream."""
        return self._of_all_seeds(lambda rows, _: self.model.positions.next_ids(rows), final, final)

    def after(self, layer: Layer, stream: Tensor) -> Tensor:
        """The residual stream behind a layer; behind the last, only where it is wanted."""
        chosen = self.chosen if layer.number == self.model.config.layers - 1 else None
        after = stream if chosen is None else stream.index_select(0, chosen)
        if layer.heads:
            after = after + self.attention(layer, after, stream, chosen)
        if not layer.units:
            return after
        hidden = activated(self.linear(layer, "hidden", self.normed(layer.mlp_norm, after)), layer.activation)
        return after + self.linear(layer, "output", hidden)

    def attention(self, layer: Layer, asking: Tensor, stream: Tensor, chosen: Tensor | None) -> Tensor:
        """What the heads of a layer add where the stream is `asking`: at the chosen rows, or everywhere."""
        seen = self.normed(layer.attention_norm, stream)
        asking = seen if chosen is None else self.normed(layer.attention_norm, asking)
        queries, scale = self.heads(layer, "query", asking, chosen), self.model.attention_factor(layer)
        if chosen is not None and self.few(layer, len(chosen)):
            heads = self.of_few(layer, queries, seen, scale)
        else:
            keys, values = (self.heads(layer, name, seen, None) for name in ("key", "value"))
            spread = (self.layout.spread(queries, chosen), self.layout.spread(keys), self.layout.spread(values))
            means = [
                F.scaled_dot_product_attention(
                    query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), is_causal=True, scale=scale
                )
                for query, key, value in zip(*spread, strict=True)
            ]
            heads = self.layout.together([mean.transpose(1, 2) for mean in means], chosen)
        return self.linear(layer, "mix", heads.flatten(1)) if "mix" in layer.roles else heads.sum(1)

    @cached_property
    def layout(self) -> Layout:
        """Where the rows that are seen go for attention."""
        return Layout.of(self.ends)

    def few(self, layer: Layer, wanted: int) -> bool:
        """Whether so few rows are wanted that it is less work to do without keys and values of the others."""
        if self.model.positions.rotates:
            return False
        return 2 * wanted * (1 + layer.heads * int(self.ends.max()) / self.model.config.width) < len(self.tokens)

    def of_few(self, layer: Layer, queries: Tensor, seen: Tensor, scale: float) -> Tensor:
        """Heads (wanted rows, heads, v) from queries alone: q·K y = (K^T q)·y and Σ w V y = V Σ w y.

        All heads ask the same vectors y. A bias of the keys adds the same to all logits of a query, which changes
        nothing.
        """
        matrices = (self.weight(layer, name) for name in ("key", "value"))
        key, value = (matrix.view(layer.heads, -1, matrix.shape[1]) for matrix in matrices)
        asking = torch.bmm(queries.transpose(0, 1), key).transpose(0, 1)
        # All words together: what they are padded with costs little here.
        vectors_in, wanted_in = (Layout.of(each, len(self.ends)) for each in (self.ends, self.asked.sum(1)))
        ((asking,), (vectors,)) = wanted_in.spread(asking), vectors_in.spread(seen)
        (places,) = wanted_in.spread(self.asked.nonzero()[:, 1])
        before = places.unsqueeze(2) >= torch.arange(vectors.shape[1], device=places.device)
        means = F.scaled_dot_product_attention(
            asking.flatten(1, 2).unsqueeze(1), vectors.unsqueeze(1), vectors.unsqueeze(1),
            before.repeat_interleave(layer.heads, dim=1).unsqueeze(1), scale=scale,
        )  # fmt: skip
        heads = wanted_in.together([means.view(asking.shape)])
        heads = torch.bmm(heads.transpose(0, 1), value.transpose(1, 2)).transpose(0, 1)
        bias = self.weight(layer, "value_bias").view(layer.heads, -1) if "value_bias" in layer.roles else 0.0
        return heads + bias

    def heads(self, layer: Layer, name: str, rows: Tensor, chosen: Tensor | None) -> Tensor:
        """Queries, keys or values (rows, heads, k), the former two turned as their positions say."""
        vectors = self.linear(layer, name, rows).view(len(rows), layer.heads, -1)
        if name == "value" or not self.model.positions.rotates:
            return vectors
        places = self.places if chosen is None else self.places.index_select(0, chosen)
        return self._of_all_seeds(self.model.positions.rotate, vectors, places)

    def normed(self, norm: Norm, rows: Tensor) -> Tensor:
        """The vectors normed, scaled and shifted."""
        if "gain" not in norm.roles:
            return rows
        shift = self.weight(norm, "gain_bias") if "gain_bias" in norm.roles else None
        return F.layer_norm(rows, rows.shape[-1:], self.weight(norm, "gain"), shift)

    def linear(self, part: Folded, name: str, rows: Tensor) -> Tensor:
        """A linear map with its bias, if it has one."""
        bias = self.weight(part, f"{name}_bias") if f"{name}_bias" in part.roles else None
        return F.linear(rows, self.weight(part, name), bias)

    def weight(self, part: Folded, name: str) -> Tensor:
        """A weight of this seed, at the beginning of a cache line, as it would be if there were no other seeds."""
        whole = part.weight(name)
        if len(whole) == 1:
            return whole.squeeze(0)
        own = whole[self.seed]
        return seedwise.aligned(own.unsqueeze(0) if own.dim() == 1 else own).view(own.shape)

    def _of_all_seeds(self, change: Callable[[Tensor, Tensor], Tensor], vectors: Tensor, places: Tensor) -> Tensor:
        """What a position scheme, which is for all seeds at once, makes of vectors (rows, …) of this one."""
        seeds = self.model.seed_count
        changed = change(vectors.expand(seeds, 1, *vectors.shape), places.expand(seeds, 1, *places.shape))
        # A copy begins at a cache line.
        return changed.squeeze(1).squeeze(0) if seeds == 1 else changed[self.seed, 0].clone()
