"""A claim: a C-RASP program of which the author of a task says that it solves it.

The program is compared with the task's sampler, at every position that is scored, on words up to some length. That is a
check on samples and no proof, and so every verdict that follows from it says to which length it was checked.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lengthwise.crasp import Program, load, parse
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Answer, Budget, Verdict, decide
from lengthwise.tasks.program_task import predictions
from lengthwise.tasks.request import lengths
from lengthwise.user_code import is_ours

if TYPE_CHECKING:
    from lengthwise.tasks.task import Batch, Task

CHECKED_LENGTH = 40
"""The length of the longest words that a claim is checked on, unless a caller says otherwise."""
CHECKED_WORDS = 2000
"""How many words it is checked on."""
ENDS = "the end"
"""How "the word may end here" is written in a counterexample."""
LONGEST_SHOWN = 24
"""Symbols of a counterexample that its sentence shows."""


@dataclass(frozen=True)
class Counterexample:
    """A position at which a program predicts something else than the task's sampler says."""

    word: tuple[str, ...]
    """What a model reads."""
    position: int
    """The position in it, from 1 on."""
    expected: tuple[str, ...]
    """What the sampler says comes next."""
    predicted: tuple[str, ...]
    """What the program predicts there."""

    @property
    def sentence(self) -> str:
        """The difference in words."""
        read = self.word[: self.position]
        shown = " ".join(read if len(read) <= LONGEST_SHOWN else ("…", *read[-LONGEST_SHOWN:]))
        expected, predicted = _set(self.expected), _set(self.predicted)
        return f"after `{shown}` the sampler expects {expected} and the program predicts {predicted}"


@dataclass(frozen=True)
class Claim:
    """What came of comparing a program with a task."""

    agrees: bool
    """Whether the program predicted what the sampler says, at every scored position of every word."""
    words: int
    """How many words were compared."""
    longest: int
    """The length of the longest of them."""
    counterexample: Counterexample | None = None
    """The first difference, in one of the shortest words."""

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        if self.counterexample is not None:
            return f"the program disagrees with the task's sampler: {self.counterexample.sentence}"
        return f"the program agrees with the task's sampler on {self.words:,} words to length {self.longest}"


def read_program(given: Program | str | os.PathLike[str], directory: str | None = None, title: str = "") -> Program:
    """Read a program that is given as itself, as its text or as the path of its file.

    Args:
        given: The program. A text has a line break or an equals sign in it; anything else is a path.
        directory: Where a relative path begins, if there is such a file; else where we are.
        title: What a program is called that is given as text.

    Returns:
        The program.

    Raises:
        LengthwiseError: The text is no program, or there is no such file.

    Example:
        >>> read_program('next "a" = "a"').predicts
        ('a',)

    """
    if isinstance(given, Program):
        return given
    if isinstance(given, str) and ("\n" in given or "=" in given):
        return parse(given, title=title)
    if not isinstance(given, str | os.PathLike):
        raise LengthwiseError(
            f"a task's program is a Program, its text or the path of its file, not {type(given).__name__}"
        )
    path = os.fspath(given)
    beside = path if directory is None else os.path.join(directory, path)
    return load(beside if os.path.exists(beside) else path)


def has_claim(task: Task) -> bool:
    """Whether a task is a user's, about which nothing is known but a program that can be compared with it."""
    if is_ours(getattr(task, "wrapped", task)) or task.language is not None or task.loss == "regression":
        return False
    program = task.program
    return program is not None and (bool(program.predicts) or _asks_for_the_end(task))


def check_claim(
    task: Task,
    length: int = CHECKED_LENGTH,
    words: int = CHECKED_WORDS,
    rng: np.random.Generator | None = None,
) -> Claim:
    """Compare a task's program with its sampler at every position that is scored.

    Where the next token is scored, the program must predict exactly that symbol; where the set of next symbols is, the
    same set, and it must accept exactly where the word may end. A program whose alphabet lacks the task's start symbol
    reads words without it: that is its position 0.

    Args:
        task: A task with a program.
        length: The length of the longest words.
        words: About how many words, shared out evenly to the lengths that the task has.
        rng: Where the words come from; else always the same ones.

    Returns:
        Whether they agree, or the first difference.

    Raises:
        LengthwiseError: The task has no program or is a regression, the program predicts nothing or lacks a symbol, or
            there are no words of this length.

    Example:
        >>> from lengthwise.tasks import get
        >>> check_claim(get("task:sort", symbols=5), length=5, words=100).sentence
        "the program agrees with the task's sampler on 100 words to length 5"

    """
    program = _comparable(task)
    possible = lengths(task, length)
    if not possible or words < 1:
        raise LengthwiseError(f"{task.name} has no words of up to {length} symbols to check its program on")
    rng = np.random.default_rng(0) if rng is None else rng
    # The longest lengths first get what is left over: there most can go wrong.
    each, more = divmod(words, len(possible))
    shares = [each + (place >= len(possible) - more) for place in range(len(possible))]
    done = 0
    for at, share in zip(possible, shares, strict=True):
        if not share:
            continue
        found = _difference(task, program, task.sample(at, share, rng))
        done += share
        if found is not None:
            return Claim(False, done, at, found)
    return Claim(True, done, possible[-1])


def claim_verdict(
    task: Task,
    length: int = CHECKED_LENGTH,
    words: int = CHECKED_WORDS,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
) -> Verdict:
    """Decide a task by the fragment of the program that is claimed for it.

    Args:
        task: A task with a program.
        length: As for `check_claim`.
        words: The same.
        rng: The same.
        budget: What may be spent on looking for equal programs of smaller fragments.

    Returns:
        For each of C-RASP[∅], C-RASP[local] and C-RASP[periodic, local] what `decide` says about the program, with a
        reason that says to which length the claim was checked; nothing is called proved. Unknown if the check fails,
        with the counterexample.

    Raises:
        LengthwiseError: As for `check_claim`.

    Example:
        >>> from lengthwise.tasks import get
        >>> claim_verdict(get("task:sort", symbols=5), length=5, words=100).nope.kind
        'yes'

    """
    claim = check_claim(task, length, words, rng)
    program = task.program
    if program is None or not claim.agrees:
        wrong = Answer("unknown", f"the claim fails: {claim.sentence}")
        return Verdict(task.name, wrong, wrong, wrong, "last")
    found = decide(program, None, "last", budget, task.name)

    def claimed(answer: Answer) -> Answer:
        reason = f"the author's claim, checked and not proved: {claim.sentence}; {answer.reason}"
        return replace(answer, reason=reason, proved=False, proof=None, ground="")

    return replace(found, nope=claimed(found.nope), local=claimed(found.local), ape=claimed(found.ape))


def _comparable(task: Task) -> Program:
    """The program of a task that it can be compared with."""
    program = task.program
    if program is None:
        raise LengthwiseError(f"{task.name} has no program to check; set `program` to one with `next` rules")
    if task.loss == "regression":
        raise LengthwiseError(f"{task.name} is a regression; a program predicts symbols, not numbers")
    if not program.predicts and not _asks_for_the_end(task):
        raise LengthwiseError(f'the program of {task.name} has no `next` rules; add lines such as next "a" = b')
    return program


def _asks_for_the_end(task: Task) -> bool:
    """Whether a model only says where the word may end, so that an accepting program says it all."""
    return task.loss == "next-set" and task.outputs == 1


def _difference(task: Task, program: Program, batch: Batch) -> Counterexample | None:
    """The first position of some words at which a program differs."""
    names = task.alphabet.symbols
    dropped = _starts(task, program, batch.tokens)
    read, mask = batch.tokens[:, dropped:], batch.mask[:, dropped:]
    predicted = _predicted(task, program, read, mask)
    if dropped:
        # Position 0 of the program is where the start symbol stands.
        first = program.first_tokens() if program.predicts else set()
        before = np.array([*(symbol in first for symbol in names), _accepts_nothing(program)])
        predicted = np.concatenate([np.broadcast_to(before, (len(read), 1, len(before))), predicted], axis=1)
    expected = _expected(task, batch, len(names))
    if task.loss == "next-set":
        asked = np.r_[0 : task.outputs - 1, len(names)]
    else:
        asked = np.arange(len(names))
    wrong = (predicted[:, :, asked] != expected[:, :, asked]).any(axis=-1) & batch.mask
    if not wrong.any():
        return None
    row, column = np.argwhere(wrong)[0].tolist()
    shown = (*names, ENDS)

    def named(values: npt.NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(shown[number] for number in asked.tolist() if values[row, column, number])

    word = tuple(task.alphabet.decode(batch.tokens[row]))
    return Counterexample(word, column + 1, named(expected), named(predicted))


def words_read(task: Task, program: Program, tokens: npt.NDArray[np.int64]) -> list[list[str]]:
    """Write words of a task as its program reads them: without a start symbol that the program does not know.

    Args:
        task: The task.
        program: A program.
        tokens: Words of the task as ids, one a row.

    Returns:
        The symbols of each word.

    Example:
        >>> from lengthwise.tasks import get
        >>> task = get("task:binary-majority")
        >>> words_read(task, task.program, task.sample(3, 1, np.random.default_rng(0)).tokens)
        [['1', '1', '1', 'SEP', '1']]

    """
    dropped = _starts(task, program, tokens)
    return [task.alphabet.decode(row[dropped:]) for row in tokens]


def _starts(task: Task, program: Program, tokens: npt.NDArray[np.int64]) -> int:
    """1 if all words begin with a symbol that the program does not know and that stands nowhere else, else 0."""
    if not tokens.size:
        return 0
    first = int(tokens[0, 0])
    alone = bool((tokens[:, 0] == first).all()) and not bool((tokens[:, 1:] == first).any())
    return int(alone and task.alphabet.symbols[first] not in program.alphabet)


def _predicted(
    task: Task, program: Program, tokens: npt.NDArray[np.int64], mask: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """What the program predicts, in the ids of the task, and last whether it accepts."""
    names = task.alphabet.symbols
    known = np.array([program.alphabet.index(each) if _reads(program, each) else -1 for each in names])
    ids = known[tokens]
    # What stands after the last position that is scored only pads the word, and no program looks ahead.
    padding = np.flip(np.cumsum(np.flip(mask, axis=1), axis=1), axis=1) == 0
    ids = np.where(padding, 0, ids)
    if (ids < 0).any():
        row, column = np.argwhere(ids < 0)[0].tolist()
        raise LengthwiseError(
            f"the program of {task.name} does not know the symbol {names[int(tokens[row, column])]!r} of its words; "
            "add it to the program's alphabet"
        )
    found = predictions(program, ids)
    result = np.zeros((*tokens.shape, len(names) + 1), dtype=bool)
    for number, symbol in enumerate(names):
        if symbol in program.alphabet:
            result[:, :, number] = found[:, :, program.alphabet.index(symbol)]
    result[:, :, -1] = found[:, :, -1]
    return result


def _reads(program: Program, symbol: str) -> bool:
    return program.alphabet.is_open or symbol in program.alphabet


def _accepts_nothing(program: Program) -> bool:
    """Whether the program accepts the empty word."""
    return program.listing.accept is not None and program.accepts("")


def _expected(task: Task, batch: Batch, symbols: int) -> npt.NDArray[np.bool_]:
    """What the sampler says, one column for each symbol and one for the end of the word."""
    result = np.zeros((*batch.tokens.shape, symbols + 1), dtype=bool)
    targets: npt.NDArray[Any] = batch.targets
    if task.loss == "next-set":
        result[:, :, : task.outputs - 1] = targets[:, :, :-1]
        result[:, :, -1] = targets[:, :, -1]
    else:
        rows, columns = np.nonzero(batch.mask)
        result[rows, columns, targets[rows, columns]] = True
    return result


def _set(symbols: tuple[str, ...]) -> str:
    return "{" + ", ".join(symbols) + "}" if len(symbols) != 1 else f"`{symbols[0]}`"
