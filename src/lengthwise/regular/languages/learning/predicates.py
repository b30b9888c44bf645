"""Python functions that say whether a word is in a language: loaded from a file, asked, and blamed for their faults.

A predicate gets a word as a string if every symbol of the alphabet is one character other than a space, else as a tuple
of symbols, and returns True or False. It is asked about each word once. Faults are reported with the place in the
user's file, never as a traceback.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Hashable, Sequence
from time import monotonic
from types import CodeType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.user_code import UserCodeError, file_and_name, load_module, place, told

Predicate: TypeAlias = "Callable[[Any], bool | np.bool_]"
"""From a word, a string or a tuple of symbols, to whether it is in the language."""

_LONGEST = 60


class PredicateError(UserCodeError):
    """A predicate cannot be loaded, raised an exception, or returned something else than True or False."""


class OutOfBudgetError(LengthwiseError):
    """No more words may be asked about; inside this package only."""


def load_predicate(text: str) -> Predicate:
    """Load a predicate from a Python file.

    The file is run as a module of its own, and modules beside it can be imported by it.

    Args:
        text: The file and the name of a function in it, as in `mine.py:f`.

    Returns:
        The function.

    Raises:
        PredicateError: If there is no such file or function, or if running the file fails, with the file and line.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("mine.py").write_text("def even(word): return len(word) % 2 == 0")
        >>> load_predicate("mine.py:even")("ab")
        True

    """
    parts = file_and_name(text)
    if parts is None:
        raise PredicateError(f"{text!r} names no function of a Python file; write FILE.py:NAME, as in mine.py:f")
    file, name = parts
    if not os.path.isfile(file):
        what = "is a directory" if os.path.isdir(file) else "does not exist"
        raise PredicateError(f"the file {file} {what}; give a Python file and a function in it, as in mine.py:f")
    try:
        module = load_module(file)
    except UserCodeError as problem:
        raise PredicateError(str(problem)) from None
    return function_of(module, file, name)


def function_of(module: ModuleType, file: str, name: str) -> Predicate:
    """The function of a name in a module that was loaded from a file."""
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items() if callable(value) and key[:1] != "_"]
        hint = f"it has {', '.join(own[:8])}" if own else "it has no function"
        raise PredicateError(f"{file} has no function {name!r}; {hint}")
    found = getattr(module, name)
    if not callable(found):
        raise PredicateError(
            f"{name} in {file} is of type {type(found).__name__} and cannot be called; name a function"
        )
    return found  # type: ignore[no-any-return]


class Questions:
    """A predicate that is asked about words, given as symbol ids, each word once and no more of them than allowed."""

    def __init__(self, predicate: Predicate, symbols: Sequence[str], words: int, seconds: float | None) -> None:
        self.predicate, self.symbols, self.words = predicate, symbols, words
        self.until = None if seconds is None else monotonic() + seconds
        self.plain = all(len(symbol) == 1 and symbol != " " for symbol in symbols)
        self.answers: dict[Hashable, bool] = {}
        self._key: Callable[[tuple[int, ...]], Hashable] = bytes if len(symbols) <= 256 else tuple  # bytes are smaller
        name = str(getattr(predicate, "__name__", type(predicate).__name__))
        self.name = name if name.isidentifier() else "the predicate"
        code = getattr(predicate, "__code__", None) or getattr(type(predicate).__call__, "__code__", None)
        self.code: CodeType | None = code if isinstance(code, CodeType) else None

    def __call__(self, ids: tuple[int, ...]) -> bool:
        """Whether the predicate says that a word is in the language."""
        key = self._key(ids)
        answer = self.answers.get(key)
        if answer is None:
            answer = self.answers[key] = self._ask(ids)
        return answer

    @property
    def left(self) -> int:
        """How many more words may be asked about."""
        return self.words - len(self.answers)

    def _ask(self, ids: tuple[int, ...]) -> bool:
        if len(self.answers) >= self.words:
            raise OutOfBudgetError(f"{self.words} words do not suffice to find one")
        if self.until is not None and monotonic() > self.until:
            raise OutOfBudgetError(f"the time did not suffice to find one, after {len(self.answers)} words")
        found = [self.symbols[number] for number in ids]
        word = "".join(found) if self.plain else tuple(found)
        try:
            answer = self.predicate(word)
        except (Exception, SystemExit) as error:
            raise PredicateError(f"{self._where(error)}{self._call(word)} raised {told(error)}") from None
        if not isinstance(answer, bool | np.bool_):
            what = f"{self._call(word)} returned {_short(answer)} of type {type(answer).__name__}"
            raise PredicateError(f"{self._where(None)}{what}; it must return True or False")
        return bool(answer)

    def _where(self, error: BaseException | None) -> str:
        """The user's file and the line in it, if there is a file; without an exception, where the function begins."""
        frames = [] if error is None else list(traceback.walk_tb(error.__traceback__))[1:]
        code = self.code or (frames[-1][0].f_code if frames else None)
        if code is None:
            return ""
        path, line = code.co_filename, code.co_firstlineno
        shown = os.path.relpath(path) if os.path.abspath(path).startswith(os.getcwd() + os.sep) else path
        return f"{shown}:{line}: " if error is None else f"{place(error, path, shown, line)}: "

    def _call(self, word: str | tuple[str, ...]) -> str:
        return f"{self.name if self.name.isidentifier() else 'predicate'}({_short(word)})"


def _short(value: object) -> str:
    try:
        text = " ".join(repr(value).split("\n"))
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else text[: _LONGEST // 2] + "…" + text[-_LONGEST // 4 :]
