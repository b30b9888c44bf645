"""Random models whose weights are multiples of 1/64 between -1 and 1.

On a coarser grid, logits halfway between two multiples of 2^-bits and Heaviside units at exactly 0 would be common, and
there the last bit of a sum decides.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.limit.certificate import EVERY_REGIME, Certificate
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Huang
from lengthwise.limit.model import Head, Layer, LimitTransformer
from lengthwise.limit.transformers.transformer import Transformer

AB = Alphabet(("a", "b"))
BITS = 6
"""Every weight is a multiple of 2^-BITS."""
WIDTH = 3
SHAPES = [
    pytest.param(period, window, layers, marks=pytest.mark.slow if layers == 1 else ())
    for period in (1, 2, 3)
    for window in range(4)
    for layers in (1, 2)
]


def outputs(model: LimitTransformer, word: str) -> npt.NDArray[np.float64]:
    """What a Limit Transformer says at the symbols of a word, by its definition."""
    return naive.outputs(model, model.tokens(word))[int(model.has_start) :]


def fractions(rng: np.random.Generator, *shape: int) -> npt.NDArray[np.float64]:
    return rng.integers(-64, 65, size=shape) / 64


def random_layers(
    rng: np.random.Generator, count: int, heads: int = 2, window: int | None = None, width: int = WIDTH
) -> tuple[Layer, ...]:
    """Layers with ReLU and Heaviside units; φ of this window, or none."""

    def head() -> Head:
        phi = np.zeros(1) if window is None else np.append(fractions(rng, window), 1.0)
        return Head(fractions(rng, width, width), fractions(rng, width, width), phi)

    return tuple(
        Layer(
            tuple(head() for _ in range(heads)),
            fractions(rng, 3, width),
            fractions(rng, 3),
            fractions(rng, width, 3),
            rng.permutation([True, False, True]),
        )
        for _ in range(count)
    )


def random_limit(
    seed: int, period: int = 1, window: int = 0, layers: int = 1, *, start: bool = True, regime: Huang | None = None
) -> LimitTransformer:
    """A Limit Transformer of width 3 over {a, b} whose positions have no period shorter than `period`."""
    rng = np.random.default_rng(seed)
    positions = fractions(rng, period, WIDTH)
    positions[:, 0] = np.arange(period) / 4
    return LimitTransformer(
        AB,
        fractions(rng, 2 + start, WIDTH),
        positions,
        random_layers(rng, layers, window=window),
        fractions(rng, 2, WIDTH),
        ("accept", "other"),
        start,
        regime or Huang(5),
    )


def random_transformer(seed: int, context: int = 6, layers: int = 2, *, start: bool = True) -> Transformer:
    """An ordinary transformer of width 3 over {a, b} whose positions have nothing in common."""
    rng = np.random.default_rng(seed)
    return Transformer(
        AB,
        fractions(rng, 2 + start, WIDTH),
        fractions(rng, context, WIDTH),
        random_layers(rng, layers),
        fractions(rng, 2, WIDTH),
        ("accept", "other"),
        start,
        Huang(5),
    )


def certificate(length: int, context: int | None = None) -> Certificate:
    """A certificate to try what certificates do; nobody has proved it."""
    return Certificate(length, EVERY_REGIME, "None: for tests.", context=context)
