"""One attention head that reads its input piece by piece, in time linear in the length if it has few key classes.

For a query at position i the keys fall in two: the last few, where φ may be nonzero and every key counts by itself, and
the rest, which act through the number and the value sum of each key class (`key_classes`). With few classes these are
running sums over the positions. With many, queries are taken in blocks that attend to all classes at once, which in the
worst case, every key a class of its own, is ordinary quadratic attention.

Activations are arrays of shape (features, words, positions), words being of equal length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lengthwise.limit.evaluation.key_classes import NO_KEY, Group, KeyClasses, Numbers, Totals, attended
from lengthwise.limit.evaluation.plan import SINGLE_THREADED, HeadPlan, apply
from lengthwise.limit.evaluation.regimes import Floats, Regime, average, exponents, weights

SHORT = 64
"""Inputs up to this length are not worth looking for classes."""
FEW = 64
"""How many classes and single keys every query may have of its own; with more, queries go in blocks."""
CACHED = 1 << 14
"""How many numbers an array of running sums may have, to stay in the processor's cache."""
BLOCK = 64
"""Queries in a block."""
PAIRS = 1 << 22
"""Pairs of query and key whose weights are in memory at a time; blocks get smaller for it."""


class Keys(NamedTuple):
    """Keys at neighbouring positions."""

    numbers: Numbers
    """The class of each, (words, positions)."""
    projections: Floats
    values: Floats

    def behind(self, earlier: Keys) -> Keys:
        """These keys with earlier ones before them."""
        return Keys(
            np.concatenate([earlier.numbers, self.numbers], axis=-1),
            np.concatenate([earlier.projections, self.projections], axis=-1),
            np.concatenate([earlier.values, self.values], axis=-1),
        )

    def part(self, start: int, stop: int) -> Keys:
        """Some of them."""
        return Keys(self.numbers[..., start:stop], self.projections[..., start:stop], self.values[..., start:stop])

    def copy(self) -> Keys:
        """The same keys in arrays of their own."""
        return Keys(self.numbers.copy(), self.projections.copy(), self.values.copy())


class HeadStream:
    """A head in the middle of words of a known length; the stream below it comes piece by piece."""

    def __init__(self, plan: HeadPlan, regime: Regime, length: int, types: Floats | None = None) -> None:
        """`types` are all columns that can occur below the first layer; `everywhere` is then told which do."""
        self.plan, self.regime, self.length = plan, regime, length
        # A single sum for each class is cheaper than telling values apart.
        self._types = None if plan.is_uniform or plan.summed == 1 else types
        self._classes = KeyClasses(plan.features)
        self._class_values: Floats | None = None  # if all keys of a class have the same value
        if self._types is not None:
            self._classes.representatives = plan.keys(self._types)[:, 0]
            self._class_values = plan.values(self._types)[:, 0]
        self._totals = Totals(plan.summed, len(self._classes))  # of the keys at distance `span` and more
        self._recent: Keys | None = None  # the others

    # ------------------------------------------------------------------------------------------- entrances

    def everywhere(self, stream: Floats, first: int, types: Numbers | None = None) -> Floats:
        """What the head adds at every position of the next piece, which begins at position `first`.

        Several words have to come as a whole. `types` number the columns of the stream.
        """
        plan, words = self.plan, stream.shape[1]
        if plan.is_uniform:
            return plan.result(self._uniform(plan.values(stream), first))
        if stream.shape[2] == self.length <= SHORT:
            return plan.result(self._directly(plan.queries(stream), stream))
        keys = self._identified(stream, types)
        few = len(self._classes) + plan.span <= FEW
        if words > 1 and not few:
            # Words share classes; where there are many, most occur in one word only, which had to pay for all.
            apart = [HeadStream(plan, self.regime, self.length) for _ in range(words)]
            return np.concatenate(
                [head.everywhere(stream[:, word, None], first) for word, head in enumerate(apart)], axis=1
            )
        queries, keys = plan.queries(stream), self._behind_recent(keys)
        return plan.result((self._with_few if few else self._in_blocks)(queries, keys, first))

    def absorb(self, stream: Floats) -> None:
        """Read the next piece of one word, without an answer."""
        length = stream.shape[2]
        keys = self._behind_recent(self._identified(stream))
        self._totals.add(keys.numbers[0, :length], keys.values[:, 0, :length])

    def absorb_distant(self, stream: Floats, counts: Floats) -> None:
        """Read columns that occur `counts` times each, all of them too far back for φ to tell where."""
        keys = self._identified(stream)
        self._totals.add(keys.numbers[0], keys.values[:, 0], counts)

    def at_last(self, stream: Floats, first: int) -> Floats:
        """What the head adds at the last position of the last piece."""
        before, last = stream[:, :, :-1], stream[:, :, -1:]
        queries = self.plan.queries(last)
        if first == 1:
            return self.plan.result(self._directly(queries, stream))
        if before.size:
            self.absorb(before)
        keys = self._behind_recent(self._identified(last))
        return self.plan.result(self._in_blocks(queries, keys, first + before.shape[2]))

    # --------------------------------------------------------------------------------------------- memory

    def _identified(self, stream: Floats, types: Numbers | None = None) -> Keys:
        projections = self.plan.keys(stream)
        if types is not None and self._types is not None:
            return Keys(types, projections, self.plan.values(stream))
        sizes = self.plan.sizes(stream)
        numbers = self._classes.identify(projections.reshape(len(projections), sizes.size), sizes.reshape(-1))
        self._totals.grow(len(self._classes))
        return Keys(numbers.reshape(sizes.shape), projections, self.plan.values(stream))

    def _behind_recent(self, keys: Keys) -> Keys:
        """The keys with the `span` that were read before them, of class `NO_KEY` where there were none."""
        span = self.plan.span
        if not span:
            return keys
        if self._recent is None:
            blank = [np.zeros((*part.shape[:-1], span)) for part in keys[1:]]
            self._recent = Keys(np.full((keys.numbers.shape[0], span), NO_KEY), *blank)
        joined = keys.behind(self._recent)
        self._recent = joined.part(-span, joined.numbers.shape[-1]).copy()
        return joined

    # ------------------------------------------------------------------------------------------- averaging

    def _uniform(self, values: Floats, first: int) -> Floats:
        before, sums = self._totals.sums, np.cumsum(values, axis=-1)
        length = values.shape[2]
        if length < self.length:
            self._totals.add_sums(np.full(1, length), sums[:, 0, -1:])
        sums += before[:, :, None]
        sums /= np.arange(first, first + length)
        return sums

    def _with_few(self, queries: Floats, keys: Keys, first: int) -> Floats:
        """`_running` on parts of the piece that leave its arrays in the processor's cache."""
        span, length = self.plan.span, queries.shape[2]
        size = max(CACHED // (len(self._classes) + span), BLOCK) if queries.shape[1] == 1 else length
        parts = [
            self._running(queries[:, :, start : start + size], keys.part(start, start + size + span), first + start)
            for start in range(0, length, size)
        ]
        return np.concatenate(parts, axis=2) if len(parts) > 1 else parts[0]

    def _running(self, queries: Floats, keys: Keys, first: int) -> Floats:
        """With the counts and sums of each class at every position, and single keys at each distance below `span`."""
        classes, span = len(self._classes), self.plan.span
        words, length = queries.shape[1:]
        leaving = keys.numbers[:, :length]  # the keys that come to be at distance `span`
        content = np.empty((classes + span, words, length))
        content[:classes] = apply(self._classes.representatives.T, queries)
        by_class, places = content[:classes].reshape(-1), np.arange(words * length).reshape(words, length)
        for distance in range(span):
            near = keys.numbers[:, span - distance : span - distance + length]
            content[classes + distance] = by_class.take(np.maximum(near, 0) * places.size + places)
        phi = np.concatenate([np.zeros(classes), self.plan.phi])[:, None, None]
        positions = np.arange(first, first + length, dtype=np.float64)
        exponent = exponents(self.regime, content, phi, positions, self.length)

        members = leaving == np.arange(classes)[:, None, None]
        counts = np.cumsum(members, axis=-1, dtype=np.float64)
        new_counts = counts[:, 0, -1].copy()
        counts += self._totals.counts[:, None, None]
        exponent[:classes][counts == 0] = -np.inf
        for distance in range(first, span):
            exponent[classes + distance, :, : distance - first + 1] = -np.inf  # before the first position
        weight = weights(self.regime, exponent, exponent.max(axis=0))

        if self._class_values is not None:
            new_sums = self._class_values * new_counts
            numerator = apply(self._class_values, weight[:classes] * counts)
        else:
            new_sums = np.empty((self.plan.summed, classes))
            numerator = np.zeros((self.plan.summed, words, length))
            for number, (member, earlier) in enumerate(zip(members, self._totals.sums.T, strict=True)):
                values = keys.values[:, :, :length]
                sums = np.cumsum(values * member if classes > 1 else values, axis=-1)
                new_sums[:, number] = sums[:, 0, -1]
                sums += earlier[:, None, None]
                sums *= weight[number]
                numerator += sums
        for distance in range(span):
            numerator += weight[classes + distance] * keys.values[:, :, span - distance : span - distance + length]
        denominator = (weight[:classes] * counts).sum(axis=0) + weight[classes:].sum(axis=0)
        if length < self.length:
            self._totals.add_sums(new_counts, new_sums)
        return average(numerator, denominator)

    def _in_blocks(self, queries: Floats, keys: Keys, first: int) -> Floats:
        """One word; a block attends to the classes of keys far from all its queries, and to the other keys singly."""
        span, length = self.plan.span, queries.shape[2]
        size = min(BLOCK, max(8, PAIRS // (len(self._classes) + span)))
        averaged = np.empty((self.plan.summed, 1, length))
        for start in range(0, length, size):
            stop = min(start + size, length)
            near = keys.part(max(start, span - first + 1), stop + span)  # from the first position on
            positions = np.arange(first + start, first + stop)
            groups = [*self._class_groups(len(positions)), self._single(near.projections, near.values, positions)]
            block = queries[:, :, start:stop]
            averaged[:, :, start:stop] = attended(self.regime, self.length, block, positions.astype(float), groups)
            self._totals.add(keys.numbers[0, start:stop], keys.values[:, 0, start:stop])
        return averaged

    def _directly(self, queries: Floats, stream: Floats) -> Floats:
        """Words as a whole, all keys singly; the queries are those of the last positions."""
        positions = np.arange(self.length - queries.shape[2], self.length) + 1
        group = self._single(self.plan.keys(stream), self.plan.values(stream), positions)
        return attended(self.regime, self.length, queries, positions.astype(float), [group])

    def _single(self, projections: Floats, values: Floats, positions: Numbers) -> Group:
        """Keys at the positions that end with the last query's."""
        count = projections.shape[2]
        distance = positions + (count - 1 - positions[-1]) - np.arange(count)[:, None]
        phi = np.append(self.plan.phi, 0.0)[np.clip(distance, 0, self.plan.span)]
        return Group(projections, values, np.ones(count), phi, distance < 0 if len(positions) > 1 else None)

    def _class_groups(self, queries: int) -> Iterator[Group]:
        """The classes that have keys, in groups whose products with the queries stay on one processor."""
        size = max(SINGLE_THREADED // (queries * max(self.plan.features, self.plan.summed)), BLOCK)
        present = np.flatnonzero(self._totals.counts)
        sums, phi = self._totals.sums, np.zeros((1, 1))
        for start in range(0, int(present[-1]) + 1 if len(present) else 0, size):
            part = slice(start, min(start + size, int(present[-1]) + 1))
            counts = self._totals.counts[part]
            # Classes are numbered as they appear, so there are next to no gaps.
            absent = np.repeat(counts[:, None] == 0, queries, axis=1) if (counts == 0).any() else None
            yield Group(self._classes.representatives[:, None, part], sums[:, None, part], counts, phi, absent)
