"""Position schemes, one file each; `register_position` adds more.

>>> from lengthwise.nn import positions
>>> positions.get("periodic").parameters_wanted
{'period': None}
"""

from lengthwise.nn.positions import learned, limit, none, periodic, relative, rope
from lengthwise.nn.positions.registry import build, get, names, register_position, settings
from lengthwise.nn.positions.scheme import PositionError, PositionScheme

__all__ = [
    "PositionError",
    "PositionScheme",
    "build",
    "get",
    "learned",
    "limit",
    "names",
    "none",
    "periodic",
    "register_position",
    "relative",
    "rope",
    "settings",
]
