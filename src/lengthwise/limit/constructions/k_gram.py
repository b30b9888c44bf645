"""The in-context k-gram estimator: what followed earlier occurrences of the last `context` symbols.

Head h of layer 1 copies the symbol h places back. Layer 2 compares the copies at a key with the query's own symbol and
copies: a full match has logit β·context, anything else at most β·(context - 1). Infinite precision.
Izzo et al., Definition 5.4 and appendix B.3; corrections ERR-E5 to ERR-E8.

The paper's k means two things: k context symbols in its Definition 5.4, k - 1 in its experiments. Here it is the number
of context symbols c; the experiments' k is c + 1. The answer has a block of its own, otherwise the residual stream
adds the last symbol to it (ERR-E6). Positions up to c have too few predecessors and may match without cause (ERR-E7).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from lengthwise.alphabet import Alphabet, Word
from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions.construction import Construction, block_copy, closed_alphabet
from lengthwise.limit.evaluation.regimes import Floats, IzzoInfinite
from lengthwise.limit.model import Head, Layer, LimitTransformer


def k_gram(context: int, symbols: Alphabet | Iterable[str], beta: float, phi: float) -> Construction:
    """The shares of the symbols that followed earlier occurrences of the last `context` (c) ones.

    `beta` (β) is the logit of one matching symbol, `phi` (Φ > 1) the positional logit that copies; the positional
    margin is Φ - 1. With T symbols and m matches at positions c + 1..T, the ℓ1 error is at most
    2 [(T - m) e^(η - β) + c] / m + e^(η/2) - 1, where η = 4cβ (c + 1)^(1 - Φ). Undefined if m = 0.

    Args:
        context: k: the number of context symbols.
        symbols: The alphabet.
        beta: The logit of a matching symbol.
        phi: The positional logit of the head that copies.

    Returns:
        The model with its target and its error bound.

    Example:
        >>> len(k_gram(1, "ab", beta=3.0, phi=2.0).model.layers)
        2

    """
    if context < 1 or beta <= 0 or phi <= 1:
        raise LengthwiseError(f"expected context >= 1, beta > 0 and phi > 1, got {context}, {beta:g} and {phi:g}")
    alphabet = closed_alphabet(symbols)
    size = len(alphabet)
    width, answer = (context + 2) * size, (context + 1) * size
    copies = [
        Head(np.zeros((width, width)), block_copy(width, 0, back * size, size), phi * np.eye(context + 1)[back])
        for back in range(1, context + 1)
    ]
    # Entry (key coordinate, query coordinate): the key's copy of h back against the query's of h - 1 back.
    compare = beta * block_copy(width, 0, size, context * size)
    matching = Head(compare, block_copy(width, 0, answer, size))
    model = LimitTransformer(
        alphabet,
        np.eye(size, width),
        np.zeros((1, width)),
        (Layer.attention_only(copies, width), Layer.attention_only([matching], width)),
        np.eye(width)[answer:],
        alphabet.symbols,
        regime=IzzoInfinite(),
        title=f"{context + 1}-gram",
    )

    def followers(word: Word) -> Floats:
        ids = alphabet.encode(word)
        if len(ids) <= context:
            return np.zeros(size)
        windows = np.lib.stride_tricks.sliding_window_view(ids, context)
        return np.bincount(ids[context:][(windows[:-1] == windows[-1]).all(axis=1)], minlength=size).astype(np.float64)

    def target(word: Word) -> Floats | None:
        counts = followers(word)
        return counts / counts.sum() if counts.any() else None

    def error_bound(word: Word) -> float:
        matches = int(followers(word).sum())
        if not matches:
            return math.inf
        perturbation = 4 * context * beta * (context + 1) ** (1 - phi)
        if perturbation > 3:
            return 2.0  # e^(η/2) - 1 alone is more than two distributions can differ by
        leak = (len(alphabet.encode(word)) - matches) * math.exp(perturbation - beta) + context
        return min(2.0, 2 * leak / matches + math.expm1(perturbation / 2))

    return Construction(
        model, target, error_bound, f"shares of the symbols that followed earlier occurrences of the last {context}"
    )
