"""Figures of positional functions: files `papers/<paper>/positional/<file>.toml`, each known as `<paper>-<file>`.

title = "Huang et al., Figure 5: local and periodic functions of positions"
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

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from lengthwise.experiments.paper_files import content_of, files_of, preset_of
from lengthwise.experiments.positional.cell import Cell
from lengthwise.experiments.positional.claims import Claim
from lengthwise.experiments.positional.function import PositionalError
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.grid import merged
from lengthwise.runs.settings import Parameters, Positive, Settings, Values


class Panel(Settings):
    """Functions of one kind."""

    title: str
    functions: tuple[str, ...]
    drawn: bool = True
    """Whether it is part of the figure, or there to be compared with."""
    widths: tuple[Positive, ...] | None = None
    """All widths of the figure, unless it says otherwise; those that the preset does not have are left out."""


class PositionalPreset(Settings):
    """What is fitted in a preset."""

    functions: tuple[str, ...] | None = None
    widths: tuple[Positive, ...] | None = None
    settings: Parameters = Values()
    at: Mapping[int, Parameters] = Field(default_factory=dict)
    """Settings of the cells at a width, in place of the others."""


class PositionalFigure(Settings):
    """The content of a file."""

    title: str
    widths: tuple[Positive, ...]
    panels: tuple[Panel, ...]
    settings: Parameters = Values()
    presets: Mapping[str, PositionalPreset]
    claims: tuple[Claim, ...] = ()
    published: Mapping[int, Mapping[str, tuple[float, ...]]] = Field(default_factory=dict)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The figure of a TOML file."""
        return content_of(path, cls, PositionalError)

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
        content: Mapping[str, Any] = merged(self.settings, preset.settings, preset.at.get(width, {}), here)
        try:
            return Cell(**content)
        except ValidationError as problem:
            raise PositionalError(f"{self.title}: {sentence(Cell, problem)}") from None


def catalogue() -> dict[str, Path]:
    """The files of all figures of positional functions by name, in the order of their names."""
    return files_of("positional")
