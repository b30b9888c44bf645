"""An invariant run on words: whether each word leads where it says, by evaluating programs operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Automaton


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


def inside(low: int | None, high: int | None, value: int) -> bool:
    """Whether a value lies in an interval."""
    return (low is None or low <= value) and (high is None or value <= high)


class Moment:
    """What is true after a prefix of a word."""

    def __init__(self, values: Sequence[list[list[int]]], argument: Mapping[str, Any], length: int, state: int) -> None:
        self.length, self.state, self.clauses = length, state, argument["clauses"]
        self.forms = [
            sum(factor * sum(values[one][place][:length]) for one, place, factor in form) for form in argument["forms"]
        ]
        self.held = [
            [bool(values[one][place][length - back]) if back <= length else False for back in range(1, 70)]
            for one, place in argument["memories"]
        ]

    def holds(self, row: Sequence[Any]) -> bool:
        """Whether a configuration is true now."""
        state, residue, modulus, intervals, bits, clauses, _ = row
        if state != self.state or (self.length + 1) % modulus != residue:
            return False
        if not all(inside(low, high, self.forms[form]) for form, low, high in intervals):
            return False
        for memory, mask, truths in bits:
            for place in range(mask.bit_length()):
                if mask >> place & 1 and self.held[memory][place] != bool(truths >> place & 1):
                    return False
        return all(
            any(inside(low, high, self.forms[form]) for form, low, high in self.clauses[clause]) for clause in clauses
        )


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
    if not Moment(values, argument, 0, state).holds(configurations[0]):
        return "the first configuration does not hold at the beginning"
    reached = {0}
    for length, letter in enumerate(word, start=1):
        if automaton:
            state = automaton.table[state][automaton.symbols.index(letter)]
        moment = Moment(values, argument, length, state)
        following: set[int] = set()
        for number in reached:
            targets = configurations[number][6][list(symbols).index(letter)]
            holding = {target for target in targets if moment.holds(configurations[target])}
            if not holding:
                return f"configuration {number} has no successor for {''.join(word[:length])}"
            following |= holding
        reached = following
    return None
