"""The means behind Figure 1 of Huang et al., read from the file of the figure."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from lengthwise.experiments.catalogue import files

SOURCE = "Huang et al., Figure 1"
"""A Formal Framework for Understanding Length Generalization in Transformers."""
REPOSITORY = "https://github.com/lacoco-lab/length_generalization"
FIGURE = "huang-fig1"
SUCCESSFUL_RUNS = 5
"""Means are over so many runs that are right on all words of training lengths; with 12 layers, over any (E.3)."""

Scheme = Literal["nope", "ape"]


@dataclass(frozen=True)
class ReportedMeans:
    """The mean accuracies of a task with a position scheme."""

    task: str
    """The task as the file has it: a language of the catalogue, or a registered task."""
    kind: Literal["regular", "algorithmic"]
    scheme: Scheme
    train_length: int
    runs: int | None
    """How many runs the means are over; None where the paper does not say it."""
    bins: tuple[tuple[int, int], ...]
    accuracies: tuple[float, ...]


@cache
def reported_means() -> tuple[ReportedMeans, ...]:
    """Every entry of the figure's file with means, without positions first; nothing where the file is not installed."""
    path = files().get(FIGURE)
    if path is None:
        return ()
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    lengths = content["settings"]["test_lengths"]
    bins = tuple((1 + before, length) for before, length in zip([0, *lengths], lengths, strict=False))
    return tuple(
        ReportedMeans(
            entry["task"], entry["kind"], scheme, content["settings"]["train_length"], _runs(entry[scheme]), bins,
            tuple(round(percent / 100, 6) for percent in entry["reported"][scheme]),
        )
        for entry in content["entries"]
        for scheme in _schemes(entry)
    )  # fmt: skip


def _schemes(entry: dict[str, Any]) -> list[Scheme]:
    reported = entry.get("reported", {})
    schemes: tuple[Scheme, ...] = ("nope", "ape")
    return [scheme for scheme in schemes if scheme in reported]


def _runs(size: dict[str, Any]) -> int | None:
    return None if size.get("every_seed") else SUCCESSFUL_RUNS
