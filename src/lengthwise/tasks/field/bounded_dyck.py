"""Dyck-(k, m): well nested words of k kinds of brackets, never deeper than m (Hewitt et al., 2020; Yao et al., 2021).

For k = 1 this is the language D_m of Huang et al. over other letters. The bound makes it regular: a state is the stack
of open brackets, and there are 1 + k + … + kᵐ of them.
"""

from __future__ import annotations

import itertools

from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.tasks.language_task import LanguageTask
from lengthwise.tasks.registry import register_task

PAIRS = ("()", "[]", "{}", "<>")
STATES = 4096
"""The most stacks."""


@register_task("task:bounded-dyck")
class BoundedDyck(LanguageTask):
    """The next symbols of well nested words of `brackets` kinds of brackets, at most `depth` deep (Dyck-(k, m)).

    Args:
        brackets: How many kinds of brackets, k.
        depth: How many may be open at once, m.

    Raises:
        LengthwiseError: A number is below 1, or there are too many kinds or stacks.

    Example:
        >>> task = BoundedDyck(2, 1)
        >>> task.language.accepts("()[]"), task.language.accepts("([])")
        (True, False)

    """

    def __init__(self, brackets: int = 2, depth: int = 3) -> None:
        if not 1 <= brackets <= len(PAIRS):
            raise LengthwiseError(f"brackets is a number from 1 to {len(PAIRS)}, not {brackets}")
        if depth < 1 or sum(brackets**height for height in range(depth + 1)) > STATES:
            raise LengthwiseError(f"depth is a number from 1 on with at most {STATES} stacks, not {depth}")
        kinds = range(brackets)
        stacks = [stack for height in range(depth + 1) for stack in itertools.product(kinds, repeat=height)]
        number = {stack: place for place, stack in enumerate(stacks)}
        dead = len(stacks)
        table = [
            tuple(
                place
                for kind in kinds
                for place in (
                    number.get((*stack, kind), dead),
                    number[stack[:-1]] if stack and stack[-1] == kind else dead,
                )
            )
            for stack in stacks
        ]
        symbols = tuple(symbol for kind in kinds for symbol in PAIRS[kind])
        automaton = Automaton(symbols, (*table, (dead,) * len(symbols)), 0, frozenset({0}))
        name = "task:bounded-dyck"
        title = f"{name} brackets={brackets} depth={depth}"
        super().__init__(Language(automaton, title), None, name, {"brackets": brackets, "depth": depth})
