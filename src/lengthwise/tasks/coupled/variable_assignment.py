"""Variable assignment: follow a chain of assignments (Golowich et al., section 5.2.2, appendix E.3.1, (22)).

BOS v_1 SEP1 a ← b … SEP2 v_1 ← v_2 v_2 ← v_3 … v_d ← v_{d+1}. The question has w chains of d assignments each, all of
whose variables are different, interleaved at random with the order within each chain kept. It begins with the first
variable of one of them, and the scratchpad writes out that chain. The IDs are 0, then 1, 2, …, then 0 at SEP2; each
assignment of the scratchpad has the IDs that it has in the question. So these depend on the question, and a model has
to find them. The length is the room for assignments, of which a chain needs 3d: there are as many chains as it has room
for, and words of several lengths have the same tokens.

Left open, and chosen here: all interleavings are equally likely, as are all choices of variables. A variable of the
chain occurs several times; the ID meant is that of the assignment to it, as it is followed by the next two. The paper
calls v_d the goal, but its scratchpad ends with v_{d+1}. Counting as it prints IDs, from 0 at BOS, the first variable
has 1, SEP1 has 2 and the first assignment 3, 4, 5. Without a scratchpad (Figure 3c) the answer v_{d+1} alone is
written, with the ID that it has in the scratchpad.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.algorithmic.answer_task import Rows, require_between
from lengthwise.tasks.coupled.positioned_task import BEGIN, COUPLED, PositionedTask, Words, column, require_positions
from lengthwise.tasks.registry import register_task

ARROW = "←"
FIRST_SEPARATOR, SECOND_SEPARATOR = "SEP1", "SEP2"
BEFORE = 3
"""Tokens before the assignments: BOS, the first variable and SEP1. It is also the ID of the first assignment."""
MOST_DEPTH = 100
MOST_VARIABLES = 10_000


@register_task("task:variable-assignment")
@dataclass(frozen=True)
class VariableAssignment(PositionedTask):
    """BOS v SEP1 x SEP2 y, where x interleaves chains of `depth` assignments and y is the one that begins at v."""

    depth: int = 2
    """d: how many assignments a chain has; the paper has 2 to 5."""
    variables: int = 200
    """How many variables there are to choose from."""
    scratchpad: bool = True
    """Whether the chain is written out, or only its last variable."""
    positions: str = COUPLED

    name = "task:variable-assignment"

    def __post_init__(self) -> None:
        require_between("the depth", self.depth, 1, MOST_DEPTH)
        require_between("the number of variables", self.variables, self.depth + 1, MOST_VARIABLES)
        require_positions(self.positions)

    @property
    def symbols_in_order(self) -> tuple[str, ...]:
        """The variables v1, v2, …, the arrow and the marks."""
        variables = (f"v{number}" for number in range(1, self.variables + 1))
        return (*variables, ARROW, BEGIN, FIRST_SEPARATOR, SECOND_SEPARATOR)

    @property
    def min_length(self) -> int:
        """One chain."""
        return 3 * self.depth

    def chains(self, length: int) -> int:
        """w: for how many chains there is room."""
        return length // (3 * self.depth)

    def lengths(self, up_to: int) -> tuple[int, ...]:
        """As long as there are variables for all chains."""
        most = self.variables // (self.depth + 1)
        return tuple(range(self.min_length, min(up_to, 3 * self.depth * (most + 1) - 1) + 1))

    def written(self) -> int:
        """How many tokens are written."""
        return 3 * self.depth if self.scratchpad else 1

    def input_length(self, length: int) -> int:
        """The question with SEP2, and all of what is written but the last token."""
        return BEFORE + 3 * self.depth * self.chains(length) + self.written()

    def largest_coupled_id(self, length: int) -> int:
        """That of the last token before SEP2."""
        return BEFORE - 1 + 3 * self.depth * self.chains(length)

    def drawn(self, length: int, batch: int, rng: np.random.Generator) -> Words:
        """Chains of different variables in any order, of which the first is asked about."""
        chains, size = self.chains(length), self.depth + 1
        if chains * size > self.variables:
            raise LengthwiseError(
                f"{self.name} has {self.variables} variables, too few for the {chains} chains of length {length}; "
                f"set variables={chains * size} or more"
            )
        variables = _shuffled(self.variables, batch, rng)[:, : chains * size].reshape(batch, chains, size)
        # A random order deals out the places to the chains; each takes its own in turn.
        places = _shuffled(chains * self.depth, batch, rng).reshape(batch, chains, self.depth)
        places.sort(axis=2)
        arrows = np.full_like(places, self.alphabet.index(ARROW))
        assignments = np.stack([variables[:, :, :-1], arrows, variables[:, :, 1:]], axis=3)
        question = np.empty((batch, chains * self.depth, 3), dtype=np.int64)
        question[np.arange(batch)[:, None, None], places] = assignments
        ids = BEFORE + 3 * places[:, 0, :, None] + np.arange(3)
        return self._joined(variables[:, 0, :1], *map(_in_a_row, (question, assignments[:, 0], ids)))

    def _joined(self, first: Rows, question: Rows, scratchpad: Rows, ids: Rows) -> Words:
        """Whole words from their parts, with the IDs of the scratchpad."""
        batch, marks = len(first), (BEGIN, FIRST_SEPARATOR, SECOND_SEPARATOR)
        begin, middle, separator = (column(self.alphabet.index(mark), batch) for mark in marks)
        asked = np.concatenate([begin, first, middle, question], axis=1)
        read = np.broadcast_to(np.arange(asked.shape[1]), asked.shape)
        return Words(
            np.concatenate([asked, separator, scratchpad[:, -self.written() :]], axis=1),
            written=self.written(),
            ids=np.concatenate([read, np.zeros_like(separator), ids[:, -self.written() :]], axis=1),
        )


def _shuffled(count: int, batch: int, rng: np.random.Generator) -> Rows:
    """0 to count - 1 in a random order, for each word."""
    return rng.permuted(np.broadcast_to(np.arange(count), (batch, count)), axis=1)


def _in_a_row(triples: Rows) -> Rows:
    """The tokens of assignments (batch, assignments, 3) one after the other."""
    return triples.reshape(len(triples), 3 * triples.shape[1])
