"""How much work a decision may do. Every cap has a name, and an answer that hits one says which and how to raise it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import MOST_STATES
from lengthwise.resources import SECONDS, Deadline, LimitError, check_time, time_limit


class BudgetError(LimitError):
    """A cap was hit; the message names it."""


@dataclass(frozen=True)
class Budget:
    """Caps on the parts of a decision; `seconds` counts from the moment the budget is made.

    Attributes:
        deadline: When the time for everything together is over; made of `seconds`.

    """

    seconds: float | None = SECONDS
    """Time for everything together; None for no limit."""
    monoid: int = 20_000
    """Elements of the transition monoid."""
    arrows: int = 2_000_000
    """Edges of the graph over the stable semigroup."""
    nodes: int = 20_000
    """Nodes of a graph of states, residues and windows, in the search for a program."""
    memory: int = 1_000_000_000
    """Bytes of the transition monoid."""
    states: int | None = None
    """States of an automaton that a text describes (else 20,000); configurations in the proof that a program is right
    (else 200,000)."""
    proof: float = 20.0
    """Seconds for one such proof."""
    deadline: Deadline = None  # type: ignore[assignment]  # made of `seconds` below

    def __post_init__(self) -> None:
        for name in ("monoid", "arrows", "nodes", "memory", "states"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise LengthwiseError(f"the cap {name!r} must be at least 1, got {getattr(self, name)}")
        if not self.proof > 0:
            raise LengthwiseError(f"the cap 'proof' must be a positive number of seconds, got {self.proof}")
        if self.deadline is None:
            object.__setattr__(self, "deadline", time_limit(self.seconds))

    @property
    def described(self) -> int:
        """The most states of an automaton that a text describes, or that a program is found to have."""
        return self.states or MOST_STATES

    @property
    def configurations(self) -> int:
        """The most configurations in a proof that a program is right."""
        return self.states or 200_000

    @property
    def left(self) -> float | None:
        """Seconds that are left, at least 0; None without a limit."""
        return self.deadline.left()

    def check(self) -> None:
        """Stop if the time is over, that of this budget or another that is in force."""
        self.deadline.check()
        check_time()

    def in_force(self) -> AbstractContextManager[Deadline]:
        """Let the deadline stop everything inside the block that checks the time."""
        return self.deadline.in_force()

    def exceeded(self, name: str) -> BudgetError:
        """The error for a cap that was hit."""
        what = {
            "monoid": "the transition monoid has more elements than",
            "arrows": "the graph over the stable semigroup has more edges than",
            "nodes": "every graph of states, residues and windows left to try has more nodes than",
            "memory": "the transition monoid takes more bytes than",
        }[name]
        return BudgetError(f"{what} the cap '{name}' of {getattr(self, name)} allows; raise it with --cap {name}=N")
