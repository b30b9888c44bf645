"""Tasks by name: those of this package and those of others.

A task is added by `@register_task("name")` on a class or function that makes it, or by an entry point of the group
`lengthwise.tasks` that names such an object. Its arguments are the task's parameters; those annotated `int`, `float`,
`bool` or `str` may be given as text. Languages, programs and files are tasks, too: `lengthwise.subjects` reads their
names, `typed` makes the tasks.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import metadata
from typing import Any, TypeVar

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.tasks.settings import converted
from lengthwise.tasks.task import Task
from lengthwise.tasks.typed import require_known
from lengthwise.tasks.validation import TaskError, require_offers, validate
from lengthwise.user_code import blaming, is_ours, source_file

GROUP = "lengthwise.tasks"
"""The group of entry points that other packages register tasks under."""

Maker = TypeVar("Maker", bound=Callable[..., Task])

_makers: dict[str, Callable[..., Task]] = {}
_changes: list[str] = []
_validated: set[tuple[Callable[..., Task], str]] = set()
"""Makers of users and the arguments with which they made tasks that were looked at."""
_aside: ContextVar[tuple[str, list[Callable[..., Task]]] | None] = ContextVar("aside", default=None)


def register_task(name: str) -> Callable[[Maker], Maker]:
    """Make a class or function known as the maker of the task of this name.

    A name can be taken once. To define the same thing again, as a notebook does, replaces it.

    Args:
        name: The name.

    Returns:
        A decorator for a class or function that makes the task; its arguments are the task's parameters.

    Raises:
        LengthwiseError: Something else is registered under this name.

    Example:
        >>> @register_task("never-used")  # doctest: +SKIP

    """

    def register(maker: Maker) -> Maker:
        aside = _aside.get()
        if aside is not None and maker.__module__ == aside[0]:
            aside[1].append(maker)
            return maker
        if name in _makers and _place(_makers[name]) != _place(maker):
            raise _taken_twice(name, _place(_makers[name]), _place(maker))
        _makers[name] = maker
        _changes.append(name)
        return maker

    return register


def changes() -> int:
    """How often a task was registered in this process: what was made before may be made otherwise since."""
    return len(_changes)


@contextmanager
def set_aside(module: str) -> Iterator[list[Callable[..., Task]]]:
    """Collect what a module registers while it is loaded by its path, where it is known by that path and not by name.

    The same file may run as a script, which has registered the same names already.
    """
    found: list[Callable[..., Task]] = []
    token = _aside.set((module, found))
    try:
        yield found
    finally:
        _aside.reset(token)


def registered() -> tuple[str, ...]:
    """The names that were registered, here or by other packages.

    Returns:
        The names, sorted.

    Example:
        >>> "simple-task" in registered()
        True

    """
    return tuple(sorted({*_makers, *_plugins()}))


def registered_by(name: str) -> str | None:
    """The module of a task that may be registered in this process alone.

    None for the tasks of this package and of entry points, which every process knows, and for names that nobody took.
    """
    if name not in _makers or name in _plugins() or is_ours(_makers[name]):
        return None
    return _makers[name].__module__


def name_of(maker: object) -> str | None:
    """The name under which every process knows a maker: that of this package or of an entry point; else None."""
    return next((name for name in registered() if registered_by(name) is None and _is_maker(name, maker)), None)


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
    return made(name, _maker(name), parameters)


def made(name: str, maker: Callable[..., Task], parameters: Mapping[str, Any], who: str = "") -> Task:
    """Make a task, and look at it once if it is a user's.

    Args:
        name: What messages about parameters call it.
        maker: A class or function.
        parameters: Its arguments; text is converted to what they are annotated as.
        who: What messages about the task itself call it; else the name of the maker.

    Returns:
        The task.

    Raises:
        LengthwiseError: A parameter does not exist, is missing or has no such value, or what was made is no task.

    """
    arguments = arguments_of(maker)
    require_known(name, parameters, arguments)
    for key, argument in arguments.items():
        if argument.default is argument.empty and key not in parameters:
            raise LengthwiseError(f"{name} needs the parameter {key!r}; set it")
    given = {key: converted(key, value, arguments[key].annotation) for key, value in parameters.items()}
    if is_ours(maker):
        return maker(**given)
    who = who or getattr(maker, "__name__", repr(maker))
    if abstract := sorted(getattr(maker, "__abstractmethods__", ())):
        raise TaskError(f"{who} is not a task: it does not define {', '.join(abstract)}")
    file = source_file(maker)
    with blaming(file, f"{who}({', '.join(f'{key}={value!r}' for key, value in given.items())})"):
        task = maker(**given)
    require_offers(task, who)
    if (maker, repr(given)) not in _validated:
        with blaming(file, f"{who}.sample()"):
            validate(task, who)
        _validated.add((maker, repr(given)))
    return task


def describe(name: str) -> str:
    """One line about the task of a registered name.

    Args:
        name: The name that a task is registered under.

    Returns:
        The first line about it.

    Example:
        >>> describe("task:addition").startswith("SOS x + y")
        True

    """
    lines = (inspect.getdoc(_maker(name)) or "").splitlines()
    return lines[0] if lines else ""


def arguments_of(maker: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The arguments of a maker by name."""
    return dict(inspect.signature(maker, eval_str=True).parameters)


def _maker(name: str) -> Callable[..., Task]:
    """The maker of a registered name; that of another package is imported when it is first asked for."""
    for entry in _plugins().get(name, ()):
        maker = _loaded(entry)
        if name in _makers and _makers[name] is not maker:
            raise _taken_twice(name, _place(_makers[name]), _place(maker))
        _makers[name] = maker
    return _makers[name]


def _is_maker(name: str, maker: object) -> bool:
    try:
        return _maker(name) is maker
    except LengthwiseError:  # a broken package spoils only its own task
        return False


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
