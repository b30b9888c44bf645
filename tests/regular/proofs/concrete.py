"""An invariant run on words: whether each word leads where it says, by evaluating programs operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.crasp import Program
from lengthwise.regular.automaton import Automaton


def operation_values(program: Program, word: Sequence[str]) -> list[list[int]]:
    """The value of every operation of a listing at every position."""
    rows: list[list[int]] = []
    for step in program.listing.operations:
        of = [rows[operand] for operand in step.operands]
        row = []
        for i in range(len(word)):
            match step.kind:
                case "symbol":
                    value = int(step.value >= 0 and program.alphabet.index(word[i]) == step.value)
                case "truth" | "number":
                    value = step.value
                case "periodic":
                    value = int((i + 1) % step.value in step.numbers)
                case "not":
                    value = 1 - of[0][i]
                case "and":
                    value = min(part[i] for part in of)
                case "or":
                    value = max(part[i] for part in of)
                case "count":
                    value = sum(of[0][: i + 1])
                case "before":
                    value = sum(of[0][:i])
                case "window":
                    value = sum(of[0][i - back] for back in step.numbers if back <= i)
                case "sum":
                    value = step.value + sum(k * part[i] for k, part in zip(step.numbers, of, strict=True))
                case "min" | "max":
                    value = (min if step.kind == "min" else max)(of[0][i], of[1][i])
                case "select":
                    value = of[1][i] if of[0][i] else of[2][i]
                case "==":
                    value = int(of[0][i] == of[1][i])
                case "!=":
                    value = int(of[0][i] != of[1][i])
                case "<":
                    value = int(of[0][i] < of[1][i])
                case "<=":
                    value = int(of[0][i] <= of[1][i])
            row.append(value)
        rows.append(row)
    return rows


def strays(
    programs: Sequence[Program],
    automaton: Automaton | None,
    symbols: Sequence[str],
    argument: Mapping[str, Any],
    word: Sequence[str],
) -> str | None:
    """Where a word leaves the configurations of an invariant; None if it never does."""
    values = [operation_values(program, word) for program in programs]
    configurations = argument["configurations"]
    state = automaton.start if automaton else 0
    reached = {0}
    for length in range(len(word) + 1):
        moment = _Moment(argument, values, state, length)
        if length == 0:
            if not moment.holds(configurations[0]):
                return "the first configuration does not hold at the beginning"
        else:
            symbol = list(symbols).index(word[length - 1])
            following: set[int] = set()
            for number in reached:
                named = configurations[number][6][symbol]
                targets = {target for target in named if moment.holds(configurations[target])}
                if not targets:
                    return f"configuration {number} has no successor for {''.join(word[:length])}"
                following |= targets
            reached = following
        if length < len(word) and automaton:
            state = automaton.table[state][list(automaton.symbols).index(word[length])]
    return None


class _Moment:
    """What the forms and memories of an invariant are after so many symbols of a word."""

    def __init__(self, argument: Mapping[str, Any], values: Sequence[list[list[int]]], state: int, length: int) -> None:
        self.argument, self.state, self.length = argument, state, length
        self.forms = [
            sum(factor * sum(values[one][place][:length]) for one, place, factor in form) for form in argument["forms"]
        ]
        self.held = [
            [bool(values[one][place][length - back]) if back <= length else False for back in range(1, 70)]
            for one, place in argument["memories"]
        ]

    def holds(self, row: Sequence[Any]) -> bool:
        """Whether what a configuration says is so."""
        state, residue, modulus, intervals, bits, clauses, _ = row
        return bool(
            state == self.state
            and (self.length + 1) % modulus == residue
            and all(map(self._inside, intervals))
            and all(
                self.held[memory][place] == bool(truths >> place & 1)
                for memory, mask, truths in bits
                for place in range(mask.bit_length())
                if mask >> place & 1
            )
            and all(any(map(self._inside, self.argument["clauses"][clause])) for clause in clauses)
        )

    def _inside(self, part: Sequence[Any]) -> bool:
        form, low, high = part
        return (low is None or low <= self.forms[form]) and (high is None or self.forms[form] <= high)
