"""Where the printed statements fail: instances that can be run.

- `wrong_way`: two networks of two layers whose outputs are further apart than the printed product over earlier layers
  allows, in exact fractions; the repaired bound is attained (ERR-H5).
- `missing_readout`: whatever constant stands in front of it, the printed Theorem A.17 is exceeded by a class that
  realises all signs on m samples, because B_w is missing inside its sum (ERR-H6).
- `attention_table`: the same for Corollary 4.4, whose printed forms change if inputs are made longer and matrices
  shorter to match, which changes no function (ERR-H3).
- `all_signs`: N <= O(…), as section 2 has it, in place of log N <= O(…).
- `column_budget`: the tuple of column sizes in the proof of Lemma 4.5 (ERR-H2).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.depth import LayerNorms, network
from lengthwise.bounds.capacity.function_class import Capacity
from lengthwise.bounds.capacity.head import HeadNorms, self_attention
from lengthwise.bounds.capacity.linear import linear
from lengthwise.bounds.capacity.norms import Floats, column_norms, matrix
from lengthwise.bounds.capacity.requirements import CapacityError, whole
from tests.bounds.capacity.paper_network import PaperLayer

# ---------------------------------------------------------------------------------------------- the product's direction


@dataclass(frozen=True)
class WrongWay:
    """Two networks that differ in W_V of layer 1 only, on the single token (1)."""

    first: tuple[tuple[Fraction, Fraction], ...]
    """(W_V, W_C) of each layer; all matrices are 1 × 1, and W_Q = W_K = 0."""
    second: tuple[tuple[Fraction, Fraction], ...]
    change: Fraction
    """How far apart their outputs are."""
    printed: Fraction
    """What Theorem A.17's proof allows with α_i = Π_{j<i}."""
    repaired: Fraction
    """What it allows with α_i = Π_{j>i}."""

    def layers(self, which: Sequence[tuple[Fraction, Fraction]]) -> tuple[PaperLayer, ...]:
        """One of the networks as matrices."""
        zero = np.zeros((1, 1))
        return tuple(PaperLayer(zero, zero, np.array([[float(v)]]), np.array([[float(c)]])) for v, c in which)


def wrong_way(gain: int = 50) -> WrongWay:
    """Layer 2 makes everything `gain` times larger, which the printed product over *earlier* layers does not know."""
    whole("gain", gain)
    small, one = Fraction(1, 2 * gain), Fraction(1)
    first = ((small, one), (Fraction(gain), one))
    second = ((Fraction(0), one), (Fraction(gain), one))
    change = abs(_scalar(first) - _scalar(second))
    # Only ε_V of layer 1 is not 0: it is |W_V - Ŵ_V| · 1, and counts L_σ B_C α_1 = α_1 · 1.
    later = first[1][0] * first[1][1]
    return WrongWay(first, second, change, printed=small, repaired=later * small)


def _scalar(layers: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """What a network of 1 × 1 matrices makes of the token (1): there is nothing to attend to but itself."""
    token = Fraction(1)
    for value, mix in layers:
        token = _clipped(max(_clipped(token * value), Fraction(0)) * mix)
    return token


def _clipped(number: Fraction) -> Fraction:
    return max(Fraction(-1), min(Fraction(1), number))


# ------------------------------------------------------------------------------------------- classes that are too large


@dataclass(frozen=True)
class Shattered:
    """A class with functions that are all more than 2ε apart on the same inputs: N(ε) is at least their number."""

    capacity: Capacity
    epsilon: float
    samples: int
    length: int
    log_packing: float
    """The logarithm of how many such functions there are."""

    @property
    def bound(self) -> Bound:
        """What the repaired theorem and, beside it, the printed ones say of this class."""
        return self.capacity.covering(self.epsilon, self.samples, self.length)

    @property
    def refuted(self) -> tuple[Bound, ...]:
        """The printed forms that are smaller than the truth, with constant 1."""
        return tuple(form for form in self.bound.printed if (form.value or 0.0) < self.log_packing)


def missing_readout(samples: int, readout: float | None = None) -> Shattered:
    """The tokens e_1..e_m, each alone: W_V = 1 and W_C = s e_1^T give the outputs ±B_w for all signs s.

    At ε = B_w/2 the truth is m log 2 for every B_w, and the printed bound tends to 4 log m as B_w grows.
    """
    whole("samples", samples)
    size = math.sqrt(samples)
    layer = LayerNorms(query_key=0.0, query_key_rows=0.0, value=1.0, value_columns=1.0, mix=size, mix_columns=size)
    large = 1e6 * (2 * samples) ** 1.5 if readout is None else readout
    return Shattered(network([layer], samples, readout=large), large / 2, samples, 1, samples * math.log(2))


def signed_network(signs: Sequence[int], readout: float) -> tuple[PaperLayer, Floats, tuple[Floats, ...]]:
    """The member of that class with these signs: its layer, its w, and the inputs."""
    size = len(signs)
    first, zero = np.eye(size)[:1], np.zeros((size, size))
    layer = PaperLayer(zero, zero, np.eye(size), np.asarray(signs, dtype=np.float64)[:, None] @ first)
    return layer, readout * first[0], tuple(np.eye(size)[[place]] for place in range(size))


SHARPNESS = 4.0
"""The score with which a table's entries are attended, or not."""


def attention_table(size: int, stretch: float = 1e6) -> Shattered:
    """n² pairs of a query and a key: one head attends to any n × n table of pairs, and to no other.

    Inputs are `stretch` times as long as need be and matrices shorter to match. That changes no function and not the
    repaired bound; the printed ones tend to (d/ε²) log(mT), and the truth is n² log 2.
    """
    whole("size", size)
    width = 2 * size + 1
    norms = HeadNorms(
        value=1 / stretch,
        value_columns=1 / (stretch * math.sqrt(width)),
        query_key_rows=SHARPNESS * math.sqrt(2 * size) / stretch**2,
    )
    capacity = self_attention(norms, width, input_norm=stretch)
    return Shattered(capacity, 0.3, size * size, 2, size * size * math.log(2))


def table_head(table: npt.NDArray[np.int64], stretch: float = 1.0) -> tuple[Floats, Floats, tuple[Floats, ...]]:
    """The head for a table of ±1: W_QK, W_V, and the inputs, each of which is the query that asks and a key."""
    size = len(table)
    width = 2 * size + 1
    queries, keys, shared = np.eye(width)[:size], np.eye(width)[size : 2 * size], np.eye(width)[2 * size]
    query_key = SHARPNESS * math.sqrt(2) * queries.T @ table @ keys / stretch**2
    value = np.outer(shared, np.full(width, 1 / math.sqrt(width))) / stretch
    inputs = tuple(
        stretch * np.stack([queries[i], (shared + keys[j]) / math.sqrt(2)])
        for i, j in itertools.product(range(size), repeat=2)
    )
    return query_key, value, inputs


def all_signs(points: int) -> Shattered:
    """Weights w = s on the points e_1..e_m: all 2^m sign patterns, 2 apart, with ||w|| = √m."""
    whole("points", points)
    return Shattered(linear(math.sqrt(points), 1.0), 0.5, points, 1, points * math.log(2))


def sign_patterns(size: int) -> Iterator[tuple[int, ...]]:
    """All signs, for checks that go through every member of a class."""
    return itertools.product((-1, 1), repeat=size)


# ------------------------------------------------------------------------------------------------------ column sizes


@dataclass(frozen=True)
class ColumnBudget:
    """k_i for the columns of a matrix; the proof of Lemma 4.5 needs Σ k_i <= d_2."""

    printed: tuple[int, ...]
    """⌊d_2 ||v_i|| / B_∞⌋."""
    repaired: tuple[int, ...]
    """⌊d_2 ||v_i|| / B_1⌋."""
    error: float
    """√((d_2 + Σ k_i) / (2 d_2)) for the printed k: how many ε the printed cover is off."""


def column_budget(values: npt.ArrayLike) -> ColumnBudget:
    """The two tuples for a matrix with B_∞ and B_1 its own norms."""
    sizes = column_norms(matrix("the matrix", values))
    if not sizes.max() > 0:
        raise CapacityError("a matrix of zeros has no column sizes to speak of")
    count = len(sizes)
    printed = tuple(math.floor(count * size / sizes.max()) for size in sizes)
    repaired = tuple(math.floor(count * size / sizes.sum()) for size in sizes)
    return ColumnBudget(printed, repaired, math.sqrt((count + sum(printed)) / (2 * count)))
