"""Regexes as trees: what `parse_regex` reads and `regex_automaton` turns into an automaton."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class EmptyWord:
    """The word without symbols."""


@dataclass(frozen=True)
class OneOf:
    """One symbol, any of these; no word at all if there is none."""

    symbols: tuple[str, ...]


@dataclass(frozen=True)
class Concatenation:
    """One part after the other; none of them is `EmptyWord`."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Choice:
    """Any one of the parts, at most one of which is `EmptyWord`."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Repetition:
    """The part, which is not `EmptyWord`, at least `least` times, and at most `most` times if that is a number."""

    part: Tree
    least: int
    most: int | None


@dataclass(frozen=True)
class Complement:
    """Every word over the alphabet that the part does not describe."""

    part: Tree


@dataclass(frozen=True)
class Intersection:
    """What all parts describe; there are at least two."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Difference:
    """What the first part describes and none of the others does; there are at least two."""

    parts: tuple[Tree, ...]


Operation: TypeAlias = Complement | Intersection | Difference
Tree: TypeAlias = EmptyWord | OneOf | Concatenation | Choice | Repetition | Operation
EMPTY = EmptyWord()
