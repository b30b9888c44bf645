"""Tasks by name: those of this package and those of others.

A task is added by `@register_task("name")` on a class or function that makes it, or by an entry point of the group
`lengthwise.tasks` that names such an object. Its arguments are the task's parameters; those annotated `int`, `float`,
`bool` or `str` may be given as text. Languages, programs and files are tasks, too: `lengthwise.subjects` reads their
names, `typed` makes the tasks.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import Any, TypeVar

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.tasks.settings import converted
from lengthwise.tasks.task import Task
from lengthwise.tasks.typed import require_known

GROUP = "lengthwise.tasks"
"""The group of entry points that other packages register tasks under."""
PACKAGE = __name__.partition(".")[0]
OFFERS = (
    "name", "parameters", "alphabet", "outputs", "min_length", "loss", "program", "language", "sample",
)  # fmt: skip
"""What a task has to have."""

Maker = TypeVar("Maker", bound=Callable[..., Task])

_makers: dict[str, Callable[..., Task]] = {}
_changes: list[str] = []


def register_task(name: str) -> Callable[[Maker], Maker]:
    """Make a class or function known as the maker of the task of this name.

    A name can be taken once. To define the same thing again, as a notebook does, replaces it.
    """

    def register(maker: Maker) -> Maker:
        if name in _makers and _place(_makers[name]) != _place(maker):
            raise _taken_twice(name, _place(_makers[name]), _place(maker))
        _makers[name] = maker
        _changes.append(name)
        return maker

    return register


def changes() -> int:
    """How often a task was registered in this process: what was made before may be made otherwise since."""
    return len(_changes)


def registered() -> tuple[str, ...]:
    """The names that were registered, here or by other packages."""
    return tuple(sorted({*_makers, *_plugins()}))


def registered_by(name: str) -> str | None:
    """The module of a task that may be registered in this process alone.

    None for the tasks of this package and of entry points, which every process knows, and for names that nobody took.
    """
    module = _makers[name].__module__ if name in _makers and name not in _plugins() else None
    return None if module is None or module.partition(".")[0] == PACKAGE else module


def get(name: str, /, **parameters: Any) -> Task:
    """Make a registered task.

    Args:
        name: Its name, as it was registered.
        **parameters: The arguments of its maker; text is converted to what they are annotated as.

    Returns:
        The task.

    Raises:
        UnknownNameError: No task is registered under this name. `lengthwise.subjects.task_of` also makes tasks from
            regexes, programs and files.
        LengthwiseError: A parameter does not exist, is missing or has no such value.

    Example:
        >>> get("simple-task", omega="2").parameters
        {'omega': 2.0}

    """
    if name not in registered():
        near = difflib.get_close_matches(name.lower(), registered())
        hint = f"did you mean {' or '.join(near)}" if near else f"there are {', '.join(registered())}"
        raise UnknownNameError(f"no task is registered as {name!r}; {hint}")
    maker = _maker(name)
    arguments = _arguments(maker)
    require_known(name, parameters, arguments)
    for key, argument in arguments.items():
        if argument.default is argument.empty and key not in parameters:
            raise LengthwiseError(f"{name} needs the parameter {key!r}; set it")
    task = maker(**{key: converted(key, value, arguments[key].annotation) for key, value in parameters.items()})
    # Looked up before they are asked for: a property may take its time.
    missing = [offer for offer in OFFERS if offer not in dir(task) and not hasattr(task, offer)]
    if missing:
        raise LengthwiseError(f"what {_place(maker)} makes is no task: it has no {', '.join(missing)}")
    return task


def describe(name: str) -> str:
    """One line about the task of a registered name."""
    lines = (inspect.getdoc(_maker(name)) or "").splitlines()
    return lines[0] if lines else ""


def _arguments(maker: Callable[..., Task]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(maker, eval_str=True).parameters)


def _maker(name: str) -> Callable[..., Task]:
    """The maker of a registered name; that of another package is imported when it is first asked for."""
    for entry in _plugins().get(name, ()):
        maker = _loaded(entry)
        if name in _makers and _makers[name] is not maker:
            raise _taken_twice(name, _place(_makers[name]), _place(maker))
        _makers[name] = maker
    return _makers[name]


@cache
def _plugins() -> dict[str, tuple[metadata.EntryPoint, ...]]:
    """The entry points of other packages by name; more than one for a name is a mistake of theirs."""
    found: dict[str, tuple[metadata.EntryPoint, ...]] = {}
    for entry in metadata.entry_points(group=GROUP):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def _loaded(entry: metadata.EntryPoint) -> Callable[..., Task]:
    try:
        maker = entry.load()
    except LengthwiseError:
        raise
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}"
        raise LengthwiseError(f"the task {entry.name!r} of {entry.value} cannot be loaded: {reason}") from problem
    if not callable(maker):
        raise LengthwiseError(f"the task {entry.name!r} of {entry.value} is not a class or function that makes a task")
    return maker  # type: ignore[no-any-return]


def _place(maker: Callable[..., Task]) -> str:
    return f"{maker.__module__}.{getattr(maker, '__qualname__', repr(maker))}"


def _taken_twice(name: str, first: str, second: str) -> LengthwiseError:
    return LengthwiseError(f"two tasks are called {name!r}, {first} and {second}; rename one of them")
