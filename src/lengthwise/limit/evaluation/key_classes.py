"""Keys a head cannot tell apart, and what is remembered of them.

A head sees the key at position j only through its projection KQ^T y_j. Keys with equal projections form a class; far
from the query a class acts through two things alone: how many keys it has, and the sum of their values. The values
themselves may all be different. Memory therefore grows with the number of classes, not with the length.

Attention of a few queries to many keys, where a key may stand for any number of equal ones. Keys come in groups, so
that only the logarithms of the weights are ever held for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats, Regime, average, exponents, weights

Numbers: TypeAlias = npt.NDArray[np.int64]

NO_KEY = -1
"""The class number of a position before the first."""
_MAGIC = 1.5 * 2.0**4
"""Adding and subtracting this times a power of two 2^e rounds smaller numbers to multiples of 2^(e-48)."""
_EXPONENT_BITS = 0x7FF0000000000000


class KeyClasses:
    """Classes of projections, numbered as they appear; the first projection of a class represents it.

    Projections are one class if they agree to about 15 digits, relative to the size of the activations they come from:
    sums that are equal in exact arithmetic differ by rounding errors. A class may be split in two by such errors, which
    costs time only.
    """

    def __init__(self, features: int) -> None:
        self.representatives: Floats = np.zeros((features, 0 if features else 1))
        self._rounded: Floats = np.zeros_like(self.representatives)
        self._mixture: Floats = np.random.default_rng(features).uniform(0.5, 1.0, features)
        self._signatures: Floats = np.zeros(0)  # in increasing order
        self._numbers: Numbers = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return int(self.representatives.shape[1])

    def identify(self, projections: Floats, sizes: Floats) -> Numbers:
        """The class of every column; `sizes` are the magnitudes to which the columns' rounding errors are relative."""
        columns = projections.shape[1]
        if not len(projections):
            return np.zeros(columns, dtype=np.int64)
        magic = (sizes.view(np.int64) & _EXPONENT_BITS).view(np.float64) * _MAGIC
        rounded = projections + magic
        rounded -= magic
        # A matrix product may add in another order in its last columns, so that equal columns got unequal signatures.
        signatures = self._mixture[0] * rounded[0]
        for factor, row in zip(self._mixture[1:], rounded[1:], strict=True):
            signatures += factor * row
        numbers = self._known(signatures)
        new = np.flatnonzero(numbers == NO_KEY)
        if len(new):
            different, first, inverse = np.unique(signatures[new], return_index=True, return_inverse=True)
            given = len(self) + np.argsort(np.argsort(first))
            numbers[new] = given[inverse]
            self._register(different, given)
            first = new[np.sort(first)]
            self._append(projections[:, first], rounded[:, first])
        # Different projections with equal signatures are next to impossible, and harmless: each gets its own class.
        strangers = np.flatnonzero((self._rounded.take(numbers, axis=1) != rounded).any(axis=0))
        if len(strangers):
            numbers[strangers] = len(self) + np.arange(len(strangers))
            self._append(projections[:, strangers], rounded[:, strangers])
        return numbers

    def _known(self, signatures: Floats) -> Numbers:
        if not len(self._signatures):
            return np.full(len(signatures), NO_KEY)
        place = np.minimum(np.searchsorted(self._signatures, signatures), len(self._signatures) - 1)
        return np.where(self._signatures[place] == signatures, self._numbers[place], NO_KEY)

    def _register(self, signatures: Floats, numbers: Numbers) -> None:
        places = np.searchsorted(self._signatures, signatures)
        self._signatures = np.insert(self._signatures, places, signatures)
        self._numbers = np.insert(self._numbers, places, numbers)

    def _append(self, projections: Floats, rounded: Floats) -> None:
        self.representatives = np.concatenate([self.representatives, projections], axis=1)
        self._rounded = np.concatenate([self._rounded, rounded], axis=1)


class Totals:
    """How many keys each class has, and the sums of their values.

    Sums carry their rounding error along (two-term addition), so reading a word in many pieces loses nothing; sums of
    small whole numbers are exact.
    """

    def __init__(self, values: int, classes: int = 0) -> None:
        self.counts: Floats = np.zeros(classes)
        self._sums: Floats = np.zeros((values, classes))
        self._errors: Floats = np.zeros((values, classes))

    @property
    def sums(self) -> Floats:
        """The sum of the values of every class, one column each."""
        return self._sums + self._errors

    def grow(self, classes: int) -> None:
        """Make room for new classes, as yet without keys."""
        missing = classes - len(self.counts)
        if missing > 0:
            self.counts = np.concatenate([self.counts, np.zeros(missing)])
            empty = np.zeros((len(self._sums), missing))
            self._sums = np.concatenate([self._sums, empty], axis=1)
            self._errors = np.concatenate([self._errors, empty], axis=1)

    def add(self, numbers: Numbers, values: Floats, multiplicities: Floats | None = None) -> None:
        """Count keys of the given classes, column by column of `values`; columns of `NO_KEY` are left out."""
        real = numbers != NO_KEY
        if not real.all():
            numbers, values = numbers[real], values[:, real]
        if multiplicities is not None:
            values = values * multiplicities
        classes = len(self.counts)
        counts = np.bincount(numbers, weights=multiplicities, minlength=classes)
        if classes == 1:
            sums = values.sum(axis=1, keepdims=True)
        else:
            sums = np.zeros((len(values), classes))
            for row, summed in zip(values, sums, strict=True):
                summed[:] = np.bincount(numbers, weights=row, minlength=classes)
        self.add_sums(counts, sums)

    def add_sums(self, counts: npt.NDArray[np.float64 | np.int64], sums: Floats) -> None:
        """Add to all classes at once."""
        self.counts = self.counts + counts
        total = self._sums + sums
        of_sums = total - self._sums
        self._errors += (self._sums - (total - of_sums)) + (sums - of_sums)
        self._sums = total


class Group(NamedTuple):
    """Keys by what the head sees of them, of shape (features, words, keys)."""

    projections: Floats
    sums: Floats
    """The sum of the values of the keys that a key stands for."""
    counts: Floats
    """How many that are."""
    phi: Floats
    """φ for each pair, (keys, queries)."""
    unseen: npt.NDArray[np.bool_] | None = None
    """The pairs that do not exist, (keys, queries)."""


def attended(regime: Regime, length: int, queries: Floats, positions: Floats, groups: Sequence[Group]) -> Floats:
    """The weighted averages of all values, one for each query; `length` is that of the input.

    Every query must see at least one key.
    """
    asked = np.moveaxis(queries, 0, 1)
    by_group = []
    for group in groups:
        content = np.moveaxis(group.projections, 0, 2) @ asked
        exponent = exponents(regime, content, group.phi, positions, length)
        if group.unseen is not None:
            exponent[:, group.unseen] = -np.inf
        by_group.append(exponent)
    largest = np.max([exponent.max(axis=1, keepdims=True, initial=-np.inf) for exponent in by_group], axis=0)
    numerator, denominator = np.zeros((len(asked), len(groups[0].sums), len(positions))), np.zeros_like(largest)
    for group, exponent in zip(groups, by_group, strict=True):
        weight = weights(regime, exponent, largest)
        numerator += np.moveaxis(group.sums, 0, 1) @ weight
        denominator += (group.counts @ weight)[:, None]
    return np.moveaxis(average(numerator, denominator), 1, 0)
