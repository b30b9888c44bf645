"""Tables as text: rows of cells below each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = (), least: Sequence[int] = ()) -> list[str]:
    r"""Write a table as lines, with two blanks between columns as wide as their widest cells.

    Args:
        rows: The cells of each row, as many in each; a header is a row like the others.
        right: The columns whose cells end below each other; those of the others begin so.
        least: The least widths of the first columns.

    Returns:
        A line for each row. A last column that is not to the right is not filled with blanks.

    Example:
        >>> print(*aligned([["N", "steps"], ["8", "1,000"], ["128", "50"]], right=[1]), sep="\n")
        N    steps
        8    1,000
        128     50

    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = [max(width, *least[place : place + 1], 0) for place, width in enumerate(widths)]

    def cell(place: int, text: str) -> str:
        if place in right:
            return text.rjust(widths[place])
        return text if place == len(widths) - 1 else text.ljust(widths[place])

    return ["  ".join(cell(place, text) for place, text in enumerate(row)) for row in rows]
