"""A rehearsal of positions: one word of the longest training length and one of the longest test length are given their
position ids, before anything is trained.

A scheme may have too few positions for the tests, may want ids that a task does not give, or may have no use for those
that it gives. That would show only when a model is asked, which for tests is when its training has ended.
"""

from __future__ import annotations

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.tasks.request import lengths, residues

ANYWHERE = ("none", "periodic")
"""Schemes that take words of any length and know of no ids."""
WITH_IDS = ("coupled", "predictive")
"""Schemes that take the ids of a task."""


def require_positions(config: RunConfig) -> None:
    """Refuse a config whose position scheme and task do not fit together at all lengths."""
    model, task, tested = config.decoder(), config.get_task(), config.get_test_task()
    if model.position in ANYWHERE:
        return
    import torch

    from lengthwise.nn import positions
    from lengthwise.nn.batches import placed_for_training

    scheme, rng = positions.build(model, 1), np.random.default_rng(0)

    def embed(length: int, ids: np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None) -> None:
        places = np.arange(1, length + 1)[None] if ids is None else ids
        scheme.embed(torch.zeros(1, 1, length, model.width), torch.from_numpy(places)[None])

    try:
        short = task.sample(max(config.training_lengths()), 1, rng)
        if scheme.predicts and short.next_positions is None:
            raise LengthwiseError("the task gives no position ids, which this scheme has to predict")
        embed(short.tokens.shape[1], placed_for_training(short, scheme, rng).positions)
        long = tested.sample(max(lengths(tested, max(config.test_lengths) + residues(tested) - 1)), 1, rng)
        length = long.tokens.shape[1]
        embed(length, scheme.test_places(length, 1, rng, long.positions))
    except LengthwiseError as problem:
        ids_for_nothing = model.position not in WITH_IDS and config.parameters.get("positions") == "coupled"
        hint = "; with positions=plain the task gives no ids" if ids_for_nothing else ""
        raise ConfigError(f"{config.task} and the position scheme {model.position!r}: {problem}{hint}") from None
