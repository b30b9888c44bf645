"""`Bound`: a number that a theorem promises, with what it is made of and what it assumes.

Lengths are exact integers where they can be written down; the astronomic ones are known by their logarithm. Every bound
of ours stands beside the formula as it was printed, so that a reader sees what a correction changes. As text, which the
command line prints, a bound has its value, its terms and what it assumes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lengthwise.bounds.certified.certificate import Certified, Example

LARGEST_EXACT = 10**18
"""Lengths up to this are shown digit by digit."""


@dataclass(frozen=True)
class Bound:
    """A length or an error, the theorem behind it and its terms by name."""

    theorem: str
    """Such as `Theorem 4.1, repaired`."""
    log10: float
    """The decimal logarithm of the value; -inf for 0."""
    value: int | float | None = None
    """The value itself, an exact integer for a length; None if it is too large to be written down."""
    terms: Mapping[str, float] = field(default_factory=dict)
    """The quantities it is made of, by name, in the order of the formula."""
    explicit: bool = True
    """Whether every constant is known; printed bounds with O(·) are evaluated with constant 1."""
    assumptions: tuple[str, ...] = ()
    """What must hold for the bound to hold."""
    printed: tuple[Bound, ...] = ()
    """The formulas as printed, evaluated on the same input."""
    meaning: str = ""
    """How the model was read, such as `Limit Transformer of the task simple-task`; empty if it was not read."""
    sampled: Mapping[str, Mapping[str, float]] | None = None
    """Gaps that were sampled, for `long` and `short` words: `length`, and `mean` between `low` and `high`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", MappingProxyType(dict(self.terms)))

    def __str__(self) -> str:
        return "\n".join(bound_lines(self))

    @property
    def shown(self) -> str:
        """The value in few characters: its digits, or a power of ten."""
        if isinstance(self.value, int) and self.value <= LARGEST_EXACT:
            return f"{self.value:,}"
        if isinstance(self.value, float) and math.isfinite(self.value) and 1e-4 <= abs(self.value) < 1e7:
            return f"{self.value:.4g}"
        if self.log10 == math.inf:
            return "∞"
        return "0" if self.log10 == -math.inf else f"10^{self.log10:.1f}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; infinite and undefined numbers become None."""
        return {
            **({"meaning": self.meaning} if self.meaning else {}),
            "theorem": self.theorem,
            "value": self.value if not isinstance(self.value, float) or math.isfinite(self.value) else None,
            "log10": self.log10 if math.isfinite(self.log10) else None,
            "terms": {name: value if math.isfinite(value) else None for name, value in self.terms.items()},
            "explicit": self.explicit,
            "assumptions": list(self.assumptions),
            "printed": [bound.as_json() for bound in self.printed],
            **({} if self.sampled is None else {"estimate": {name: dict(gap) for name, gap in self.sampled.items()}}),
        }

    def _repr_html_(self) -> str:
        from lengthwise.bounds.bound_html import bound_fragment

        return bound_fragment(self)


def length_bound(theorem: str, value: int, **rest: Any) -> Bound:
    """A bound that is an exact length."""
    if value <= 0:
        return Bound(theorem, -math.inf, value, **rest)
    digits = len(str(value)) if value.bit_length() < 10_000 else None
    log10 = math.log10(value) if digits is not None else value.bit_length() * math.log10(2)
    return Bound(theorem, log10, value, **rest)


def log_bound(theorem: str, log10: float, **rest: Any) -> Bound:
    """A bound known by its decimal logarithm."""
    value = 10.0**log10 if -300 < log10 < 300 else None
    return Bound(theorem, log10, value, **rest)


SHOWN = 60
"""Symbols of a word that are shown."""
LONG = 18
"""Characters that names of terms are given at least, so that bounds below each other have their numbers there too."""


def bound_lines(found: Bound, remark: str = "", said: Sequence[str] = (), names: int = LONG) -> Iterator[str]:
    """The lines of a bound, with a remark after its value; assumptions that were said before are left out."""
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
