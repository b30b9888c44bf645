"""Automata in the text notation of AT&T's tools, OpenFst, foma and HFST.

    0  1  a         # without these comments, which the notation does not have:
    0  0  b         # an arc from a state to a state, with its label
    1  0  a  a      # some tools write the output label too; it must be the same
    1               # an accepting state

States are numbers, and the one that the first line begins with is the start. Columns are separated by tabs or spaces.
An arc and an accepting state may have the weight 0 in the last column; other weights are refused. `<eps>`, `<epsilon>`,
`ε`, `@0@` and `@_EPSILON_SYMBOL_@` read nothing. A nondeterministic automaton becomes a deterministic one.

The file `x.syms` beside `x.att`, if there is one, lists the alphabet with a number for each symbol, and 0 for epsilon;
labels are then either its symbols or its numbers. Without it, labels are symbols, and the alphabet is those that stand
in the file, sorted. A label 0 is then refused: OpenFst means epsilon, others mean the digit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NoReturn

from lengthwise.regular.languages.automaton import Automaton, StateLimitError, components, most_states
from lengthwise.regular.languages.dfa_files import MOST_TRANSITIONS, AutomatonError
from lengthwise.regular.languages.regex_automaton import Nondeterministic, determinized

EPSILONS = frozenset({"<eps>", "<epsilon>", "@0@", "@_EPSILON_SYMBOL_@", "ε"})
"""Labels that read nothing."""
MOST_BITS = 1_600_000_000
"""The most bits that the arcs of a nondeterministic automaton may take: one for each arc and state."""

_SPACE = re.compile(r"[ \t\r]+")
_STATE = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_SPECIAL = re.compile(r"@.+@")


@dataclass(frozen=True)
class _Arc:
    line: int
    columns: Sequence[str]

    @property
    def label(self) -> str:
        return self.columns[2]


class _File:
    """The name of a file, for messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fail(self, line: int, message: str) -> NoReturn:
        raise AutomatonError(f"{self.name}:{line}: {message}" if self.name else f"line {line}: {message}")


def automaton_from_att(text: str, table: str | None = None, limit: int | None = None, *, name: str = "") -> Automaton:
    r"""Read an automaton in the text notation of AT&T and OpenFst.

    Args:
        text: The automaton, a line for each arc (`source target label`) and each accepting state (`state`).
        table: The text of a symbol table, a line for each symbol with its number; None if there is none.
        limit: The most states that the automaton may have once it is deterministic; None for `most_states`.
        name: The file's name, for messages.

    Returns:
        A complete deterministic automaton; its symbols are in the order of the table, or sorted if there is none.

    Raises:
        AutomatonError: If the text is no unweighted acceptor, with its line, or if the limit does not suffice.

    Example:
        >>> even = automaton_from_att("0 1 a\n1 0 a\n0\n")
        >>> even.accepts("aa"), even.accepts("a")
        (True, False)

    """
    file = _File(name)
    numbers = None
    if table is not None:
        numbers = _table(table, _File(os.path.splitext(name)[0] + ".syms" if name else "symbol table"))
    arcs, ends, start = _lines(text, file)
    _check_columns(arcs, numbers or {}, file)
    symbols, meaning = _named_labels(arcs, file) if numbers is None else _tabled_labels(arcs, numbers, file)
    if not symbols:
        raise AutomatonError(f"{name or 'the automaton'}: no symbol is named; list the alphabet in a symbol table")
    number: dict[str, int] = {start: 0}
    for arc in arcs:
        for state in arc.columns[:2]:
            number.setdefault(state, len(number))
    for state in ends:
        number.setdefault(state, len(number))
    if len(number) > most_states() or len(number) * len(symbols) > MOST_TRANSITIONS:
        raise AutomatonError(
            f"{name or 'the automaton'}: it has {len(number)} states and {len(symbols)} symbols; at most "
            f"{most_states()} states and {MOST_TRANSITIONS} transitions are read"
        )
    moves = [(number[arc.columns[0]], meaning[arc.label], number[arc.columns[1]]) for arc in arcs]
    accepting = frozenset(number[state] for state in ends)
    try:
        return _deterministic(symbols, moves, accepting, len(number)) or _determinized(
            symbols, moves, accepting, len(number), limit
        )
    except AutomatonError as error:
        raise AutomatonError(f"{name + ': ' if name else ''}{error}") from None
    except StateLimitError as error:
        what = "the deterministic automaton of this file has more than"
        raise AutomatonError(f"{name + ': ' if name else ''}{what} {error.limit} states, the most allowed") from None


# -------------------------------------------------------------------------------------------------- lines


def _lines(text: str, file: _File) -> tuple[list[_Arc], list[str], str]:
    """The arcs, the accepting states and the start; states as their numbers without leading zeros."""
    arcs: list[_Arc] = []
    ends: list[str] = []
    start = None
    for place, line in enumerate(text.split("\n"), 1):
        columns = _SPACE.split(line.strip(" \t\r"))
        if columns == [""]:
            continue
        if columns[0].startswith("#"):
            file.fail(place, "this notation has no comments; remove the line")
        if columns == ["--"]:
            file.fail(place, "a second automaton begins here; give each one a file of its own")
        states = 1 if len(columns) <= 2 else 2
        for state in columns[:states]:
            if _STATE.fullmatch(state) is None:
                file.fail(
                    place, f"{state[:40]!r} is not the number of a state; write 0 1 a for an arc, 1 for a final state"
                )
        columns[:states] = [state.lstrip("0") or "0" for state in columns[:states]]
        start = columns[0] if start is None else start
        if len(columns) <= 2:
            if len(columns) == 2 and not _is_neutral(columns[1]):
                file.fail(
                    place,
                    f"the final weight {columns[1][:40]!r} is not 0; remove the weights, or add a label to the arc",
                )
            ends.append(columns[0])
        elif len(columns) <= 5:
            arcs.append(_Arc(place, columns))
        else:
            file.fail(place, f"an arc has at most five columns, this line {len(columns)}; symbols have no spaces here")
    if start is None:
        file.fail(1, "there is no state; write 0 1 a for an arc, 1 for a final state")
    return arcs, ends, start


def _is_neutral(weight: str) -> bool:
    """Whether a column is the weight 0, which changes nothing."""
    return _NUMBER.fullmatch(weight) is not None and re.search("[1-9]", weight.lower().partition("e")[0]) is None


def _check_columns(arcs: Sequence[_Arc], table: Mapping[str, str], file: _File) -> None:
    """Refuse arcs with weights or with an output that differs from the label.

    Whether a fourth column is an output label or a weight is decided for the file: it is an output label if some arc
    has five columns, or if every arc has a fourth column and it is always the label again, or not always a number.
    """
    sizes = [len(arc.columns) for arc in arcs]
    fourth = [arc.columns[3] for arc in arcs if len(arc.columns) > 3]
    outputs = fourth == [arc.label for arc in arcs] or not all(map(_NUMBER.fullmatch, fourth))
    transducer = 5 in sizes or (3 not in sizes and outputs)
    doubtful = "0" in table or all(arc.label.isdecimal() for arc in arcs)
    for arc in arcs:
        label, column = arc.label[:40], arc.columns[3][:40] if len(arc.columns) > 3 else ""
        if transducer and len(arc.columns) == 3:
            file.fail(arc.line, "this arc has no output label, but others have; write it for all or for none")
        if transducer and arc.columns[3] != arc.label:
            file.fail(arc.line, f"the label {label!r} and the output label {column!r} differ; only acceptors are read")
        if not transducer and column == arc.label:
            file.fail(arc.line, "the fourth column is the label again here, but not in every line; write it for all")
        if not transducer and column and not _is_neutral(column):
            what = f"the fourth column {column!r} is neither the label {label!r} again nor the weight 0"
            file.fail(arc.line, f"{what}; only acceptors without weights are read")
        if not transducer and column == "0" and doubtful and 3 not in sizes:
            file.fail(arc.line, "the fourth column 0 can be a weight or a label; leave weights of 0 out")
        if len(arc.columns) == 5 and not _is_neutral(arc.columns[4]):
            file.fail(arc.line, f"the weight {arc.columns[4][:40]!r} is not 0; remove the weights")


# -------------------------------------------------------------------------------------------------- labels


def _named_labels(arcs: Sequence[_Arc], file: _File) -> tuple[tuple[str, ...], dict[str, str]]:
    """The alphabet, and what each label reads ("" for nothing), without a symbol table."""
    meaning: dict[str, str] = {}
    for arc in arcs:
        if arc.label == "0":
            hint = "write <eps> for epsilon; for the symbol 0, put a symbol table beside the file"
            file.fail(arc.line, f"the label 0 can be epsilon or the symbol 0; {hint}")
        _refuse_special(arc, file)
        meaning[arc.label] = "" if arc.label in EPSILONS else arc.label
    named = [symbol for symbol in meaning.values() if symbol]
    numeric = all(symbol.isascii() and symbol.isdigit() for symbol in named)
    return tuple(sorted(named, key=(lambda symbol: (len(symbol), symbol)) if numeric else None)), meaning


def _refuse_special(arc: _Arc, file: _File) -> None:
    if arc.label not in EPSILONS and _SPECIAL.fullmatch(arc.label):
        file.fail(arc.line, f"the special symbol {arc.label[:40]} is not read; write out the symbols it stands for")


def _table(text: str, file: _File) -> dict[str, str]:
    """The symbols of a table with their numbers as text, in the order of the numbers, epsilon included."""
    found: dict[str, str] = {}
    lines: dict[str, int] = {}
    for place, line in enumerate(text.split("\n"), 1):
        columns = _SPACE.split(line.strip(" \t\r"))
        if columns == [""]:
            continue
        if len(columns) != 2 or _STATE.fullmatch(columns[1]) is None:
            file.fail(place, "a line of a symbol table has a symbol and its number, as in a 1")
        symbol, number = columns[0], columns[1].lstrip("0") or "0"
        for known in (f"the symbol {symbol!r}", f"the number {number}"):
            if known in lines:
                file.fail(place, f"{known} stands in line {lines[known]} already")
            lines[known] = place
        if (number == "0") != (symbol in EPSILONS):
            file.fail(place, "the number 0 is that of epsilon, <eps>; number the symbols from 1")
        found[symbol] = number
    return dict(sorted(found.items(), key=lambda pair: int(pair[1])))


def _tabled_labels(
    arcs: Sequence[_Arc], table: Mapping[str, str], file: _File
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The alphabet, and what each label reads ("" for nothing), with a symbol table."""
    by_name = {symbol: "" if number == "0" else symbol for symbol, number in table.items()} | dict.fromkeys(
        EPSILONS, ""
    )
    by_number = {number: "" if number == "0" else symbol for symbol, number in table.items()} | {"0": ""}
    symbols = tuple(symbol for symbol, number in table.items() if number != "0")
    for arc in arcs:
        _refuse_special(arc, file)
    unnamed = next((arc for arc in arcs if arc.label not in by_name), None)
    unnumbered = next((arc for arc in arcs if arc.label not in by_number), None)
    if unnamed is None and unnumbered is None:
        for arc in arcs:
            if by_name[arc.label] != by_number[arc.label]:
                hint = "number the symbols so that no label is both"
                file.fail(arc.line, f"the label {arc.label!r} is a symbol and a number of the symbol table; {hint}")
    if unnamed is None:
        return symbols, by_name
    if unnumbered is None:
        return symbols, by_number
    wrong = unnumbered if all(arc.label.isdecimal() for arc in arcs) else unnamed
    file.fail(wrong.line, f"the label {wrong.label[:40]!r} is not in the symbol table; add it there")


# ------------------------------------------------------------------------------------------------ automata

_Move = tuple[int, str, int]


def _deterministic(
    symbols: Sequence[str], moves: Sequence[_Move], accepting: frozenset[int], states: int
) -> Automaton | None:
    """The automaton with a sink for missing arcs; None if it is not deterministic. The start is state 0."""
    rows: list[dict[str, int]] = [{} for _ in range(states)]
    for source, symbol, target in moves:
        if not symbol or rows[source].setdefault(symbol, target) != target:
            return None
    return Automaton.completed(symbols, rows, 0, accepting)


def _determinized(
    symbols: Sequence[str], moves: Sequence[_Move], accepting: frozenset[int], states: int, limit: int | None
) -> Automaton:
    silent: list[list[int]] = [[] for _ in range(states)]
    for source, symbol, target in moves:
        if not symbol:
            silent[source].append(target)
    pairs = len({(source, symbol) for source, symbol, _ in moves})
    if (pairs + states) * states > MOST_BITS:
        raise AutomatonError(
            f"an automaton of {states} states and {len(moves)} arcs is too large to be made deterministic"
        )
    closure = [0] * states
    for component in components(silent):  # after all that it leads to
        reached = 0
        for state in component:
            reached |= 1 << state
            for target in silent[state]:
                reached |= closure[target]
        for state in component:
            closure[state] = reached
    rows: list[dict[str, int]] = [{} for _ in range(states)]
    for source, symbol, target in moves:
        if symbol:
            rows[source][symbol] = rows[source].get(symbol, 0) | closure[target]
    ends = 0
    for state in accepting:
        ends |= 1 << state
    allowed = max(1, min(limit or most_states(), MOST_TRANSITIONS // len(symbols)))
    return determinized(Nondeterministic(list(rows), closure[0], ends), symbols, allowed)


# ------------------------------------------------------------------------------------------------- writing


def to_att(automaton: Automaton) -> str:
    r"""Write an automaton in the text notation of AT&T and OpenFst.

    Labels are the symbols, or numbers of `to_symbol_table` if one of the symbols is a number itself; the table is then
    needed to read it.

    Args:
        automaton: Any automaton whose symbols have no white space.

    Returns:
        Text that `automaton_from_att`, with the symbol table, reads as the same language.

    Raises:
        AutomatonError: If a symbol cannot be written.

    Example:
        >>> to_att(automaton_from_att("7 7 a\n7"))
        '0\t0\ta\n0\n'

    """
    numbers = _numbers(automaton.symbols)
    plain = not any(symbol.isdecimal() for symbol in automaton.symbols)
    labels = automaton.symbols if plain else tuple(map(str, numbers))
    states = [automaton.start, *(state for state in range(len(automaton)) if state != automaton.start)]
    arcs = (
        f"{state}\t{target}\t{label}\n"
        for state in states
        for label, target in zip(labels, automaton.table[state], strict=True)
    )
    return "".join(arcs) + "".join(f"{state}\n" for state in sorted(automaton.accepting))


def to_symbol_table(automaton: Automaton) -> str:
    r"""Write the symbol table that belongs to `to_att`: the text of a file `x.syms`.

    Args:
        automaton: The automaton that `to_att` writes.

    Returns:
        A line for epsilon with the number 0, and one for each symbol with its number.

    Raises:
        AutomatonError: If a symbol cannot be written.

    Example:
        >>> to_symbol_table(automaton_from_att("0 0 b\n0 0 a"))
        '<eps>\t0\na\t1\nb\t2\n'

    """
    pairs = zip(automaton.symbols, _numbers(automaton.symbols), strict=True)
    return "<eps>\t0\n" + "".join(f"{symbol}\t{number}\n" for symbol, number in pairs)


def _numbers(symbols: Sequence[str]) -> list[int]:
    """A number from 1 on for each symbol, none of which is a symbol itself."""
    for symbol in symbols:
        if not symbol or re.search(r"\s", symbol) or symbol in EPSILONS or _SPECIAL.fullmatch(symbol):
            raise AutomatonError(f"the symbol {symbol!r} cannot be written in this notation; write JSON or a table")
    taken = set(symbols)
    free = (number for number in count(1) if str(number) not in taken)
    return [next(free) for _ in symbols]
