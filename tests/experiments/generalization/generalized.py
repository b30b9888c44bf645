"""Outcomes made by hand: accuracies that are known beforehand, for the cells of Figure 1 of Huang et al."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from lengthwise.experiments.catalogue import find
from lengthwise.experiments.generalization.cell import Cell, Scheme, Seed
from lengthwise.experiments.generalization.measured import Measured
from lengthwise.experiments.generalization.outcomes import Outcomes

SEEDS = 3
"""Successful seeds that are wanted, of as many."""

EXPRESSIBLE = {
    "task:binary-majority": ("yes", "yes"),
    "task:binary-majority-interleave": ("no", "yes"),
    "task:majority": ("yes", "yes"),
    "task:sort": ("yes", "yes"),
    "task:copy-unique": ("no", "yes"),
    "task:copy-repeat": ("no", "no"),
    "task:parity": ("no", "no"),
    "task:addition": ("no", "no"),
    "tomita-1": ("yes", "yes"),
    "tomita-2": ("yes", "yes"),
    "tomita-3": ("no", "no"),
    "tomita-4": ("no", "yes"),
    "tomita-5": ("no", "no"),
    "tomita-6": ("no", "no"),
    "tomita-7": ("yes", "yes"),
    "d2": ("yes", "yes"),
    "d3": ("yes", "yes"),
    "d4": ("yes", "yes"),
    "d12": ("yes", "yes"),
    "aa-star": ("no", "yes"),
    "aaaa-star": ("no", "yes"),
    "abab-star": ("no", "yes"),
    "abcde": ("yes", "yes"),
    "ab-d-bc": ("yes", "yes"),
    "012-02": ("no", "no"),
    "parity": ("no", "no"),
}
"""Whether there is a program without positions and with them, as Tables 2 and 3 print it ("none found" is no)."""

Results = Mapping[tuple[str, Scheme], Sequence[tuple[float, float, float]]]
"""The accuracies of seeds in the three bins; a seed learned its task if the first is 1."""


def outcomes(results: Results) -> Outcomes:
    """The published cells, each with the seeds that are given; those that are not given were not run."""
    measured = []
    for cell in cells():
        given = results.get((cell.task, cell.scheme), ())
        seeds = tuple(Seed(place, found[0] == 1.0, 1000, found) for place, found in enumerate(given))
        measured.append(Measured(cell, seeds))
    experiment: Any = find("huang-fig1")
    return Outcomes(experiment, "paper", tuple(measured))


@cache
def cells() -> list[Cell]:
    """The published cells."""
    return [replace(cell, wanted=SEEDS, most=SEEDS) for cell in find("huang-fig1").cells("paper")]


def as_the_theory_says() -> dict[tuple[str, Scheme], list[tuple[float, float, float]]]:
    """Every task with a program is always right, and every other one never on long words."""
    found: dict[tuple[str, Scheme], list[tuple[float, float, float]]] = {}
    for task, (nope, ape) in EXPRESSIBLE.items():
        found[task, "nope"] = [(1.0, 1.0, 1.0) if nope == "yes" else (1.0, 0.5, 0.0)] * SEEDS
        found[task, "ape"] = [(1.0, 1.0, 1.0) if ape == "yes" else (1.0, 0.5, 0.0)] * SEEDS
        if task.startswith("task:"):
            found[task, "baseline"] = [(0.2, 0.1, 0.1)] * SEEDS
    return found
