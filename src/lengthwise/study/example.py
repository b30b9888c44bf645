"""An example to look at: a program's trace on a word, or what a limit transformer says on a few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.crasp import Program
from lengthwise.crasp.showing.trace import Trace
from lengthwise.limit.constructions.construction import Construction
from lengthwise.limit.evaluation.evaluate import last_output
from lengthwise.regular import Verdict
from lengthwise.tasks.claim import words_read
from lengthwise.tasks.request import lengths
from lengthwise.tasks.task import Task

LENGTH = 10
"""About so many symbols make a word that is easy to follow."""
FARTHEST = 4 * LENGTH
CANDIDATES = 64
"""Words that the most telling one is chosen from."""
WORDS = 4
"""Words that a limit transformer is shown on."""


@dataclass(frozen=True)
class Evaluated:
    """A word with the right value and what a limit transformer says."""

    word: str
    target: tuple[float, ...]
    output: tuple[float, ...]
    error_bound: float
    """How far the two may be apart at most, summed over outputs."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "word": self.word,
            "target": list(self.target),
            "output": list(self.output),
            "error_bound": self.error_bound,
        }


def shown_program(verdict: Verdict) -> Program | None:
    """The program that a report shows: one that needs no positions, if there is one."""
    return verdict.nope.program or verdict.ape.program


def trace_of(program: Program, task: Task) -> Trace | None:
    """The trace of a program on a word of the task that tells something; None if it has fewer symbols than the task."""
    drawn = words_read(task, program, _words(task, CANDIDATES))
    words = [word for word in drawn if all(symbol in program.alphabet for symbol in word)]
    return program.run(max(words, key=lambda word: _tells(program, word))) if words else None


def evaluated(construction: Construction, task: Task) -> tuple[Evaluated, ...]:
    """What a limit transformer says on a few words for which the task defines a value."""
    found = []
    for tokens in _words(task, WORDS):
        word = task.alphabet.decode(tokens)
        target = construction.target(word)
        if target is not None:
            output = last_output(construction.model, construction.model.alphabet.encode(word))
            (error,) = _numbers(np.array([construction.error_bound(word)]))
            found.append(Evaluated(written(word), _numbers(target), _numbers(output), error))
    return tuple(found)


def trace_json(trace: Trace) -> Mapping[str, Any]:
    """A trace as plain data with stable keys."""
    return {
        "word": list(trace.word),
        "accepts": trace.accepts,
        "rows": [
            {"name": row.label, "expression": row.expression, "comment": row.comment, "values": row.values.tolist()}
            for row in trace
        ],
    }


def written(word: list[str]) -> str:
    """A word as text, with spaces if a symbol has several characters."""
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)


def _words(task: Task, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    length = min(lengths(task, FARTHEST) or (task.min_length,), key=lambda each: (abs(each - LENGTH), each))
    return task.sample(length, count, np.random.default_rng(0)).tokens


def _tells(program: Program, word: list[str]) -> tuple[bool, int, int]:
    """How much is to be seen on a word: acceptance, its changes or predictions that come true, different symbols."""
    if program.predicts:
        predicted = program.next_tokens(word)
        true = sum(symbol in before for before, symbol in zip(predicted, word[1:], strict=False))
        return True, true * len(set(word)), 0
    accepted = program.accepts_prefixes(word)
    return bool(accepted[-1]), int(np.count_nonzero(accepted[1:] != accepted[:-1])), len(set(word))


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, ...]:
    # Twelve digits: the last ones of a float depend on the machine.
    return tuple(float(f"{value:.12g}") for value in values)
