"""A plain interpreter for comparison: one Python list an operation, a double loop for guarded counts.

This is how list-at-a-time interpreters of C-RASP work: linear in the length without guards, quadratic with them. It
reads the same listing of operations as the real evaluators, so that both do the same work.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lengthwise.crasp.running.operations import Listing

COMPARE = {"==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__}


def last(listing: Listing, root: int, ids: Sequence[int]) -> int:
    """The value of one operation at the end of a non-empty word."""
    columns: dict[int, list[int]] = {}
    for index in listing.needed([root]):
        operation = listing.operations[index]
        parts = [columns[operand] for operand in operation.operands]
        match operation.kind:
            case "symbol":
                column = [int(symbol == operation.value) for symbol in ids]
            case "truth" | "number":
                column = [operation.value] * len(ids)
            case "periodic":
                column = [int(i % operation.value in operation.numbers) for i in range(1, len(ids) + 1)]
            case "not":
                column = [1 - value for value in parts[0]]
            case "and":
                column = [int(all(row)) for row in zip(*parts, strict=True)]
            case "or":
                column = [int(any(row)) for row in zip(*parts, strict=True)]
            case "==" | "!=" | "<" | "<=":
                relation = COMPARE[operation.kind]
                column = [int(relation(left, right)) for left, right in zip(*parts, strict=True)]
            case "count":
                column = list(accumulate(parts[0]))
            case "before":
                column = [0, *accumulate(parts[0][:-1])]
            case "window":
                offsets = operation.numbers
                column = [sum(parts[0][j] for j in range(i + 1) if i - j in offsets) for i in range(len(ids))]
            case "min" | "max":
                choose = min if operation.kind == "min" else max
                column = [choose(row) for row in zip(*parts, strict=True)]
            case "select":
                column = [then if holds else other for holds, then, other in zip(*parts, strict=True)]
            case "sum":
                column = [
                    operation.value + sum(factor * value for factor, value in zip(operation.numbers, row, strict=True))
                    for row in zip(*parts, strict=True)
                ]
        columns[index] = column
    return columns[root][-1]
