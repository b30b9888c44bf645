"""Automata from extended regular expressions by Brzozowski's derivatives: a second way that shares no code with ours.

Expressions are nested tuples: ("∅",), ("ε",), ("a", symbol), ("|", frozenset), (".", p, q), ("*", p) and ("!", p).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from lengthwise.regular.languages.automaton import Automaton

Expression = tuple[Any, ...]

NOTHING: Expression = ("∅",)
EMPTY: Expression = ("ε",)
EVERYTHING: Expression = ("!", NOTHING)
"""Σ*"""


def union(*parts: Expression) -> Expression:
    found: set[Expression] = set()
    for part in parts:
        found |= part[1] if part[0] == "|" else {part}
    found.discard(NOTHING)
    if EVERYTHING in found:
        return EVERYTHING
    return found.pop() if len(found) == 1 else ("|", frozenset(found)) if found else NOTHING


def sequence(*parts: Expression) -> Expression:
    if not parts:
        return EMPTY
    first, rest = parts[0], sequence(*parts[1:])
    if NOTHING in (first, rest):
        return NOTHING
    if first == EMPTY:
        return rest
    if rest == EMPTY:
        return first
    if first[0] == ".":
        return (".", first[1], sequence(first[2], rest))
    return (".", first, rest)


def complement(part: Expression) -> Expression:
    return part[1] if part[0] == "!" else ("!", part)


def intersection(*parts: Expression) -> Expression:
    return complement(union(*map(complement, parts)))


def star(part: Expression) -> Expression:
    return EMPTY if part in (NOTHING, EMPTY) else part if part[0] == "*" else ("*", part)


def word(text: Sequence[str]) -> Expression:
    return sequence(*(("a", symbol) for symbol in text))


def one_of(symbols: Sequence[str]) -> Expression:
    return union(*(("a", symbol) for symbol in symbols))


@cache
def _has_empty(part: Expression) -> bool:
    match part[0]:
        case "ε" | "*":
            return True
        case "|":
            return any(map(_has_empty, part[1]))
        case ".":
            return _has_empty(part[1]) and _has_empty(part[2])
        case "!":
            return not _has_empty(part[1])
    return False


@cache
def _derivative(part: Expression, symbol: str) -> Expression:
    match part[0]:
        case "a":
            return EMPTY if part[1] == symbol else NOTHING
        case "|":
            return union(*(_derivative(each, symbol) for each in part[1]))
        case ".":
            after_first = sequence(_derivative(part[1], symbol), part[2])
            return union(after_first, _derivative(part[2], symbol)) if _has_empty(part[1]) else after_first
        case "*":
            return sequence(_derivative(part[1], symbol), part)
        case "!":
            return complement(_derivative(part[1], symbol))
    return NOTHING


def automaton(expression: Expression, symbols: str) -> Automaton:
    """The automaton whose states are the derivatives, not necessarily minimal."""
    order = {expression: 0}
    states = [expression]
    table = []
    for state in states:  # grows while it is read
        row = []
        for symbol in symbols:
            target = _derivative(state, symbol)
            if target not in order:
                order[target] = len(states)
                states.append(target)
            row.append(order[target])
        table.append(tuple(row))
    accepting = frozenset(place for place, state in enumerate(states) if _has_empty(state))
    return Automaton(tuple(symbols), tuple(table), 0, accepting)


# ---------------------------------------------------------------------------------------------- samples


def random_word(rng: Random, symbols: str, longest: int) -> str:
    return "".join(rng.choices(symbols, k=rng.randint(0, longest)))


def star_free(rng: Random, symbols: str, size: int) -> Expression:
    """A random expression without a star: unions, products and complements of letters."""
    if size <= 1:
        return rng.choice([("a", rng.choice(symbols)), EVERYTHING, EMPTY])
    if rng.random() < 0.25:
        return complement(star_free(rng, symbols, size - 1))
    left = rng.randint(1, size - 1)
    parts = star_free(rng, symbols, left), star_free(rng, symbols, size - left)
    return union(*parts) if rng.random() < 0.4 else sequence(*parts)


def boolean_combination(rng: Random, basics: list[Expression]) -> Expression:
    """A random Boolean combination that uses each of some languages once."""
    parts = [complement(each) if rng.random() < 0.4 else each for each in basics]
    while len(parts) > 1:
        first, second = parts.pop(), parts.pop()
        parts.append((union if rng.random() < 0.5 else intersection)(first, second))
    return parts[0]


def scattered(text: str) -> Expression:
    """Σ*a₁Σ*a₂…Σ*: the words with a scattered subword."""
    return sequence(EVERYTHING, *(part for symbol in text for part in (("a", symbol), EVERYTHING)))


def factors(texts: Sequence[str]) -> Expression:
    """w₀Σ*w₁Σ*…wₖ."""
    return sequence(word(texts[0]), *(part for text in texts[1:] for part in (EVERYTHING, word(text))))


def bounded_dyck(depth: int) -> Expression:
    found = EMPTY
    for _ in range(depth):
        found = star(sequence(("a", "a"), found, ("a", "b")))
    return found
