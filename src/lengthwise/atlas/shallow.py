"""How deeply counting has to nest: the shallowest program known, and what is known to be too shallow.

For each depth an atlas is built that holds expressions of at most this depth. Under such a limit the same answers stand
in it once for each depth at which they are met, unless a simpler expression is as shallow; so nothing of this depth is
lost. What an atlas of small programs does not have may still be a conjunction or a disjunction of some that it has.

A lower bound at all complexities comes from the depth hierarchy of C-RASP (Yang, Cadilhac and Chiang 2025, Knee-Deep in
C-RASP): the words of k blocks a⁺b⁺a⁺… need depth k without positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.atlas.atlas import Atlas, Member
from lengthwise.atlas.finding import HIGHEST, MOST_MEMORY, ROUNDS, Acceptor
from lengthwise.atlas.words import Rows, Words
from lengthwise.crasp import Program
from lengthwise.crasp.syntax import And, Expression, Or
from lengthwise.regular import Automaton, Language, verify
from lengthwise.resources import Deadline, memory_limit

DEEPEST = 6
MOST_FUNCTIONS = 60_000
"""No further level is begun at one depth in an atlas of so many functions."""
MOST_PARTS = 8
MOST_BLOCKS = 8


@dataclass(frozen=True)
class Shallow:
    """What is known about the depth that a function needs in C-RASP[∅].

    Attributes:
        program: The shallowest program that was found, proved equal; None if none was.
        none_up_to: For each smaller depth the complexity up to which there is no program.
        needed: A depth that every program has at least, by a theorem; 0 if none is known.

    """

    program: Program | None
    none_up_to: dict[int, int] = field(default_factory=dict)
    needed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "found": None if self.program is None else self.program.depth,
            "program": None if self.program is None else str(self.program),
            "none_up_to": {str(depth): complexity for depth, complexity in self.none_up_to.items()},
            "needed": self.needed,
        }

    def lines(self) -> list[str]:
        """The answer as text."""
        said = []
        if self.program is None:
            said.append("Depth: no program of C-RASP[∅] was found among small ones and what is made of a few of them.")
        else:
            said.append(f"Depth: the shallowest program of C-RASP[∅] that was found has depth {self.program.depth}:")
            said += [f"  {line}" for line in str(self.program).rstrip().split("\n")]
        below = [f"{depth} (complexity up to {complexity})" for depth, complexity in self.none_up_to.items()]
        if below:
            said.append(f"  There is none of depth {', '.join(below)}.")
        if self.needed:
            said.append(f"  Every program of C-RASP[∅] has depth {self.needed} at least (Yang et al. 2025).")
        return said


def shallowest(subject: Acceptor, symbols: Sequence[str], seconds: float | None = None) -> Shallow:
    """The shallowest program of C-RASP[∅] for a subject, depth by depth.

    Args:
        subject: A program or an automaton.
        symbols: The alphabet.
        seconds: How long to look.

    Returns:
        The program, and what is known about smaller depths.

    Example:
        >>> from lengthwise.regular import Language
        >>> found = shallowest(Language.from_regex("a*b*").automaton, ("a", "b"))
        >>> found.program.depth, sorted(found.none_up_to), found.needed
        (2, [0, 1], 0)

    """
    deadline = Deadline(seconds)
    needed = blocks_needed(subject, tuple(symbols))
    none: dict[int, int] = {}
    for depth in range(DEEPEST + 1):
        words = Words.of(tuple(symbols))
        for _ in range(ROUNDS):
            row = words.vector(subject)
            atlas = _atlas(row, words, depth, deadline)
            member = atlas.find(row)
            expression = _covered(atlas, row) if member is None else member.expression
            if member is None:
                none[depth] = atlas.complexity
            if expression is None or deadline.passed():
                break
            program = atlas.grammar.program(expression)
            left = deadline.left()
            compared = verify(program, subject, words.symbols, 10.0 if left is None else min(10.0, left))
            if compared.equal:
                none.pop(depth, None)
                return Shallow(program, none, needed)
            if compared.difference is None:
                break
            words = words.with_probes([compared.difference])
        if deadline.passed():
            break
    return Shallow(None, none, needed)


def _atlas(row: Rows, words: Words, depth: int, deadline: Deadline) -> Atlas:
    return Atlas.build(
        "",
        words.symbols,
        HIGHEST,
        words=words,
        until=lambda atlas: len(atlas) >= MOST_FUNCTIONS or atlas.find(row) is not None,
        seconds=deadline.left(),
        memory=min(MOST_MEMORY, memory_limit()),
        depth=depth,
    )


def _covered(atlas: Atlas, row: Rows) -> Expression | None:
    """A disjunction of functions within the row, or a conjunction of functions around it, with its answers."""
    ones = np.where(atlas.words.lengths > 0, np.uint64(2**64 - 1), np.uint64(0))
    made: list[tuple[int, Expression]] = []
    for negated in (False, True):
        goal = row ^ ones if negated else row
        ids: list[npt.NDArray[np.int64]] = []
        kept: list[Rows] = []
        for part, rows in atlas.blocks():
            chosen = rows ^ ones if negated else rows
            inside = np.flatnonzero(~(chosen & ~goal).any(axis=1) & chosen.any(axis=1))
            ids.append(inside + part.start)
            kept.append(chosen[inside])
        numbers, candidates = np.concatenate(ids), np.concatenate(kept)
        left = goal.copy()
        parts: list[Member] = []
        while left.any() and len(parts) < MOST_PARTS and len(numbers):
            gains = np.bitwise_count(candidates & left).sum(axis=1)
            best = int(gains.argmax())
            if gains[best] == 0:
                break
            parts.append(atlas.member(int(numbers[best])))
            left &= ~candidates[best]
        if parts and not left.any():
            operands = tuple(part.expression for part in parts)
            cost = sum(part.complexity for part in parts) + len(parts) - 1
            made.append((cost, operands[0] if len(operands) == 1 else And(operands) if negated else Or(operands)))
    return min(made, key=lambda pair: pair[0])[1] if made else None


def blocks_needed(subject: Acceptor, symbols: tuple[str, ...]) -> int:
    """The depth that a⁺b⁺a⁺… needs for two symbols in either order, which is its number of blocks; 0 for all else."""
    if not isinstance(subject, Automaton) or len(symbols) != 2 or len(subject.symbols) != 2:
        return 0
    small = subject.minimal()
    for letters in ("ab", "ba"):
        for blocks in range(1, MOST_BLOCKS + 1):
            text = "".join(f"{letters[place % 2]}+" for place in range(blocks))
            other = Language.from_regex(text, "ab").automaton.minimal()
            # Minimal automata are numbered alike, whatever their symbols are called.
            if (other.table, other.accepting) == (small.table, small.accepting):
                return blocks
    return 0
