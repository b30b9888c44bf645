"""What a model of a task reads of a word that somebody gives it, and what it writes after it.

Most tasks read the word and answer at its positions. A task that reads more, such as a start symbol or a separator, or
whose answer is written symbol by symbol, says so in a method `prompt(word)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lengthwise.tasks.task import Task


@dataclass(frozen=True)
class Prompt:
    """The symbols that a model reads for a word."""

    symbols: tuple[str, ...]
    before: int = 0
    """How many of them stand before the word."""
    writes: int = 0
    """How many symbols the model then writes at most; 0 if its answers are its outputs at the symbols it reads."""
    end: str = ""
    """The symbol that ends what it writes."""

    def after(self, symbol: str) -> Prompt:
        """The same after one more symbol."""
        return replace(self, symbols=(symbol, *self.symbols), before=self.before + 1)


def prompt(task: Task, word: Sequence[str]) -> Prompt:
    """Return what a model of a task reads for a word.

    Args:
        task: The task.
        word: The symbols of the word.

    Returns:
        The symbols, with how many the model writes after them.

    Example:
        >>> from lengthwise import tasks
        >>> prompt(tasks.get("task:sort"), ["3", "1"]).symbols
        ('SOS', '3', '1', 'SEP')

    """
    own = getattr(task, "prompt", None)
    found: Prompt = Prompt(tuple(word)) if own is None else own(tuple(word))
    return found
