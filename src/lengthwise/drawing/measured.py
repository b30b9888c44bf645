"""What a store has on the runs of a figure, asked for once; and what has to be said about them under the figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from lengthwise.drawing.labels import equation, power
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.grid import flat
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import AtLength, Summary, summarise

LISTED = 4
"""Configs that are named in a remark."""


class Measured:
    """Summaries of configs, and which configs were asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._known: dict[str, Summary] = {}

    def summary(self, config: RunConfig) -> Summary:
        """What there is on a config."""
        if config.id not in self._known:
            self._known[config.id] = summarise(self.store, config)
        return self._known[config.id]

    def plateau(self, config: RunConfig) -> AtLength | None:
        """All seeds at the longest test length; None if there are none yet."""
        lengths = self.summary(config).lengths
        return lengths[-1] if lengths else None

    def remarks(self) -> Iterator[str]:
        """What is missing, what diverged, and what did not reach its training loss; nothing if all is well."""
        known = list(self._known.values())
        wanted = sum(len(each.config.seeds) for each in known)
        kinds: list[tuple[Callable[[Summary], int], str]] = [
            (missing, "have not been run yet"),
            (diverged, "diverged and count as infinitely bad"),
            (stuck, f"did not reach the training loss{_goal(known)}"),
        ]
        told = []
        for number, text in kinds:
            affected = [(each.config, number(each)) for each in known if number(each)]
            if affected:
                total = sum(count for _, count in affected)
                told.append(f"{total} of {wanted} seeds {text} ({_listed(affected, known)})")
        if told:
            yield f"Hollow markers: {'; '.join(told)}."


def missing(summary: Summary) -> int:
    """How many seeds have not been run."""
    return len(summary.config.seeds) - len(summary.seeds)


def diverged(summary: Summary) -> int:
    """How many seeds came to a loss that is no number."""
    return sum(each.ending == "diverged" for each in summary.seeds)


def stuck(summary: Summary) -> int:
    """How many seeds came to the step limit before the loss or accuracy that they were to reach."""
    stopping = summary.config.stopping
    if stopping.loss is None and stopping.accuracy is None:
        return 0
    return sum(each.ending == "steps" for each in summary.seeds)


def flawed(summary: Summary) -> bool:
    """Whether some seed is missing, diverged or stuck: its marker is hollow."""
    return missing(summary) + diverged(summary) + stuck(summary) > 0


def comparable(losses: Sequence[float]) -> list[float]:
    """Losses with those of seeds that diverged as infinity."""
    return [math.inf if math.isnan(loss) else loss for loss in losses]


def grouped(configs: Iterable[RunConfig], setting: str | None) -> dict[Any, list[RunConfig]]:
    """Configs by the value of a setting, in the order of the values; all together without a setting."""
    if setting is None:
        return {None: list(configs)}
    found: dict[Any, list[RunConfig]] = {}
    for config in configs:
        value = config.value(setting)
        found.setdefault(tuple(value) if isinstance(value, list) else value, []).append(config)
    try:
        return {value: found[value] for value in sorted(found)}
    except TypeError:  # values of different types have no order but that in which they came
        return found


def number_of(config: RunConfig, setting: str) -> float:
    """The value of a setting that has a place on a logarithmic axis."""
    found = config.value(setting)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found < math.inf:
        raise ConfigError(f"an axis shows positive numbers, but {setting} is {found!r} in {config}")
    return float(found)


def only(configs: Sequence[RunConfig], at: str) -> RunConfig:
    """The one config that a panel shows at a place."""
    if len(configs) != 1:
        differing = ", ".join(varying(configs))
        raise ConfigError(f"a panel has {len(configs)} runs {at}, which differ in {differing}; say which with where")
    return configs[0]


def varying(configs: Sequence[RunConfig]) -> list[str]:
    """The settings in which configs differ, apart from test lengths and what only follows from others."""
    every = [dict(flat(config.settings())) for config in configs]
    names = [name for name in every[0] if any(name not in each or each[name] != every[0][name] for each in every)]
    return [name for name in names if name not in ("test_lengths", "seeds") and "position_parameters" not in name]


def telling(configs: Sequence[RunConfig]) -> list[str]:
    """Settings that tell configs apart, without those that follow from others: what a task is asked for comes first."""
    every = [dict(flat(config.settings())) for config in configs]
    common = [name for name in varying(configs) if all(name in each for each in every)]
    kept: list[str] = []
    for name in sorted(common, key=lambda name: (not name.startswith("parameters."), name != "train_length")):
        before, after = ({repr([each[key] for key in keys]) for each in every} for keys in (kept, [*kept, name]))
        if len(after) > len(before):
            kept.append(name)
    return kept


def _goal(known: Sequence[Summary]) -> str:
    """The loss that was to be reached, if it is the same for all."""
    goals = {each.config.stopping.loss for each in known if each.config.stopping.loss is not None}
    return f" {power(goals.pop())}" if len(goals) == 1 else ""


def _listed(affected: list[tuple[RunConfig, int]], known: Sequence[Summary]) -> str:
    """The worst configs with their numbers."""
    tasks = grouped([each.config for each in known], "task")
    names = {task: telling(configs) for task, configs in tasks.items()}
    worst = sorted(affected, key=lambda each: -each[1])
    told = []
    for config, count in worst[:LISTED]:
        where = [config.task] if len(tasks) > 1 else []
        where += [equation(name, config.value(name)) for name in names[config.task]]
        told.append(f"{', '.join(where)}: {count} of {len(config.seeds)}".removeprefix(": "))
    if len(worst) > LISTED:
        told.append(f"{len(worst) - LISTED} more")
    return "; ".join(told)
