"""A search that forgets how far a value is from every threshold, so that it ends for programs that count without bound.

Values of a form are kept exactly in a window around its thresholds; beyond it they are only "far above" or "far below".
From there the next value may lie anywhere at the window's edge or still be far, so a configuration may have several
successors on one symbol, some of which no word reaches. Values that contradict a linear equation between the forms
are left out: a combination to which every input adds 0 stays 0. If the outputs agree on all that is left, they agree on
all words; if not, nothing is known.

A far value stays far in every later mode, since a mode has no thresholds that those before it did not have. This needs
windows with an end on both sides: where a form cannot fall any more, a value from far below still has no exact value.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from lengthwise.exact_linear import Vector, null_space
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover.formulas import TRUE, Literal
from lengthwise.regular.prover.modes import Mode, Settled
from lengthwise.regular.prover.normal_form import System
from lengthwise.regular.prover.plan import Values
from lengthwise.regular.prover.search import Explorer
from lengthwise.resources import Deadline

MARGINS = (1, 6)
"""How far beyond the thresholds values are kept exactly, in the order tried."""
MOST_BRANCHES = 256
"""How many successors one symbol may have."""

Window = tuple[int, int]


def abstraction_that_agrees(
    explorer: Explorer, automaton: Automaton, states: int, deadline: Deadline
) -> tuple[Abstraction, int] | None:
    """An abstraction whose outputs agree with acceptance always, and how many pairs it has; None if none was found."""
    for margin in MARGINS:
        abstraction = Abstraction(explorer, margin)
        found = abstraction.agrees(automaton, states, deadline)
        if found is not None:
            return abstraction, found
        if deadline.passed():
            return None
    return None


class Abstraction:
    """Configurations of an explorer, with far values replaced by the one next to the window."""

    def __init__(self, explorer: Explorer, margin: int) -> None:
        self.explorer = explorer
        self.margin = margin
        self._windows: dict[int, list[Window]] = {}
        self.equations: dict[tuple[int, ...], list[Vector]] = {}
        """The equations between the forms of modes, by these forms."""
        self._successors: dict[int, list[tuple[bool, list[tuple[int, Settled]]]] | None] = {}
        self.first = self._clipped(0)

    def agrees(self, automaton: Automaton, states: int, deadline: Deadline) -> int | None:
        """How many pairs there are if the outputs agree on all of them; None otherwise."""
        first = (automaton.start, self.first)
        order = {first}
        pairs = [first]
        for state, number in pairs:  # grows while it is read
            if len(pairs) > states or deadline.passed():
                return None
            successors = self.successors(number)
            if successors is None:
                return None
            for target, (output, following) in zip(automaton.table[state], successors, strict=True):
                if output != (target in automaton.accepting):
                    return None
                for pair in ((target, one) for one, _ in following):
                    if pair not in order:
                        order.add(pair)
                        pairs.append(pair)
        return len(pairs)

    def successors(self, number: int) -> list[tuple[bool, list[tuple[int, Settled]]]] | None:
        """For each symbol the output and what may follow, with what is settled then; None if that is too much."""
        if number not in self._successors:
            self._successors[number] = self._computed(number)
        return self._successors[number]

    def _computed(self, number: int) -> list[tuple[bool, list[tuple[int, Settled]]]] | None:
        mode, residue, masks, values = self.explorer.configurations[number]
        following = (residue + 1) % mode.modulus
        windows = self.windows(mode)
        found: list[tuple[bool, list[tuple[int, Settled]]]] = []
        for output, increments, new_masks in mode.moves(residue, masks, values):
            options = [_options(*item) for item in zip(values, increments, windows, strict=True)]
            branches = 1
            for option in options:
                branches *= len(option)
            if branches > MOST_BRANCHES:
                return None
            reached = [self.explorer.reach(mode, following, new_masks, combined) for combined in product(*options)]
            clipped = dict.fromkeys((self._clipped(one), settled) for one, settled in reached)
            found.append((output, [pair for pair in clipped if self._possible(pair[0])]))
        return found

    def _possible(self, number: int) -> bool:
        """Whether the values satisfy the equations between the forms, as far as they are known."""
        mode, _, _, values = self.explorer.configurations[number]
        if mode.forms not in self.equations:
            self.equations[mode.forms] = equations(self.explorer.system, mode.forms)
        windows = self.windows(mode)
        for factors in self.equations[mode.forms]:
            total = 0
            open_below = open_above = False
            for factor, value, (least, most) in zip(factors, values, windows, strict=True):
                total += factor * value
                if factor and value > most:
                    open_above, open_below = open_above or factor > 0, open_below or factor < 0
                elif factor and value < least:
                    open_above, open_below = open_above or factor < 0, open_below or factor > 0
            if (total > 0 and not open_below) or (total < 0 and not open_above):
                return False
        return True

    def windows(self, mode: Mode) -> list[Window]:
        """Between which values each form is kept exactly: 0, its thresholds, and the margin around them."""
        if mode.number not in self._windows:
            self._windows[mode.number] = [
                (min(breaks[0], 0) - self.margin, max(breaks[-1], 0) + self.margin) for breaks in mode.breaks
            ]
        return self._windows[mode.number]

    def intervals(self, number: int) -> list[tuple[int | None, int | None]]:
        """Which values each form of a configuration may have: one, or all that are far above or far below."""
        mode, _, _, values = self.explorer.configurations[number]
        return [
            (None, value) if value < least else (value, None) if value > most else (value, value)
            for value, (least, most) in zip(values, self.windows(mode), strict=True)
        ]

    def _clipped(self, number: int) -> int:
        """The configuration with far values replaced."""
        mode, residue, masks, values = self.explorer.configurations[number]
        clipped: Values = tuple(_clip(*item) for item in zip(values, self.windows(mode), strict=True))
        return number if clipped == values else self.explorer.reach(mode, residue, masks, clipped)[0]


def equations(system: System, forms: Sequence[int]) -> list[Vector]:
    """Coefficients of combinations of these forms that are always 0, because every input adds 0 to them."""
    rows: dict[tuple[int, Literal], dict[int, int]] = {}
    for slot, form in enumerate(forms):
        for place, (constant, bits) in enumerate(system.forms[form]):
            for literal, weight in ((TRUE, constant), *bits):
                rows.setdefault((place, literal), {})[slot] = weight
    return null_space(list(rows.values()), len(forms))


def _clip(value: int, window: Window) -> int:
    least, most = window
    return max(least - 1, min(most + 1, value))


def _options(value: int, increment: int, window: Window) -> list[int]:
    """What a value may become; one beyond the window stands for all that are."""
    least, most = window
    if value > most and increment < 0:
        return list(range(max(value + increment, least - 1), most + 2))
    if value < least and increment > 0:
        return list(range(least - 1, min(value + increment, most + 1) + 1))
    return [value + increment]
