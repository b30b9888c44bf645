"""Running: what a program or an automaton says about words, and what is wrong with the text of a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from lengthwise.alphabet import split
from lengthwise.crasp import Diagnostic, Program, ProgramError, Trace
from lengthwise.errors import LengthwiseError, WordError
from lengthwise.public.lines import Line, LinesOf, Pieces
from lengthwise.resources import SECONDS, time_limit
from lengthwise.subjects import Subject
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.regular import Language

Runnable: TypeAlias = "Program | Language"

LONGEST_TRACE = 20_000
"""Longer words are not traced: nobody could look at it."""


@dataclass(frozen=True, eq=False)
class WordAnswer:
    """What a program or an automaton says about a word; computed when it is asked for."""

    runnable: Runnable
    line: Line

    @property
    def word(self) -> str:
        """The word as text; only its beginning if it was too long to keep."""
        return self.line.text

    @property
    def accepts(self) -> bool:
        """Whether the word is accepted."""
        return self.runnable.accepts(self.line.text) if self.line.streamed is None else self.line.streamed[1]

    @property
    def length(self) -> int | None:
        """The length of a word that was too long to keep."""
        return None if self.line.streamed is None else self.line.streamed[0]

    @property
    def first(self) -> list[str]:
        """The symbols that can come first."""
        if isinstance(self.runnable, Program):
            return sorted(self.runnable.first_tokens())
        return sorted(self.runnable.next_symbols(()).symbols)

    @property
    def next(self) -> list[list[str]]:
        """The symbols that can come next, after each symbol of the word."""
        word = self._whole("predicting along")
        if isinstance(self.runnable, Program):
            return [sorted(symbols) for symbols in self.runnable.next_tokens(word)]
        symbols = split(word)
        ends = range(1, len(symbols) + 1)
        return [sorted(self.runnable.next_symbols(symbols[:end]).symbols) for end in ends]

    @property
    def trace(self) -> Trace:
        """Every operation of the program at every position of the word."""
        if not isinstance(self.runnable, Program):
            raise LengthwiseError("--trace html is for programs; --trace text shows the states of an automaton")
        return self.runnable.run(self._whole("tracing"))

    @property
    def states(self) -> list[Any]:
        """The states of the automaton along the word."""
        from lengthwise.regular.languages.language import states_along

        if isinstance(self.runnable, Program):
            raise LengthwiseError("a program has no states; it has a trace")
        return list(states_along(self.runnable, self._whole("tracing")))

    def trace_text(self, color: bool = False, width: int = 100) -> str:
        """The trace of a program, or the states of an automaton, as text."""
        if isinstance(self.runnable, Program):
            from lengthwise.crasp.showing.trace import render

            return render(self.trace, color=color, width=width)
        from lengthwise.regular.languages.language import walk_text

        return walk_text(self.runnable, self._whole("tracing"))

    def as_json(self, *, trace: bool = False, following: bool = False) -> dict[str, Any]:
        """Plain data with stable keys, with the trace and with what can follow if they are asked for."""
        entry: dict[str, Any] = {"input": self.word}
        runs = self.runnable
        if not isinstance(runs, Program) or runs.listing.accept is not None or not following:
            entry["accepts"] = self.accepts
            if self.length is not None:
                entry["length"] = self.length
        if following:
            self._whole("predicting along")
            entry["first"], entry["next"] = self.first, self.next
        if trace:
            entry["trace"] = (
                {row.label: row.values.tolist() for row in self.trace}
                if isinstance(runs, Program)
                else {"state": self.states}
            )
        return entry

    def _whole(self, what: str) -> str:
        if self.line.streamed is not None or len(self.line.text) > LONGEST_TRACE:
            raise WordError(
                f"{what} a word of more than {LONGEST_TRACE} symbols is not offered; run it without that option"
            )
        return self.line.text


class Answers:
    """What `run` gives: an answer for each word, computed while one goes through them."""

    def __init__(self, subject: Subject, words: Iterable[str | Sequence[str]] | LinesOf) -> None:
        self.subject = subject
        self.runnable: Runnable = subject.as_runnable()
        self._words = words

    @property
    def meaning(self) -> str:
        """How the subject was read."""
        return self.subject.meaning

    def __iter__(self) -> Iterator[WordAnswer]:
        if isinstance(self._words, LinesOf):
            source: Iterable[Line] = self._words.read(self._pieces)
        else:
            source = (Line(word if isinstance(word, str) else " ".join(word)) for word in self._words)
        return map(partial(WordAnswer, self.runnable), source)

    def trace_page(self) -> str:
        """The traces of all words as one HTML page; for programs."""
        from lengthwise.crasp.showing.trace_html import page

        if not isinstance(self.runnable, Program):
            raise LengthwiseError("--trace html is for programs; --trace text shows the states of an automaton")
        return page([each.trace for each in self])

    def _pieces(self) -> Pieces:
        if isinstance(self.runnable, Program):
            return self.runnable.stream()
        from lengthwise.regular.languages.language import Walk

        return Walk(self.runnable)


def run(
    subject: object,
    words: Iterable[str | Sequence[str]] | LinesOf,
    alphabet: Symbols | None = None,
    *,
    seconds: float | None = SECONDS,
) -> Answers:
    """Run a program or an automaton on words.

    Args:
        subject: What `Subject.of` takes; it has to be a program or a language, or come with one.
        words: The words, each a text, split at its spaces if it has any and else into characters, or its symbols; or
            `lines_of` a binary stream.
        alphabet: The symbols of a regex or a predicate.
        seconds: The time limit for reading the subject; words are answered as long as they come. None for no limit.

    Returns:
        An answer for each word: `.accepts`, the symbols that can come `.next`, the `.trace` of a program.

    Raises:
        LengthwiseError: The subject is none, or there is nothing to run.
        WordError: A word has a symbol that is not in the alphabet; raised when its answer is asked for.

    Example:
        >>> import lengthwise as lw
        >>> [answer.accepts for answer in lw.run("dyck1", ["(())", ")("])]
        [True, False]

    """
    with time_limit(seconds).in_force():
        return Answers(Subject.of(subject, alphabet), words)


@dataclass(frozen=True)
class ProgramCheck:
    """What `check` gives: the program and its problems, of which there are none if it can be run."""

    subject: str
    """As it was given."""
    meaning: str | None
    """How it was read; None if there are problems."""
    program: Program | None
    problems: tuple[Diagnostic, ...] = ()
    message: str = ""
    """The problems as text, with the lines that they are about."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        problems = [
            {
                "code": each.code,
                "line": each.span.line if each.span else None,
                "column": each.span.column if each.span else None,
                "message": each.message,
                "hint": each.hint,
            }
            for each in self.problems
        ]
        return {"program": self.subject, "meaning": self.meaning, "problems": problems}

    def __str__(self) -> str:
        if self.program is None:
            return self.message
        return f"{self.meaning}: no problems ({len(self.program.statements)} statements, {self.program.fragment_name})"


def check(subject: str) -> ProgramCheck:
    """Read a program and report every problem with its place and what to write instead.

    Args:
        subject: A program file or a library program.

    Returns:
        The program, or all of its problems.

    Raises:
        LengthwiseError: There is no such program.

    Example:
        >>> import lengthwise as lw
        >>> str(lw.check("dyck1"))
        'library program dyck1 over {(, )}: no problems (7 statements, C-RASP[∅])'

    """
    try:
        found = Subject.of(subject)
        return ProgramCheck(subject, found.meaning, found.as_program())
    except ProgramError as error:
        return ProgramCheck(subject, None, None, tuple(error.diagnostics), str(error))
