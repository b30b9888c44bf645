"""The live display of a terminal: a table with a line for each running run, and a bar for all of them.

Columns are left out where the terminal is too narrow for all, the least important first; the position scheme stays.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Self, TextIO

from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import ControlType
from rich.table import Table
from rich.text import Text

from lengthwise.runs.display.pace import spoken
from lengthwise.runs.display.watch import RunningRun
from lengthwise.streams import escaped

BAR = 24
"""Characters of the bar."""
FRAME = 3
"""Lines of the terminal that are not there for runs: the header, the bar, and the line of the cursor."""
COLUMNS = ("task", "scheme", "N", "size", "seeds", "step", "loss", "accuracy", "left")
"""All columns, from left to right."""
FIRST_TO_GO = ("size", "loss", "N", "seeds", "left", "accuracy")
"""Columns that are left out on narrow terminals, in this order."""
TASK = 10
"""Characters that the name of a task is cut to before a column is left out."""
SHORT = {"accuracy": "acc."}
"""Headers in less room."""

Line = tuple[RunningRun, float | None]
"""A run with the seconds that it still needs."""


class LiveDisplay:
    """A display that is drawn again and again at the bottom of a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        ours = console.file is sys.stderr  # what others write there goes above the display
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=ours
        )
        self._width = console.width
        self._drawn: list[int] = []
        """The widths of the lines that stand in the terminal."""

    @classmethod
    def started(cls, stream: TextIO) -> Self | None:
        """The display on a stream that is a terminal; None if this terminal cannot move its cursor."""
        console = Console(file=stream, highlight=False, markup=False, emoji=False)
        if not console.is_interactive or console.is_dumb_terminal:
            return None
        display = cls(console)
        try:
            display._live.start()
        except BaseException:
            display.stop()
            raise
        return display

    def print(self, text: str) -> None:
        """Print a line above the display."""
        self._follow_width()
        self._console.print(Text(text))

    def draw(self, lines: Sequence[Line], share: float, summary: str) -> None:
        """Draw these lines and the bar."""
        self._follow_width()
        drawing = Group(*self._table(lines), self._overall(share, summary))
        self._live.update(drawing, refresh=True)
        rows = self._console.render_lines(drawing, pad=False)
        self._drawn = [sum(part.cell_length for part in row) for row in rows]

    def stop(self) -> None:
        """Remove the display and show the cursor again."""
        with suppress(Exception):
            self._follow_width()
            self._live.stop()
        with suppress(Exception):
            self._console.show_cursor(True)

    def _follow_width(self) -> None:
        """Remove the lines by which the display got longer when the terminal became narrower and broke its lines."""
        width, before = self._console.width, self._width
        self._width = width
        if width < before:
            broken = sum((length - 1) // width for length in self._drawn if length)
            for _ in range(broken):
                self._console.control(Control((ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1)))

    def _overall(self, share: float, summary: str) -> Table:
        grid = Table.grid(padding=(0, 2, 0, 0))
        bar = ProgressBar(total=1.0, completed=share, width=min(BAR, max(4, self._console.width - len(summary) - 2)))
        text = Text(summary, no_wrap=True, overflow="crop")
        if self._console.width >= len(summary) + 6:
            grid.add_row(bar, text)
        else:
            grid.add_row(text)
        return grid

    def _table(self, lines: Sequence[Line]) -> list[Table | Text]:
        """The table of running runs, with what there is no room for only counted."""
        if not lines:
            return []
        room = max(1, self._console.height - FRAME)
        shown = lines if len(lines) <= room else lines[: max(1, room - 1)]
        rows = [_cells(run, left, compact=self._console.width < 100) for run, left in shown]
        names = self._columns(rows)
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        cut = "crop" if self._console.options.ascii_only else "ellipsis"
        for name in names:
            right = name in ("N", "step", "loss", "accuracy", "left")
            table.add_column(
                self._header(name),
                justify="right" if right else "left",
                no_wrap=True,
                overflow=cut,  # type: ignore[arg-type]
                style="bold" if name == "scheme" else "",
                min_width=None if name == "task" else max(len(row[name]) for row in rows),
                max_width=self._task_width(rows, names) if name == "task" else None,
            )
        for row in rows:
            table.add_row(*(row[name] for name in names))
        hidden = len(lines) - len(shown)
        return [table, Text(f"and {hidden} more")] if hidden else [table]

    def _columns(self, rows: Sequence[dict[str, str]]) -> list[str]:
        """The columns that fit when the task is cut."""
        names = [name for name in COLUMNS if any(row[name] for row in rows)]
        for name in FIRST_TO_GO:
            if self._task_width(rows, names) >= min(TASK, max(len(row["task"]) for row in rows)):
                break
            if name in names:
                names.remove(name)
        return names

    def _task_width(self, rows: Sequence[dict[str, str]], names: Sequence[str]) -> int:
        """The room that other columns leave for the task."""
        others = [name for name in names if name != "task"]
        taken = sum(max(len(self._header(name)), *(len(row[name]) for row in rows)) + 2 for name in others)
        return max(1, self._console.width - taken - 2)

    def _header(self, name: str) -> str:
        return SHORT.get(name, name) if self._console.width < 100 else name


def _cells(run: RunningRun, left: float | None, compact: bool) -> dict[str, str]:
    return {
        "task": escaped(run.task),
        "scheme": escaped(run.scheme),
        "N": str(run.train_length),
        "size": run.size,
        "seeds": run.seeds,
        "step": f"{_number(run.step, compact)}/{_number(run.limit, compact)}",
        "loss": "" if run.loss is None else f"{run.loss:.2g}" if math.isfinite(run.loss) else "diverged",
        "accuracy": "" if run.accuracy is None else f"{run.accuracy:.1%}",
        "left": "testing" if run.testing else "" if left is None else spoken(left),
    }


def _number(number: int, compact: bool) -> str:
    """A number of steps, in thousands where there is little room."""
    if not compact or number < 10_000:
        return f"{number:,}"
    return f"{number / 1000:.1f}".removesuffix(".0") + "k"
