"""What is wrong with settings, in one sentence, with the nearest setting for one that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

SHOWN = 3
"""Problems that are spelled out."""


def known_settings(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The names of all settings, those of a group with its name before them: `model.width`."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from known_settings(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name


def sentence(model: type[BaseModel], problem: ValidationError) -> str:
    """The problems of settings."""
    errors = problem.errors(include_url=False, include_context=False)
    known = tuple(known_settings(model))
    told = [_told(error, known) for error in errors[:SHOWN]]
    if len(errors) > SHOWN:
        told.append(f"and {len(errors) - SHOWN} more problems")
    return "; ".join(told)


def _told(error: Any, known: tuple[str, ...]) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"there is no setting {name!r}; {nearest(name, known)}"
    if error["type"] == "missing":
        return f"the setting {name!r} is missing"
    reason = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if error["type"] == "value_error" and isinstance(error["input"], dict | list | BaseModel):
        return reason if not name else f"{name}: {reason}"
    return f"{name!r} {reason[:1].lower() + reason[1:]}, got {error['input']!r}"


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Which settings may have been meant."""
    last = name.rpartition(".")[2]
    same = [setting for setting in known if setting.rpartition(".")[2] == last]
    near = same or difflib.get_close_matches(name, known, n=2)
    if not near:
        by_last = {setting.rpartition(".")[2]: setting for setting in known}
        near = [by_last[found] for found in difflib.get_close_matches(last, by_last, n=2)]
    return f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
