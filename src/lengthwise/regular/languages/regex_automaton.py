"""From a regex, or any nondeterministic automaton, to the minimal deterministic one.

A regex becomes its position automaton (Glushkov): one state for each symbol it still expects, one for the end. Sets of
states are the bits of an integer, and the subset construction keeps what is expected next, so that prefixes after which
the same is expected are one state from the beginning.

A complement, an intersection or a difference inside a regex is made deterministic and minimal by itself, innermost
first. Every edge of that automaton which leads on to a word is then a position of the regex around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lengthwise.regular.languages.automaton import Automaton, StateLimitError, most_states, paired
from lengthwise.regular.languages.regex import Regex
from lengthwise.regular.languages.regex_tree import (
    Choice,
    Complement,
    Concatenation,
    Difference,
    EmptyWord,
    Intersection,
    OneOf,
    Operation,
    Repetition,
    Tree,
)
from lengthwise.resources import check_time, require_memory


@dataclass
class Nondeterministic:
    """States 0 .. n-1; sets of states as the bits of an integer."""

    moves: list[Mapping[str, int]]
    """For each state where its symbols lead; a symbol that is missing leads nowhere."""
    start: int
    accepting: int


def regex_automaton(regex: Regex, limit: int | None = None) -> Automaton:
    """The minimal automaton of a regex over its alphabet.

    Args:
        regex: A regex, from `parse_regex`.
        limit: The most states of every deterministic automaton on the way, the most states that the complements,
            intersections and differences have together, and the most symbols of the regex when its repetitions are
            written out; None for `most_states`.

    Returns:
        The minimal automaton, its symbols in the order of the regex's alphabet.

    Raises:
        StateLimitError: If the limit does not suffice.

    Example:
        >>> from lengthwise.regular.languages.regex import parse_regex
        >>> len(regex_automaton(parse_regex("((aa)*)-((aaa)*)")))
        6

    """
    limit = most_states() if limit is None else limit
    symbols = regex.alphabet.symbols
    known: dict[int, _Edges] = {}
    automaton, total = None, 0
    for node in reversed(_operations(regex.tree)):
        operands = (node.part,) if isinstance(node, Complement) else node.parts
        automaton = _operated(node, [_minimal(operand, symbols, limit, known) for operand in operands], limit)
        known[id(node)] = _edges(automaton)
        total += len(automaton)
        if total > limit:
            raise StateLimitError(f"the operations inside the regex have {total} states or more together", limit)
    if automaton is not None and isinstance(regex.tree, Operation):
        return automaton
    return _minimal(regex.tree, symbols, limit, known)


def _minimal(tree: Tree, symbols: Sequence[str], limit: int, known: Mapping[int, _Edges]) -> Automaton:
    return determinized(positions(tree, limit, known), symbols, limit).minimal()


def _operations(tree: Tree) -> list[Operation]:
    """The complements, intersections and differences of a regex, each before those inside it."""
    found: list[Operation] = []
    work = [tree]
    while work:
        match node := work.pop():
            case Complement(part):
                found.append(node)
                work.append(part)
            case Intersection(parts) | Difference(parts):
                found.append(node)
                work.extend(parts)
            case Concatenation(parts) | Choice(parts):
                work.extend(parts)
            case Repetition(part):
                work.append(part)
    return found


def _operated(node: Operation, automata: Sequence[Automaton], limit: int) -> Automaton:
    """The minimal automaton of an operation on the languages of minimal automata."""
    whole = automata[0]
    if isinstance(node, Complement):
        return whole.complement().minimal()
    wanted = isinstance(node, Intersection)
    for other in automata[1:]:
        product, pairs = paired(whole, other, limit)
        accepting = frozenset(
            number
            for number, (first, second) in enumerate(pairs)
            if first in whole.accepting and (second in other.accepting) == wanted
        )
        whole = Automaton(whole.symbols, product.table, product.start, accepting).minimal()
    return whole


@dataclass(frozen=True)
class _Edges:
    """A deterministic automaton as edges (from, symbols, to), without those after which no word is left."""

    edges: tuple[tuple[int, tuple[str, ...], int], ...]
    start: int
    accepting: frozenset[int]


def _edges(automaton: Automaton) -> _Edges:
    """The edges of a minimal automaton, in which only the sink leads to no word: it rejects and keeps everything."""
    joined: dict[tuple[int, int], list[str]] = {}
    for state, row in enumerate(automaton.table):
        for symbol, target in zip(automaton.symbols, row, strict=True):
            if target in automaton.accepting or any(after != target for after in automaton.table[target]):
                joined.setdefault((state, target), []).append(symbol)
    edges = tuple((state, tuple(symbols), target) for (state, target), symbols in joined.items())
    return _Edges(edges, automaton.start, automaton.accepting)


def members(states: int) -> list[int]:
    """The states of a set."""
    found = []
    while states:
        lowest = states & -states
        found.append(lowest.bit_length() - 1)
        states ^= lowest
    return found


def determinized(machine: Nondeterministic, symbols: Sequence[str], limit: int | None = None) -> Automaton:
    """A deterministic automaton for the same language over these symbols (the reachable sets; not yet minimal)."""
    limit = most_states() if limit is None else limit
    moves = machine.moves
    bytes_each = 500 + (400 + len(moves) // 4) * len(symbols)
    movers = [sum(1 << state for state, row in enumerate(moves) if row.get(symbol)) for symbol in symbols]
    order = {machine.start: 0}
    sets = [machine.start]
    table: list[tuple[int, ...]] = []
    after: list[dict[int, int]] = [{} for _ in symbols]
    for current in sets:  # grows while it is read
        check_time()
        if len(table) % 4096 == 0:
            require_memory(bytes_each * len(sets), f"an automaton of {len(sets)} states", "describe a smaller language")
        row = []
        for number, symbol in enumerate(symbols):
            moving = current & movers[number]
            target = after[number].get(moving)
            if target is None:
                target = 0
                for state in members(moving):
                    target |= moves[state][symbol]
                after[number][moving] = target
            if target not in order:
                if len(sets) >= limit:
                    raise StateLimitError(f"the deterministic automaton has at least {len(sets) + 1} states", limit)
                order[target] = len(sets)
                sets.append(target)
            row.append(order[target])
        table.append(tuple(row))
    accepting = frozenset(number for number, states in enumerate(sets) if states & machine.accepting)
    return Automaton(tuple(symbols), tuple(table), 0, accepting)


@dataclass
class _Piece:
    """A part of the regex: which positions may be read first (as bits), which last, and whether none needs be."""

    first: int
    last: list[int]
    skippable: bool


def positions(tree: Tree, limit: int | None = None, known: Mapping[int, _Edges] | None = None) -> Nondeterministic:
    """The position automaton: state 0 for the end, and one state for each symbol or class of the written-out regex.

    `known` has the edges of the complements, intersections and differences in it, by the ids of these nodes.
    """
    known = known or {}
    limit = most_states() if limit is None else limit
    written_out = _size(tree, known)
    if written_out > limit:
        raise StateLimitError(f"written out, the regex has {written_out} symbols", limit)
    choices: list[tuple[str, ...]] = [()]
    follow = [0]

    def joined(left: _Piece, right: _Piece) -> _Piece:
        for position in left.last:
            follow[position] |= right.first
        first = left.first | right.first if left.skippable else left.first
        last = left.last + right.last if right.skippable else right.last
        return _Piece(first, last, left.skippable and right.skippable)

    def repeated(pieces: list[_Piece], least: int, unbounded: bool) -> _Piece:
        """The first `least` pieces in a row, then the others nested as in (x(x(x)?)?)?, which keeps `follow` small."""
        if unbounded:
            last = pieces[-1]
            for position in last.last:
                follow[position] |= last.first
            last.skippable |= least == 0
        whole = _Piece(0, [], True)
        for number in range(len(pieces) - 1, -1, -1):
            whole = joined(pieces[number], whole)
            whole.skippable |= not unbounded and number >= least
        return whole

    def recognised(automaton: _Edges) -> _Piece:
        leaving: dict[int, int] = {}
        for number, (state, _, _) in enumerate(automaton.edges, len(follow)):
            leaving[state] = leaving.get(state, 0) | 1 << number
        last = []
        for _, symbols, target in automaton.edges:
            if target in automaton.accepting:
                last.append(len(follow))
            choices.append(symbols)
            follow.append(leaving.get(target, 0))
        return _Piece(leaving.get(automaton.start, 0), last, automaton.start in automaton.accepting)

    done: list[_Piece] = []
    work: list[tuple[Tree, bool]] = [(tree, False)]
    while work:
        node, visited = work.pop()
        parts = _copies(node)
        if not visited and parts:
            work.append((node, True))
            work.extend((part, False) for part in reversed(parts))
            continue
        pieces = done[len(done) - len(parts) :]
        del done[len(done) - len(parts) :]
        match node:
            case EmptyWord():
                done.append(_Piece(0, [], True))
            case OneOf(symbols):
                done.append(_Piece(1 << len(follow), [len(follow)], False))
                choices.append(symbols)
                follow.append(0)
            case Choice():
                whole = _Piece(0, [], False)
                for piece in pieces:
                    whole.first |= piece.first
                    whole.last += piece.last
                    whole.skippable |= piece.skippable
                done.append(whole)
            case Concatenation():
                done.append(repeated(pieces, len(pieces), False))
            case Repetition(_, least, most):
                done.append(repeated(pieces, least, most is None))
            case Complement() | Intersection() | Difference():
                done.append(recognised(known[id(node)]))
    whole = joined(done[0], _Piece(1, [], True))
    moves = [dict.fromkeys(symbols, targets) for symbols, targets in zip(choices, follow, strict=True)]
    return Nondeterministic(list(moves), whole.first | whole.skippable, 1)


def _copies(node: Tree) -> Sequence[Tree]:
    """The parts of a node, as often as they are written out."""
    match node:
        case Concatenation(parts) | Choice(parts):
            return parts
        case Repetition(part, least, most):
            return (part,) * (max(1, least) if most is None else most)
    return ()


def _size(tree: Tree, known: Mapping[int, _Edges]) -> int:
    """How many symbols and classes the regex has when its repetitions are written out."""
    total = 0
    work: list[tuple[Tree, int]] = [(tree, 1)]
    while work:
        node, times = work.pop()
        match node:
            case OneOf():
                total += times
            case Concatenation(parts) | Choice(parts):
                work.extend((part, times) for part in parts)
            case Repetition(part, least, most):
                work.append((part, times * (max(1, least) if most is None else most)))
            case Complement() | Intersection() | Difference():
                total += times * len(known[id(node)].edges)
    return total
