"""A question and what is written behind it, every token with a position ID (Golowich et al., section 5.2, appendix E).

A model reads the question and the tokens written so far. It is asked for all tokens behind the separator and, by
Predictive Position Coupling, for their IDs: `Batch.next_positions` has the ID of the token that comes next. The paper's
words end without an end symbol, so the last token is written but never read.

ID 0 belongs to the tokens that are coupled with nothing, which begin a word or separate its parts. The others have IDs
from 1 on. Training shifts these by a random offset; that is done by the position scheme, not here, so IDs of a batch
are as the paper prints them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.algorithmic.answer_task import Rows
from lengthwise.tasks.request import require_drawable
from lengthwise.tasks.task import Batch, Loss

BEGIN = "BOS"
SEPARATOR = "SEP"
COUPLED, PLAIN = "coupled", "plain"
"""Whether batches have the position IDs of a task, or none."""


@dataclass(frozen=True)
class Words:
    """Whole words, one a row, with the token that is written last."""

    tokens: Rows
    written: int
    """How many tokens at the end of each word a model is asked for."""
    ids: Rows | None = None
    """The ID of every token; one row for all words where IDs depend on the length alone."""


@dataclass(frozen=True)
class PositionedTask(ABC):
    """A task whose tokens have IDs; each says which symbols it has, draws words, and gives IDs to their tokens.

    The fields of a task are its parameters.
    """

    name = ""
    positions = PLAIN
    """`coupled` or `plain`; a parameter of the tasks that have coupled positions."""
    program = None
    language = None

    @property
    @abstractmethod
    def symbols_in_order(self) -> tuple[str, ...]:
        """All symbols, in the order of their ids."""

    @property
    def min_length(self) -> int:
        """The shortest question."""
        return 1

    @abstractmethod
    def input_length(self, length: int) -> int:
        """How many tokens a model reads of a word: all but the last."""

    @abstractmethod
    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Random words for a length that the task has."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All fields of the task."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols of questions and of what is written."""
        return Alphabet(self.symbols_in_order)

    @property
    def outputs(self) -> int:
        """One for each symbol. IDs are for a head of their own, which the model has."""
        return len(self.alphabet)

    @property
    def loss(self) -> Loss:
        """The cross entropy of what is written."""
        return "next-token"

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """All from the shortest on."""
        return tuple(range(self.min_length, up_to + 1))

    def largest_coupled_id(self, length: int) -> int:
        """The largest ID of a token, the last one of the word included; for a task that has coupled positions."""
        raise LengthwiseError(f"{self.name} has no coupled positions")

    def largest_id(self, length: int) -> int:
        """The largest position ID that a model meets or has to say; a table of positions needs as many, and ID 0."""
        return self.input_length(length) if self.positions == PLAIN else self.largest_coupled_id(length)

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        """Random words, `input_length` tokens a row."""
        require_drawable(self, length, batch)
        words = self.drawn(length, batch, rng)
        tokens, targets = words.tokens[:, :-1], words.tokens[:, 1:]
        mask = np.zeros(tokens.shape, dtype=bool)
        mask[:, tokens.shape[1] - words.written :] = True
        if self.positions == PLAIN or words.ids is None:
            return Batch(tokens, targets, mask)
        ids = np.broadcast_to(words.ids, words.tokens.shape).copy()
        return Batch(tokens, targets, mask, positions=ids[:, :-1], next_positions=ids[:, 1:])


def require_positions(given: str) -> None:
    """Refuse what is neither `coupled` nor `plain`."""
    if given not in (COUPLED, PLAIN):
        raise LengthwiseError(f"the positions of a task are {COUPLED} or {PLAIN}, not {given!r}")


def column(token: int, batch: int) -> Rows:
    """The same token in every word."""
    return np.full((batch, 1), token)
