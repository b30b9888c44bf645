"""The attention that the last position of a word gives to every position, read off while a one-layer model computes.

`attend` of a decoder is where queries meet keys, whatever the position scheme did to them before; there the weights of
the average are taken down. So they are the model's own, and what it computes does not change.
"""

from __future__ import annotations

import torch
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn.model import Decoder
from lengthwise.runs.store.run_directory import RunDirectory, RunError
from lengthwise.runs.training.one_thread import one_thread


class DiagnosisError(LengthwiseError):
    """A model or a task that a diagnosis is not about."""


class WatchedDecoder(Decoder):
    """A decoder that keeps the attention weights of its latest call, (seeds, words, 1, heads or 1, length)."""

    weights: Tensor

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, phi: Tensor | None, causal: bool) -> Tensor:
        """As ever; the softmax is noted."""
        logits = queries @ keys.transpose(-1, -2)
        self.weights = torch.softmax(logits if phi is None else logits + phi, dim=-1)
        return super().attend(queries, keys, values, phi, causal)


def load(run: RunDirectory) -> WatchedDecoder:
    """The model of a run with all its seeds."""
    config = run.config()
    model = WatchedDecoder(config.decoder(), config.seeds, getattr(torch, config.dtype))
    try:
        model.load_state_dict({name: torch.from_numpy(weight) for name, weight in run.model().items()})
    except RuntimeError:
        raise RunError(
            f"the weights of the run {run.path} are not those of the model that its settings ask for"
        ) from None
    return model


def attention_of_last(model: WatchedDecoder, tokens: Tensor) -> Tensor:
    """What the last position gives to each position (seeds, words, heads, length) of words (words, length).

    For every seed, word and head they are positive numbers with the sum 1.

    Args:
        model: A model of one layer that is read at the last position.
        tokens: (words, length): symbol ids.

    Returns:
        The attention weights (seeds, words, heads, length).

    Raises:
        DiagnosisError: The model has several layers, no head, or is read at all positions.

    Example:
        >>> from lengthwise.nn import DecoderConfig
        >>> model = WatchedDecoder(DecoderConfig(vocabulary=3, outputs=1), seeds=[0])
        >>> attention_of_last(model, torch.tensor([[0, 1, 2, 2]])).sum().round()
        tensor(1.)

    """
    config = model.config
    if config.layers != 1 or not config.heads_by_layer[0] or config.read != "last":
        raise DiagnosisError("attention is looked at in models of one layer that are read at the last position")
    with torch.no_grad(), one_thread():
        model(tokens)
    # Either the heads or the one query stand in the axis of heads, as suits the model; the other axis has size 1.
    return model.weights.reshape(model.seed_count, len(tokens), config.heads_by_layer[0], -1)
