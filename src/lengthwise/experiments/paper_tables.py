"""Tables 2 and 3 of Huang et al., computed: nothing is trained for them. A store has what was measured beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import TABLES, find
from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.experiments.generalization.measured import Measured
from lengthwise.experiments.generalization.names import SCHEMES, from_to, percent
from lengthwise.experiments.generalization.predictors import PREFIX

if TYPE_CHECKING:
    from lengthwise.regular.algorithmic.tables import Row

FIGURE_1 = "huang-fig1"
"""The experiment that the tables can be set beside."""
Beside = dict[Scheme, dict[str, Any]]
"""What was measured of a task, by scheme, in the order of the tables' columns."""
EMPTY = {"outcome": "not in the preset", "learned": 0, "tried": 0}


def _measured_beside(names: list[str], algorithmic: bool, preset: str, store: Path) -> dict[str, Beside]:
    """What a store has on the tasks of a table, by their names there; nothing is trained."""
    experiment: Any = find(FIGURE_1)
    outcomes = experiment.outcomes(preset, store)
    prefix = PREFIX if algorithmic else ""
    schemes: tuple[Scheme, ...] = ("nope", "ape")
    cells = {name: outcomes.tasks.get(f"{prefix}{name}", {}) for name in names}
    return {name: {scheme: _facts(found.get(scheme)) for scheme in schemes} for name, found in cells.items()}


def _columns(beside: Beside) -> dict[str, str]:
    """The same as entries of a table."""
    entries = {}
    for scheme, facts in beside.items():
        entries[f"{SCHEMES[scheme]} measured"] = _accuracy(facts)
        entries[f"{SCHEMES[scheme]} outcome"] = facts["outcome"]
    return entries


def _facts(each: Measured | None) -> dict[str, Any]:
    low, high = (each and each.spread(-1)) or (None, None)
    facts: dict[str, Any] = {"mean": None if each is None else each.mean(-1), "lowest": low, "highest": high}
    if each is None:
        return {**facts, **EMPTY, "model": None, "changed": None}
    cell = each.cell
    return {
        **facts,
        "outcome": each.outcome,
        "learned": sum(seed.learned for seed in each.seeds),
        "tried": len(each.seeds),
        "model": str(cell.size),
        "changed": cell.changed,
    }


def _accuracy(facts: dict[str, Any]) -> str:
    """The mean, the lowest and the highest accuracy in percent, and how many seeds learned the task."""
    if not facts["tried"]:
        return percent(None)
    shown = percent(facts["mean"]) + from_to(facts["lowest"], facts["highest"])
    return f"{shown}, {facts['learned']}/{facts['tried']}{'°' if facts['changed'] else ''}"


@dataclass(frozen=True)
class PaperTable:
    """A table beside the paper's entries; with a store, also what was measured in a preset of `huang-fig1`."""

    name: str
    store: Path | None = None
    preset: str = "quick"
    failed: tuple[()] = ()
    """Nothing can fail."""

    def __post_init__(self) -> None:
        if self.store is not None and not self.store.is_dir():
            raise LengthwiseError(f"there is no store {self.store}; `lengthwise reproduce {FIGURE_1}` makes one")

    @cached_property
    def rows(self) -> list[Row]:
        """The computed rows."""
        from lengthwise.regular.algorithmic import tables

        return list(tables.table_2() if self.name == "huang-table2" else tables.table_3())

    @cached_property
    def measured(self) -> dict[str, Beside]:
        """What a store has on the tasks of the rows, by task and scheme; nothing without one."""
        if self.store is None:
            return {}
        names = [row.name for row in self.rows]
        return _measured_beside(names, self.name == "huang-table3", self.preset, self.store)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        beside = [{"measured": self.measured[row.name]} if self.measured else {} for row in self.rows]
        data = {"figure": self.name, "title": TABLES[self.name]} | ({"preset": self.preset} if self.measured else {})
        return {**data, "rows": [row.as_json() | more for row, more in zip(self.rows, beside, strict=True)]}

    def lines(self) -> Iterator[str]:
        """As text, with the entries that differ from the paper's."""
        measured = self.measured  # before anything is shown: the preset may not be there
        yield TABLES[self.name] + "\n"
        yield from _table(self.rows, measured)
        yield ""
        if measured:
            yield (
                f"Measured, preset {self.preset}: mean accuracy in percent on the longest words (lowest–highest seed), "
                "seeds that learned the task/seeds tried; ° marks models or training that are not the published ones."
            )
        yield from _remarks(self.rows)


def _table(rows: list[Row], measured: Mapping[str, Any]) -> Iterable[str]:
    columns = list(rows[0].ours)
    more: dict[str, dict[str, str]] = {row.name: {} for row in rows}
    if measured:
        more = {row.name: _columns(measured[row.name]) for row in rows}
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
