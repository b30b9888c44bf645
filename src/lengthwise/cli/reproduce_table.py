"""The tables that `lengthwise reproduce` computes: nothing is trained for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.regular.algorithmic.tables import Row

TABLES = {
    "huang-table2": "Huang et al., Table 2: C-RASP expressiveness and classical classes of finite-state languages",
    "huang-table3": "Huang et al., Table 3: C-RASP expressiveness of algorithmic tasks",
}


def reproduce_table(name: str, as_json: bool, store: str | None = None, preset: str = "quick") -> None:
    """Print a table beside the paper's entries, and say where they differ; with a store, also what was measured."""
    from lengthwise.regular.algorithmic import tables

    rows = list(tables.table_2() if name == "huang-table2" else tables.table_3())
    measured = {} if store is None else _measured(name, [row.name for row in rows], preset, store)
    if as_json:
        beside = [{"measured": measured[row.name]} if measured else {} for row in rows]
        data: dict[str, Any] = {"figure": name, "title": TABLES[name]} | ({"preset": preset} if measured else {})
        data["rows"] = [row.as_json() | more for row, more in zip(rows, beside, strict=True)]
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    typer.echo(TABLES[name] + "\n")
    for line in _table(rows, measured):
        typer.echo(line)
    typer.echo("")
    if measured:
        typer.echo(
            f"Measured, preset {preset}: mean accuracy in percent on the longest words (lowest–highest seed), "
            "seeds that learned the task/seeds tried; ° marks models or training that are not the published ones."
        )
    for line in _remarks(rows):
        typer.echo(line)


def _measured(name: str, tasks: list[str], preset: str, store: str) -> dict[str, Any]:
    """What a store has on the tasks of a table, by task and scheme."""
    from lengthwise.experiments.generalization.beside import measured_beside
    from lengthwise.runs.store.store import Store

    if not Path(store).is_dir():
        raise LengthwiseError(f"there is no store {store}; `lengthwise reproduce huang-fig1` makes one")
    return measured_beside(tasks, name == "huang-table3", preset, Store(store))


def _table(rows: list[Row], measured: Mapping[str, Any]) -> Iterable[str]:
    columns = list(rows[0].ours)
    more: dict[str, dict[str, str]] = {row.name: {} for row in rows}
    if measured:
        from lengthwise.experiments.generalization.beside import columns as beside

        more = {row.name: beside(measured[row.name]) for row in rows}
    header = ["#", "language" if "star-free" in columns else "task", *columns, *more[rows[0].name]]
    cells = [header]
    for row in rows:
        marked = [f"{row.ours[column]}{' *' if column in row.differences else ''}" for column in columns]
        cells.append([row.number, row.title, *marked, *more[row.name].values()])
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
