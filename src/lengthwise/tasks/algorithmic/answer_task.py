"""The tasks of Huang et al., App. E.2.1, in the format SOS x SEP y EOS (`tasks.answer_format`).

`decide` knows each of them by its name in Table 3.
"""

from __future__ import annotations

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Verdict, decide_task
from lengthwise.tasks.answer_format import START, AnswerFormat, Rows

__all__ = ["PREFIX", "START", "AnswerTask", "Rows", "require_between"]

PREFIX = "task:"
"""What stands before the name that a task has in Table 3."""


class AnswerTask(AnswerFormat):
    """A task of Table 3; its name is `task:` and the name there."""

    @property
    def decided_as(self) -> str:
        """The name under which `decide` knows the task."""
        return self.name.removeprefix(PREFIX)

    def verdict(self) -> Verdict:
        """What `decide` says: the row of Table 3 with programs and reasons."""
        return decide_task(self.decided_as)


def require_between(what: str, number: int, least: int, most: int) -> None:
    """Refuse a parameter that is too small or too large."""
    if not least <= number <= most:
        raise LengthwiseError(f"{what} is a number from {least} to {most}, not {number}")
