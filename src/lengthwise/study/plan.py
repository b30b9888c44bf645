"""The plan of a study: which models may be trained, at which lengths, within a ceiling of minutes.

A plan is made once and kept in the store under a hash of the request, so that the same study, interrupted or repeated,
trains the same models. It holds what was measured of this machine's speed and what follows from it: the step limit of
the first model and the number of test words. In which order models are trained, given results, says `progression`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import CONTEXTS, RunConfig
from lengthwise.runs.store.disk import writing
from lengthwise.runs.store.sealed import read_sealed, write_sealed
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.train import DeviceError, folding_pays, require_trainable
from lengthwise.study import recipes
from lengthwise.study.cost import Speed, probe
from lengthwise.study.lengths import Lengths, study_lengths
from lengthwise.study.protocol import FIRST, LADDER, WORDS, Rung
from lengthwise.study.request import Request
from lengthwise.study.schemes import USUAL, Scheme, scheme_of
from lengthwise.tasks import AcceptanceTask, LanguageTask, ProgramTask, StartedTask
from lengthwise.tasks.task import Task

FORMAT = 1
PLANS = "plans"
"""The directory of a store that plans are kept in."""
STEPS = (10, 25, 50, 100, *range(250, 4000, 250), 4000, 5000, 6000, 8000, 10_000, 20_000)
"""Step limits; a plan takes the largest that there is time for, up to that of its model."""
TEST_WORDS = (WORDS, 200, 100, 50, 20)
"""Words at each test length: the most that testing takes no more than its share of the time for."""
TEST_SHARE = 0.3
START = 10.0
"""Seconds until the worker processes can train."""
MARGIN = 0.85
"""The share of the minutes that estimates may fill."""
RESERVE = 0.15
"""The share of the time that is kept for shorter training lengths, where none were asked for."""
WINDOW = 8
"""The window of relative positions, if no program says how far it looks."""


@dataclass(frozen=True)
class Plan:
    """The runs of a study; made by `make_plan`."""

    request: Request
    speed: Speed
    processes: int
    steps: int
    """The step limit of the first model."""
    words: int
    """Words at each test length."""
    lengths: Lengths
    schemes: tuple[Scheme, ...]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters of position schemes, by scheme: a period, a window."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Schemes that do not fit the task, by their names, and why."""

    @property
    def task(self) -> Task:
        """What is trained."""
        return self.request.subject.task

    @cached_property
    def ladder(self) -> tuple[Rung, ...]:
        """The models that may be tried."""
        if self.task.loss == "regression":
            return (Rung(1, 1, 16, 1e-2, recipes.STEPS, 0),)
        return LADDER if self.request.model is None else (self.request.model,)

    def config(self, scheme: Scheme, train_length: int, rung: int = 0, steps: int | None = None) -> RunConfig:
        """The settings of all seeds of a stage."""
        chosen = self.ladder[rung]
        limit = steps or min(self.steps, chosen.steps)
        parameters = dict(self.parameters.get(scheme.key, {}))
        if self.task.loss == "regression":
            settings = recipes.regression_settings(self.task, scheme, parameters)
            settings["stopping"] = {**settings.get("stopping", {}), "steps": limit}
            settings["evaluation"] = {"words": min(self.words * 4, recipes.WORDS)}
        else:
            settings = chosen.settings(scheme.position, parameters, limit)
            settings["evaluation"] |= {"words": self.words}
        bounded = scheme.position in CONTEXTS
        return RunConfig(
            task=self.task.name,
            parameters=_parameters(self.task),
            train_length=train_length,
            test_lengths=list(self.lengths.tested(train_length, far=not bounded)),
            seeds=self.request.seeds,
            device=self.request.device,
            **settings,
        )

    @property
    def ceiling(self) -> float:
        """Estimated seconds that there are."""
        return MARGIN * 60 * self.request.minutes - START

    def split(self, config: RunConfig) -> tuple[RunConfig, RunConfig | None]:
        """The seed that goes ahead and the others; all at once on processes enough, or where they share their steps."""
        models = len(self.required) * len(self.schemes) * self.request.seeds
        if folding_pays(config) or models <= self.processes:
            return config, None
        return config.with_seeds(config.seeds[:1]), config.with_seeds(config.seeds[1:])

    def seconds(self, configs: Sequence[RunConfig]) -> float:
        """Estimated seconds until all runs of these configs are finished, if none stops early."""
        return makespan([each for config in configs for each in self.speed.seconds(config)], self.processes)

    def seconds_in_turn(self, configs: Sequence[RunConfig]) -> float:
        """The same if all seeds but the first of each config follow in a second round."""
        parts = [self.split(config) for config in configs]
        return self.seconds([ahead for ahead, _ in parts]) + self.seconds([each for _, each in parts if each])

    @property
    def required(self) -> tuple[int, ...]:
        """The training lengths that come before any other model: those that were asked for, or the longest."""
        return self.lengths.train if self.request.train_lengths else self.lengths.train[:1]

    @property
    def shorter(self) -> tuple[int, ...]:
        """The training lengths that are added as far as there is time, the shortest first: it is learned most often."""
        return tuple(sorted(self.lengths.train[len(self.required) :]))

    def as_json(self) -> dict[str, Any]:
        """What is kept of a plan."""
        return {
            "format": FORMAT,
            "task": self.task.name,
            "request": self.request.as_json(),
            "speed": self.speed.as_json(),
            "processes": self.processes,
            "steps": self.steps,
            "words": self.words,
        }


# ------------------------------------------------------------------------------------------------------ making one


def make_plan(
    request: Request, store: Store, processes: int, programs: Sequence[Program] = (), *, keep: bool = True
) -> Plan:
    """The plan of a request: the one that a store has, or a new one, which is kept there.

    Args:
        request: What is asked.
        store: Where plans and runs are kept.
        processes: How many models are trained at once.
        programs: Programs for the task, whose periods and windows position schemes may have.
        keep: Whether a new plan is kept.

    Returns:
        The plan.

    Raises:
        LengthwiseError: No scheme fits the task, or there are no lengths to train and test at.

    """
    path = store.path / PLANS / f"{request.digest}.json"
    draft = _draft(request, processes, programs)
    kept = _kept(path)
    if kept is not None:
        return _filled(
            draft, Speed.from_json(kept["speed"]), int(kept["processes"]), int(kept["steps"]), int(kept["words"])
        )
    found = _sized(draft, probe([draft.config(draft.schemes[0], length) for length in draft.lengths.train]))
    if keep:
        with writing("the plan of the study"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_sealed(path, found.as_json())
    return found


def _kept(path: Path) -> dict[str, Any] | None:
    """The content of a kept plan; one that cannot be read is made again."""
    try:
        found = read_sealed(path)
        known = found.get("format") == FORMAT and all(
            name in found for name in ("speed", "processes", "steps", "words")
        )
        return found if known else None
    except (OSError, ValueError):
        return None


def _filled(draft: Plan, speed: Speed, processes: int, steps: int, words: int) -> Plan:
    return Plan(
        draft.request, speed, processes, steps, words, draft.lengths, draft.schemes, draft.parameters, draft.skipped
    )


def _draft(request: Request, processes: int, programs: Sequence[Program]) -> Plan:
    """A plan with its lengths and schemes, before it is sized."""
    task = request.subject.task
    lengths = study_lengths(task, request.train_lengths, request.target_length)
    if task.loss == "regression" and request.model is not None:
        raise LengthwiseError(f"{task.name} has numbers as answers, for which a study has one model; leave --model out")
    usual = recipes.regression_schemes(task) if task.loss == "regression" else USUAL
    wanted = request.schemes or tuple(scheme_of(text) for text in usual)
    steps = recipes.STEPS if task.loss == "regression" else (request.model or FIRST).steps
    skipped: dict[str, str] = {}
    parameters: dict[str, Mapping[str, Any]] = {}
    fitting: list[Scheme] = []
    for scheme in wanted:
        trial = Plan(request, Speed(), processes, steps, WORDS, lengths, (scheme,), parameters)
        try:
            parameters[scheme.key] = _position_parameters(scheme, task, programs)
            for length in lengths.train:
                require_trainable(trial.config(scheme, length))
            fitting.append(scheme)
        except DeviceError:
            raise  # no scheme would have it
        except LengthwiseError as problem:
            skipped[scheme.name] = str(problem)
    if not fitting:
        raise LengthwiseError(f"no position scheme fits {task.name}: {next(iter(skipped.values()))}")
    return Plan(request, Speed(), processes, steps, WORDS, lengths, tuple(fitting), parameters, skipped)


def _sized(draft: Plan, speed: Speed) -> Plan:
    """The plan with as many steps and test words as there is time for, and with a few if there is none."""

    def tried(steps: int, words: int) -> tuple[Plan, float]:
        made = _filled(draft, speed, draft.processes, steps, words)
        first = [made.config(scheme, length) for length in made.required for scheme in made.schemes]
        return made, made.seconds_in_turn(first)

    available = draft.ceiling * (1 - RESERVE if len(draft.required) < len(draft.lengths.train) else 1)
    for words in TEST_WORDS:
        found, seconds = tried(STEPS[0], words)
        if seconds <= TEST_SHARE * available:
            break
    for steps in (each for each in STEPS if each <= draft.steps):
        larger, seconds = tried(steps, words)
        if seconds > available:
            break
        found = larger
    return found


def _position_parameters(scheme: Scheme, task: Task, programs: Sequence[Program]) -> dict[str, int]:
    """The period or window of a scheme: as given, or that of a program for the task."""
    if scheme.parameters:
        return dict(scheme.parameters)
    if scheme.position == "periodic" and getattr(task, "period", None) is None:
        periods = [program.period for program in programs if program.period > 1]
        if not periods:
            raise LengthwiseError("no program for the task has a period; give one, as in periodic:2")
        return {"period": periods[0]}
    if scheme.position == "relative":
        windows = [program.window for program in programs if program.window]
        return {"window": windows[0] if windows else WINDOW}
    return {}


def _parameters(task: Task) -> dict[str, Any]:
    """The parameters of a run: those of the task, and a start symbol for words of languages and programs."""
    started = isinstance(task, LanguageTask | ProgramTask | AcceptanceTask | StartedTask)
    return {**task.parameters, **({"start": True} if started else {})}


def makespan(durations: Sequence[float], processes: int) -> float:
    """How long runs take on so many processes, each of which takes the next run when it is free."""
    free = [0.0] * max(1, processes)
    for each in durations:
        place = free.index(min(free))
        free[place] += each
    return max(free)


def spoken(seconds: float) -> str:
    """A duration for sentences: 40 s, 3 min."""
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"


def lines(plan: Plan) -> Iterator[str]:
    """The plan in sentences, as `--dry-run` shows it."""
    model = "the model of Izzo et al." if plan.task.loss == "regression" else f"a GPT-2 with {plan.ladder[0]}"
    configs = [plan.config(scheme, length) for length in plan.required for scheme in plan.schemes]
    names, trained = ", ".join(scheme.name for scheme in plan.schemes), ", ".join(f"{each:,}" for each in plan.required)
    tested = sorted({length for config in configs for length in config.test_lengths})
    ahead = any(plan.split(config)[1] for config in configs)
    yield (
        f"first: {len(configs) * plan.request.seeds} models on words of up to {trained} symbols ({names}; {model}, at "
        f"most {configs[0].stopping.steps:,} steps), tested at {', '.join(f'{each:,}' for each in tested)}: at most "
        f"about {spoken(plan.seconds_in_turn(configs))} on {plan.processes} cores"
        f"{'; one seed goes ahead, the others follow if it learns its words' if ahead else ''}"
    )
    if plan.seconds_in_turn(configs) > 60 * plan.request.minutes:
        yield (
            f"this is more than {plan.request.minutes:g} minutes, and the least that answers the question: give more "
            "minutes, fewer schemes or training lengths, or a shorter target length"
        )
    for length in plan.shorter:
        needed = plan.seconds_in_turn([plan.config(scheme, length) for scheme in plan.schemes])
        yield f"then, as far as there is time: words of up to {length:,} symbols, at most about {spoken(needed)}"
    for rung in plan.ladder[1:]:
        limit = f"at most {rung.steps:,} steps"
        yield f"then, for what was not learned and as far as there is time: {rung.described}, {limit}"
    for name, why in plan.skipped.items():
        yield f"{name}: left out, {why}"
    yield from plan.lengths.dropped
