"""Cells: the configs of a sweep as points of a grid, each with the losses of its seeds.

Claims compare cells that differ in one setting alone. Some settings follow from others, as test lengths that are
multiples of N do, or stand on one axis with them, as the number of heads that goes with the context of a k-gram: these
do not keep cells apart. The task, its parameters and the training length always do.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from lengthwise.runs.config import ConfigError
from lengthwise.runs.config_problems import nearest
from lengthwise.runs.grid import flat
from lengthwise.runs.store.summary import AtLength, Summary

TRAIN_LENGTH = "train_length"
Measure = Literal["losses", "errors"]
"""What cells are compared by: losses, or the shares of words that are wrong."""
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True)
class Cell:
    """A config with at least one trained seed."""

    name: str
    settings: Mapping[str, Any]
    """All settings but the seeds, by their whole names."""
    lengths: npt.NDArray[np.float64]
    """The test lengths, in ascending order."""
    losses: npt.NDArray[np.float64]
    """`losses[length, seed]`, infinite where a seed diverged; or errors in their place."""

    @property
    def seeds(self) -> int:
        """How many there are."""
        return int(self.losses.shape[1])

    @property
    def plateaus(self) -> npt.NDArray[np.float64]:
        """The loss of every seed at the longest test length."""
        return np.asarray(self.losses[-1])

    def number(self, name: str) -> float:
        """A setting that is a number."""
        value = self.settings[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(f"a claim compares numbers, but the setting {name!r} of {self.name} is {value!r}")
        return float(value)


@dataclass(frozen=True)
class Curve:
    """The cells of one setting at several training lengths."""

    setting: float
    stratum: int
    """Equal for curves that agree in everything else."""
    places: tuple[int, ...]
    """Where its cells stand in the grid, by training length."""
    train_lengths: npt.NDArray[np.float64]
    """In ascending order."""


def cells(summaries: Iterable[Summary], of: Measure = "losses") -> list[Cell]:
    """The configs of which there are results; of those that differ in their seeds only, the one with the most."""
    found: dict[str, Cell] = {}
    for summary in summaries:
        losses = np.array([_measured(summary, at, of) for at in summary.lengths], dtype=np.float64)
        before = found.get(summary.config.settings_id)
        if losses.size and (before is None or losses.shape[1] > before.seeds):
            found[summary.config.settings_id] = Cell(
                str(summary.config),
                settings(summary),
                np.array([at.test_length for at in summary.lengths], dtype=np.float64),
                np.where(np.isnan(losses), np.inf, losses),
            )
    return list(found.values())


def _measured(summary: Summary, at: AtLength, of: Measure) -> tuple[float, ...]:
    """What the seeds of a config had at a test length."""
    if of == "losses":
        return at.losses
    if at.accuracies is None:
        raise ConfigError(f"{summary.config} is a regression, which has no errors; compare losses")
    return tuple(1 - accuracy for accuracy in at.accuracies)


def settings(summary: Summary) -> dict[str, Any]:
    """The settings of a config but the seeds, by their whole names."""
    return {name: value for name, value in flat(summary.config.settings()) if name != "seeds"}


def selected(summaries: Iterable[Summary], where: Mapping[str, Any]) -> list[Summary]:
    """The configs with these settings, whose names may be nested or have dots."""
    wanted, given = dict(flat(where)), [(summary, settings(summary)) for summary in summaries]
    for name in wanted:
        if given and all(name not in known for _, known in given):
            require_setting(given[0][0], name)
    return [
        summary
        for summary, known in given
        if all(name in known and known[name] == value for name, value in wanted.items())
    ]


def require_setting(summary: Summary, name: str) -> None:
    """Refuse a name that is no setting of a config."""
    known = settings(summary)
    if name not in known:
        raise ConfigError(f"{summary.config} has no setting {name!r}; {nearest(name, tuple(known))}")


def strata(grid: Sequence[Cell], apart_from: Sequence[str]) -> list[int]:
    """A number for every cell, the same for those that agree in all settings apart from the named ones.

    Settings of the model, of training and of testing that follow from the others are passed over.
    """
    names = dict.fromkeys(name for cell in grid for name in cell.settings)
    columns = {name: [_comparable(cell.settings.get(name)) for cell in grid] for name in names}
    kept = [name for name, column in columns.items() if name not in apart_from and len(set(column)) > 1]
    named = [name for name in apart_from if name in columns]

    def keys(by: Sequence[str]) -> list[Hashable]:
        return [tuple(columns[name][place] for name in by) for place in range(len(grid))]

    for name in [name for name in kept if not _always_matters(name)]:
        others = [other for other in kept if other != name]
        if len(set(keys(named + others))) == len(set(keys(named + kept))):
            kept = others
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys(kept)))}
    return [numbers[key] for key in keys(kept)]


def curves(grid: Sequence[Cell], setting: str) -> list[Curve]:
    """The curves over the training length, one for each value of the setting and of what else there is."""
    members: dict[tuple[int, float], list[int]] = {}
    for place, stratum in enumerate(strata(grid, [setting, TRAIN_LENGTH])):
        members.setdefault((stratum, grid[place].number(setting)), []).append(place)
    found = []
    for (stratum, value), places in sorted(members.items()):
        places.sort(key=lambda place: grid[place].number(TRAIN_LENGTH))
        lengths = np.array([grid[place].number(TRAIN_LENGTH) for place in places])
        found.append(Curve(value, stratum, tuple(places), lengths))
    return found


def _always_matters(name: str) -> bool:
    return name in ("task", TRAIN_LENGTH) or name.startswith("parameters.")


def _comparable(value: Any) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)
