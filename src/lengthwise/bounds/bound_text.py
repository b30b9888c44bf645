"""Bounds and certified lengths as text, as the command line prints them: the value, its terms, what it assumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lengthwise.bounds.bound import Bound
    from lengthwise.bounds.certified.certificate import Certified, Example

SHOWN = 60
"""Symbols of a word that are shown."""
LONG = 18
"""Characters that names of terms are given at least, so that bounds below each other have their numbers there too."""


def bound_lines(found: Bound, remark: str = "", said: Sequence[str] = (), names: int = LONG) -> Iterator[str]:
    """The lines of a bound, with a remark behind its value; assumptions that were said before are left out."""
    if found.meaning:
        yield found.meaning
    yield f"{found.theorem}: {found.shown}{remark}"
    width = max([names, *map(len, found.terms)])
    for name, value in found.terms.items():
        yield f"  {name.replace('_', ' '):{width}} {value:.6g}"
    for printed in found.printed:
        yield f"printed, {printed.theorem}: {printed.shown}" + ("" if printed.explicit else " (up to its constant)")
    for assumption in found.assumptions:
        if assumption not in said:
            yield f"assumes: {assumption}"
    if found.sampled is not None:
        yield ""
        for gap in found.sampled.values():
            yield (
                f"sampled gap at length {gap['length']:,}: {gap['mean']:.4g} ({gap['low']:.4g} to {gap['high']:.4g})"
            )


def certified_lines(found: Certified) -> Iterator[str]:
    """The lines of a certified length: the word that needs it, what stands in for that, and what is promised."""
    if found.meaning:
        yield found.meaning
    yield f"certified length: {found.shown}" + (" (exact)" if found.exact else " (not exact)")
    worst, stand_in = found.worst_input, found.stand_in
    yield f"  needed for     {_shown(worst)}"
    for shares in worst.shares:
        yield "                 attended: " + ", ".join(f"{name} {share:.4f}" for name, share in shares.items())
    if stand_in is not None:
        yield f"  its stand-in   {_shown(stand_in)}"
    if found.distance is not None:
        yield f"  apart by       {found.distance:.6g} (allowed {found.epsilon:g})"
    for assumption in found.bound.assumptions:
        yield f"guarantee: {assumption}"


def _shown(example: Example) -> str:
    """A word as far as it can be read, with its length."""
    if example.word is None:
        return f"a word of {example.length:,} symbols"
    if len(example.word) <= SHOWN:
        return example.word
    return f"{example.word[:SHOWN]}… ({example.length:,} symbols)"
