"""L_k: k blocks of equal letters, a and b in turn, from a on: L_1 = a⁺, L_2 = a⁺b⁺, L_3 = a⁺b⁺a⁺.

They are the languages with which Yang, Cadilhac and Chiang (2025) separate C-RASP by its depth of counting: more blocks
need deeper programs. All of them are piecewise testable, so `decide` says yes for every k.
"""

from __future__ import annotations

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.tasks.language_task import LanguageTask
from lengthwise.tasks.registry import register_task

MOST = 64
"""The most blocks."""


@register_task("task:alternating-blocks")
class AlternatingBlocks(LanguageTask):
    """The next symbols of words of `blocks` blocks of equal letters, a and b in turn (L_k).

    Args:
        blocks: How many blocks.

    Raises:
        LengthwiseError: There are fewer than one block or too many.

    Example:
        >>> AlternatingBlocks(3).language.accepts("aabba")
        True

    """

    def __init__(self, blocks: int = 3) -> None:
        if not 1 <= blocks <= MOST:
            raise LengthwiseError(f"blocks is a number from 1 to {MOST}, not {blocks}")
        dead = blocks + 1
        # State n: the n-th block is being read; odd blocks are of a.
        table = [(1, dead)] + [
            (number, min(number + 1, dead)) if number % 2 else (min(number + 1, dead), number)
            for number in range(1, blocks + 1)
        ]
        automaton = Automaton(("a", "b"), (*table, (dead, dead)), 0, frozenset({blocks}))
        name = "task:alternating-blocks"
        super().__init__(Language(automaton, f"{name} blocks={blocks}"), None, name, {"blocks": blocks})
