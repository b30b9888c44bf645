"""A second head on the residual stream, for the next position id, and its loss (Golowich et al., section 5.2).

It is a linear map like the unembedding, with an output for each id 0..N, and belongs to the position scheme
`predictive`.

The loss of a seed is the mean cross entropy of the next symbols plus that of the next ids, both where the task scores;
the paper does not say how it weighs one against the other. A word is right if all symbols and all ids are.

Outputs come from all positions (`outputs`) or from those alone where the mask is true
(`asked.outputs_with_ids`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from lengthwise.nn import loss, seedwise
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.inputs import InputError, checked_places, checked_tokens
from lengthwise.nn.loss import LossError
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


def losses(outputs: tuple[Tensor, Tensor], targets: Tensor, next_positions: Tensor | None, mask: Tensor) -> Tensor:
    """The loss of each seed (seeds,), for a batch with the seeds in front."""
    symbols, ids = outputs
    following = _checked(next_positions, ids)
    return loss.losses("next-token", symbols, targets, mask) + loss.losses("next-token", ids, following, mask)


def right(
    outputs: tuple[Tensor, Tensor], targets: Tensor, next_positions: Tensor | None, mask: Tensor, answers: Tensor
) -> Tensor:
    """Which words (seeds, batch) are right wherever it counts, which is where `answers` is true.

    Given what should stand before, that is; but then generation goes the same way (`generation.generate`).
    """
    return (right_positions(outputs, targets, next_positions, mask) | ~answers).all(-1)


def right_positions(
    outputs: tuple[Tensor, Tensor], targets: Tensor, next_positions: Tensor | None, mask: Tensor
) -> Tensor:
    """At which positions (seeds, batch, length) the largest outputs are at the right symbol and the right id.

    Outputs that come from masked positions alone are of these.
    """
    symbols, ids = outputs
    expected = targets, _checked(next_positions, ids)
    where_asked = symbols.dim() == 2
    symbol, following = (each[mask] for each in expected) if where_asked else expected
    both = symbols.argmax(-1).eq(symbol) & ids.argmax(-1).eq(following)
    return mask.clone().masked_scatter(mask, both) if where_asked else both


def _checked(next_positions: Tensor | None, ids: Tensor) -> Tensor:
    if next_positions is None:
        raise LossError("to predict position ids, a model needs a task that says which come next")
    if int(next_positions.max()) >= ids.shape[-1] or int(next_positions.min()) < 0:
        raise LossError(
            f"position ids from {int(next_positions.min())} to {int(next_positions.max())} cannot be scored by a head "
            f"for the ids 0 to {ids.shape[-1] - 1}"
        )
    return next_positions
