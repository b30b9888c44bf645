"""A bound as text: what it says, its terms, the printed forms of its theorem, and what it assumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lengthwise.bounds import Bound

LONG = 18
"""Characters that names of terms are given at least, so that bounds below each other have their numbers there too."""


def bound_lines(found: Bound, remark: str = "", said: Sequence[str] = (), names: int = LONG) -> Iterator[str]:
    """The lines of a bound, with a remark behind its value; assumptions that were said before are left out."""
    yield f"{found.theorem}: {found}{remark}"
    width = max([names, *map(len, found.terms)])
    for name, value in found.terms.items():
        yield f"  {name.replace('_', ' '):{width}} {value:.6g}"
    for printed in found.printed:
        yield f"printed, {printed.theorem}: {printed}" + ("" if printed.explicit else " (up to its constant)")
    for assumption in found.assumptions:
        if assumption not in said:
            yield f"assumes: {assumption}"
