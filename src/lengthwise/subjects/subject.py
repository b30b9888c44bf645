"""`Subject`: a program, a language or a task, whatever a text or an object stands for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.subjects.names import Kind

if TYPE_CHECKING:
    from lengthwise.regular import Automaton, Language
    from lengthwise.tasks import Task

Symbols: TypeAlias = "str | Sequence[str] | Alphabet"


@dataclass(frozen=True)
class Subject:
    """What a verb is about: made by `Subject.of`.

    Every kind has some of a program, a language and a task; `as_program`, `as_language`, `as_acceptor` and `as_task`
    give what a verb needs or say in a sentence why there is none.

    Attributes:
        kind: `program`, `language`, `regex`, `predicate`, `automaton` or `task`.

    """

    text: str
    """As it was given; for an object, its title or what it is."""
    kind: Kind
    name: str
    """The text without a prefix; for a task, the name that it is registered under."""
    meaning: str
    """One line that says how the text was read, such as `regex over {a, b}`."""
    program: Program | None = None
    """The program, if it is one or has one of its name."""
    checked_to: int | None = None
    """For a predicate: the length of the words up to which its automaton was compared with it."""
    from_file: bool = False
    """Whether it was read from a file."""
    _language: Callable[[], Language] | None = field(default=None, repr=False, compare=False)
    _task: Callable[..., Task] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, thing: object, alphabet: Symbols | None = None) -> Subject:
        """Read a text, or take an object as what it is.

        Args:
            thing: A text as above, a path object, a `Program`, `Language`, `Automaton`, task, task class or automaton
                of automata-lib, a function from words to Booleans, or a `Subject`. A task class of a file, or a task
                that it made, is the one that worker processes make again from that file.
            alphabet: The symbols of a regex or a predicate; a language or automaton is extended to them.

        Returns:
            The subject; what takes time, such as the automaton of a language, is made when it is asked for.

        Raises:
            UnknownNameError: The text names nothing; the nearest names are told.
            LengthwiseError: The text has two meanings, its file cannot be read, or the object is none of these.

        Example:
            >>> Subject.of("(ab)*").meaning
            'regex over {a, b}'
            >>> Subject.of("majority").as_program().accepts("0110")
            True

        """
        from lengthwise.subjects import making

        if isinstance(thing, Subject):
            symbols = making.as_symbols(alphabet)
            return thing if symbols is None else making.over(thing, symbols)
        if isinstance(thing, str):
            return making.of_text(thing, alphabet)
        if isinstance(thing, os.PathLike):
            return making.of_file(os.fspath(thing), os.fspath(thing), making.as_symbols(alphabet))
        return making.of_object(thing, alphabet)

    def __str__(self) -> str:
        return (
            f"the {self.meaning}"
            if self.name.removeprefix("task:") in self.meaning
            else f"{self.text}, a {self.meaning}"
        )

    @cached_property
    def language(self) -> Language | None:
        """The regular language that it is, if it is one; a program's own may be regular all the same."""
        return None if self._language is None else self._language()

    @property
    def automaton(self) -> Automaton | None:
        """The minimal automaton of the language, if it is one."""
        return None if self.language is None else self.language.automaton

    @property
    def task(self) -> Task:
        """The task that models are trained on, with its parameters as they are by default."""
        return self.as_task()

    def as_task(self, **parameters: Any) -> Task:
        """Make the task that models are trained on.

        Args:
            **parameters: Those of the task; text is converted.

        Returns:
            The task.

        Raises:
            LengthwiseError: A parameter does not exist, is missing or has no such value.

        Example:
            >>> Subject.of("simple-task").as_task(omega=2).parameters
            {'omega': 2.0}

        """
        if self._task is None:
            raise LengthwiseError(f"there is no task of {self}")
        return self._task(**parameters)

    def as_program(self) -> Program:
        """The program, or the one that a task comes with.

        Raises:
            LengthwiseError: There is none.

        """
        program = self.task.program if self.kind == "task" else self.program
        if program is None:
            raise LengthwiseError(
                f"a program is needed here, not {self}"
                + ("" if self.kind == "task" else f"; `lengthwise decide {shlex.quote(self.text)}` looks for one")
            )
        return program

    def as_runnable(self) -> Program | Language:
        """What can be run on words: the program if there is one, else the language.

        Raises:
            LengthwiseError: It is a task that comes with neither.

        """
        found = self.program or self.language
        if self.kind == "task":
            found = self.task.program or self.task.language
        if found is None:
            raise LengthwiseError(
                f"{self} comes with neither a program nor a language; "
                f"`lengthwise tasks {shlex.quote(self.text)}` shows it"
            )
        return found

    def as_language(self, symbols: tuple[str, ...] | None = None) -> Language:
        """The regular language: its own, or that of a program whose automaton is found.

        Args:
            symbols: For a program whose alphabet is open: the symbols of its words.

        Returns:
            The language.

        Raises:
            LengthwiseError: There is none, or none is found.

        """
        if self.language is not None:
            return self.language
        from lengthwise.regular.languages.from_program import automaton_of
        from lengthwise.regular.languages.language import Language

        acceptor = self.as_acceptor()
        automaton = automaton_of(acceptor, symbols) if isinstance(acceptor, Program) else acceptor
        if automaton is None:
            raise LengthwiseError(f"the language of {self} is not known to be regular; give a regex or an automaton")
        return Language(automaton, self.text)

    def as_acceptor(self) -> Program | Automaton:
        """The program or automaton that accepts words.

        Raises:
            LengthwiseError: It is a task without a language, or a program that only predicts.

        """
        if self.kind == "task":
            task = self.task
            if task.language is not None:
                return task.language.automaton
            if task.program is None or task.program.listing.accept is None:
                raise LengthwiseError(
                    f"{self} comes with nothing that accepts words; give a language, a regex or a program"
                )
            return task.program
        if self.program is None:
            return self.as_language().automaton
        if self.program.listing.accept is None:
            raise LengthwiseError(
                f"{self} predicts and accepts no words; give a language, a regex or a program that accepts"
            )
        return self.program
