"""Grids of settings: all combinations of the values on several axes.

An axis gives one or more settings their values; those of one axis go together, value by value:

    [[axes]]
    train_length = [16, 32, 64]

    [[axes]]
    parameters.period = [3, 5, 8]
    model.position_parameters.period = [3, 5, 8]

are nine configs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import ConfigError, RunConfig

Axis = Mapping[str, Any]
"""Lists of values by setting; groups of settings may be nested or written with dots."""


def expand(settings: Mapping[str, Any], axes: Iterable[Axis] = ()) -> list[RunConfig]:
    """One config for each combination of values, with the last axis varying fastest; equal ones once.

    Args:
        settings: The settings that all configs share, nested.
        axes: Lists of values by setting; the settings of one axis go together, value by value.

    Returns:
        One config for each combination.

    Raises:
        ConfigError: A combination makes no run.

    Example:
        >>> shared = {"task": "simple-task", "test_lengths": ["2N"]}
        >>> [config.train_length for config in expand(shared, [{"train_length": [4, 8]}])]
        [4, 8]

    """
    configs: dict[str, RunConfig] = {}
    for chosen in itertools.product(*(_points(axis) for axis in axes)):
        point = merged(settings, *chosen)
        try:
            config = RunConfig(**point)
        except LengthwiseError as problem:
            values = [f"{name} = {value}" for part in chosen for name, value in flat(part)]
            raise ConfigError(f"{problem} (at {', '.join(values)})" if values else str(problem)) from None
        configs[config.id] = config
    return list(configs.values())


def merged(*groups: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of several groups together; later ones win, and nested ones are merged in turn."""
    result: dict[str, Any] = {}
    for group in groups:
        for name, value in group.items():
            there = result.get(name)
            result[name] = merged(there, value) if isinstance(there, dict) and isinstance(value, Mapping) else value
            if isinstance(value, Mapping) and not isinstance(there, dict):
                result[name] = merged(value)
    return result


def nested(name: str, value: Any) -> dict[str, Any]:
    """A setting whose name may have dots as nested settings: `model.width` is a setting of the group `model`."""
    first, dot, rest = name.partition(".")
    return {first: nested(rest, value) if dot else value}


def flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested settings, each with its whole name."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _points(axis: Axis) -> list[dict[str, Any]]:
    """The settings at each point of an axis."""
    columns = dict(flat(axis))
    for name, values in columns.items():
        if not isinstance(values, list | tuple) or not values:
            raise ConfigError(f"an axis has a list of values for each setting, but {name!r} has {values!r}")
    sizes = {len(values) for values in columns.values()}
    if len(sizes) != 1:
        listed = ", ".join(f"{name} has {len(values)}" for name, values in columns.items())
        raise ConfigError(f"the settings of one axis have equally many values, but {listed or 'there are none'}")
    rows = zip(*columns.values(), strict=True)
    return [merged(*(nested(name, value) for name, value in zip(columns, row, strict=True))) for row in rows]
