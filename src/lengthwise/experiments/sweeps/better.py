"""The claim that the models of one sweep do better than those of another, all else that is named equal.

    [[claims]]
    kind = "better"
    sweep = "predictive"
    than = "learned"
    by = "parameters.depth"     # cells with the same value are compared
    of = "errors"

It is judged as a trend (`lab.trend`): from the one sweep to the other the plateau rises, among cells that agree in the
setting `by`. Other settings are those of the sweeps, which are what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lengthwise.experiments.claims.judgement import Judgement
from lengthwise.experiments.sweeps.cells import Cell
from lengthwise.experiments.sweeps.trend import trend
from lengthwise.runs.resampling import Resampling

PLACE = "parameters.sweep"
"""The setting by which cells of both sweeps are told apart: 0 for the better one, 1 for the other."""


def better(ours: Sequence[Cell], theirs: Sequence[Cell], by: str, resampling: Resampling) -> Judgement:
    """Do the cells of one sweep have a lower plateau than those of another with the same value of a setting?"""
    grid = [_placed(cell, place, by) for place, cells in enumerate((ours, theirs)) for cell in cells]
    judged = trend(grid, PLACE, 1, resampling)
    detail = judged.detail.replace(f"differ in {PLACE} alone", f"have the same {by}")
    return replace(judged, detail=detail)


def _placed(cell: Cell, place: int, by: str) -> Cell:
    chosen: dict[str, Any] = {"parameters.by": cell.settings.get(by), PLACE: place}
    return replace(cell, settings=chosen)
