"""The three quantities of the repaired Theorem 4.3: the cover c, the ratio κ and the mixing ρ.

The cover says how much likelier a set is at L̄ than its copies in training. Each local set of a word of length L̄ is
compared with at most five placements in words of training length (`Extrapolation.training_placements`). Assumption 4.2
bounds these ratios by η_L̄, and much else besides; on adjacent pairs η_L̄ is L̄ − 1, while this is below 1.

κ says how much more weight one block of background can get than the base that it is appended to. Theorem 4.3 as printed
has no such number, and is false without it: a block that takes nearly all the weight hides what the blocks after it
would do (`tests/errata`). Exactly: the least weight that a base can have, for every way in which it can end, against
the largest that the sets reaching into the block can add. Correction ERR-I2.

ρ is what a Markov background costs. Golowich et al. leave Markov chains open. The proof of the repaired theorem
survives them: for independent background the base together with the j-th block has the law of the base with the second
one; for a stationary chain the two laws differ by at most the largest Pⁿ(a, b) / P(a, b), n = (j − 2)L_local + 1, since
everything but the way from the base to the block is the same. Ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError
from lengthwise.sparse.ensembles.background import Background, Independent, Row
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Places, Tokens
from lengthwise.sparse.ensembles.positions import PositionLaw
from lengthwise.sparse.functional.keys import Key


def placement_coverage(positions: PositionLaw, lengths: Extrapolation) -> Fraction | float:
    """The largest Q_L̄(S) / Q_ℓ(S') over local sets S and their training placements (ℓ, S'); at most η_L̄."""
    largest: Fraction | float = Fraction(0)
    for places, mass in positions.masses(lengths.test).items():
        if not lengths.is_local(places):
            continue
        for length, placed in lengths.training_placements(places):
            cover = positions.masses(length).get(placed, Fraction(0))
            largest = max(largest, mass / cover if cover else math.inf)
    return largest


def far_mass(positions: PositionLaw, lengths: Extrapolation) -> Fraction:
    """Pr(max S* − min S* > L_local) at length L̄: what no local hypothesis can see."""
    masses = positions.masses(lengths.test).items()
    return sum((mass for places, mass in masses if not lengths.is_local(places)), Fraction(0))


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


def mixing(background: Background, lengths: Extrapolation) -> Fraction | float:
    """ρ ≥ 1: exactly 1 for independent tokens, infinite if the chain gets later to where it cannot go at once."""
    if isinstance(background, Independent):
        return Fraction(1)
    if not background.stationary:
        raise SparsityBoundError("the bound is about stationary Markov chains; leave out the start, or give that law")
    used = [symbol for symbol, share in enumerate(background.start) if share]
    block = _power(background.rows, lengths.locality)
    power, largest = background.rows, Fraction(1)
    for _ in range(lengths.blocks):  # n = L_local + 1, …, m L_local + 1
        power = _times(power, block)
        for symbol in used:
            for other in used:
                late, once = power[symbol][other], background.rows[symbol][other]
                if late and not once:
                    return math.inf
                if once:
                    largest = max(largest, late / once)
    return largest


def _times(first: tuple[Row, ...], second: tuple[Row, ...]) -> tuple[Row, ...]:
    columns = list(zip(*second, strict=True))
    return tuple(
        tuple(sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns)
        for row in first
    )


def _power(rows: tuple[Row, ...], exponent: int) -> tuple[Row, ...]:
    found = rows
    for _ in range(exponent - 1):
        found = _times(found, rows)
    return found
