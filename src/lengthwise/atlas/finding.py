"""The simplest program for a function that is given in another way: found in an atlas, and compared at every length.

What agrees with a program, an automaton or a language on all words of an atlas may still differ on another word. So it
is compared with `verify`; the word on which it differs joins the probes, and the atlas is built again. An answer that
is proved equal is a simplest program of all that the grammar can write: any other one has the same answers, and so
the complexity at which these were met first is at most its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lengthwise.atlas.atlas import Atlas, Member, Progress
from lengthwise.atlas.words import Words
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Automaton, Comparison, verify
from lengthwise.resources import Deadline, memory_limit

Acceptor: TypeAlias = Program | Automaton
ROUNDS = 20
"""How often an atlas is built again with another word."""
MOST_FUNCTIONS = 500_000
"""No further level is begun in an atlas of so many functions, unless a complexity is given."""
HIGHEST = 60
MOST_PERIOD = 16
MOST_MEMORY = 2 << 30
FRAGMENTS: tuple[tuple[str, ...], ...] = ((), ("periodic",), ("local",), ("periodic", "local"))


@dataclass(frozen=True)
class Settings:
    """Which atlas to look into.

    Attributes:
        fragment: Names of positional relations; None tries one fragment after the other.
        complexity: The largest complexity; None ends at a number of functions.
        encoding: How complexity is counted.
        directory: Where atlases are kept, if they are.
        progress: Called with the complexity at work and the number of functions so far.
        options: Further fields of `Grammar`.

    """

    fragment: str | Iterable[str] | None = None
    complexity: int | None = None
    encoding: str = "symbols"
    directory: Path | None = None
    progress: Progress | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def fragments(self, subject: object = None) -> Sequence[str | Iterable[str]]:
        """The fragments to look into, in order; that of a program first."""
        if self.fragment is not None:
            return (self.fragment,)
        own = tuple(sorted(subject.fragment)) if isinstance(subject, Program) else ()
        return tuple(each for each in FRAGMENTS if set(own) <= set(each))

    def enough(self, atlas: Atlas) -> bool:
        """Whether no further level is begun."""
        return self.complexity is None and len(atlas) >= MOST_FUNCTIONS


@dataclass(frozen=True)
class Found:
    """What an atlas knows of a function."""

    atlas: Atlas
    member: Member | None
    """The simplest function with its answers; None if there is none up to the complexity of the atlas."""
    comparison: Comparison | None
    """What is known of their equality."""

    @property
    def proved(self) -> bool:
        """Whether the member is proved equal at every length."""
        return self.comparison is not None and self.comparison.equal is True


def find(subject: Acceptor, symbols: Sequence[str], settings: Settings, seconds: float | None = None) -> Found:
    """The simplest program with the answers of a subject, in the first fragment that has one.

    Args:
        subject: A program or an automaton.
        symbols: The alphabet of the words.
        settings: Which atlas.
        seconds: How long to look.

    Returns:
        The atlas and what was found in it; the atlas of the first fragment if there is no such program in any.

    Example:
        >>> from lengthwise import crasp
        >>> found = find(crasp.load("majority"), ("0", "1"), Settings())
        >>> str(found.member), found.member.complexity, found.proved
        ('# "1" >= # "0"', 5, True)

    """
    deadline = Deadline(seconds)
    first: Found | None = None
    for fragment in settings.fragments(subject):
        found = _in_fragment(subject, fragment, Words.of(tuple(symbols)), settings, deadline)
        if found.member is not None:
            return found
        # An atlas may take a gigabyte, so only the first is kept.
        first = first or found
        if deadline.passed():
            break
    if first is None:
        raise LengthwiseError("there is no fragment to look into; name one, such as none")
    return first


def _in_fragment(
    subject: Acceptor, fragment: str | Iterable[str], words: Words, settings: Settings, deadline: Deadline
) -> Found:
    for _ in range(ROUNDS):
        found = _once(subject, fragment, words, settings, deadline)
        if found.comparison is None or found.comparison.difference is None:
            break
        words = words.with_probes([found.comparison.difference])
    return found


def _once(
    subject: Acceptor, fragment: str | Iterable[str], words: Words, settings: Settings, deadline: Deadline
) -> Found:
    row = words.vector(subject)
    options = dict(settings.options)
    if isinstance(subject, Program) and subject.period > 3:
        options.setdefault("max_period", min(subject.period, MOST_PERIOD))
    atlas = Atlas.build(
        fragment,
        words.symbols,
        settings.complexity or HIGHEST,
        encoding=settings.encoding,
        words=words,
        directory=settings.directory,
        progress=settings.progress,
        until=lambda atlas: settings.enough(atlas) or atlas.find(row) is not None,
        seconds=deadline.left(),
        memory=min(MOST_MEMORY, memory_limit()),
        **options,
    )
    member = atlas.find(row)
    if member is None:
        return Found(atlas, None, None)
    left = deadline.share(0.5).left()
    return Found(atlas, member, verify(member.program, subject, words.symbols, 10.0 if left is None else left))
