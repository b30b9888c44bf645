"""Position schemes by name: ours, those registered with `@register_position`, those of installed packages.

An installed package offers a scheme as an entry point of the group `lengthwise.positions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any, TypeVar

from lengthwise.errors import UnknownNameError
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.positions.scheme import Parameter, PositionError, PositionScheme

GROUP = "lengthwise.positions"
PACKAGE = __name__.partition(".")[0]

Kind = TypeVar("Kind", bound=type[PositionScheme])

_SCHEMES: dict[str, type[PositionScheme]] = {}


def register_position(name: str) -> Callable[[Kind], Kind]:
    """A decorator that registers a scheme under a name, which can be taken once.

    To define the same class again, as a notebook does, replaces it.

    Args:
        name: The name.

    Returns:
        A decorator for a class that derives from `PositionScheme`.

    Example:
        >>> register_position("never-used")  # doctest: +SKIP

    """

    def register(scheme: Kind) -> Kind:
        _add(name, scheme)
        return scheme

    return register


def _add(name: str, scheme: object) -> None:
    if not (isinstance(scheme, type) and issubclass(scheme, PositionScheme)):
        raise PositionError(f"the position scheme {name!r} must be a class derived from PositionScheme, not {scheme!r}")
    if name in _SCHEMES and _place(_SCHEMES[name]) != _place(scheme):
        raise PositionError(
            f"two position schemes are called {name!r}: {_place(_SCHEMES[name])} and {_place(scheme)}; "
            "rename one of them"
        )
    _SCHEMES[name] = scheme


def _place(scheme: type) -> str:
    return f"{scheme.__module__}.{scheme.__qualname__}"


def _installed() -> dict[str, type[PositionScheme]]:
    """All schemes, those of installed packages included."""
    for entry in entry_points(group=GROUP):
        try:
            scheme = entry.load()
        except Exception as problem:  # whatever a foreign module does when it is imported
            raise PositionError(
                f"the position scheme {entry.name!r} of {entry.value} cannot be loaded: {problem}"
            ) from problem
        _add(entry.name, scheme)
    return _SCHEMES


def names() -> tuple[str, ...]:
    """The names of all position schemes.

    Returns:
        The names, sorted.

    Example:
        >>> "rope" in names()
        True

    """
    return tuple(sorted(_installed()))


def registered_by(name: str) -> str | None:
    """The module of a scheme that may be registered in this process alone.

    None for the schemes of this package and of entry points, which every process knows, and for names that nobody took.
    """
    if name not in _SCHEMES or name in {entry.name for entry in entry_points(group=GROUP)}:
        return None
    module = _SCHEMES[name].__module__
    return None if module.partition(".")[0] == PACKAGE else module


def get(name: str) -> type[PositionScheme]:
    """The scheme of this name.

    Args:
        name: The name of a position scheme.

    Returns:
        The class of the scheme.

    Raises:
        UnknownNameError: There is no scheme of this name.

    Example:
        >>> get("periodic").parameters_wanted
        {'period': None}

    """
    schemes = _SCHEMES if name in _SCHEMES else _installed()
    if name not in schemes:
        near = get_close_matches(name.lower(), schemes) or sorted(schemes)
        raise UnknownNameError(f"there is no position scheme {name!r}; nearest: {', '.join(near)}")
    return schemes[name]


def settings(name: str, parameters: Mapping[str, Any]) -> dict[str, Parameter]:
    """The parameters of a scheme with its defaults filled in, after a check of what is given.

    Args:
        name: The name of a position scheme.
        parameters: The parameters that are given.

    Returns:
        All parameters of the scheme, with defaults for those that are not given.

    Raises:
        PositionError: The scheme has no such parameter, or needs one that is not given.

    Example:
        >>> settings("periodic", {"period": 3})
        {'period': 3}

    """
    wanted = get(name).wanted(parameters)
    for key, value in parameters.items():
        if key not in wanted:
            known = f"its parameters are {', '.join(wanted)}" if wanted else "it has none"
            raise PositionError(f"the position scheme {name!r} has no parameter {key!r}; {known}")
        if isinstance(wanted[key], str):
            _check_text(name, key, value)
        else:
            _check(name, key, value, whole=not isinstance(wanted[key], float))
    found = {**wanted, **parameters}
    for key, value in found.items():
        if value is None:
            raise PositionError(f"the position scheme {name!r} needs the parameter {key!r}")
    return {key: value for key, value in found.items() if value is not None}


def _check(name: str, key: str, value: object, whole: bool) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool) and int(whole) <= value < float("inf")
    if not number or (whole and not isinstance(value, int)):
        what = "a whole number from 1 on" if whole else "a number from 0 on"
        raise PositionError(f"{key!r} of the position scheme {name!r} is {what}, not {value!r}")


def _check_text(name: str, key: str, value: object) -> None:
    if not isinstance(value, str):
        raise PositionError(f"{key!r} of the position scheme {name!r} is a word, not {value!r}")


def build(config: DecoderConfig, seeds: int) -> PositionScheme:
    """The scheme a model asks for, with its weights.

    Args:
        config: The model; its `position` names the scheme.
        seeds: How many seeds the model has.

    Returns:
        The module of the scheme.

    Example:
        >>> build(DecoderConfig(vocabulary=3, outputs=1, position="none"), seeds=2).name  # doctest: +SKIP

    """
    return get(config.position)(config, seeds, settings(config.position, config.position_parameters))
