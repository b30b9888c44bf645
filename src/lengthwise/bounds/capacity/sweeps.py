"""Capacity along one quantity: what the context length, the samples, the width and the depth do to it.

Norms are kept as they are. That T enters through a logarithm alone is what the theory is about; d enters squared, and
every layer multiplies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.function_class import Capacity
from lengthwise.bounds.capacity.requirements import CapacityError

GRIDS: Mapping[str, tuple[int, ...]] = {
    "length": tuple(2**power for power in range(4, 21, 2)),
    "samples": tuple(10**power for power in range(2, 10)),
    "width": tuple(2**power for power in range(2, 11)),
    "heads": (1, 2, 4, 8, 16, 32),
    "layers": (1, 2, 3, 4, 6, 8, 12),
}
"""The values along which each quantity is followed."""

Make = Callable[[Mapping[str, int]], Capacity]
"""From sizes by name (such as width and layers) to the class of that size."""


@dataclass(frozen=True)
class Curve:
    """log N along one quantity, as decimal logarithms."""

    over: str
    values: tuple[int, ...]
    repaired: tuple[float, ...]
    printed: Mapping[str, tuple[float | None, ...]]
    """By the theorem that was printed, with constant 1; None where it is not about the class."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "over": self.over,
            "values": list(self.values),
            "repaired_log10": list(self.repaired),
            "printed_log10": {name: list(logs) for name, logs in self.printed.items()},
        }


def curves(
    make: Make,
    sizes: Mapping[str, int],
    epsilon: float,
    over: Sequence[str] | None = None,
    grids: Mapping[str, Sequence[int]] | None = None,
) -> list[Curve]:
    """The bound on log N(ε) of `make(sizes)` while one of the sizes, `samples` and `length` among them, changes.

    All sizes are followed unless `over` names some; `grids` replaces the values of `GRIDS`.
    """
    known = [name for name in GRIDS if name in sizes]
    for name in over or ():
        if name not in known:
            raise CapacityError(f"this class is followed over {', '.join(known)}, not {name!r}")
    return [_curve(make, name, sizes, epsilon, tuple({**GRIDS, **(grids or {})}[name])) for name in over or known]


def _curve(make: Make, over: str, sizes: Mapping[str, int], epsilon: float, grid: tuple[int, ...]) -> Curve:
    bounds = []
    for value in grid:
        now = {**sizes, over: value}
        bounds.append(make(now).covering(epsilon, now["samples"], now.get("length", 1)))
    names = dict.fromkeys(_name(form) for bound in bounds for form in bound.printed)
    printed = {
        name: tuple(next((form.log10 for form in bound.printed if _name(form) == name), None) for bound in bounds)
        for name in names
    }
    return Curve(over, grid, tuple(bound.log10 for bound in bounds), printed)


def _name(form: Bound) -> str:
    """The theorem without its formula."""
    return form.theorem.partition(":")[0]
