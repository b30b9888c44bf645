"""How complex an expression is: a sum over its tree, one number for each kind of operation.

A complexity is a choice of encoding, and what depends on it (which program is simplest, which lengths identify one) is
reported under its name. None of them is the regularizer of Huang et al. (Definition 5): they order programs by what is
written, not by layers, heads and precision of a transformer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lengthwise.errors import UnknownNameError


def _unary(number: int) -> int:
    return number


@dataclass(frozen=True)
class Complexity:
    """What each operation adds to the complexity of its parts; every number is at least 1.

    Attributes:
        name: What it is called.
        meaning: What it counts, in one line.
        leaf: A symbol, or `true`.
        boolean: A negation, a conjunction or disjunction of two.
        count: `#φ`.
        compare: `>=` between two counts, or a count and a number.
        previous: `φ` one symbol earlier.
        number: A number that is written, such as k in `#φ >= k`.
        period: `i % m == r`, by m.

    Example:
        >>> symbols = COMPLEXITIES["symbols"]
        >>> symbols.threshold(1), symbols.comparison(1, 1, 0)
        (2, 3)

    """

    name: str
    meaning: str
    leaf: int = 1
    boolean: int = 1
    count: int = 1
    compare: int = 1
    previous: int = 1
    number: Callable[[int], int] = _unary
    period: Callable[[int], int] = _unary

    def threshold(self, least: int) -> int:
        """What `#φ >= least` adds to φ; the relation comes with the number."""
        return self.count + self.number(least)

    def comparison(self, left: int, right: int, constant: int) -> int:
        """What `left * #φ >= right * #ψ + constant` adds to φ and ψ; a factor 1 and a constant 0 are not written."""
        written = [number for number in (left, right) if number > 1] + ([constant] if constant else [])
        return 2 * self.count + self.compare + sum(map(self.number, written))


COMPLEXITIES: Mapping[str, Complexity] = MappingProxyType(
    {
        each.name: each
        for each in (
            Complexity("symbols", "the operations that are written; a number k counts k"),
            Complexity(
                "bits",
                "the operations that are written; a number counts its binary digits",
                number=int.bit_length,
                period=lambda modulus: 1 + modulus.bit_length(),
            ),
            Complexity(
                "heads",
                "what a transformer needs an attention head for counts 3, all else 1; a number k counts k",
                count=3,
                previous=3,
            ),
        )
    }
)
"""The complexities that can be chosen by name."""


def complexity_named(name: str) -> Complexity:
    """The complexity of a name."""
    if name not in COMPLEXITIES:
        raise UnknownNameError(f"there is no complexity {name!r}; choose {', '.join(COMPLEXITIES)}")
    return COMPLEXITIES[name]
