"""Bounds along one quantity: the printed length, the repaired one and the certified one side by side.

ε, ω and the period change the model, and all three lengths are computed. The number of symbols and the window enter the
theorem alone: there the repaired and the printed formula are followed, and the certified length, which is about one
model, is not defined. The certified length is that for all models as steep as the construction. All lengths promise an
error of at most ε_train + 2ε on every word, so the theorem is evaluated at 2ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from lengthwise.bounds.certified.length import certified
from lengthwise.bounds.theorems.worst_case import worst_case, worst_case_formula
from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions import NAMED, named_construction
from lengthwise.resources import TimeLimitError, check_time

Quantity = Literal["epsilon", "omega", "period", "symbols", "window"]
GRIDS: dict[Quantity, tuple[float, ...]] = {
    "epsilon": (0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01),
    "omega": (2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5),
    "period": (3, 4, 5, 6, 7, 8),
    "symbols": (2, 4, 8, 16, 32, 64),
    "window": (1, 2, 4, 8, 16, 32),
}


@dataclass(frozen=True)
class Point:
    """One value of the quantity and the lengths there, as decimal logarithms."""

    value: float
    printed: float
    repaired: float
    certified: float | None
    exact: bool | None
    """Whether the certified length is exact."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "value": self.value,
            "printed_log10": self.printed,
            "repaired_log10": self.repaired,
            "certified_log10": self.certified,
            "exact": self.exact,
        }


def sweep(
    name: str,
    over: str,
    values: Sequence[float] | None = None,
    epsilon: float = 0.1,
    parameters: Mapping[str, Any] | None = None,
    seconds: float = 10.0,
) -> Iterator[Point]:
    """The lengths for a named construction along a quantity; `seconds` limits each certified length.

    Values that the deadline in force leaves no time for are left out.
    """
    if over not in get_args(Quantity):
        raise LengthwiseError(f"bounds are followed over {', '.join(get_args(Quantity))}, not {over!r}")
    quantity: Quantity = over  # type: ignore[assignment]
    if name not in NAMED or NAMED[name].layers != 1:
        raise LengthwiseError(f"a sweep is about a one-layer construction, simple-task or mod-p-task, not {name!r}")
    for number, value in enumerate(values if values is not None else GRIDS[quantity]):
        try:
            point = _point(name, quantity, value, epsilon, dict(parameters or {}), seconds)
            check_time()
        except TimeLimitError:
            if not number:
                raise
            return
        yield point


def _point(
    name: str, over: Quantity, value: float, epsilon: float, parameters: dict[str, Any], seconds: float
) -> Point:
    if over == "epsilon":
        epsilon = value
    elif over == "omega":
        parameters["omega"] = value
    elif over == "period":
        parameters["period"] = int(value)
    model = named_construction(name, parameters).model
    bound = worst_case(model, model, 2 * epsilon)
    if over in ("symbols", "window"):
        terms = {**bound.terms, over: value}
        bound = worst_case_formula(
            2 * epsilon, terms["sensitivity"], int(terms["symbols"]), int(terms["period"]), int(terms["window"])
        )
        return Point(value, _printed(bound.printed), bound.log10, None, None)
    found = certified(model, epsilon, sensitivity="own", seconds=seconds)
    return Point(value, _printed(bound.printed), bound.log10, math.log10(found.length), found.exact)


def _printed(forms: Sequence[Any]) -> float:
    """The paper's form with τ + 1 for τ: with the printed τ it vanishes for models without a window (ERR-0a)."""
    return float(forms[2].log10)
