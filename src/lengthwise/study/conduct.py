"""How a study is made: outlook, plan, training in rounds, report.

    look_ahead  what can be said at once: the verdict and the bounds
    plan_of     which models are trained, within the minutes
    train       rounds of training until the plan wants no more
    report      the study, from what a store has on the runs

Everything in a study follows from its request, the plan that the store keeps for it, and the runs of the store, so the
same study is made again whenever these are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lengthwise.drawing.style import pyplot
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Verdict
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import get_engine
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure, Sweep, run_sweep
from lengthwise.study.expectation import expectation, expected, programs_of
from lengthwise.study.measurement import measurements, trials
from lengthwise.study.origin import command, origin
from lengthwise.study.outcome import finding
from lengthwise.study.plan import Plan, lines, make_plan
from lengthwise.study.progression import Progression, progress
from lengthwise.study.request import Request
from lengthwise.study.result import Study, outlook_lines
from lengthwise.study.scored import read_models, score_models
from lengthwise.study.subject import Studied
from lengthwise.study.training_lengths import TrainingLengths, training_lengths

if TYPE_CHECKING:
    from lengthwise.models import Format
    from lengthwise.runs.config import RunConfig
    from lengthwise.runs.engines.engine import Engine

STORE = "lengthwise-runs"
Announce = Callable[[str], None]
Sweeper = Callable[["Sequence[RunConfig]", Store, "Engine"], Sweep]
"""Makes the runs of configs."""


@dataclass(frozen=True)
class Outlook:
    """What can be said about a subject before anything is trained."""

    subject: Studied
    verdict: Verdict
    bounds: TrainingLengths


def look_ahead(thing: object, parameters: Mapping[str, Any]) -> Outlook:
    """The verdict on a subject, and its bounds; one that was read already has its parameters."""
    subject = thing if isinstance(thing, Studied) else Studied.of(thing, parameters)
    verdict = expectation(subject)
    return Outlook(subject, verdict, training_lengths(subject.task, verdict))


def plan_of(known: Outlook, request: Request, store: Store, processes: int, *, keep: bool = True) -> Plan:
    """The plan of a request about a subject that was looked at."""
    return make_plan(request, store, processes, programs_of(known.verdict), keep=keep)


def progress_of(plan: Plan, store: Store, given_up: Collection[str] = ()) -> Progression:
    """How far a plan is, with what a store has, if settings that failed are not asked for again."""
    done: dict[str, Any] = {}
    while True:
        found = progress(plan, done, given_up)
        configs = [stage.config for stage in found.stages]
        known = trials(plan, configs, store)
        if known == done:
            return found
        done = known


def train(
    plan: Plan, store: Store, engine: Engine, sweeper: Sweeper | None = None
) -> tuple[Progression, tuple[Failure, ...]]:
    """Train what a plan wants, round by round, until it wants no more.

    Args:
        plan: The plan.
        store: Where runs are kept; those that are there are not made again.
        engine: Where models are trained.
        sweeper: What makes the runs of a round; else they are trained, and shown on standard error meanwhile.

    Returns:
        How far the plan is, and the runs that failed.

    """
    if sweeper is None:
        with Progress() as shown:
            return train(plan, store, engine, partial(run_sweep, show=shown.part))
    failed: dict[str, Failure] = {}
    while True:
        found = progress_of(plan, store, failed)
        if not found.next:
            return found, tuple(failed.values())
        for failure in sweeper(found.next, store, engine).failed:
            failed[failure.config.settings_id] = failure


def report(known: Outlook, plan: Plan, store: Store, failed: Sequence[Failure] = ()) -> Study:
    """The study from what a store has on the runs of a plan, some of which may have failed."""
    found = progress_of(plan, store, [each.config.settings_id for each in failed])
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
    options: Mapping[str, Any],
    parameters: Mapping[str, Any],
    *,
    store: str | os.PathLike[str] = STORE,
    engine: str | Engine = "local",
    announce: Announce | None = None,
    models: Sequence[object] = (),
    form: Format | None = None,
) -> Study:
    """Decide, bound and measure a subject.

    Args:
        subject: What `Subject.of` takes.
        options: The arguments of `Request.of`.
        parameters: Those of the task.
        store: Where plans and runs are kept.
        engine: Where models are trained.
        announce: Is told the verdict, the bounds and the plan, line by line, before training.
        models: Models that are scored beside those that are trained.
        form: How words reach them.

    Returns:
        The study.

    Raises:
        LengthwiseError: The subject or an option is none, or no model could be trained.

    """
    pyplot()  # if figures cannot be drawn, better say so before training than after
    kept, chosen = Store(store), get_engine(engine) if isinstance(engine, str) else engine
    studied = subject if isinstance(subject, Studied) else Studied.of(subject, parameters)
    given = read_models(models, studied.task, form)  # if one does not fit, better say so before training
    known, made = _prepared(studied, options, parameters, kept, chosen, announce, keep=True)
    _, failed = train(made, kept, chosen)
    scored = score_models(given, studied.task, made.lengths) if given else ()
    found = replace(report(known, made, kept, failed), failed=failed, problems=kept.problems(), scored=scored)
    if failed and not any(each.known for each in found.measured.values()):
        raise LengthwiseError(f"no model could be trained: {failed[0].reason}")
    return found


def plan(
    subject: object,
    options: Mapping[str, Any],
    parameters: Mapping[str, Any],
    *,
    store: str | os.PathLike[str] = STORE,
    engine: str | Engine = "local",
    announce: Announce | None = None,
) -> Plan:
    """The plan that `study` would follow; a new one is not kept."""
    kept, chosen = Store(store), get_engine(engine) if isinstance(engine, str) else engine
    return _prepared(subject, options, parameters, kept, chosen, announce, keep=False)[1]


def _prepared(
    subject: object,
    options: Mapping[str, Any],
    parameters: Mapping[str, Any],
    store: Store,
    engine: Engine,
    announce: Announce | None,
    *,
    keep: bool,
) -> tuple[Outlook, Plan]:
    known = look_ahead(subject, parameters)
    request = Request.of(known.subject, **options)
    made = plan_of(known, request, store, engine.processes, keep=keep)
    if announce is not None:
        for line in (*outlook_lines(known, made.schemes), "", *lines(made), ""):
            announce(line)
    return known, made
