"""Over which symbols two acceptors are compared.

A program that declares no alphabet reads any symbol, so it takes those of the other side. If both are such, the words
are over the symbols that either mentions and one that neither does, which stands for all others.
"""

from __future__ import annotations

from typing import TypeAlias

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton

Acceptor: TypeAlias = Program | Automaton

FRESH = ("?", "_", "*", "other symbol")
"""Names for a symbol that neither of two open programs mentions."""


def common_symbols(sides: tuple[Acceptor, ...], symbols: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The symbols to compare over: those given, or else what the sides themselves say."""
    closed = [side.alphabet for side in sides if not side.alphabet.is_open]
    if symbols is not None:
        if not symbols or len(set(symbols)) != len(symbols):
            raise LengthwiseError("an alphabet to compare over lists at least one symbol, each once")
        for alphabet in closed:
            missing = [symbol for symbol in symbols if symbol not in alphabet]
            if missing:
                raise LengthwiseError(
                    f"{missing[0]!r} is not in the alphabet {alphabet} of one side; compare over symbols that both have"
                )
        return symbols
    if closed:
        first = closed[0]
        for other in closed[1:]:
            if set(other) != set(first):
                raise LengthwiseError(
                    f"the two sides read different alphabets, {first} and {other}; give the symbols to compare over "
                    "(--alphabet), all of which both have"
                )
        return first.symbols
    mentioned = sorted({symbol for side in sides for symbol in side.alphabet})
    unheard = next(symbol for symbol in (*FRESH, *_more(mentioned)) if symbol not in mentioned)
    return (*mentioned, unheard)


def _more(mentioned: list[str]) -> tuple[str, ...]:
    return (FRESH[-1] + "".join(sorted(mentioned, key=len)[-1:]),)


def over(side: Acceptor, symbols: tuple[str, ...]) -> Acceptor:
    """A side with its transitions in the order of these symbols, all of which it has; programs are as they are."""
    return side if isinstance(side, Program) else side.over(symbols)
