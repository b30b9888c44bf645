"""The algebra of an automaton by definition: actions as tuples, laws checked over all pairs. Slow and plain."""

from __future__ import annotations

from itertools import product

from lengthwise.regular.languages.automaton import Automaton

Action = tuple[int, ...]


def letters(automaton: Automaton) -> list[Action]:
    return [tuple(row[symbol] for row in automaton.table) for symbol in range(len(automaton.symbols))]


def times(*actions: Action) -> Action:
    result = tuple(range(len(actions[0])))
    for action in actions:
        result = tuple(action[state] for state in result)
    return result


def semigroup(automaton: Automaton) -> set[Action]:
    """What the non-empty words do."""
    found = set(letters(automaton))
    while True:
        more = {times(x, a) for x in found for a in letters(automaton)} - found
        if not more:
            return found
        found |= more


def monoid(automaton: Automaton) -> set[Action]:
    return semigroup(automaton) | {tuple(range(len(automaton)))}


def layers(automaton: Automaton, longest: int) -> list[set[Action]]:
    """What the words of each length from 1 to `longest` do."""
    found = [set(letters(automaton))]
    while len(found) < longest:
        found.append({times(x, a) for x in found[-1] for a in letters(automaton)})
    return found


def omega(x: Action) -> Action:
    """The first power that is its own square."""
    power = x
    while times(power, power) != power:
        power = times(power, x)
    return power


def is_star_free(automaton: Automaton) -> bool:
    return all(times(omega(x), x) == omega(x) for x in monoid(automaton))


def is_r_trivial(automaton: Automaton) -> bool:
    pairs = product(monoid(automaton), repeat=2)
    return all(times(omega(times(x, y)), x) == omega(times(x, y)) for x, y in pairs)


def is_l_trivial(automaton: Automaton) -> bool:
    pairs = product(monoid(automaton), repeat=2)
    return all(times(y, omega(times(x, y))) == omega(times(x, y)) for x, y in pairs)


def is_da(automaton: Automaton) -> bool:
    pairs = product(monoid(automaton), repeat=2)
    return all(times(power, x, power) == power for x, y in pairs for power in [omega(times(x, y))])


def is_quasi_aperiodic(automaton: Automaton, longest: int) -> bool:
    """No set of all actions of the words of one length contains a group of more than one element."""
    for layer in layers(automaton, longest):
        for x in layer:
            unit = omega(x)
            group = {times(unit, x)}
            while (larger := group | {times(member, x) for member in group}) != group:
                group = larger
            if len(group) > 1 and group <= layer:
                return False
    return True


def is_nilpotent(automaton: Automaton) -> bool:
    pairs = product(semigroup(automaton), repeat=2)
    return all(times(power, y) == power == times(y, power) for x, y in pairs for power in [omega(x)])


def satisfies_knast(automaton: Automaton) -> bool:
    """(e s f t e)^ω e s f v e (e u f v e)^ω = (e s f t e)^ω (e u f v e)^ω for all idempotents and all elements."""
    elements = sorted(semigroup(automaton))
    idempotents = [e for e in elements if times(e, e) == e]
    for e, f in product(idempotents, repeat=2):
        there = sorted({times(e, s, f) for s in elements})
        back = sorted({times(f, t, e) for t in elements})
        for (x, y), (z, t) in product(product(there, back), repeat=2):
            first, last = omega(times(x, y)), omega(times(z, t))
            if times(first, x, t, last) != times(first, last):
                return False
    return True
