"""Counts of types decide a one-layer model: the word itself is not needed, and its length costs nothing.

At its last position a model with one layer sees the symbols within its window one by one, and of all others only how
many there are of each type, a symbol with the residue of its position. `Counts` is that view, and `evaluate_counts` the
forward pass on it, for words of 10^9 symbols as for short ones.
Izzo et al., section 3; the window is τ + 1 symbols wide, not τ as printed (ERR-0a).

From counts back to a word (`lay_out`): positions of one residue form a column, and any order within a column will do.
So once the sizes of the columns are those of some length, every count of types is that of a word, and no search is
needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.errors import WordError
from lengthwise.limit.evaluation.regimes import Floats, Hardmax, Regime, average, exponents, weights
from lengthwise.limit.model import Head, LimitTransformer, ModelError


def column_sizes(length: int, period: int) -> list[int]:
    """How many of the positions 1..length have each residue modulo the period."""
    sizes = [0] * period
    for first in range(1, period + 1):
        sizes[first % period] = (length - first) // period + 1 if length >= first else 0
    return sizes


def lay_out(prefix: npt.NDArray[np.integer[Any]], suffix: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """A word, as symbol ids, with these counts of (symbol, residue) before these last symbols."""
    symbols, period = prefix.shape
    length = int(prefix.sum())
    word = np.empty(length + len(suffix), dtype=np.int64)
    word[length:] = suffix
    for first in range(1, period + 1):
        word[first - 1 : length : period] = np.repeat(np.arange(symbols), prefix[:, first % period])
    return word


Integers = npt.NDArray[np.integer[Any]]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Counts:
    """A word as a one-layer model sees it from the last position."""

    prefix: npt.NDArray[np.int64]
    """n[s, r]: how often the symbol s stands at a position of residue r before the suffix."""
    suffix: npt.NDArray[np.int64]
    """The last symbols, the last τ + 1 of them for a window τ; the whole word if it is not longer."""

    def __post_init__(self) -> None:
        for name, dimensions in (("prefix", 2), ("suffix", 1)):
            array = np.array(getattr(self, name))
            if array.ndim != dimensions or (array.dtype.kind not in "iu" and array.size):
                raise WordError("counts are an integer array (symbols, period), with the last symbols as ids behind it")
            array = array.astype(np.int64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if not self.prefix.size or not len(self.suffix):
            raise WordError("counts have at least one symbol, one residue and the last symbol of the word")
        if (self.prefix < 0).any() or self.suffix.min() < 0 or self.suffix.max() >= len(self.prefix):
            raise WordError(f"counts are not negative, and the last symbols are ids from 0 to {len(self.prefix) - 1}")
        sizes = column_sizes(self.prefix_length, self.period)
        found = self.prefix.sum(axis=0).tolist()
        if found != sizes:
            raise WordError(
                f"no word has these counts: {self.prefix_length} positions have {sizes} of the residues "
                f"0..{self.period - 1}, and the counts add up to {found}"
            )

    @classmethod
    def from_tokens(cls, tokens: Integers, symbols: int, period: int = 1, window: int = 0) -> Counts:
        """The view of a word given by symbol ids, for a window τ and a period Δ."""
        ids = _checked(tokens, symbols)
        end = max(len(ids) - window - 1, 0)
        return cls(_counted(ids[:end], symbols, period), ids[end:])

    @classmethod
    def from_repeated(cls, block: Integers, times: int, symbols: int, period: int = 1, window: int = 0) -> Counts:
        """The view of a word repeated so many times, however long that is."""
        ids = _checked(block, symbols)
        if not len(ids) or times < 1:
            raise WordError("a word that is repeated has at least one symbol and is taken at least once")
        length = len(ids) * times
        end = max(length - window - 1, 0)
        # After lcm(block, Δ) positions symbols and residues repeat together.
        cycle = math.lcm(len(ids), period)
        rounds, rest = divmod(end, cycle)
        prefix = _counted(np.resize(ids, rest), symbols, period)
        if rounds:
            prefix = prefix + rounds * _counted(np.resize(ids, cycle), symbols, period)
        return cls(prefix, ids[np.arange(end, length) % len(ids)])

    @property
    def period(self) -> int:
        """Δ: how many residues are told apart."""
        return int(self.prefix.shape[1])

    @property
    def prefix_length(self) -> int:
        """T': how many symbols stand before the suffix."""
        return int(self.prefix.sum())

    @property
    def length(self) -> int:
        """T: how long the word is."""
        return self.prefix_length + len(self.suffix)

    def to_tokens(self) -> npt.NDArray[np.int64]:
        """A word with these counts, as symbol ids."""
        return lay_out(self.prefix, self.suffix)


def evaluate_counts(model: LimitTransformer, counts: Counts) -> Floats:
    """The output at the last position of a one-layer model, in its own regime, on any word with these counts.

    The counts may tell more residues and more last symbols apart than the model does, but not fewer.

    Args:
        model: A model with one layer.
        counts: A word by its counts.

    Returns:
        The outputs at the last position.

    Example:
        >>> from lengthwise.limit.constructions import simple_task
        >>> word = Counts(np.array([[300], [100], [200]]), suffix=np.array([2]))
        >>> evaluate_counts(simple_task(2.0).model, word).shape
        (1,)

    """
    _require_view(model, counts)
    layer, places = model.layers[0], _Places(model, counts)
    after = places.query + sum(
        (places.attended(model, head) for head in layer.heads), start=np.zeros_like(places.query)
    )
    after = after + layer.output @ layer.activate(layer.hidden @ after + layer.bias)
    return np.asarray(model.unembedding @ after)


def attended_types(model: LimitTransformer, counts: Counts) -> Mask:
    """att: the types (symbol, residue) of the prefix whose logit is the largest in the word, suffix included.

    That of the first head, in the hardmax limit; where the window holds all maximal keys, there is none.
    """
    _require_view(model, counts)
    places = _Places(model, counts)
    logits = places.logits(model.layers[0].heads[0], Hardmax())
    mask = np.zeros(counts.prefix.shape, dtype=bool)
    hard = weights(Hardmax(), logits, logits.max())[: len(places.symbols)] > 0
    mask[places.symbols[hard], places.residues[hard]] = True
    return mask


class _Places:
    """The keys of the last query: one entry for each type that occurs in the prefix, then one for each last symbol."""

    def __init__(self, model: LimitTransformer, counts: Counts) -> None:
        self.length = counts.length
        self.symbols, self.residues = np.nonzero(counts.prefix)
        near = np.arange(counts.prefix_length + 1, counts.length + 1)
        self.distances = counts.length - near
        self.multiplicities = np.concatenate(
            [counts.prefix[self.symbols, self.residues].astype(np.float64), np.ones(len(near))]
        )
        symbols = np.concatenate([self.symbols, counts.suffix])
        residues = np.concatenate([self.residues, near]) % model.period
        self.keys = model.embedding[symbols] + model.positions[residues]
        self.query = self.keys[-1]

    def logits(self, head: Head, regime: Regime) -> Floats:
        content = self.keys @ (head.key_query @ self.query)
        phi = np.zeros(len(content))
        reached = self.distances < len(head.phi)
        phi[len(self.symbols) :][reached] = head.phi[self.distances[reached]]
        return exponents(regime, content, phi, np.array(float(self.length)), self.length)

    def attended(self, model: LimitTransformer, head: Head) -> Floats:
        exponent = self.logits(head, model.regime)
        weight = weights(model.regime, exponent, exponent.max()) * self.multiplicities
        return average(head.value @ (weight @ self.keys), weight.sum())


def _checked(tokens: Integers, symbols: int) -> npt.NDArray[np.int64]:
    ids = np.asarray(tokens).astype(np.int64)
    if len(ids) and (ids.min() < 0 or ids.max() >= symbols):
        raise WordError(f"tokens are symbol ids from 0 to {symbols - 1}")
    return ids


def _counted(tokens: npt.NDArray[np.int64], symbols: int, period: int) -> npt.NDArray[np.int64]:
    residues = np.arange(1, len(tokens) + 1) % period
    return np.bincount(tokens * period + residues, minlength=symbols * period).reshape(symbols, period)


def _require_view(model: LimitTransformer, counts: Counts) -> None:
    if len(model.layers) != 1:
        raise ModelError(f"counts decide a model with one layer, and this one has {len(model.layers)}")
    if counts.prefix.shape[0] != len(model.embedding):
        raise ModelError(
            f"the counts are those of {counts.prefix.shape[0]} symbols, and the model reads {len(model.embedding)}"
        )
    if counts.period % model.period:
        raise ModelError(
            f"the counts tell residues modulo {counts.period} apart; this model needs a multiple of {model.period}"
        )
    if counts.prefix_length and len(counts.suffix) <= model.window:
        raise ModelError(
            f"the counts list the last {len(counts.suffix)} symbols; this model needs the last {model.window + 1}"
        )
