"""Functions φ(i, j) of a query i and a key j ≤ i that depend on their distance alone (Huang et al., appendix G.2).

They are written as in the paper, with numbers in place of its constants:

| text | kind |
|---|---|
| `j = i - 5`, `j > i - 5` | local: 0 beyond a distance |
| `i - j = 2 mod 5` | periodic |
| `j < i - 5`, `i - j is prime` | neither |
| `j = i - 1 plus i - j = 0 mod 3` | a sum of others; neither, unless all of them are local or all are periodic |

φ counts how many of its conditions hold, in units of a height that is set elsewhere. `register_form` adds a condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Kind = Literal["local", "periodic", "neither"]
Condition = Callable[[Ints], Bits]
"""Where it holds, among distances i - j ≥ 0."""

PLUS = " plus "
"""What stands between the parts of a sum."""


class PositionalError(LengthwiseError):
    """A positional function, or an experiment with one, that cannot be made as asked."""


@dataclass(frozen=True)
class Form:
    """A way to write conditions, with numbers in the places of the braces."""

    template: str
    kind: Kind
    make: Callable[..., Condition]

    @property
    def pattern(self) -> str:
        """The expression that texts of this form match, blanks aside."""
        parts = re.split(r"\{\w+\}", self.template.replace(" ", ""))
        return r"(\d+)".join(re.escape(part) for part in parts)


@dataclass(frozen=True, eq=False)
class PositionalFunction:
    """A sum of conditions."""

    text: str
    kind: Kind
    conditions: tuple[Condition, ...]

    def of(self, distances: npt.ArrayLike) -> Floats:
        """How many conditions hold at these distances."""
        asked = np.asarray(distances, dtype=np.int64)
        return np.asarray(np.sum([holds(asked) for holds in self.conditions], axis=0), dtype=np.float64)

    def table(self, positions: int) -> Floats:
        """The same for every query (a row) and key (a column); 0 for keys behind the query."""
        distances = np.subtract.outer(np.arange(positions), np.arange(positions))
        return np.where(distances >= 0, self.of(np.maximum(distances, 0)), 0.0)


_FORMS: dict[str, Form] = {}


def register_form(template: str, kind: Kind) -> Callable[[Callable[..., Condition]], Callable[..., Condition]]:
    """Make a condition known: before a function from the numbers in the braces to where the condition holds.

    Worker processes know only what they import, so cells with it are fitted with the engine `serial`.
    """

    def register(make: Callable[..., Condition]) -> Callable[..., Condition]:
        form = Form(template, kind, make)
        if PLUS in template:
            raise PositionalError(f"{template!r} would be read as a sum; leave {PLUS.strip()!r} out")
        for other in _FORMS.values():
            if other.pattern == form.pattern:
                raise PositionalError(f"two conditions are written {template!r} and {other.template!r}")
        _FORMS[template] = form
        return make

    return register


def forms() -> list[str]:
    """How conditions are written."""
    return list(_FORMS)


def function_of(text: str) -> PositionalFunction:
    """The function that a text says."""
    found = [_condition(part, text) for part in text.split(PLUS)]
    kinds = {kind for kind, _ in found}
    return PositionalFunction(
        text, kinds.pop() if len(kinds) == 1 else "neither", tuple(condition for _, condition in found)
    )


def _condition(part: str, text: str) -> tuple[Kind, Condition]:
    for form in _FORMS.values():
        if match := re.fullmatch(form.pattern, part.replace(" ", "")):
            return form.kind, form.make(*map(int, match.groups()))
    raise PositionalError(f"{text!r} is no function of positions; write {', '.join(_FORMS)}, or a sum with 'plus'")


@register_form("j = i - {c}", "local")
def _at(c: int) -> Condition:
    return lambda distances: distances == c


@register_form("j > i - {c}", "local")
def _within(c: int) -> Condition:
    if not c:
        raise PositionalError("no key j ≤ i has j > i - 0; the number is 1 or more")
    return lambda distances: distances < c


@register_form("j < i - {c}", "neither")
def _beyond(c: int) -> Condition:
    return lambda distances: distances > c


@register_form("i - j = {residue} mod {period}", "periodic")
def _residue(residue: int, period: int) -> Condition:
    if residue >= period:
        raise PositionalError(f"nothing is {residue} mod {period}; the residue is smaller than the period")
    return lambda distances: distances % period == residue


@register_form("i - j is prime", "neither")
def _prime() -> Condition:
    def holds(distances: Ints) -> Bits:
        sieve = np.arange(int(distances.max(initial=0)) + 1) >= 2
        for number in range(2, int(len(sieve) ** 0.5) + 1):
            sieve[number * number :: number] = False
        return np.asarray(sieve[distances])

    return holds
