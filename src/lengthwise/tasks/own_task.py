"""Tasks of a user's Python file, named by their place: `mine.py:Name`.

Worker processes know such a task as well, for they load the same file. So that a run is never taken for one of another
task, its parameters hold a digest of the file: when the file has changed, it is another run. Modules that the file
imports are not part of the digest.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.tasks import request
from lengthwise.tasks.claim import read_program
from lengthwise.tasks.prompt import Prompt, prompt
from lengthwise.tasks.registry import arguments_of, made, set_aside
from lengthwise.tasks.task import Batch, CountBatch, Loss, Task
from lengthwise.tasks.typed import require_known
from lengthwise.tasks.validation import PLAIN, TaskError, validate
from lengthwise.user_code import UserCodeError, blaming, file_and_name, load_module, module_title

SOURCE = "source"
"""The parameter that holds the digest of a task's file."""
RESERVED = (SOURCE, "program", "automaton")
"""Parameters that say what a task is, which no task of a user's can have for itself."""
DIGITS = 16
"""Hexadecimal digits of a digest."""


@dataclass(frozen=True)
class UserFile:
    """A Python file as it was loaded."""

    path: str
    """The whole path."""
    module: ModuleType
    digest: str
    """Of its bytes, such as `sha256:0123456789abcdef`."""
    makers: tuple[Callable[..., Task], ...]
    """What it registers as tasks."""
    tasks: dict[tuple[str, str], tuple[Task, dict[str, Any]]] = field(default_factory=dict, repr=False, compare=False)
    """The tasks that were made, by name and parameters, with all their parameters."""


_files: dict[tuple[str, str], UserFile] = {}


def user_file(file: str) -> UserFile:
    """Load a Python file, unless it was loaded before and has not changed.

    Args:
        file: The path.

    Returns:
        The file.

    Raises:
        UserCodeError: There is no such file, or running it fails; with its file and line.

    """
    path = os.path.abspath(file)
    try:
        with open(path, "rb") as stream:
            digest = f"sha256:{hashlib.sha256(stream.read()).hexdigest()[:DIGITS]}"
    except OSError as problem:
        what = "does not exist" if isinstance(problem, FileNotFoundError) else f"cannot be read: {problem.strerror}"
        raise UserCodeError(
            f"the file {file} {what}; give a Python file and a task or a predicate in it, as in mine.py:Name"
        ) from None
    if (path, digest) not in _files:
        with set_aside(module_title(path)) as makers:
            module = load_module(file)
        _files[path, digest] = UserFile(path, module, digest, tuple(makers))
    return _files[path, digest]


def user_object(text: str) -> tuple[UserFile, Any]:
    """What stands under a name of a user's file, and the file.

    Args:
        text: Such as `mine.py:Name`.

    Returns:
        The file, and the class, function or object.

    Raises:
        UserCodeError: There is no such file or name, or running the file fails.

    """
    parts = file_and_name(text)
    if parts is None:
        raise UserCodeError(f"{text!r} names nothing in a Python file; write FILE.py:NAME, as in mine.py:Name")
    file, name = parts
    loaded = user_file(file)
    if not hasattr(loaded.module, name):
        title = loaded.module.__name__
        own = [key for key, value in vars(loaded.module).items() if getattr(value, "__module__", None) == title]
        hint = f"it has {', '.join(own[:8])}" if own else "it defines no class and no function"
        raise UserCodeError(f"{file} has no {name!r}; {hint}")
    return loaded, getattr(loaded.module, name)


def is_task_or_maker(file: UserFile, thing: object) -> bool:
    """Whether an object is meant as a task or makes one: a class, a function that is registered, or a task itself."""
    return isinstance(thing, type) or any(thing is maker for maker in file.makers) or hasattr(thing, "sample")


def own_task(text: str, parameters: Mapping[str, Any] | None = None) -> OwnTask:
    """Make a task of a user's file.

    Args:
        text: The file and the name of a task class in it, of a registered function or of a task, as in `mine.py:Name`.
        parameters: The arguments of the class or function; `source` is the digest that the file must have.

    Returns:
        The task.

    Raises:
        LengthwiseError: There is no such file or name, the file has changed, it raises an exception, a parameter does
            not fit, or what was made is no task.

    """
    given = dict(parameters or {})
    file, thing = user_object(text)
    shown = text.rpartition(":")[0]
    wanted = given.pop(SOURCE, file.digest)
    if wanted != file.digest:
        raise TaskError(
            f"{shown} has changed: this run is about {wanted}, and the file is {file.digest} now; restore the file, or "
            "train anew"
        )
    key = text.rpartition(":")[2], repr(sorted(given.items()))
    if key not in file.tasks:
        file.tasks[key] = _made(text, file, thing, given)
    task, complete = file.tasks[key]
    return OwnTask(task, text, {**complete, SOURCE: file.digest}, file.path)


def _made(text: str, file: UserFile, thing: Any, given: Mapping[str, Any]) -> tuple[Task, dict[str, Any]]:
    """A task with all its parameters, those that were left out included."""
    name = text.rpartition(":")[2]
    if not (isinstance(thing, type) or any(thing is maker for maker in file.makers)):
        with blaming(file.path, f"{name}.sample()"):
            validate(thing, name)
        require_known(text, given, thing.parameters)
        for key, value in given.items():
            if str(value) != str(thing.parameters[key]):
                raise LengthwiseError(f"{text} is a task with {key}={thing.parameters[key]}; leave {key} out")
        return thing, dict(thing.parameters)
    task = made(text, thing, given, name)
    arguments = arguments_of(thing)
    complete = {
        key: task.parameters.get(key, given.get(key, argument.default))
        for key, argument in arguments.items()
        if argument.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    }
    for key, value in complete.items():
        if key in RESERVED:
            raise TaskError(f"{name} has an argument {key!r}, which means something else for a task; rename it")
        if not isinstance(value, PLAIN):
            raise TaskError(
                f"the argument {key!r} of {name} is of type {type(value).__name__}; a parameter is a number, a truth "
                "value or text"
            )
    return task, complete


class OwnTask:
    """A task of a user's file under the text that finds it again, with the digest of the file as a parameter.

    An exception in the sampler becomes one sentence with the user's file and line.
    """

    def __init__(self, wrapped: Task, name: str, parameters: Mapping[str, Any], path: str) -> None:
        self.wrapped = wrapped
        """The user's task."""
        self.name = name
        self.parameters = dict(parameters)
        self.path = path
        """The file."""
        # Only where the task has them: they say that it can be trained on counts, or that positions have a period.
        if hasattr(wrapped, "period"):
            self.period = wrapped.period
        if hasattr(wrapped, "sample_counts"):
            self.sample_counts = self._sample_counts

    def __repr__(self) -> str:
        return f"<OwnTask {self.name}>"

    @property
    def alphabet(self) -> Alphabet:
        """The symbols of its words."""
        return self.wrapped.alphabet

    @property
    def outputs(self) -> int:
        """How many numbers a model gives for a position."""
        return self.wrapped.outputs

    @property
    def min_length(self) -> int:
        """The shortest words it has."""
        return self.wrapped.min_length

    @property
    def loss(self) -> Loss:
        """How a model is scored."""
        return self.wrapped.loss

    @property
    def residues(self) -> int:
        """Over how many lengths a test is spread."""
        return request.residues(self.wrapped)

    @property
    def program(self) -> Program | None:
        """The program that is claimed for it, which may be given as text or as the path of a file."""
        given = self.wrapped.program
        return None if given is None else read_program(given, os.path.dirname(self.path), self.name)

    @property
    def language(self) -> Language | None:
        """The regular language behind it, where there is one."""
        return self.wrapped.language

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """The lengths up to a longest one that it has words of."""
        return request.lengths(self.wrapped, up_to)

    def input_length(self, length: int) -> int:
        """How many symbols a model reads of a word of some length."""
        with self._blamed(f"sample({length}, {request.MEASURED_WORDS}, rng)"):
            return request.input_length(self.wrapped, length)

    def prompt(self, word: tuple[str, ...]) -> Prompt:
        """What a model reads for a word."""
        with self._blamed("prompt(word)"):
            return prompt(self.wrapped, word)

    def largest_id(self, length: int) -> int:
        """The largest position id of a word of some length."""
        with self._blamed(f"sample({length}, {request.MEASURED_WORDS}, rng)"):
            return request.largest_id(self.wrapped, length)

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words of this length with their targets."""
        with self._blamed(f"sample({length}, {batch}, rng)"):
            return self.wrapped.sample(length, batch, rng)

    def _sample_counts(self, length: int, batch: int, rng: np.random.Generator) -> CountBatch:
        with self._blamed(f"sample_counts({length}, {batch}, rng)"):
            return self.wrapped.sample_counts(length, batch, rng)  # type: ignore[attr-defined,no-any-return]

    def _blamed(self, call: str) -> Any:
        return blaming(self.path, f"{self.name.rpartition(':')[2]}.{call}")


def described(text: str) -> str:
    """The first line that a user wrote about a task of a file; empty if there is none."""
    _, thing = user_object(text)
    own = thing if hasattr(thing, "__qualname__") else type(thing)
    lines = inspect.cleandoc(own.__doc__ or "").splitlines()
    # A dataclass without a description has its signature there.
    return lines[0] if lines and not lines[0].startswith(f"{own.__name__}(") else ""
