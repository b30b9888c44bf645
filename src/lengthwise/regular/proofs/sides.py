"""What a proof is about, as data: programs and automata, which are its sides, and fragments of C-RASP.

Here is also what is raised when a proof does not show what it claims, or cannot be read.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from lengthwise.crasp import Program, parse
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton


class ProofError(LengthwiseError):
    """A proof does not hold; the message says which of its steps."""


class ProofFileError(LengthwiseError):
    """A file is not a proof."""


Side: TypeAlias = Program | Automaton
FRAGMENTS: dict[str, frozenset[str]] = {
    "∅": frozenset(),
    "local": frozenset({"local"}),
    "periodic": frozenset({"periodic"}),
    "periodic, local": frozenset({"periodic", "local"}),
}
"""The relations that programs of each fragment may use."""


def side_as_json(side: Side) -> dict[str, Any]:
    """A side as plain data: a program's text, or an automaton's table."""
    if isinstance(side, Program):
        return {"program": str(side)}
    table = {"symbols": list(side.symbols), "table": [list(row) for row in side.table], "start": side.start}
    return {"automaton": {**table, "accepting": sorted(side.accepting)}}


def side_from_json(data: Any) -> Side:
    """The side that plain data stand for."""
    try:
        if "program" in data:
            if not isinstance(data["program"], str):
                raise TypeError("a program is text")
            return parse(data["program"])
        found = data["automaton"]
        return Automaton(
            tuple(map(str, found["symbols"])),
            tuple(tuple(map(int, row)) for row in found["table"]),
            int(found["start"]),
            frozenset(map(int, found["accepting"])),
        )
    except LengthwiseError as problem:
        raise ProofFileError(f"a side of the proof cannot be read: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        message = "a side of the proof is neither the text of a program nor the table of an automaton"
        raise ProofFileError(message) from None


def over(automaton: Automaton, symbols: tuple[str, ...]) -> Automaton:
    """An automaton with its transitions in the order of these symbols, all of which it has."""
    try:
        return automaton.over(symbols)
    except ValueError:
        raise ProofFileError("the proof compares words with symbols that a side does not read") from None
