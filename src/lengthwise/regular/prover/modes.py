"""A *mode* of a transition system: what is left of it when some comparisons are settled for good.

A linear form that no remaining input can lower keeps every threshold it has reached, and one that no input can raise
never reaches those it has not; such comparisons are *settled*: replaced by their truth, wherever they occur. That may
make other formulas constant, which settles more. What no longer matters for the output is forgotten, so that two words
after which the program can behave only alike get the same configuration: mode, residue, memories and values.

Three rules keep this sound. Values are looked at after a symbol was added, never before. Formulas that are not settled
count as unknown, even if they are false now: they may hold later. Memories of earlier positions are never settled by
what they hold, except those of a formula that has itself become constant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import lcm
from typing import TypeAlias

from lengthwise.regular.prover.formulas import FALSE, TRUE, Atom, Formulas, Literal, Past, Residue
from lengthwise.regular.prover.normal_form import Increment, System, bounds
from lengthwise.regular.prover.plan import Masks, Move, Plan, Values

Settled: TypeAlias = frozenset[tuple[int, Literal]]
"""Leaves whose truth can no longer change, by node, each with TRUE or FALSE."""


@dataclass(frozen=True)
class Projection:
    """How to go on in another mode: which forms it keeps, which memories and how much of them."""

    mode: Mode
    slots: tuple[int, ...]
    memories: tuple[tuple[int, int], ...]
    """A place and the mask of the bits that are kept."""
    settled: Settled = frozenset()
    """The leaves that were settled on the way, each with its truth."""


@dataclass(eq=False)
class Mode:
    """The rest of a system. Slots are the places of forms in the tuple of values."""

    formulas: Formulas
    width: int
    """How many symbols there are."""
    period: int
    modulus: int
    outputs: tuple[Literal, ...]
    forms: tuple[int, ...]
    increments: tuple[tuple[Increment, ...], ...]
    memories: tuple[int, ...]
    depths: tuple[int, ...]
    """How far back each memory is looked into."""
    recorded: tuple[tuple[Literal, ...], ...]
    number: int = 0
    atoms: tuple[tuple[tuple[int, int], ...], ...] = ()
    """The thresholds of each slot's form, increasing, with the nodes that ask for them."""
    pasts: tuple[tuple[int, ...], ...] = ()
    """The nodes that ask for each memory."""
    uses: list[frozenset[int]] = field(default_factory=list)
    """The nodes that each form's increments depend on directly."""
    breaks: list[list[int]] = field(default_factory=list)
    directions: list[tuple[bool, bool]] = field(default_factory=list)
    """Whether each form can no longer fall, and no longer rise."""
    watched: bool = False
    """Whether some memory is of a formula that is constant by now."""
    exits: dict[tuple[Masks, Values], Projection | None] = field(default_factory=dict)
    derivations: dict[tuple[tuple[int, Literal], ...], Projection] = field(default_factory=dict)
    """The modes after more leaves are settled, by these."""
    _moves: dict[tuple[int, Masks, Values], list[Move]] = field(default_factory=dict)
    _plans: dict[int, Plan] = field(default_factory=dict)

    def regions(self, values: Values) -> Values:
        """Between which thresholds the values lie; all that the next outputs and increments depend on."""
        return tuple(map(bisect_right, self.breaks, values))

    def moves(self, residue: int, masks: Masks, values: Values) -> list[Move]:
        """What each symbol does next."""
        key = (residue, masks, self.regions(values))
        found = self._moves.get(key)
        if found is None:
            row = residue % self.period
            if row not in self._plans:
                self._plans[row] = Plan(self, row)
            found = self._moves[key] = self._plans[row].moves(residue, masks, values)
        return found

    def settled(self, masks: Masks, values: Values) -> dict[int, Literal]:
        """The leaves whose truth can no longer change, given the values after the last symbol."""
        found: dict[int, Literal] = {}
        for (rising, falling), atoms, value in zip(self.directions, self.atoms, values, strict=True):
            for threshold, node in atoms:
                if rising and value >= threshold:
                    found[node] = TRUE
                elif falling and value < threshold:
                    found[node] = FALSE
        if self.watched:
            for place, recorded in enumerate(self.recorded):
                full = (1 << self.depths[place]) - 1
                for constant, mask in ((FALSE, 0), (TRUE, full)):
                    if masks[place] == mask and all(literal == constant for literal in recorded):
                        found.update(dict.fromkeys(self.pasts[place], constant))
        return found

    def key(self) -> tuple[object, ...]:
        """What tells modes apart."""
        return (
            self.period, self.modulus, self.outputs, self.forms, self.increments,
            self.memories, self.depths, self.recorded,
        )  # fmt: skip


def whole(system: System) -> Projection:
    """The mode in which nothing is settled, with the places of its forms and memories in the system."""
    return _condensed(
        system.formulas, len(system.symbols), system.period, system.outputs,
        tuple(range(len(system.forms))), system.forms, tuple(range(len(system.remembered))), system.remembered,
    )  # fmt: skip


def derived(mode: Mode, settled: dict[int, Literal]) -> Projection:
    """The mode after more leaves are settled, with the places of its forms and memories in this one."""
    roots = {literal >> 1 for literals in (mode.outputs, *mode.recorded) for literal in literals}.union(*mode.uses)
    changed = mode.formulas.replaced(roots, settled)
    increments = tuple(
        form if used.isdisjoint(changed) else tuple(_replaced(increment, changed) for increment in form)
        for form, used in zip(mode.increments, mode.uses, strict=True)
    )

    def of(literals: tuple[Literal, ...]) -> tuple[Literal, ...]:
        return tuple([changed.get(literal >> 1, literal & ~1) ^ (literal & 1) for literal in literals])

    return _condensed(
        mode.formulas, mode.width, mode.period, of(mode.outputs),
        mode.forms, increments, mode.memories, tuple(of(recorded) for recorded in mode.recorded),
    )  # fmt: skip


def _replaced(increment: Increment, changed: dict[int, Literal]) -> Increment:
    constant, bits = increment
    weights: dict[Literal, int] = {}
    for literal, weight in bits:
        now = changed.get(literal >> 1, literal)  # bits are never negated
        if now & 1:  # [¬P] = 1 - [P]
            constant += weight
            weight = -weight
        if now >> 1:
            weights[now & ~1] = weights.get(now & ~1, 0) + weight
    return constant, tuple(sorted(item for item in weights.items() if item[1]))


def _condensed(
    formulas: Formulas,
    width: int,
    period: int,
    outputs: tuple[Literal, ...],
    forms: tuple[int, ...],
    increments: tuple[tuple[Increment, ...], ...],
    memories: tuple[int, ...],
    recorded: tuple[tuple[Literal, ...], ...],
) -> Projection:
    """The mode of only what the outputs depend on, and the places of what it keeps."""
    slot_of = {form: slot for slot, form in enumerate(forms)}
    place_of = {memory: place for place, memory in enumerate(memories)}
    atoms: dict[int, list[tuple[int, int]]] = {}
    pasts: dict[int, list[int]] = {}
    moduli: set[int] = set()
    depths: dict[int, int] = {}
    wanted = formulas.leaves_under({literal >> 1 for literal in outputs})
    seen = 0
    while new := wanted & ~seen:
        seen = wanted
        while new:
            lowest = new & -new
            new ^= lowest
            number = formulas.leaves[lowest.bit_length() - 1]
            match formulas.nodes[number]:
                case Atom(form, threshold):
                    slot = slot_of[form]
                    if slot not in atoms:
                        wanted |= formulas.leaves_under(_used(increments[slot]))
                    atoms.setdefault(slot, []).append((threshold, number))
                case Past(memory, distance):
                    place = place_of[memory]
                    if place not in pasts:
                        wanted |= formulas.leaves_under({literal >> 1 for literal in recorded[place]})
                    pasts.setdefault(place, []).append(number)
                    depths[place] = max(depths.get(place, 0), distance)
                case Residue(modulus, _):
                    moduli.add(modulus)
    slots, places = tuple(sorted(atoms)), tuple(sorted(pasts))
    columns: list[tuple[object, ...]] = [outputs]
    columns.extend(increments[slot] for slot in slots)
    columns.extend(recorded[place] for place in places)
    shorter = _shortest_period(columns, period, width)
    cut = shorter * width
    mode = Mode(
        formulas, width, shorter, lcm(shorter, *moduli), outputs[:cut],
        tuple(forms[slot] for slot in slots), tuple(increments[slot][:cut] for slot in slots),
        tuple(memories[place] for place in places), tuple(depths[place] for place in places),
        tuple(recorded[place][:cut] for place in places),
    )  # fmt: skip
    mode.uses = [_used(form) for form in mode.increments]
    mode.atoms = tuple(tuple(sorted(atoms[slot])) for slot in slots)
    mode.pasts = tuple(tuple(sorted(pasts[place])) for place in places)
    return Projection(mode, slots, tuple((place, (1 << depths[place]) - 1) for place in places))


@lru_cache(maxsize=20_000)
def _used(increments: tuple[Increment, ...]) -> frozenset[int]:
    """The nodes that a form's increments depend on directly."""
    return frozenset(literal >> 1 for _, bits in increments for literal, _ in bits)


def complete(mode: Mode, number: int) -> None:
    """Compute what is needed only of modes that are really met."""
    mode.number = number
    mode.breaks = [[threshold for threshold, _ in atoms] for atoms in mode.atoms]
    for increments in mode.increments:
        least, most = bounds(increments)
        mode.directions.append((least >= 0, most <= 0))
    mode.watched = any(len(set(recorded)) == 1 and recorded[0] <= TRUE for recorded in mode.recorded)


def _shortest_period(columns: Sequence[tuple[object, ...]], period: int, width: int) -> int:
    for shorter in range(1, period):
        if period % shorter == 0 and all(
            column == column[: shorter * width] * (period // shorter) for column in columns
        ):
            return shorter
    return period
