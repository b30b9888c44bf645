"""Whether float64 can overflow anywhere inside a model, told from its weights before it reads anything.

An activation that overflowed need not show in the outputs: a step turns infinity into 1 and "not a number" into 0, and
the verdict looks like any other. So magnitudes are bounded layer by layer, each coordinate by itself: a head adds an
average, at most the largest value; a step adds at most 1. If the weights and every intermediate sum stay far below the
largest float64 whatever the word, nothing has to be watched while words are read.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import LimitTransformer, ModelError

LARGEST = 1e280
"""What products and sums may reach; sums over 2^53 positions and logits scaled by log N then stay below 1e308."""

_bounds: WeakKeyDictionary[LimitTransformer, float] = WeakKeyDictionary()


def largest_intermediate(model: LimitTransformer) -> float:
    """A bound on every number that occurs while the model reads a word; infinite if that is no float64.

    Args:
        model: The model; its regime does not matter, since attention weights are between 0 and 1.

    Returns:
        The bound, for sums over positions to be multiplied by the length.

    Example:
        >>> import lengthwise as lw
        >>> from lengthwise.limit.quantities.overflow import largest_intermediate
        >>> largest_intermediate(lw.limit.from_crasp(lw.crasp.load("majority"))) < 100
        True

    """
    with np.errstate(over="ignore", invalid="ignore"):
        stream = np.abs(model.embedding).max(axis=0, initial=0.0) + np.abs(model.positions).max(axis=0, initial=0.0)
        reached = [_most(model.unembedding), _most(stream)]
        for layer in model.layers:
            middle = stream.copy()
            for head in layer.heads:
                key_query = np.abs(head.key_query)
                reached += [_most(key_query @ stream), _most(stream @ key_query), _most(head.phi)]
                reached.append(float(stream @ key_query @ stream) + _most(head.phi))
                # Keys are told apart up to the size of the terms they are made of.
                reached.append(_most(key_query) * max(_most(stream), 1.0))
                middle = middle + np.abs(head.value) @ stream
            # Values of heads that attend alike are added up before anything is read.
            reached.append(sum(_most(head.value) for head in layer.heads))
            before = np.abs(layer.hidden) @ middle + np.abs(layer.bias)
            after = np.where(layer.heaviside, 1.0, before)
            stream = middle + np.abs(layer.output) @ after
            reached += [_most(each) for each in (middle, layer.hidden, before, layer.output, stream)]
        reached.append(_most(np.abs(model.unembedding) @ stream))
    # Infinity times zero is not a number, and no bound either.
    return max(reached) if np.isfinite(reached).all() else np.inf


def _most(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))


def require_no_overflow(model: LimitTransformer) -> None:
    """Refuse to evaluate a model whose weights are so large that float64 might overflow on the way.

    Args:
        model: The model.

    Raises:
        ModelError: Some number might exceed 1e280.

    """
    if model not in _bounds:
        _bounds[model] = largest_intermediate(model)
    if not _bounds[model] <= LARGEST:
        raise ModelError(
            "the weights of this model are so large that float64 may overflow inside it, and its answers would mean "
            "nothing; scale them down"
        )
