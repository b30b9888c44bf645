"""How a study is made: outlook, plan, training in rounds, report.

    look_ahead  what can be said at once: the verdict and the bounds
    make_plan   which models are trained, within the minutes (`plan`)
    train       rounds of training until the plan wants no more
    report      the study, from what a store has on the runs

Everything in a study follows from its request, the plan that the store keeps for it, and the runs of the store, so the
same study is made again whenever these are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.lab.engines import get_engine
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import Failure, Sweep, run_sweep
from lengthwise.regular import Verdict
from lengthwise.report.style import pyplot
from lengthwise.study.expectation import expectation, expected, programs_of
from lengthwise.study.measurement import measurements, trials
from lengthwise.study.origin import command, origin
from lengthwise.study.outcome import finding
from lengthwise.study.plan import Plan, Progression, make_plan
from lengthwise.study.protocol import SEEDS
from lengthwise.study.request import MINUTES, Request
from lengthwise.study.result import Study
from lengthwise.study.subject import Studied
from lengthwise.study.training_lengths import TrainingLengths, training_lengths

if TYPE_CHECKING:
    from lengthwise.lab.config import RunConfig
    from lengthwise.lab.engines import Engine

STORE = "lengthwise-runs"
Sweeper = Callable[["Sequence[RunConfig]", Store, "Engine"], Sweep]
"""Makes the runs of configs."""


@dataclass(frozen=True)
class Outlook:
    """What can be said about a subject before anything is trained."""

    subject: Studied
    verdict: Verdict
    bounds: TrainingLengths


def look_ahead(thing: object, parameters: Mapping[str, Any]) -> Outlook:
    """The verdict on a subject, and its bounds."""
    subject = Studied.of(thing, parameters)
    verdict = expectation(subject)
    return Outlook(subject, verdict, training_lengths(subject.task, verdict))


def plan_of(known: Outlook, request: Request, store: Store, processes: int, *, keep: bool = True) -> Plan:
    """The plan of a request about a subject that was looked at."""
    return make_plan(request, store, processes, programs_of(known.verdict), keep=keep)


def progress_of(plan: Plan, store: Store) -> Progression:
    """How far a plan is, with what a store has."""
    done: dict[str, Any] = {}
    while True:
        found = plan.progress(done)
        configs = [stage.config for stage in found.stages]
        known = trials(plan, configs, store)
        if known == done:
            return found
        done = known


def train(
    plan: Plan, store: Store, engine: Engine, sweeper: Sweeper = run_sweep
) -> tuple[Progression, tuple[Failure, ...]]:
    """Train what a plan wants, round by round, until it wants no more.

    Args:
        plan: The plan.
        store: Where runs are kept; those that are there are not made again.
        engine: Where models are trained.
        sweeper: What makes the runs of a round.

    Returns:
        How far the plan is, and the runs that failed.

    """
    failed: dict[str, Failure] = {}
    while True:
        found = progress_of(plan, store)
        # A run that failed would be asked for again and again.
        wanted = [config for config in found.next if config.settings_id not in failed]
        if not wanted:
            return found, tuple(failed.values())
        for failure in sweeper(wanted, store, engine).failed:
            failed[failure.config.settings_id] = failure


def report(known: Outlook, plan: Plan, store: Store) -> Study:
    """The study from what a store has on the runs of a plan."""
    found = progress_of(plan, store)
    measured = measurements(plan, found.stages, store, known.subject.shown)
    return Study(
        known.subject,
        known.verdict,
        known.bounds,
        plan,
        measured,
        {scheme: finding(expected(known.verdict, scheme), each) for scheme, each in measured.items()},
        found.left_out,
        origin(store, found.stages),
        command(plan.request),
    )


def study(
    subject: object,
    minutes: float = MINUTES,
    seeds: int = SEEDS,
    *,
    target_length: int | None = None,
    train_lengths: Sequence[int] | None = None,
    positions: str | Sequence[str] | None = None,
    model: str | None = None,
    device: str = "cpu",
    store: str | os.PathLike[str] = STORE,
    engine: str | Engine = "local",
    **parameters: Any,
) -> Study:
    """Decide, bound and measure a task, a regex or a program; the arguments are those of `lengthwise.study`."""
    pyplot()  # if figures cannot be drawn, better say so before training than after
    known = look_ahead(subject, parameters)
    request = Request.of(
        known.subject,
        minutes,
        seeds,
        target_length=target_length,
        train_lengths=train_lengths,
        positions=positions,
        model=model,
        device=device,
    )
    kept = Store(store)
    chosen = get_engine(engine) if isinstance(engine, str) else engine
    plan = plan_of(known, request, kept, chosen.processes)
    _, failed = train(plan, kept, chosen)
    made = report(known, plan, kept)
    if failed and not any(each.known for each in made.measured.values()):
        raise LengthwiseError(f"no model could be trained: {failed[0].reason}")
    return made
