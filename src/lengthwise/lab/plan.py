"""`plan`: the training experiment of a study, sized by minutes.

For each position scheme, several training lengths N, and for each of them tests at N, 2N, 4N and 8N over several seeds.
The plan follows from the task, the minutes and the number of seeds alone: costs come from a formula (`lab.cost`), so
the same request makes the same runs everywhere, and a second one finds them in the store.

How the models are made and trained is said in `lab.recipes`. Little time makes few steps, more time more of them, and
longer training lengths as soon as there are enough steps for these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.lab.config import RunConfig
from lengthwise.lab.cost import cost, estimated
from lengthwise.lab.recipes import recipes_for
from lengthwise.tasks.request import lengths
from lengthwise.tasks.task import Task

CORES = 2
"""Cores that the minutes are meant for."""
LEAST_SEEDS = 3
"""Seeds that it takes to see a spread."""
LADDERS = ((4, 8, 16), (4, 8, 16, 32), (4, 8, 16, 32, 64), (8, 16, 32, 64, 128))
"""Training lengths, from those for little time to those for much."""
MULTIPLES = (1, 2, 4, 8)
"""Test lengths in training lengths."""
NEAR = 100
"""How far beyond a length the next one that has words is looked for; automata of more states further."""
ENOUGH_STEPS = 2000
"""Training lengths are only made longer if there is time for as many steps."""
LEAST_STEPS, MOST_STEPS = 10, 20_000
"""Within these limits, steps are what the time is for."""
TEST_WORDS = (1024, 512, 256, 128, 64, 32)
"""Words at each test length: the most that testing does not take more than its share of the time for."""
TEST_SHARE = 0.2
"""The share of testing."""
WORKERS_START = 6.0
"""Cpu-seconds until the worker processes can train."""


class PlanError(LengthwiseError):
    """An experiment that cannot be made."""


@dataclass(frozen=True)
class Plan:
    """The configs of an experiment by position scheme, each from the shortest training length to the longest."""

    configs: Mapping[str, Sequence[RunConfig]]

    def all(self) -> list[RunConfig]:
        """The configs of all schemes."""
        return [config for configs in self.configs.values() for config in configs]

    @property
    def seconds(self) -> float:
        """The cpu-seconds that it takes at most, by the formula."""
        return WORKERS_START + sum(estimated(config) for config in self.all())


def plan(task: Task, minutes: float = 3.0, seeds: int = LEAST_SEEDS) -> Plan:
    """The experiment on a task that takes about so many minutes on two cores.

    If there is too little time for anything, it is the smallest experiment that there is.
    """
    if not 0 < minutes < math.inf:
        raise PlanError(f"the minutes of an experiment are a positive number, not {minutes}")
    if seeds < LEAST_SEEDS:
        raise PlanError(f"an experiment shows its spread over at least {LEAST_SEEDS} seeds; {seeds} are too few")
    sized = [_sized(_drafts(task, ladder, seeds), 60 * CORES * minutes - WORKERS_START) for ladder in LADDERS]
    # The longest training lengths that there is time for; the shortest, if there is none even for these.
    enough = [found for found in sized if min(config.stopping.steps for config in found.all()) >= ENOUGH_STEPS]
    return enough[-1] if enough else sized[0]


def _sized(drafts: Mapping[str, Sequence[RunConfig]], seconds: float) -> Plan:
    """The plan with as many steps and test words as there is time for, and with a few if there is none."""
    costs = [cost(config) for configs in drafts.values() for config in configs]
    left = seconds - sum(each.start for each in costs)
    word, step = sum(each.word for each in costs), sum(each.step for each in costs)
    words = next((words for words in TEST_WORDS if words * word <= TEST_SHARE * left), TEST_WORDS[-1])
    steps = max(LEAST_STEPS, min(MOST_STEPS, int((left - words * word) / step)))
    changes = {"stopping": {"steps": steps}, "evaluation": {"words": words}}
    return Plan({scheme: [_changed(config, changes) for config in configs] for scheme, configs in drafts.items()})


def _changed(config: RunConfig, changes: Mapping[str, Mapping[str, Any]]) -> RunConfig:
    settings = config.settings()
    return RunConfig.from_store({**settings, **{group: {**settings[group], **new} for group, new in changes.items()}})


# -------------------------------------------------------------------------------------------------- lengths


def _drafts(task: Task, ladder: Sequence[int], seeds: int) -> dict[str, list[RunConfig]]:
    """The configs for some training lengths, before steps and test words are decided."""
    # Where the shortest words are not short, lengths count from there on.
    more = 0 if 2 * task.min_length <= ladder[0] else task.min_length
    possible = Lengths(task)
    trained = dict.fromkeys(possible.at_or_above(length + more) for length in ladder)
    tested = {length: [possible.at_or_above(multiple * length) for multiple in MULTIPLES] for length in trained}
    recipes = recipes_for(task)
    return {
        scheme: [
            RunConfig(train_length=length, test_lengths=tested[length], seeds=seeds, **recipe.settings())
            for length in trained
        ]
        for scheme, recipe in recipes.items()
    }


class Lengths:
    """The lengths that a task has words of."""

    def __init__(self, task: Task) -> None:
        self._task = task
        states = len(task.language.automaton) if task.language is not None else 0
        # A language that has a longer word at all has one within as many symbols as its automaton has states.
        self._gap = max(NEAR, states)

    def at_or_above(self, length: int) -> int:
        """The next of them."""
        found = [possible for possible in lengths(self._task, length + self._gap) if possible >= length]
        if not found:
            raise PlanError(
                f"{self._task.name} has no words of {length} symbols or more, "
                "so there is nothing to see of how what was learned on short words works on long ones"
            )
        return found[0]
