"""Position schemes, one file each; `register_position` adds more.

>>> from lengthwise.nn import positions
>>> positions.get("periodic").parameters_wanted
{'period': None}
"""

from lengthwise.nn.positions import (
    alibi,
    coupled,
    fire,
    interpolation,
    learned,
    limit,
    none,
    periodic,
    pose,
    predictive,
    randomized,
    relative,
    rope,
)
from lengthwise.nn.positions.inner import WithInner
from lengthwise.nn.positions.registry import build, get, names, register_position, settings
from lengthwise.nn.positions.scheme import PositionError, PositionScheme

__all__ = [
    "PositionError",
    "PositionScheme",
    "WithInner",
    "alibi",
    "build",
    "coupled",
    "fire",
    "get",
    "interpolation",
    "learned",
    "limit",
    "names",
    "none",
    "periodic",
    "pose",
    "predictive",
    "randomized",
    "register_position",
    "relative",
    "rope",
    "settings",
]
