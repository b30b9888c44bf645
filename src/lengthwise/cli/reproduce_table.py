"""The tables that `lengthwise reproduce` computes: nothing is trained for them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from lengthwise.regular.tables import Row

TABLES = {
    "huang-table2": "Huang et al., Table 2: C-RASP expressiveness and classical classes of finite-state languages",
    "huang-table3": "Huang et al., Table 3: C-RASP expressiveness of algorithmic tasks",
}


def reproduce_table(name: str, as_json: bool) -> None:
    """Print a table beside the paper's entries, and say where they differ."""
    from lengthwise.regular import tables

    rows = list(tables.table_2() if name == "huang-table2" else tables.table_3())
    if as_json:
        data = {"figure": name, "title": TABLES[name], "rows": [row.as_json() for row in rows]}
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    typer.echo(TABLES[name] + "\n")
    for line in _table(rows):
        typer.echo(line)
    typer.echo("")
    for line in _remarks(rows):
        typer.echo(line)


def _table(rows: list[Row]) -> Iterable[str]:
    columns = list(rows[0].ours)
    header = ["#", "language" if "star-free" in columns else "task", *columns]
    cells = [header]
    for row in rows:
        marked = [f"{row.ours[column]}{' *' if column in row.differences else ''}" for column in columns]
        cells.append([row.number, row.title, *marked])
    widths = [max(len(line[place]) for line in cells) for place in range(len(header))]
    for number, line in enumerate(cells):
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


def _remarks(rows: list[Row]) -> Iterable[str]:
    different = [(row, column) for row in rows for column in row.differences]
    for row, column in different:
        yield f"* {row.title}, {column}: the paper has '{row.paper[column]}', ours is '{row.ours[column]}'"
    if not different:
        yield "Every entry is the paper's."
    proved = sum(row.proved for row in rows)
    yield f"{proved} of {2 * len(rows)} C-RASP entries rest on a proved program or a re-checked witness:"
    for row in rows:
        yield f"  {row.title}: " + "; ".join(f"{column} {text}" for column, text in row.support.items())
    for row in rows:
        for remark in row.remarks:
            yield f"  {row.title}: {remark}"
