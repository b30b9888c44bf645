"""Deterministic automata as files: JSON for programs, a table for people.

    {"alphabet": ["a", "b"], "states": ["p", "q"], "start": "p", "accepting": ["q"],
     "transitions": {"p": {"a": "q", "b": "p"}, "q": {"a": "p", "b": "q"}}}

          a  b
    > p   q  p     # > marks the start
    * q   p  q     # * marks an accepting state, >* one that is both

A transition that JSON leaves out, or for which the table has `-`, leads to a rejecting sink. In a table, a symbol or
name with spaces, quotes or a # stands in double quotes. States keep their order; their names are not kept.
Text automata of AT&T and OpenFst are read by `att_files`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton, most_states
from lengthwise.text_table import aligned

LARGEST_FILE = 10_000_000
"""The most bytes an automaton file may have."""
MOST_TRANSITIONS = 2_000_000
"""The most pairs of a state and a symbol it may have."""

_KEYS = ("alphabet", "states", "start", "accepting", "transitions")
_TOKEN = re.compile(
    r'\s*(?:(?P<comment>#.*)|(?P<quoted>"(?:[^"\\]|\\.)*")(?!\S)|(?P<plain>[^\s"#][^\s"]*)|(?P<bad>\S))'
)
_MARKS = re.compile(r"[>*]+")


class AutomatonError(LengthwiseError):
    """A file, text or object that does not describe a deterministic automaton."""


def _fail(message: str) -> NoReturn:
    raise AutomatonError(message)


def read_automaton(path: str | os.PathLike[str]) -> Automaton:
    r"""Read the automaton of a file.

    Args:
        path: A file in the notation of AT&T and OpenFst if its name ends in `.att`, with the symbol table `x.syms`
            beside `x.att` if there is one; JSON if its name ends in `.json` or its text begins with a brace; else a
            table.

    Returns:
        A complete deterministic automaton, not necessarily minimal.

    Raises:
        AutomatonError: If the file cannot be read, describes no automaton, or describes one that is too large.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("a-star.att").write_text("0 0 a\n0\n")
        >>> read_automaton("a-star.att").accepts("aaa")
        True

    """
    name = os.fspath(path)
    text = _text(name)
    if name.lower().endswith(".att"):
        from lengthwise.regular.languages.att_files import automaton_from_att  # here, since it needs this file's errors

        table = os.path.splitext(name)[0] + ".syms"
        return automaton_from_att(text, _text(table) if os.path.lexists(table) else None, name=name)
    try:
        if name.endswith(".json") or text.lstrip().startswith("{"):
            return automaton_from_json(_loaded(text))
        return automaton_from_table(text)
    except AutomatonError as error:
        raise AutomatonError(f"{name}: {error}") from None


def _text(path: str) -> str:
    if os.path.isdir(path):
        _fail(f"{path} is a directory; give the path of an automaton file in it")
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        _fail(f"the file {path} cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(content) > LARGEST_FILE:
        _fail(f"the file {path} has more than {LARGEST_FILE} bytes, the most that is read; is it an automaton?")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _fail(f"the file {path} is not UTF-8 text (byte {error.start + 1} is not); give a JSON file or a table")
    if "\0" in text:
        _fail(f"the file {path} is not a text file; give a JSON file or a table")
    return text


# ---------------------------------------------------------------------------------------------------- JSON


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        _fail(f"line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}")
    except (ValueError, RecursionError):
        _fail("this is not the JSON of an automaton: it has a number too long or lists too deep")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            _fail(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def automaton_from_json(data: object) -> Automaton:
    """The automaton that plain data with the keys alphabet, states, start, accepting and transitions describes."""
    if not isinstance(data, Mapping):
        _fail(f"an automaton is an object with the keys {', '.join(_KEYS)}")
    for key in data:
        if key not in _KEYS:
            _fail(f"the key {key!r} is unknown; there are {', '.join(_KEYS)}")
    for key in _KEYS:
        if key not in data:
            _fail(f"the key {key!r} is missing")
    symbols = _names(data["alphabet"], "alphabet", "symbol")
    states = _names(data["states"], "states", "state")
    accepting = _names(data["accepting"], "accepting", "state", least=0)
    if not isinstance(data["transitions"], Mapping):
        _fail("'transitions' gives each state an object from symbols to states")
    known = dict.fromkeys(states)
    for state, place in [(data["start"], "'start'"), *((state, "'accepting'") for state in accepting)]:
        if not isinstance(state, str) or state not in known:
            _fail(f"{place} names {state!r}, which is not one of the states")
    moves = dict(_moves(data["transitions"], known, dict.fromkeys(symbols)))
    return _complete(symbols, states, data["start"], accepting, moves)


def _names(values: object, key: str, kind: str, least: int = 1) -> list[str]:
    if not isinstance(values, list | tuple) or len(values) < least:
        _fail(f"{key!r} is a list of {kind}s{', at least one' if least else ''}")
    seen: set[str] = set()
    for value in values:
        if not isinstance(value, str) or not value:
            _fail(f'{key!r} lists {value!r}; a {kind} is text with at least one character, such as "a"')
        if value in seen:
            _fail(f"{key!r} lists the {kind} {value!r} twice")
        seen.add(value)
    return list(values)


def _moves(
    transitions: Mapping[Any, Any], states: Mapping[str, None], symbols: Mapping[str, None]
) -> Iterator[tuple[tuple[str, str], str]]:
    for state, row in transitions.items():
        if state not in states:
            _fail(f"'transitions' has a row for {state!r}, which is not one of the states")
        if not isinstance(row, Mapping):
            _fail(f"the transitions of the state {state!r} are no object from symbols to states")
        for symbol, target in row.items():
            if symbol not in symbols:
                _fail(f"the state {state!r} has a transition for {symbol!r}, which is not in the alphabet")
            if not isinstance(target, str) or target not in states:
                _fail(f"the state {state!r} goes to {target!r} on {symbol!r}, which is not one of the states")
            yield (state, symbol), target


def _complete(
    symbols: list[str], states: list[str], start: str, accepting: Iterable[str], moves: Mapping[tuple[str, str], str]
) -> Automaton:
    if len(states) > most_states() or len(states) * len(symbols) > MOST_TRANSITIONS:
        _fail(f"the automaton has {len(states)} states and {len(symbols)} symbols; at most {most_states()} states and "
              f"{MOST_TRANSITIONS} transitions are read")  # fmt: skip
    number = {state: place for place, state in enumerate(states)}
    rows = [{x: number[moves[s, x]] for x in symbols if (s, x) in moves} for s in states]
    return Automaton.completed(symbols, rows, number[start], (number[state] for state in accepting))


def to_json(automaton: Automaton) -> dict[str, Any]:
    """Plain data that reads back as an equal automaton."""
    names = [f"q{number}" for number in range(len(automaton))]
    return {
        "alphabet": list(automaton.symbols),
        "states": names,
        "start": names[automaton.start],
        "accepting": [names[state] for state in sorted(automaton.accepting)],
        "transitions": {
            name: {symbol: names[target] for symbol, target in zip(automaton.symbols, row, strict=True)}
            for name, row in zip(names, automaton.table, strict=True)
        },
    }


# ------------------------------------------------------------------------------------------------- a table


def automaton_from_table(text: str) -> Automaton:
    """The automaton that a table describes: symbols in the first line, then a line for each state."""
    lines = [(number, found) for number, line in enumerate(text.split("\n"), 1) if (found := _tokens(line, number))]
    if not lines:
        _fail("the table is empty; write the symbols in its first line and a line for each state")
    symbols = list(dict.fromkeys(token for token, _ in lines[0][1]))
    if len(symbols) < len(lines[0][1]):
        _fail(f"line {lines[0][0]}: a symbol stands twice; the first line lists each symbol once")
    rows: dict[str, tuple[int, list[tuple[str, bool]]]] = {}
    starts: list[str] = []
    accepting: list[str] = []
    for number, tokens in lines[1:]:
        state, marks, targets = _row(tokens, number)
        if state == "-":
            _fail(f"line {number}: '-' stands for no transition; give the state another name")
        if state in rows:
            _fail(f"line {number}: the state {state!r} has a line already, line {rows[state][0]}")
        if len(targets) != len(symbols):
            _fail(f"line {number}: the state {state!r} needs {len(symbols)} targets, one for each symbol; "
                  f"it has {len(targets)}")  # fmt: skip
        if ">" in marks and starts:
            _fail(f"line {number}: {state!r} is marked as the start, but so is {starts[0]!r}; mark one state")
        rows[state] = number, targets
        starts += [state] if ">" in marks else []
        accepting += [state] if "*" in marks else []
    if not starts:
        _fail("no state is marked as the start; write > before its name")
    moves: dict[tuple[str, str], str] = {}
    for state, (number, targets) in rows.items():
        for symbol, (target, _) in zip(symbols, targets, strict=True):
            if target == "-":
                continue
            if target not in rows:
                _fail(f"line {number}: {state!r} goes to {target!r} on {symbol!r}, which has no line of its own; "
                      "write - for no transition")  # fmt: skip
            moves[state, symbol] = target
    return _complete(symbols, list(rows), starts[0], accepting, moves)


def _tokens(line: str, number: int) -> list[tuple[str, bool]]:
    """The tokens of a line, each with whether it was quoted."""
    found: list[tuple[str, bool]] = []
    for match in _TOKEN.finditer(line.strip()):
        kind = match.lastgroup
        text = match[kind or 0]
        if kind == "plain":
            found.append((text, False))
        elif kind == "quoted":
            try:
                found.append((json.loads(text), True))
            except ValueError:
                _fail(f"line {number}: {text} is not a quoted name; write it as in JSON")
            if not found[-1][0]:
                _fail(f"line {number}: a name has at least one character")
        elif kind == "bad":
            _fail(f"line {number}: a quoted name is not closed or touches another; write it as in JSON")
    return found


def _row(tokens: list[tuple[str, bool]], number: int) -> tuple[str, str, list[tuple[str, bool]]]:
    """The state of a line, its marks and its targets; marks stand alone or touch the name."""
    marks = ""
    while tokens:
        (name, quoted), *tokens = tokens
        found = None if quoted else _MARKS.match(name)
        if found is None:
            return name, marks, tokens
        marks += found[0]
        if found[0] != name:
            return name[found.end() :], marks, tokens
    _fail(f"line {number}: this line marks a state but names none")


def to_table(automaton: Automaton) -> str:
    """A table that reads back as an equal automaton."""
    rows = [["", "", *map(_written, automaton.symbols)]]
    for number, targets in enumerate(automaton.table):
        marks = (">" if number == automaton.start else "") + ("*" if number in automaton.accepting else "")
        rows.append([marks, f"q{number}", *(f"q{target}" for target in targets)])
    return "".join(line + "\n" for line in aligned(rows))


def _written(symbol: str) -> str:
    plain = _TOKEN.fullmatch(symbol)
    if plain is not None and plain["plain"] == symbol:
        return symbol
    return json.dumps(symbol, ensure_ascii=not symbol.isprintable())
