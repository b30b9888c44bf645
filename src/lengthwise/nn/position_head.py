"""A second head on the residual stream: it says which position id comes next (Golowich et al., section 5.2).

It is a linear map like the unembedding, with an output for each id 0..N, and belongs to the position scheme
`predictive`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from lengthwise.nn import seedwise
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.inputs import InputError, checked_places, checked_tokens
from lengthwise.nn.parameters import Folded

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder


class PositionHead(Folded):
    """Outputs for the ids 0..`context`; it starts and learns like an unembedding."""

    def __init__(self, config: DecoderConfig, seeds: int, context: int) -> None:
        super().__init__(seeds)
        self.add_weight("next", "readout", context + 1, config.width)
        if config.biases == "all" and not config.tied:
            self.add_weight("next_bias", "bias", context + 1)

    def forward(self, final: Tensor) -> Tensor:
        """A number for each id (seeds, …, ids), from the final stream (seeds, …, width), normed."""
        return self.linear("next", final)


def outputs(model: Decoder, tokens: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """What a model says of the next symbol and of the next id, at all positions: (seeds, batch, length, …) each.

    Tokens and places are as in `Decoder.forward`.
    """
    require_prediction(model)
    stream = final_stream(model, tokens, places)
    return model.unembed(stream), model.positions.next_ids(model.final_norm(stream))


def final_stream(model: Decoder, tokens: Tensor, places: Tensor | None = None) -> Tensor:
    """The residual stream (seeds, batch, length, width) behind the last layer, at all positions."""
    tokens = checked_tokens(tokens, model.seed_count, model.config.vocabulary)
    places = checked_places(places, tokens)
    stream = model.positions.embed(seedwise.pick(model.embedding, tokens), places)
    for layer in model.layers:
        after = stream + model.attention(layer, stream, stream, places) if layer.heads else stream
        stream = layer.after_mlp(after)
    return stream


def require_prediction(model: Decoder) -> None:
    """Refuse a model that has no second head."""
    if not model.positions.predicts:
        raise InputError(f"a model with the positions {model.config.position!r} does not predict position ids")
