"""What the results of a figure say, as files, as plain data and as text: computed from kept results alone.

    results.csv        one line for each cell, trial, test and test length
    claims.json        the findings on the claims of the figure
    provenance.json    which cells, with which settings, and what they were computed with

The same results give the same bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lengthwise.experiments.claims.finding import Finding, table
from lengthwise.experiments.paper_files import digest
from lengthwise.experiments.positional.cell import Cell
from lengthwise.experiments.positional.claims import judged
from lengthwise.experiments.positional.outcome import Fits
from lengthwise.experiments.positional.published import PositionalFigure
from lengthwise.experiments.positional.rows import Row, rows
from lengthwise.experiments.results import as_bytes
from lengthwise.runs.environment import different_environments

COLUMNS = ("function", "kind", "width", "seed", "step", "test_length", "loss", "settings")


@dataclass(frozen=True, eq=False)
class Summary:
    """A figure with the results there are for a preset."""

    name: str
    path: Path
    preset: str
    results: Sequence[Fits]

    @cached_property
    def figure(self) -> PositionalFigure:
        """What the file of the figure says."""
        return PositionalFigure.from_file(self.path)

    @cached_property
    def cells(self) -> list[Cell]:
        """Those the preset has, with results or without."""
        return self.figure.all_cells(self.preset)

    @cached_property
    def rows(self) -> list[Row]:
        """The losses by panel, function, width and test length."""
        return rows(self.figure.cells(self.preset), self.results, self.figure.reference)

    @cached_property
    def findings(self) -> list[Finding]:
        """On the claims of the figure."""
        widths = {cell.width for cell in self.cells}
        return [judged(claim, self.rows, widths) for claim in self.figure.claims]

    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from; nothing in it depends on the clock or on where files are."""
        return {
            "figure": self.name,
            "title": self.figure.title,
            "preset": self.preset,
            "file_sha256": digest(self.path),
            "command": f"lengthwise reproduce {self.name} --preset {self.preset}",
            "configs": len(self.cells),
            "models": sum(cell.trials for cell in self.cells),
            "trained": sum(len(each.trials) for each in self.results),
            "seconds": round(sum(each.seconds for each in self.results), 3),
            "environments": different_environments(each.environment for each in self.results),
            "cells": [
                {"settings": each.cell.id, "seconds": each.seconds, **each.cell.model_dump(mode="json")}
                for each in self.results
            ],
        }

    def table(self) -> bytes:
        """Every loss, as CSV."""
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for each in self.results:
            cell = each.cell
            common = {"function": cell.function, "kind": cell.positional_function.kind, "width": cell.width}
            for trial in each.trials:
                for look in trial.looks:
                    for length, loss in zip(cell.test_lengths, look.losses, strict=True):
                        measured = {"seed": trial.trial, "step": look.step, "test_length": length, "loss": loss}
                        writer.writerow({**common, **measured, "settings": cell.id})
        return text.getvalue().encode()

    def files(self) -> dict[str, bytes]:
        """All but the drawing."""
        return {
            "results.csv": self.table(),
            "claims.json": as_bytes([finding.as_json() for finding in self.findings]),
            "provenance.json": as_bytes(self.provenance()),
        }

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            **self.provenance(),
            "claims": [finding.as_json() for finding in self.findings],
            "results": [row.as_json() for row in self.rows],
        }

    def lines(self) -> Iterator[str]:
        """As text: medians over trials with the least and the greatest loss, and the authors' where there is one."""
        width = max((len(row.cell.function) for row in self.rows), default=0)
        yield f"{'function':{width}}    d  length  {'loss [least, greatest]':30}  0 beyond  published"
        for row in self.rows:
            least, greatest = row.spread
            loss = f"{row.median:.3g} [{least:.3g}, {greatest:.3g}]"
            theirs = "" if row.published is None else f"{row.published:.3g}"
            yield (
                f"{row.cell.function:{width}}  {row.cell.width:3}  {row.length:6}  {loss:30}  {row.near:8.3g}  {theirs}"
            ).rstrip()
        if self.findings:
            yield ""
            yield table(self.findings)
