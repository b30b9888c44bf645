"""How much work a decision may do. Every cap has a name, and an answer that hits one says which and how to raise it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from lengthwise.errors import LengthwiseError


class BudgetError(LengthwiseError):
    """A cap was hit; the message names it."""


@dataclass(frozen=True)
class Budget:
    """Caps on the parts of a decision; `seconds` counts from the moment the budget is made.

    Attributes:
        started: When the budget was made, in seconds of `time.monotonic`.

    """

    seconds: float | None = None
    """Time for everything together."""
    monoid: int = 20_000
    """Elements of the transition monoid."""
    arrows: int = 2_000_000
    """Edges of the graph over the stable semigroup."""
    nodes: int = 20_000
    """Nodes of a graph of states, residues and windows, in the search for a program."""
    states: int = 200_000
    """Configurations in the proof that a program is right."""
    proof: float = 20.0
    """Seconds for one such proof."""
    started: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        for name in ("monoid", "arrows", "nodes", "states"):
            if getattr(self, name) < 1:
                raise LengthwiseError(f"the cap {name!r} must be at least 1, got {getattr(self, name)}")
        if not self.proof > 0:
            raise LengthwiseError(f"the cap 'proof' must be a positive number of seconds, got {self.proof}")
        if self.seconds is not None and not self.seconds > 0:
            raise LengthwiseError(f"the time limit must be positive, got {self.seconds}")

    @property
    def left(self) -> float | None:
        """Seconds that are left, at least 0; None without a limit."""
        return None if self.seconds is None else max(0.0, self.started + self.seconds - monotonic())

    def check(self) -> None:
        """Stop if the time is over."""
        if self.left == 0.0:
            raise BudgetError(f"the time limit of {self.seconds:g} seconds was reached (cap 'seconds')")

    def exceeded(self, name: str) -> BudgetError:
        """The error for a cap that was hit."""
        what = {
            "monoid": "the transition monoid has more elements than",
            "arrows": "the graph over the stable semigroup has more edges than",
            "nodes": "every graph of states, residues and windows left to try has more nodes than",
            "states": "the proof needs more configurations than",
        }[name]
        return BudgetError(f"{what} the cap '{name}' of {getattr(self, name)} allows")
