"""Random inputs for the simulation map: models with whole or half logits, and attention patterns on long prefixes.

Nothing here is shared with what it is used to check: a pattern's attention is averaged from its definition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.theorems.count_evaluation import Counts
from lengthwise.limit import Hardmax, Head, Layer, LimitTransformer, Regime

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def random_one_head(
    rng: np.random.Generator,
    symbols: int,
    period: int,
    window: int,
    regime: Regime | None = None,
    *,
    tight: bool = False,
) -> LimitTransformer:
    """A model whose logits are whatever half-integers its matrix lists, so that many tie; values and MLP are arbitrary.

    With `tight` there is no MLP and each symbol's value is 1 or -1: then Λ = 1 is no more than what attention can do.
    """
    width = symbols + period + 2
    positions = np.zeros((period, width))
    positions[:, symbols : symbols + period] = np.eye(period)
    positions[:, -1] = rng.normal(size=period)
    key_query = np.zeros((width, width))
    read = symbols + period
    density = rng.choice([0.1, 0.4, 0.8])
    key_query[:read, :read] = rng.integers(-2, 3, (read, read)) / 2 * (rng.random((read, read)) < density)
    phi = rng.integers(-2, 3, window + 1) / 2 * (rng.random(window + 1) < 0.7)
    units = 0 if tight else int(rng.integers(0, 4))
    value, unembedding = rng.normal(size=(width, width)), rng.normal(size=(2, width))
    if tight:
        value, unembedding = np.zeros((width, width)), np.eye(width)[[width - 2]]
        value[width - 2, :symbols] = rng.choice([-1.0, 1.0], symbols)
    layer = Layer(
        (Head(key_query, value, phi),),
        rng.normal(size=(units, width)),
        rng.normal(size=units),
        rng.normal(size=(width, units)),
        np.zeros(units, dtype=bool),
    )
    return LimitTransformer(
        Alphabet(tuple("abcdefgh"[:symbols])),
        np.eye(symbols, width),
        positions,
        (layer,),
        unembedding,
        ("x", "y")[: len(unembedding)],
        regime=regime or Hardmax(),
    )


def averaging_model(
    symbols: str,
    logits: dict[tuple[str, int], float],
    marked: str,
    period: int = 1,
    phi: tuple[float, ...] = (0.0,),
    regime: Regime | None = None,
) -> LimitTransformer:
    """The share of the symbol `marked` among the attended keys, with Λ = 1.

    A key's logit is the sum of its symbol's, listed in `logits` as (symbol, -1), and its residue's, as ("", residue);
    what is not listed is 0.
    """
    width = len(symbols) + period + 2
    query, answer = width - 2, width - 1
    embedding = np.zeros((len(symbols), width))
    embedding[:, : len(symbols)] = np.eye(len(symbols))
    embedding[:, query] = 1.0
    positions = np.zeros((period, width))
    positions[:, len(symbols) : len(symbols) + period] = np.eye(period)
    key_query, value = np.zeros((width, width)), np.zeros((width, width))
    for (symbol, residue), logit in logits.items():
        key_query[symbols.index(symbol) if symbol else len(symbols) + residue, query] = logit
    value[answer, symbols.index(marked)] = 1.0
    return LimitTransformer(
        Alphabet(tuple(symbols)),
        embedding,
        positions,
        (Layer.attention_only([Head(key_query, value, np.array(phi))], width),),
        np.eye(width)[[answer]],
        ("share",),
        regime=regime or Hardmax(),
    )


# ------------------------------------------------------------------------------------------- long prefixes


def random_prefix(rng: np.random.Generator, symbols: int, period: int, length: int) -> Integers:
    """Counts of a word of this length; some types are absent, some rare, some make up a whole column."""
    counts = np.zeros((symbols, period), dtype=np.int64)
    concentration = 10.0 ** rng.uniform(-2, 1)
    for first in range(1, period + 1):
        size = len(range(first, length + 1, period))
        shares = rng.dirichlet(np.full(symbols, concentration))
        if rng.random() < 0.5:
            shares = shares * 10.0 ** rng.uniform(-9, 0, symbols)
            shares /= shares.sum()
        column = np.floor(shares * size).astype(np.int64)
        column[rng.integers(symbols)] += size - column.sum()
        counts[:, first % period] = column
    return counts


@dataclass(frozen=True, eq=False)
class Pattern:
    """What two heads attend to in a word: types of the prefix, and places of the suffix."""

    counts: Counts
    masks: tuple[Mask, Mask]
    near: tuple[Mask, Mask]

    def attention(self, which: int, prefix: Integers) -> npt.NDArray[np.float64]:
        """The weights that a head gives to the types of a prefix and to the places of the suffix."""
        kept = np.where(self.masks[which], prefix, 0).ravel().astype(np.float64)
        weights = np.concatenate([kept, self.near[which].astype(np.float64)])
        assert weights.sum() > 0, "nothing that this head attends to is left"
        return np.asarray(weights / weights.sum())

    def distance(self, which: int, prefix: Integers) -> float:
        """How far, in ℓ1, attention to another prefix is from attention to this word."""
        return float(np.abs(self.attention(which, self.counts.prefix) - self.attention(which, prefix)).sum())


def random_pattern(rng: np.random.Generator, longest: float = 1e9) -> Pattern:
    """A pattern on a prefix of up to so many symbols.

    In some all or nothing is attended, or one column by each head, so that no type is left to fill up with; in others
    the attended types are rare and overlap in any way.
    """
    symbols, period = int(rng.integers(1, 7)), int(rng.integers(1, 5))
    window = int(rng.choice([0, 1, 3, 10, 40]))
    length = int(10.0 ** rng.uniform(0, np.log10(longest)))
    prefix = random_prefix(rng, symbols, period, length)

    def mask() -> Mask:
        kind = rng.integers(4)
        if kind == 0:
            return np.ones((symbols, period), dtype=bool)
        if kind == 1:
            columns: Mask = np.arange(period) == rng.integers(period)
            return np.broadcast_to(columns, (symbols, period)).copy()
        return np.asarray(rng.random((symbols, period)) < rng.choice([0.15, 0.5, 0.85]))

    masks = [mask(), mask()]
    if rng.random() < 0.5 and symbols > 1:
        # The last symbol is attended by neither and takes over most of every column.
        for each in masks:
            each[-1] = False
        for place in zip(*np.nonzero(masks[0] | masks[1]), strict=True):
            rare = int(10.0 ** rng.uniform(-1, np.log10(max(length // (period * symbols), 1))))
            kept = min(rare, int(prefix[place]))
            prefix[-1, place[1]] += prefix[place] - kept
            prefix[place] = kept
    masks = [each & (prefix > 0) for each in masks]
    if rng.random() < 0.3:
        masks[1] |= masks[0]
    near = [rng.random(window + 1) < rng.choice([0.0, 0.5, 1.0]) for _ in range(2)]
    for which in range(2):
        if not masks[which].any():
            near[which][-1] = True
    suffix = rng.integers(0, symbols, window + 1)
    return Pattern(Counts(prefix, suffix), (masks[0], masks[1]), (near[0], near[1]))


def random_scales(rng: np.random.Generator, pattern: Pattern) -> tuple[int, int, int]:
    """K, R and a hardmax length for which stand-ins mostly are shorter than the word."""
    least = max(8, 2 * pattern.counts.prefix.size)
    rows = max(pattern.counts.prefix_length // pattern.counts.period, 1)
    room = np.log10(max(rows, 10 * least))
    resolution = max(least, int(10.0 ** rng.uniform(0, room)))
    ratio = max(4, int(10.0 ** rng.uniform(0, max(room - np.log10(resolution), 1))))
    hardmax_length = int(pattern.counts.length ** rng.uniform(0, 1))
    return resolution, ratio, hardmax_length
