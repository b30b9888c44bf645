"""Constructions by name, for command lines and sweeps: `simple-task` with its ω, `mod-p-task` with its period."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.limit.constructions.construction import Construction
from lengthwise.limit.constructions.counting import mod_p_task, simple_task
from lengthwise.limit.constructions.in_context import induction_head, k_gram


@dataclass(frozen=True)
class NamedConstruction:
    """A family of constructions and its parameters with their defaults."""

    make: Callable[..., Construction]
    arguments: Mapping[str, str]
    """The parameter's name on a command line, and in Python."""
    defaults: Mapping[str, Any]
    """By the name on a command line."""
    layers: int


NAMED: dict[str, NamedConstruction] = {
    "simple-task": NamedConstruction(simple_task, {"omega": "omega", "units": "units"}, {"omega": 2.0, "units": 64}, 1),
    "mod-p-task": NamedConstruction(mod_p_task, {"period": "p", "residue": "k"}, {"period": 3, "residue": 0}, 1),
    "k-gram": NamedConstruction(
        k_gram,
        {"context": "context", "symbols": "symbols", "beta": "beta", "phi": "phi"},
        {"context": 1, "symbols": "ab", "beta": 5.0, "phi": 2.0},
        2,
    ),
    "induction-head": NamedConstruction(induction_head, {"symbols": "symbols"}, {"symbols": "ab"}, 2),
}


def named_construction(name: str, parameters: Mapping[str, Any]) -> Construction:
    """The construction of this name; parameters that are None have their defaults, others must belong to it.

    Args:
        name: `simple-task`, `mod-p-task` or `k-gram`.
        parameters: Its parameters by name; None stands for the default.

    Returns:
        The model with its target and its error bound.

    Raises:
        LengthwiseError: There is no such construction, or it has no such parameter.

    Example:
        >>> named_construction("mod-p-task", {"period": 5}).model.period
        5

    """
    if name not in NAMED:
        raise UnknownNameError(f"there is no construction {name!r}; there is {', '.join(NAMED)}")
    family = NAMED[name]
    given = {key: value for key, value in parameters.items() if value is not None}
    for key in given:
        if key not in family.arguments:
            raise LengthwiseError(f"{name} has no parameter {key!r}; it has {', '.join(family.arguments)}")
    values = {**family.defaults, **given}
    return family.make(**{family.arguments[key]: value for key, value in values.items()})
