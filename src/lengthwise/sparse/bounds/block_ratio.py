"""κ: how much more weight one block of background can get than the base that it is appended to.

Theorem 4.3 as printed has no such number, and is false without it: a block that takes nearly all the weight hides what
the blocks behind it would do (`tests/errata`). Exactly: the least weight that a base can have, for every way in
which it can end, against the largest that the sets reaching into the block can add. Correction ERR-I2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Places, Tokens
from lengthwise.sparse.functional.keys import Key

Ending: TypeAlias = tuple[Tokens, int | None]
"""The last tokens of a base, and the background token beneath the very last one."""
Choice: TypeAlias = Callable[[Fraction, Fraction], Fraction]
"""The lighter or the heavier of two words with the same ending."""


def block_ratio(key: Key, ensemble: Ensemble, lengths: Extrapolation) -> Fraction | float:
    """The largest B_1 / B_0 over all bases and blocks on either side; infinite if a base can have weight 0."""
    if not key.relative or key.reach is None or key.reach > lengths.locality:
        raise SparsityBoundError(f"Theorem 4.3 is about keys that are relative and {lengths.locality}-local")
    bases = {lengths.in_base(places) for places in ensemble.positions.masses(lengths.test) if lengths.is_local(places)}
    largest: Fraction | float = Fraction(0)
    for places in bases:
        for planted in ensemble.planted:
            written = dict(zip(places, planted, strict=True))
            for side in (_Side(key, ensemble, False), _Side(key, ensemble, True)):
                largest = max(largest, side.ratio(written, lengths.base, lengths.locality))
    return largest


class _Side:
    """One side of the base: words are read towards the block, for the front one from right to left."""

    def __init__(self, key: Key, ensemble: Ensemble, front: bool) -> None:
        self.key, self.front = key, front
        self.reach = key.reach or 0
        self.successors = _successors(ensemble, front)
        self._weights: dict[Tokens, Fraction] = {}

    def ratio(self, written: Mapping[int, int], base: int, block: int) -> Fraction | float:
        """The largest ratio for one planted set."""
        if self.front:
            written = {base + 1 - place: token for place, token in written.items()}
        lightest: dict[Ending, Fraction] = {((), None): Fraction(0)}
        for place in range(1, base + 1):
            lightest = self._step(lightest, written.get(place), min)
        if any(not weight for weight in lightest.values()):
            return math.inf
        largest = Fraction(0)
        for ending, weight in lightest.items():
            heaviest: dict[Ending, Fraction] = {ending: Fraction(0)}
            for _ in range(block):
                heaviest = self._step(heaviest, None, max)
            largest = max(largest, *(added / weight for added in heaviest.values()))
        return largest

    def _step(self, states: Mapping[Ending, Fraction], token: int | None, choose: Choice) -> dict[Ending, Fraction]:
        moved: dict[Ending, Fraction] = {}
        for (ending, beneath), weight in states.items():
            for symbol in self.successors[beneath]:
                window = (*ending, symbol if token is None else token)
                total = weight + self._added(window)
                state = (window[max(0, len(window) - self.reach) :], symbol)
                moved[state] = choose(moved[state], total) if state in moved else total
        return moved

    def _added(self, window: Tokens) -> Fraction:
        """The weight of the sets that contain the newest token, the last of the window."""
        if window not in self._weights:
            last, total = len(window), Fraction(0)
            for rest in combinations(range(1, last), self.key.sparsity - 1):
                places = (*rest, last)
                tokens = tuple(window[place - 1] for place in places)
                total += self._weight(places, tokens)
            self._weights[window] = total
        return self._weights[window]

    def _weight(self, places: Places, tokens: Tokens) -> Fraction:
        if not self.front:
            return self.key.weight(places, tokens)
        mirrored = tuple(places[-1] + 1 - place for place in reversed(places))
        return self.key.weight(mirrored, tuple(reversed(tokens)))


def _successors(ensemble: Ensemble, front: bool) -> dict[int | None, list[int]]:
    """Which background tokens can come next, for each one and for the beginning."""
    background, size = ensemble.background, len(ensemble.alphabet)
    possible = list(_possible(ensemble))
    if isinstance(background, Independent):
        return dict.fromkeys((None, *possible), possible)
    found: dict[int | None, list[int]] = {None: possible}
    for symbol in possible:
        found[symbol] = [
            other
            for other in range(size)
            if other in possible and (background.after(other)[symbol] if front else background.after(symbol)[other])
        ]
    return found


def _possible(ensemble: Ensemble) -> Iterator[int]:
    # The theorem asks for a stationary chain, so that what can stand first can stand anywhere.
    return (symbol for symbol, share in enumerate(ensemble.background.start) if share)
