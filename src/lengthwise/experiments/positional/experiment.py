"""Figures of positional functions: their files, the cells that these ask for, and what the results say.

widths = [32, 256]                        # d: a row of panels for each

[[panels]]
title = "j = i - c"
functions = ["j = i - 1", "j = i - 5"]    # drawn = false: only compared with; widths = [256]: at these only

[presets.quick]
functions = ["j = i - 1"]                 # optional: the functions of the panels that are fitted; and widths
settings = { trials = 3 }                 # of every cell
at = { 256 = { steps = 3000 } }           # of those at a width

[[claims]]                                # as in `claims`

[published.32]                            # the authors' losses by width and function, at the test lengths of the paper
"j = i - 1" = [0.012, 496.3, 755.2]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from lengthwise.experiments.experiment import CellExperiment, CellReport, computed_with
from lengthwise.experiments.figure_file import FigureFile, Preset, preset_of
from lengthwise.experiments.finding import Finding, table
from lengthwise.experiments.positional.cell import Cell, Fit, Fits, Look
from lengthwise.experiments.positional.claims import Claim, Row, judged, rows
from lengthwise.experiments.positional.fitting import fit
from lengthwise.experiments.positional.function import PositionalError
from lengthwise.experiments.positional.positional_plot import plot_positional
from lengthwise.runs.settings import Parameters, Positive, Settings
from lengthwise.runs.store.kept_results import read_origin, read_table


class Panel(Settings):
    """Functions of one kind."""

    title: str
    functions: tuple[str, ...]
    drawn: bool = True
    """Whether it is part of the figure, or there to be compared with."""
    widths: tuple[Positive, ...] | None = None
    """All widths of the figure, unless it says otherwise; those that the preset does not have are left out."""


class PositionalPreset(Preset):
    """What is fitted in a preset."""

    functions: tuple[str, ...] | None = None
    widths: tuple[Positive, ...] | None = None
    at: Mapping[int, Parameters] = Field(default_factory=dict)
    """Settings of the cells at a width, in place of the others."""


class PositionalFigure(FigureFile):
    """The content of a file."""

    problem = PositionalError
    widths: tuple[Positive, ...]
    panels: tuple[Panel, ...]
    presets: Mapping[str, PositionalPreset]
    claims: tuple[Claim, ...] = ()
    published: Mapping[int, Mapping[str, tuple[float, ...]]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _claims_are_about_panels(self) -> Self:
        titles = {panel.title for panel in self.panels}
        for claim in self.claims:
            for name in (*claim.low.panels, *claim.high.panels):
                if name not in titles:
                    raise ValueError(f"the claim {claim.text!r} is about a panel {name!r}, which is not there")
        known = {function for panel in self.panels for function in panel.functions}
        for name, preset in self.presets.items():
            for function in preset.functions or ():
                if function not in known:
                    raise ValueError(f"the preset {name!r} has {function!r}, which is in no panel")
        return self

    def cells(self, preset: str) -> dict[str, list[Cell]]:
        """The cells of a preset by the title of their panel, the widths of a function one after the other."""
        chosen = preset_of(self.presets, preset)
        widths = self.widths if chosen.widths is None else chosen.widths
        found = {}
        for panel in self.panels:
            functions = [each for each in panel.functions if chosen.functions is None or each in chosen.functions]
            wanted = [width for width in widths if self._has(panel, width, widths)]
            found[panel.title] = [self._cell(chosen, each, width) for each in functions for width in wanted]
        return found

    def all_cells(self, preset: str) -> list[Cell]:
        """The same in one list, each once."""
        return list({cell.id: cell for cells in self.cells(preset).values() for cell in cells}.values())

    def reference(self, cell: Cell) -> tuple[float, ...] | None:
        """The authors' losses at the test lengths of a cell, if it is one of theirs, the number of trials aside."""
        theirs = Cell(function=cell.function, width=cell.width, trials=cell.trials, seed=cell.seed)
        same = theirs == cell.model_copy(update={"check_every": theirs.check_every})
        return self.published.get(cell.width, {}).get(cell.function) if same else None

    def _has(self, panel: Panel, width: int, widths: tuple[int, ...]) -> bool:
        """Whether a panel has a width of the preset: the first, second, … of which stand for those of the figure."""
        return panel.widths is None or self.widths[widths.index(width)] in panel.widths

    def _cell(self, preset: PositionalPreset, function: str, width: int) -> Cell:
        here = {"function": function, "width": width}
        return self.made(Cell, self.settings, preset.settings, preset.at.get(width, {}), here)


class Positional(CellExperiment[PositionalFigure]):
    """A figure of positional functions."""

    content = PositionalFigure
    made = "fitted"
    folder = "positional"
    results: ClassVar = {Cell: Fits}
    run = staticmethod(fit)

    def cells(self, preset: str) -> list[Cell]:
        """The cells of all panels, each once."""
        return self.figure.all_cells(preset)

    def report(self, preset: str, store: Path) -> PositionalReport:
        """What the fits say."""
        return PositionalReport(self, preset, self.there(preset, store))

    def restored(self, preset: str, directory: Path) -> Iterator[Fits]:
        """The fits that `results.csv` has, of the cells in `provenance.json`."""
        looks: dict[str, dict[int, dict[int, list[float]]]] = {}
        for row in read_table(directory):
            trial = looks.setdefault(row["settings"], {}).setdefault(int(row["seed"]), {})
            trial.setdefault(int(row["step"]), []).append(float(row["loss"] or "nan"))
        provenance = read_origin(directory)
        for facts in provenance["cells"]:
            cell = Cell(**{name: facts[name] for name in Cell.model_fields})
            trials = [
                Fit(number, tuple(Look(step, tuple(losses)) for step, losses in steps.items()))
                for number, steps in looks[cell.id].items()
            ]
            yield Fits(cell, tuple(trials), **computed_with(provenance, facts))


class PositionalReport(CellReport):
    """The losses by panel, function, width and test length, beside those of the authors."""

    @cached_property
    def rows(self) -> list[Row]:
        """The losses by panel, function, width and test length."""
        figure = self.experiment.figure
        return rows(figure.cells(self.preset), self.results, figure.reference)

    @cached_property
    def findings(self) -> list[Finding]:
        """On the claims of the figure."""
        widths = {cell.width for cell in self.experiment.cells(self.preset)}
        return [judged(claim, self.rows, widths) for claim in self.experiment.figure.claims]

    def records(self) -> Iterator[dict[str, Any]]:
        """One record for each cell, trial, test and test length."""
        for each in self.results:
            cell = each.cell
            common = {"function": cell.function, "kind": cell.positional_function.kind, "width": cell.width}
            for trial in each.trials:
                for look in trial.looks:
                    for length, loss in zip(cell.test_lengths, look.losses, strict=True):
                        measured = {"seed": trial.trial, "step": look.step, "test_length": length, "loss": loss}
                        yield {**common, **measured, "settings": cell.id}

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {**super().as_json(), "results": [row.as_json() for row in self.rows]}

    def lines(self) -> Iterator[str]:
        """As text: medians over trials with the least and the greatest loss, and the authors' where there is one."""
        yield ""
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
        yield ""

    def draw(self, path: Path) -> None:
        """The panels of the figure."""
        plot_positional(self, path)
