"""The outcomes of many cells: a grid of contexts and sample sizes, run into a directory that keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from lengthwise.experiments.kept import Kept
from lengthwise.experiments.probes.cell import Cell
from lengthwise.experiments.probes.function import ProbeError
from lengthwise.experiments.probes.outcome import Outcomes
from lengthwise.experiments.probes.trials import measure
from lengthwise.runs.engines.engine import Engine


def grid(contexts: Sequence[int], samples: Sequence[int], **settings: Any) -> list[Cell]:
    """The cells of all contexts T and sample sizes m, which agree in all else."""
    return [Cell(context=context, samples=size, **settings) for context, size in product(contexts, samples)]


def run(cells: Iterable[Cell], directory: Path, engine: Engine | str = "serial") -> list[Outcomes]:
    """The outcomes of all cells, from the directory as far as they are there; ordered by T and m."""
    found = Kept(directory, Outcomes, ProbeError).completed(measure, cells, engine)
    return sorted(found, key=lambda each: (each.cell.context, each.cell.samples))
