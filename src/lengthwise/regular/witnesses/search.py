"""Finding a witness for a no: a group first, then a flip-flop, and a balance where neither exists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lengthwise.regular.algebra.monoid import Semigroup
from lengthwise.regular.deciding.ape import SemigroupDecision, transition_monoid
from lengthwise.regular.deciding.budget import Budget, BudgetError
from lengthwise.regular.deciding.machine import Machine
from lengthwise.regular.deciding.nope import NopeDecision
from lengthwise.regular.witnesses.balance import arrow_balance, component_balance
from lengthwise.regular.witnesses.kinds import Balance, Class, FlipFlop, Group
from lengthwise.resources import within_time

SMALL = 3_000
"""Monoids up to this size are searched for a word that permutes states; larger ones get another witness."""


def nope_witness(decision: NopeDecision, budget: Budget) -> Group | FlipFlop | Balance:
    """Why a language is not in C-RASP[∅]."""
    wanted = decision.machine
    budget.check()
    try:
        monoid = transition_monoid(wanted, replace(budget, monoid=min(SMALL, budget.monoid)))
    except BudgetError:
        monoid = None
    if monoid is not None:
        for element in within_time(monoid.semigroup):
            orbit = _orbit(monoid.actions[element], len(wanted))
            if orbit is not None:
                return _group(wanted, "∅", orbit, monoid.nonempty_word(element), None)
    component, refinement = decision.failed
    for first, second in _pairs(component, refinement.classes):
        budget.check()
        one = _merging(wanted, (first, second), first)
        other = _merging(wanted, (first, second), second)
        if one is not None and other is not None:
            return _flip_flop(wanted, "∅", first, second, (one, other, None))
    return component_balance(wanted, component, refinement)


def semigroup_witness(decision: SemigroupDecision, budget: Budget) -> Group | FlipFlop | Balance:
    """Why a language is not in C-RASP[periodic, local], or not in C-RASP[local]."""
    if decision.witness is not None:
        return decision.witness
    semigroup, wanted, failed = decision.semigroup, decision.machine, decision.unseparated
    if semigroup is None or failed is None:
        raise ValueError("only a no has a witness")
    fragment: Class = "local" if semigroup.length is None else "periodic, local"
    found = _simple(semigroup, wanted, fragment, budget)
    return found if found is not None else arrow_balance(wanted, semigroup, failed, fragment, budget)


def _simple(semigroup: Semigroup, wanted: Machine, fragment: Class, budget: Budget) -> Group | FlipFlop | None:
    """A group or a flip-flop with the shortest words, if there is one."""
    actions = semigroup.monoid.actions
    states = len(wanted)
    pairs = [
        (first, second)
        for component in wanted.components
        for first in component
        for second in component
        if first < second
    ]
    for elements, word in semigroup.shorter():
        budget.check()
        for x in within_time(elements):
            orbit = _orbit(actions[x], states)
            if orbit is not None:
                for e in elements:
                    if all(actions[e][state] == state for state in orbit):
                        return _group(wanted, fragment, orbit, word(x), word(e))
        for first, second in within_time(pairs):
            roles: dict[tuple[int, int], int] = {}
            for x in elements:
                roles.setdefault((actions[x][first], actions[x][second]), x)
            wanted_roles = [(first, first), (second, second), (first, second)]
            if all(role in roles for role in wanted_roles):
                one, other, identity = (word(roles[role]) for role in wanted_roles)
                return _flip_flop(wanted, fragment, first, second, (one, other, identity))
    return _at_the_end(semigroup, wanted, fragment)


def _at_the_end(semigroup: Semigroup, wanted: Machine, fragment: Class) -> Group | None:
    """A group whose identity is a power of its cycle."""
    monoid = semigroup.monoid
    for x in within_time(semigroup.elements):
        power = monoid.idempotent_power(x)
        cycle = monoid.multiply(power, x)
        orbit = _orbit(monoid.actions[cycle], len(wanted))
        if orbit is not None:
            return _group(wanted, fragment, orbit, semigroup.word(cycle), semigroup.word(power))
    return None


def _orbit(action: bytes | tuple[int, ...], states: int) -> list[int] | None:
    """The states of a cycle of length >= 2, if there is one."""
    seen = [-1] * states
    for start in range(states):
        state = start
        while seen[state] < 0:
            seen[state] = start
            state = action[state]
        if seen[state] == start and action[state] != state:
            orbit = [state]
            while action[orbit[-1]] != state:
                orbit.append(action[orbit[-1]])
            return orbit
    return None


def _group(
    wanted: Machine, fragment: Class, orbit: list[int], cycle: tuple[int, ...], identity: tuple[int, ...] | None
) -> Group:
    spell = wanted.spell
    suffix = wanted.distinguishing(orbit[0], orbit[1])
    return Group(
        fragment,
        spell(wanted.access()[orbit[0]]),
        spell(cycle),
        len(orbit),
        spell(suffix),
        wanted.accepts_from(orbit[0], suffix),
        None if identity is None else spell(identity),
    )


def _flip_flop(
    wanted: Machine,
    fragment: Class,
    first: int,
    second: int,
    words: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...] | None],
) -> FlipFlop:
    spell = wanted.spell
    identity = words[2]
    suffix = wanted.distinguishing(first, second)
    return FlipFlop(
        fragment,
        spell(wanted.access()[first]),
        spell(words[0]),
        spell(words[1]),
        spell(suffix),
        wanted.accepts_from(first, suffix),
        None if identity is None else spell(identity),
    )


def _pairs(component: list[int], classes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The pairs of states that refinement does not separate."""
    for place, first in enumerate(component):
        for other in range(place + 1, len(component)):
            if classes[place] == classes[other]:
                yield first, component[other]


def _merging(wanted: Machine, pair: tuple[int, int], goal: int) -> tuple[int, ...] | None:
    """A shortest word that takes both states of a pair to one state."""
    seen = {pair}
    queue: list[tuple[tuple[int, int], tuple[int, ...]]] = [(pair, ())]
    for (first, second), word in within_time(queue):  # grows while it is read
        for symbol, target in enumerate(zip(wanted.table[first], wanted.table[second], strict=True)):
            if target == (goal, goal):
                return (*word, symbol)
            if target not in seen:
                seen.add(target)
                queue.append((target, (*word, symbol)))
    return None
