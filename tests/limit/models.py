"""Random Limit Transformers: seeded, and as Hypothesis strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from lengthwise.alphabet import Alphabet
from lengthwise.limit.evaluation.regimes import Floats, Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.limit.model import Head, Layer, LimitTransformer

REGIMES: tuple[Regime, ...] = (Huang(8), Huang(5, shift=True), IzzoFinite(6), IzzoInfinite(), Hardmax())


def random_model(
    seed: int,
    *,
    regime: Regime,
    layers: int = 2,
    heads: int = 2,
    width: int = 5,
    units: int = 4,
    symbols: int = 3,
    period: int = 2,
    window: int = 2,
    has_start: bool = False,
    heaviside: bool = True,
    whole_numbers: bool = False,
    quiet: int = 0,
) -> LimitTransformer:
    """A model with random weights, about one in four heads without content and one in four without φ.

    With `whole_numbers` the weights are -1, 0 and 1, so that many logits tie. Biases always are arbitrary: a Heaviside
    unit must not be asked about a number that is 0 up to rounding. No layer writes to the first `quiet` coordinates,
    and if there are any, keys are seen through them alone: heads then have few key classes in all layers.
    """
    rng = np.random.default_rng(seed)

    def weights(*shape: int) -> Floats:
        if whole_numbers:
            return rng.integers(-1, 2, shape).astype(np.float64)
        return np.asarray(rng.normal(size=shape) / np.sqrt(max(shape[-1], 1)))

    def head() -> Head:
        key_query, value, phi = weights(width, width), weights(width, width), weights(window + 1)
        kind = rng.integers(4)
        if kind == 0:
            key_query[:] = 0
        if kind == 1:
            phi[:] = 0
        if quiet:
            key_query[quiet:] = 0
        value[:quiet] = 0
        value[rng.random(width) < 0.3] = 0
        return Head(key_query, value, phi)

    def layer() -> Layer:
        output = weights(width, units)
        output[:quiet] = 0
        flags = rng.random(units) < (0.4 if heaviside else 0.0)
        return Layer(tuple(head() for _ in range(heads)), weights(units, width), rng.normal(size=units), output, flags)

    return LimitTransformer(
        alphabet=Alphabet(tuple("abcdefgh"[:symbols])),
        embedding=weights(symbols + has_start, width),
        positions=weights(period, width),
        layers=tuple(layer() for _ in range(layers)),
        unembedding=weights(2, width),
        outputs=("accept", "other"),
        has_start=has_start,
        regime=regime,
    )


@st.composite
def models(draw: st.DrawFn, /, regime: Regime, **fixed: Any) -> LimitTransformer:
    """Models of any shape in a regime; `fixed` are arguments of `random_model` that are not drawn."""
    whole = draw(st.booleans())
    # Where logits are rounded, averages of whole numbers come to lie half way between two multiples, and a last bit
    # decides which is taken: with 48 bits the choice makes less of a difference than the comparison tolerates.
    chosen = Huang(48, regime.shift) if whole and isinstance(regime, Huang) else regime
    shape: dict[str, Any] = {
        "layers": draw(st.integers(0, 3)),
        "heads": draw(st.integers(0, 3)),
        "width": draw(st.integers(1, 7)),
        "units": draw(st.integers(0, 5)),
        "symbols": draw(st.integers(1, 4)),
        "period": draw(st.integers(1, 4)),
        "window": draw(st.integers(0, 5)),
        "has_start": draw(st.booleans()),
        "quiet": draw(st.sampled_from((0, 0, 1, 2))),
        "whole_numbers": whole,
    }
    seed = draw(st.integers(0, 2**32 - 1))
    return random_model(seed, regime=chosen, **{**shape, **fixed})


def random_tokens(model: LimitTransformer, length: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """A word of some length in all, as the model reads it."""
    tokens = np.random.default_rng(seed).integers(0, model.alphabet.id_count, length)
    if model.has_start:
        tokens[:1] = model.alphabet.id_count
    return tokens
