"""What a study trains next, given the results that are there.

Every scheme goes its own way, all of them side by side, in rounds:

    1. the longest training length, or each that was asked for, with the first model;
    2. if it was learned: the shorter training lengths, the shortest first;
    3. if it was not: these, too, as long as they are learned; then the longest with the other models of the ladder,
       until one learns it.

One seed goes ahead, and the others follow if it learned its words of training lengths; three that do not learn would
cost most of the time and say no more. If nothing is learned in the end, the others follow where there is time. Nothing
depends on longer words.

Time is counted by estimates, never by the clock: a finished model counts with the steps that it took. So what is
trained next depends on results alone. Whatever has no room is left out, and is named with what it would take.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from lengthwise.runs.config import RunConfig
from lengthwise.study.plan import STEPS, Plan, makespan, spoken
from lengthwise.study.protocol import LEARNED, LEARNED_NUMBERS
from lengthwise.study.schemes import Scheme

LEAST_STEPS = 1000
"""After the first round nothing is tried with fewer steps, unless that had fewer."""
SHARE = 0.75
"""The share of the time that is left which a round after the first may take, with the seeds that follow it."""


@dataclass(frozen=True)
class Trial:
    """What one seed of a config came to."""

    seed: int
    steps: int
    score: float
    """On words of training lengths."""


@dataclass(frozen=True)
class Stage:
    """One training length of one scheme with one model of the ladder: its first seed, or all."""

    scheme: Scheme
    train_length: int
    rung: int
    config: RunConfig


Done = Mapping[str, Sequence[Trial]]
"""The seeds that are there, by the hash of the settings."""


@dataclass(frozen=True)
class Progression:
    """The stages that are finished or under way, what is to be trained next, and what has no room."""

    stages: tuple[Stage, ...]
    next: tuple[RunConfig, ...]
    left_out: tuple[str, ...]
    seconds: float
    """Estimated seconds of all that is finished."""


@dataclass(frozen=True)
class _Wish:
    """What a scheme asks for in a round."""

    scheme: Scheme
    train_length: int
    rung: int
    granted: bool = False
    """Whether there is room for it without asking."""
    others: RunConfig | None = None
    """The seeds that are asked for, if the first one is there already."""


_Course = Generator[_Wish, Stage | None, bool]
"""Is told the stage that it got, if any; returns whether it got one."""


def progress(plan: Plan, done: Done, given_up: Collection[str] = ()) -> Progression:
    """What there is, what comes next and what is left out, given the results that are there.

    Args:
        plan: The plan.
        done: The seeds that are there, by the hash of the settings.
        given_up: Hashes of settings whose missing seeds are not asked for again, since they failed.

    Returns:
        The stages so far, and the configs of the next round.

    """
    return _Walk(plan, done, given_up).to_the_end()


class _Walk:
    """All rounds, from the first on, as far as there are results."""

    def __init__(self, plan: Plan, done: Done, given_up: Collection[str]) -> None:
        self.plan, self.done, self.given_up = plan, done, given_up
        self.stages: dict[str, Stage] = {}
        self.left_out: list[str] = []
        self.spent = 0.0

    def to_the_end(self) -> Progression:
        """Round after round, until one has seeds that are not there, or nothing is asked for."""
        courses = [self._course(scheme, length) for length in self.plan.required for scheme in self.plan.schemes]
        wishes = [(course, next(course)) for course in courses]
        while wishes:
            got = self._room([wish for _, wish in wishes])
            trained = [config for config, _ in got.values()]
            if missing := tuple(each for each in trained if self._missing(each)):
                return self._told(missing)
            self.spent += self._taken(trained)
            answers = [got[place][1] if place in got else None for place in range(len(wishes))]
            wishes = [
                (course, wish)
                for (course, _), answer in zip(wishes, answers, strict=True)
                if (wish := _following(course, answer)) is not None
            ]
        return self._told(())

    def _told(self, missing: tuple[RunConfig, ...]) -> Progression:
        return Progression(tuple(self.stages.values()), missing, (*self._shortened(), *self.left_out), self.spent)

    def _shortened(self) -> Iterator[str]:
        """Which steps the first model had no time for, where it might have learned with them."""
        plan, full = self.plan, self.plan.ladder[0].steps
        if plan.steps < full and not all(self._knows(each.scheme, each.train_length) for each in self.stages.values()):
            yield f"The first model was trained for at most {plan.steps:,} of {full:,} steps."

    # ------------------------------------------------------------------------------------- what a scheme asks for

    def _course(self, scheme: Scheme, length: int) -> _Course:
        """All that a scheme is trained on, beginning with a training length."""
        plan = self.plan
        yield from self._attempt(_Wish(scheme, length, 0, granted=True))
        for shorter in plan.shorter:
            yield from self._attempt(_Wish(scheme, shorter, 0))
            if not self._knows(scheme, shorter) and not self._knows(scheme, length):
                break
        for rung in range(1, len(plan.ladder)):
            if self._knows(scheme, length) or not (yield from self._attempt(_Wish(scheme, length, rung))):
                break
        for stage in [each for each in self.stages.values() if each.scheme == scheme]:
            if stage.train_length == length and not self._knows(scheme, length):
                yield from self._others(_Wish(scheme, length, stage.rung), stage)
        return True

    def _attempt(self, wish: _Wish) -> _Course:
        """The first seed, and the others if it learns."""
        stage = yield wish
        if stage is None:
            return False
        if self._knows(wish.scheme, wish.train_length):
            yield from self._others(replace(wish, granted=True), stage)
        return True

    def _others(self, wish: _Wish, stage: Stage) -> _Course:
        every = self.plan.config(stage.scheme, stage.train_length, stage.rung, stage.config.stopping.steps)
        if len(stage.config.seeds) < len(every.seeds):
            yield replace(wish, others=self.plan.split(every)[1])
        return True

    def _knows(self, scheme: Scheme, length: int) -> bool:
        """Whether some model of a scheme has learned a training length: at least half of its seeds that are there."""
        least = LEARNED_NUMBERS if self.plan.task.loss == "regression" else LEARNED
        for stage in self.stages.values():
            if (stage.scheme, stage.train_length) == (scheme, length):
                scores = [each.score for each in self._trials(stage.config)]
                if scores and median(scores) >= least:
                    return True
        return False

    # ------------------------------------------------------------------------------------- what there is room for

    def _room(self, wishes: Sequence[_Wish]) -> dict[int, tuple[RunConfig, Stage]]:
        """What is trained in a round, by the places of the wishes that there is time for.

        All share a step limit, the largest that there is time for.
        """
        kept, lacking = dict(enumerate(wishes)), len(self.left_out)
        while True:
            for limit in reversed(STEPS):
                if self._fits(kept.values(), limit):
                    return {place: self._entered(wish, limit) for place, wish in kept.items()}
            last = max(place for place, wish in kept.items() if not wish.granted)
            self.left_out.insert(lacking, self._lack(kept.pop(last)))

    def _config(self, wish: _Wish, limit: int) -> RunConfig:
        """What a wish is with a step limit, all seeds of it."""
        if wish.others is not None:
            return wish.others
        plan, rung = self.plan, self.plan.ladder[wish.rung]
        steps = plan.steps if wish.granted else max(min(LEAST_STEPS, plan.steps), min(limit, rung.steps))
        return plan.config(wish.scheme, wish.train_length, wish.rung, steps)

    def _fits(self, wishes: Collection[_Wish], limit: int) -> bool:
        """Whether there is time for a round, and for the seeds that follow if those that go ahead learn."""
        if all(wish.granted for wish in wishes):
            return True
        now, later = [], []
        for wish in wishes:
            config = self._config(wish, limit)
            ahead, behind = (config, None) if wish.others else self.plan.split(config)
            now.append(ahead)
            later += [behind] if behind else []
        return self.plan.seconds(now) + self.plan.seconds(later) <= SHARE * (self.plan.ceiling - self.spent)

    def _entered(self, wish: _Wish, limit: int) -> tuple[RunConfig, Stage]:
        """What is trained for a wish, and its stage, with the seed that went ahead."""
        config = self._config(wish, limit)
        trained = config if wish.others else self.plan.split(config)[0]
        before = self.stages.get(config.settings_id)
        seeds = dict.fromkeys((*(() if before is None else before.config.seeds), *trained.seeds))
        stage = Stage(wish.scheme, wish.train_length, wish.rung, config.with_seeds(tuple(seeds)))
        self.stages[config.settings_id] = stage
        return trained, stage

    def _lack(self, wish: _Wish) -> str:
        """What there is no room for, in a sentence."""
        plan, rung = self.plan, self.plan.ladder[wish.rung]
        config = wish.others or plan.config(wish.scheme, wish.train_length, wish.rung, rung.steps)
        time = f"it would take up to about {spoken(plan.seconds([config]))} more."
        if wish.others is not None:
            return f"{wish.scheme.name}, other seeds of training length {wish.train_length:,}: {time}"
        if wish.train_length in plan.shorter:
            return f"{wish.scheme.name}, training length {wish.train_length:,}: {time}"
        return (
            f"{wish.scheme.name} did not learn words of up to {wish.train_length:,} symbols; with the next model of "
            f"the ladder, {rung.described}, {time}"
        )

    # ---------------------------------------------------------------------------------------------- what is there

    def _trials(self, config: RunConfig) -> list[Trial]:
        """The results of the seeds of a config."""
        found = [each for each in self.done.get(config.settings_id, ()) if each.seed in config.seeds]
        return sorted(found, key=lambda each: each.seed)

    def _missing(self, config: RunConfig) -> bool:
        return config.settings_id not in self.given_up and len(self._trials(config)) < len(config.seeds)

    def _taken(self, configs: Sequence[RunConfig]) -> float:
        """Estimated seconds of finished runs, with the steps that they took."""
        runs: list[float] = []
        for config in configs:
            trials, speed = self._trials(config), self.plan.speed
            if len(speed.seconds(config)) == len(trials):
                runs += [speed.seconds(config.with_seeds((each.seed,)), each.steps)[0] for each in trials]
            elif trials:
                runs += speed.seconds(config, max(each.steps for each in trials))
        return makespan(runs, self.plan.processes)


def _following(course: _Course, answer: Stage | None) -> _Wish | None:
    """What a course asks for next, if anything."""
    try:
        return course.send(answer)
    except StopIteration:
        return None
