"""The outcomes of many cells: a grid of contexts and sample sizes, run into a directory that keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from lengthwise.lab.engines import Engine
from lengthwise.lab.kept import Kept
from lengthwise.lab.probes.cell import Cell
from lengthwise.lab.probes.function import ProbeError
from lengthwise.lab.probes.outcome import Outcomes
from lengthwise.lab.probes.trials import measure


def grid(contexts: Sequence[int], samples: Sequence[int], **settings: Any) -> list[Cell]:
    """The cells of all contexts T and sample sizes m, which agree in all else."""
    return [Cell(context=context, samples=size, **settings) for context, size in product(contexts, samples)]


def run(cells: Iterable[Cell], directory: Path, engine: Engine | str = "serial") -> list[Outcomes]:
    """The outcomes of all cells, from the directory as far as they are there; ordered by T and m."""
    found = Kept(directory, Outcomes, ProbeError).completed(measure, cells, engine)
    return sorted(found, key=lambda each: (each.cell.context, each.cell.samples))
