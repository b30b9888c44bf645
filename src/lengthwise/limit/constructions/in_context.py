"""Two constructions that read their own context: the induction head, and the k-gram estimator.

The induction head: what used to follow the current symbol (Huang et al., section 4.1, eq. 10). Layer 1 copies the
previous symbol; layer 2 attends to the positions whose previous symbol is the current one, and the answer is the
average of the symbols found there. Logits are scaled by log N, so a gap of g in logits is a factor N^g in weights. The
paper takes φ = 1 for the copy, which is too little: one key of weight N stands against up to N - 1 others of weight 1,
so up to half of the copy is other symbols, the more the later the position. Then early matches outweigh late ones by a
power of N, and the error does not vanish. With φ = 3 and matching logits of 2 it is O(1/N). The first symbol has no
predecessor; the start symbol stands in for it, which nothing matches.

The in-context k-gram estimator: what followed earlier occurrences of the last `context` symbols. Head h of layer 1
copies the symbol h places back. Layer 2 compares the copies at a key with the query's own symbol and copies: a full
match has logit β·context, anything else at most β·(context - 1). Infinite precision. Izzo et al., Definition 5.4 and
appendix B.3; corrections ERR-E5 to ERR-E8.

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
from lengthwise.limit.evaluation.regimes import Floats, Huang, IzzoFinite, IzzoInfinite
from lengthwise.limit.model import Head, Layer, LimitTransformer
from lengthwise.resources import require_memory


def induction_head(
    symbols: Alphabet | Iterable[str], regime: Huang | IzzoFinite | None = None, copy: int = 3, match: int = 2
) -> Construction:
    """The shares with which symbols followed earlier occurrences of the last one; `copy` and `match` are the logits.

    Undefined if the last symbol did not occur before. Error in ℓ1, for m earlier occurrences and N symbols, the start
    symbol included, with ε = (N - 1) / (N^copy + N - 1):  2 (N - m) N^(-match (1 - 2ε)) / m + N^(match ε / 2) - 1.
    `Huang` rounds logits, so that as soon as match ε < 2^-(bits + 1) they are what they should be and ε counts as 0;
    before, roundings of logits and weights are added. The default regime is huang(8).

    Args:
        symbols: The alphabet.
        regime: The precision regime; None for the construction's own.
        copy: The positional logit of the head that copies the symbol before.
        match: The logit of a matching symbol.

    Returns:
        The model with its target and its error bound.

    Raises:
        LengthwiseError: A parameter is out of range, or the regime shifts weights before rounding.

    Example:
        >>> induction_head("abc").model.alphabet.symbols
        ('a', 'b', 'c')

    """
    regime = Huang(8) if regime is None else regime
    alphabet = closed_alphabet(symbols)
    if isinstance(regime, Huang) and regime.shift:
        raise LengthwiseError("the induction head's error bound is about weights that are not shifted before rounding")
    if copy < 1 or match < 1 or regime.bits < 1:
        raise LengthwiseError(f"expected copy, match and bits of at least 1, got {copy}, {match}, {regime.bits}")
    size = len(alphabet)
    # Blocks: the symbol, the one before it, the answer; last, a coordinate for the start symbol.
    width, before, answer = 3 * size + 1, size, 2 * size
    embedding = np.zeros((size + 1, width))
    embedding[:size, :size] = np.eye(size)
    embedding[size, -1] = 1.0
    previous = Head(np.zeros((width, width)), block_copy(width, 0, before, size), np.array([0.0, float(copy)]))
    matching = Head(match * block_copy(width, 0, before, size), block_copy(width, 0, answer, size))
    model = LimitTransformer(
        alphabet,
        embedding,
        np.zeros((1, width)),
        (Layer.attention_only([previous], width), Layer.attention_only([matching], width)),
        np.eye(width)[answer : answer + size],
        alphabet.symbols,
        has_start=True,
        regime=regime,
        title="induction head",
    )

    def followers(word: Word) -> Floats:
        ids = alphabet.encode(word)
        return np.bincount(ids[1:][ids[:-1] == ids[-1:]], minlength=size).astype(np.float64)

    def target(word: Word) -> Floats | None:
        counts = followers(word)
        return counts / counts.sum() if counts.any() else None

    def error_bound(word: Word) -> float:
        matches = int(followers(word).sum())
        return _error_bound(regime, len(alphabet.encode(word)) + 1, matches, copy, match) if matches else math.inf

    return Construction(
        model, target, error_bound, f"shares of the symbols that followed the last one before, in the regime {regime}"
    )


def _error_bound(regime: Huang | IzzoFinite, length: int, matches: int, copy: int, match: int) -> float:
    """See `induction_head`; `spoilt` is the largest share of a copy that is not the previous symbol."""
    base = float(length)
    spoilt = (base - 1) / (base**copy + base - 1)
    slack = 0.0  # how far rounding moves a logit
    blur = 1.0  # by which factor rounding spreads the weights
    if isinstance(regime, Huang):
        step = 2.0 ** -(regime.bits + 1)
        if match * spoilt < step:
            spoilt = 0.0
        else:
            slack, blur = step, (1 + step) / (1 - step)
    elif base ** (match * spoilt) >= 2.0**regime.bits:
        return 2.0  # some matches might be flushed; two distributions are never further apart
    spread = float(blur * base ** (match * spoilt + slack))
    leak = float(blur * base ** (2 * slack - match * (1 - 2 * spoilt)))
    return min(2.0, 2 * (length - matches) * leak / matches + math.sqrt(spread) - 1)


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

    Raises:
        LengthwiseError: A parameter is out of range.

    Example:
        >>> len(k_gram(1, "ab", beta=3.0, phi=2.0).model.layers)
        2

    """
    if context < 1 or not 0 < beta < math.inf or not 1 < phi < math.inf:
        raise LengthwiseError(
            f"expected context >= 1, finite beta > 0 and phi > 1, got {context}, {beta:g} and {phi:g}"
        )
    alphabet = closed_alphabet(symbols)
    size = len(alphabet)
    needed = 20 * ((context + 2) * size) ** 2 * context
    require_memory(needed, f"a k-gram model of context {context}", "lower --context")
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
