"""An accepting C-RASP program as a task: at every position, does it accept what was read so far?

It is for languages that are not regular, such as majority and Dyck-1: what can come next is not computable for programs
in general, but whether a prefix is a word is what the program says. So of next-symbol-set prediction one class is left,
"the word may end here". Regular languages have the sets of next symbols as well (`LanguageTask`).

A model is trained on all prefixes, and a word is right if the answer at its end is: whether the program accepts it. To
be right on every prefix as well is a much harder thing for a long word, which has as many of them as symbols, and for
majority the hardest are those in which both symbols are as frequent.

A program says nothing on which words to draw. If all symbols were independent and equally likely, words of Dyck-1 would
leave the language after a few symbols for good. If every word had probabilities of its own, one kind of symbol would
soon outnumber the others, and majority would be decided by the beginning of a word. A model that answers the same at
all late positions would look as if it generalized. Therefore words are of three kinds, each word of a random one:

- *uniform*: symbols are independent and equally likely, so that counts of different symbols stay close to each other;
- *uneven*: symbols are independent, with probabilities that are a uniform point of the simplex, drawn for every word;
- *eventful*: from `CANDIDATES` words, uniform and uneven in turn, the one is chosen that latest shows both answers. It
  is cut behind the last position at which it does, and continued in the same way to half as many symbols again.

So late positions are not all alike: of words of Dyck-1 with 64 and 512 symbols, 36 % and 27 % have a prefix in their
second half that is accepted, and half of the words of majority change there. It does not help every program: where
almost no word is accepted, as for aⁿbⁿcⁿ, nearly all answers are "no" whatever is drawn in this way. Such a program
better says which words it means, by `next` statements (`ProgramTask`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program
from lengthwise.crasp.running.vectorized import evaluate
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

AT_ONCE = 2**15
"""Symbols whose acceptance is computed at a time, so that intermediate arrays stay in the cache."""
CANDIDATES = 16
"""Words that an eventful one is chosen from, at each of its lengths."""
FIRST_LENGTH = 8
"""The first length at which a choice is made."""
UNIFORM, UNEVEN, EVENTFUL = range(3)
"""The kinds of words."""

Words = npt.NDArray[np.int64]


class AcceptanceTask:
    """Whether every prefix of a word is accepted by a program.

    A program that declares no alphabet has the symbols that it mentions.

    Args:
        program: A program that defines a Boolean.
        name: What the task is called; else the program's title.
        parameters: What the task is made from again by name; else the text of the program.

    Raises:
        LengthwiseError: The program accepts nothing, or mentions no symbol.

    Example:
        >>> from lengthwise import crasp
        >>> task = AcceptanceTask(crasp.load("majority"))
        >>> task.sample(6, 4, np.random.default_rng(0)).tokens.shape
        (4, 6)

    """

    min_length = 1
    language = None
    outputs = 1
    residues = 2
    """Two symbols tie at even lengths only, and one is ahead of the other by one at odd lengths only: to meet all close
    decisions, tests are at both."""

    def __init__(self, program: Program, name: str = "", parameters: Mapping[str, Any] | None = None) -> None:
        """A program that defines a Boolean.

        Name and parameters are what `get` makes the same task from; if not given, the program's title and its text.
        """
        title = program.title or "given"
        if program.listing.accept is None:
            raise LengthwiseError(
                f"the program {title} defines no Boolean, so it accepts nothing; add one as its last line"
            )
        if not program.alphabet.symbols:
            raise LengthwiseError(f'the program {title} mentions no symbol; declare some, as in alphabet "a" "b"')
        self.program = program
        self.name = name or program.title or "program"
        self.parameters = {"program": str(program)} if parameters is None else dict(parameters)
        self.alphabet = Alphabet(program.alphabet.symbols)
        self._accept = program.listing.accept
        self._layout = program.evaluator.layout((self._accept,))

    def __repr__(self) -> str:
        return f"<AcceptanceTask {self.name}>"

    @property
    def loss(self) -> Loss:
        """The set of what may come next, at every position; of that only whether the word may end."""
        return "next-set"

    def targets(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """For every position of every row of symbol ids whether the program accepts the row up to there."""
        return self._accepted(tokens)[:, :, None]

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words of the three kinds."""
        require_drawable(self, length, batch)
        kinds = rng.integers(3, size=batch)
        tokens = self._drawn(kinds == UNEVEN, length, rng)
        eventful = np.flatnonzero(kinds == EVENTFUL)
        rows = max(1, AT_ONCE // (CANDIDATES * length))
        for begin in range(0, len(eventful), rows):
            chosen = eventful[begin : begin + rows]
            tokens[chosen] = self._eventful(length, len(chosen), rng)
        scored, answers = np.ones(tokens.shape, dtype=bool), np.zeros(tokens.shape, dtype=bool)
        answers[:, -1] = True
        return Batch(tokens, self.targets(tokens), scored, answers=answers)

    def _accepted(self, tokens: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        length = tokens.shape[1]
        ids = self.alphabet.checked(tokens)
        self.program.evaluator.require_exact(length)
        found = np.zeros(tokens.shape, dtype=bool)
        rows = max(1, AT_ONCE // max(1, length))
        for done in range(0, len(ids), rows):
            found[done : done + rows] = evaluate(self._layout, ids[done : done + rows])[self._accept]
        return found

    def _drawn(self, uneven: npt.NDArray[np.bool_], length: int, rng: np.random.Generator) -> Words:
        """A word for each entry: uneven where that is true, else uniform."""
        size = len(self.alphabet)
        tokens = rng.integers(size, size=(len(uneven), length))
        # Exponential variables over their sum are uniform on the simplex; symbol s is drawn from between two sums.
        sums = rng.standard_exponential((int(uneven.sum()), size)).cumsum(axis=1)
        thresholds = sums[:, :-1] / sums[:, -1:]
        drawn = rng.random((len(sums), length))
        tokens[uneven] = sum(
            (drawn >= thresholds[:, [symbol]] for symbol in range(size - 1)), np.zeros(drawn.shape, dtype=np.int64)
        )
        return tokens

    def _eventful(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Words that were cut and continued, at growing lengths, where they last showed both answers."""
        words, kept = np.empty((batch, 0), dtype=np.int64), np.zeros((batch, 1), dtype=np.int64)
        every, uneven = np.arange(batch), np.arange(batch * CANDIDATES) % 2 == 1
        end = 0
        while end < length:
            end = min(length, max(FIRST_LENGTH, 3 * end // 2))
            candidates = self._drawn(uneven, end, rng).reshape(batch, CANDIDATES, end)
            before = np.arange(words.shape[1]) < kept
            candidates[:, :, : words.shape[1]] = np.where(
                before[:, None], words[:, None], candidates[:, :, : words.shape[1]]
            )
            accepted = self._accepted(candidates.reshape(-1, end)).reshape(candidates.shape)
            latest = np.minimum(_last(accepted), _last(~accepted))
            best = latest.argmax(axis=1)
            words, kept = candidates[every, best], latest[every, best][:, None]
        return words


def _last(holds: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The last position, counted from 1, at which something holds; 0 if there is none."""
    return np.where(holds.any(axis=-1), holds.shape[-1] - holds[..., ::-1].argmax(axis=-1), 0)
