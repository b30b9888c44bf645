"""`Capacity`: how large a class of functions is, as far as m samples of T tokens can tell.

The covering number N(ε) of a class on given inputs is how many functions it takes to have one within ε, at every one of
the inputs, of every function in the class (Definition 2.1; the functions of the cover need not be in the class). Its
logarithm is what samples have to pay for: the class generalizes from about as many samples as that.
Edelman et al., sections 2 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity import parts as covers
from lengthwise.bounds.capacity.parts import Part
from lengthwise.bounds.capacity.requirements import positive, whole

PrintedForms = Callable[[float, int, int], tuple[Bound, ...]]
"""From ε, m and T to the bounds as printed."""


@dataclass(frozen=True)
class Cover:
    """What one part of a cover costs.

    Attributes:
        name: The part that is covered.
        log_covering: The logarithm of its covering number.

    """

    name: str
    scale: float
    """How coarsely the part is covered."""
    log_covering: Bound

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        cost = self.log_covering
        return {"name": self.name, "scale": self.scale, "log_covering": cost.value, "log10": cost.log10}


def _nothing_printed(epsilon: float, samples: int, length: int) -> tuple[Bound, ...]:
    return ()


@dataclass(frozen=True, eq=False)
class Capacity:
    """A class of functions by the parts of its cover; `lengthwise.bounds.capacity` has a function for each class.

    Attributes:
        theorem: The theorem that it is from.
        parts: The maps that are covered, with how much each counts.
        assumptions: What must hold for the bound to hold.
        printed: Evaluates the printed formulas.

    """

    theorem: str
    parts: tuple[Part, ...]
    largest: Decimal
    """A: no function of the class is larger in absolute value, or in norm, than this."""
    scalar: bool = False
    """Whether its functions are numbers; else they are vectors, and ε is about their Euclidean distance."""
    terms: Mapping[str, float] = field(default_factory=dict)
    """The norms it is made of, by name."""
    assumptions: tuple[str, ...] = ()
    printed: PrintedForms = _nothing_printed

    @cached_property
    def gamma(self) -> float:
        """γ: the leading term of the covering number's logarithm is 36 γ³ / ε²."""
        return float(covers.gamma(self.parts))

    @cached_property
    def split(self) -> tuple[tuple[Part, Decimal], ...]:
        """The parts that need a cover, each with its scale relative to ε."""
        return tuple(zip(covers.needed(self.parts), covers.shares(self.parts), strict=True))

    def log_covering(self, epsilon: float | Decimal, samples: int, length: int = 1) -> Decimal:
        """The bound on log N(ε), natural logarithm, as a bare number."""
        scale = Decimal(epsilon)
        found = (part.log_covering(share * scale, samples, length) for part, share in self.split)
        return sum(found, Decimal(0))

    def covering(self, epsilon: float, samples: int, length: int = 1) -> Bound:
        """The bound on log N(ε) on m samples of T tokens each, natural logarithm, with every constant."""
        epsilon, samples, length = _checked(epsilon, samples, length)
        leading = covers.leading(self.parts, epsilon)
        terms = {
            "epsilon": epsilon,
            "samples": samples,
            "length": length,
            **self.terms,
            "gamma": self.gamma,
            "leading_term": float(leading),
        }
        return bound_of(
            f"{self.theorem}: log N",
            self.log_covering(epsilon, samples, length),
            terms=terms,
            assumptions=self.assumptions,
            printed=self.printed(epsilon, samples, length),
        )

    def covers(self, epsilon: float, samples: int, length: int = 1) -> tuple[Cover, ...]:
        """The covers of the parts that `covering` adds up, in the order of the computation."""
        epsilon, samples, length = _checked(epsilon, samples, length)
        scale = Decimal(epsilon)
        return tuple(
            Cover(
                part.name, float(share * scale), bound_of(part.name, part.log_covering(share * scale, samples, length))
            )
            for part, share in self.split
        )

    def generalization(
        self,
        samples: int,
        length: int = 1,
        *,
        lipschitz: float = 1.0,
        loss_bound: float = 1.0,
        failure: float = 0.05,
    ) -> Bound:
        """How far risk and training error can be apart (Lemma 2.2): see `generalization`."""
        from lengthwise.bounds.capacity.generalization import generalization

        return generalization(self, samples, length, lipschitz=lipschitz, loss_bound=loss_bound, failure=failure)

    def _repr_html_(self) -> str:
        from lengthwise.bounds.bound_html import capacity_fragment

        return capacity_fragment(self)


def bound_of(theorem: str, value: Decimal, **rest: Any) -> Bound:
    """A bound that is a decimal: its value where a float can hold it, its logarithm always."""
    if value <= 0:
        return Bound(theorem, float("-inf"), 0.0, **rest)
    logarithm = float(value.log10())
    return Bound(theorem, logarithm, float(value) if logarithm < 300 else None, **rest)


def printed_bound(theorem: str, value: Decimal, **terms: float) -> Bound:
    """A bound as printed, with constant 1 in place of the hidden one."""
    assumptions = ("the constant hidden in ≲ is taken to be 1, and the only logarithm is log(mT)",)
    return bound_of(theorem, value, terms=terms, explicit=False, assumptions=assumptions)


def _checked(epsilon: float, samples: int, length: int) -> tuple[float, int, int]:
    return positive("epsilon", epsilon), whole("samples", samples), whole("length", length)
