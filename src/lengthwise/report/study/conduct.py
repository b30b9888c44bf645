"""How a study is made: outlook, plan, training, report.

    outlook     what can be said at once: the verdict and the bounds
    planned     the runs that fit into the time
    measured    the study, from what a store has on these runs

Everything in a study follows from its arguments, the store and the versions, so the same study is made again whenever
the runs are there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lengthwise.errors import LengthwiseError
from lengthwise.lab.config import RunConfig
from lengthwise.lab.engines import get_engine
from lengthwise.lab.store import Store
from lengthwise.lab.sweep import run_sweep
from lengthwise.regular import Verdict
from lengthwise.report.study.expectation import SCHEMES, expectation, expected
from lengthwise.report.study.measurement import measurement
from lengthwise.report.study.origin import command, origin
from lengthwise.report.study.outcome import finding
from lengthwise.report.study.result import Study
from lengthwise.report.study.subject import Studied
from lengthwise.report.study.training_lengths import TrainingLengths, training_lengths
from lengthwise.report.style import pyplot

if TYPE_CHECKING:
    from lengthwise.lab.engines import Engine

MINUTES = 3.0
SEEDS = 3
STORE = "lengthwise-runs"


class Plan(Protocol):
    """The runs of a study."""

    @property
    def configs(self) -> Mapping[str, Sequence[RunConfig]]:
        """By scheme: `nope`, and some of `ape`, `periodic` and `relative`."""
        ...


@dataclass(frozen=True)
class Outlook:
    """What can be said about a subject before anything is trained."""

    subject: Studied
    verdict: Verdict
    bounds: TrainingLengths


def outlook(thing: object, parameters: Mapping[str, Any]) -> Outlook:
    """The verdict on a subject, and its bounds."""
    subject = Studied.of(thing, parameters)
    verdict = expectation(subject)
    return Outlook(subject, verdict, training_lengths(subject.task, verdict))


def planned(subject: Studied, minutes: float, seeds: int) -> Plan:
    """The runs that take about so long on two cores."""
    # Here, as this is the first that needs to know about models.
    from lengthwise.lab.plan import plan

    return plan(subject.task, minutes, seeds)


def schemes_of(plan: Plan) -> tuple[str, ...]:
    """The position schemes that a plan compares."""
    if unknown := [scheme for scheme in plan.configs if scheme not in SCHEMES]:
        raise LengthwiseError(f"a study is about the schemes {', '.join(SCHEMES)}, not {unknown[0]!r}")
    return tuple(scheme for scheme in SCHEMES if plan.configs.get(scheme))


def measured(known: Outlook, plan: Plan, store: Store, minutes: float, seeds: int) -> Study:
    """The study from what a store has on the runs of a plan."""
    schemes = {scheme: plan.configs[scheme] for scheme in schemes_of(plan)}
    found = {scheme: measurement(scheme, configs, store, known.subject.shown) for scheme, configs in schemes.items()}
    return Study(
        known.subject,
        known.verdict,
        known.bounds,
        found,
        {scheme: finding(expected(known.verdict, scheme), each) for scheme, each in found.items()},
        origin(store, schemes),
        command(known.subject, minutes, seeds),
    )


def study(
    subject: object,
    minutes: float = MINUTES,
    seeds: int = SEEDS,
    *,
    store: str | os.PathLike[str] = STORE,
    engine: str | Engine = "local",
    **parameters: Any,
) -> Study:
    """Decide, bound and measure a task, a regex or a program.

    Trains small transformers for about so many minutes on two cores, unless the store has these runs already. Further
    arguments are parameters of the task, such as `omega=3`. The result draws itself in a notebook; `write` makes the
    files of `lengthwise study`.
    """
    pyplot()  # if figures cannot be drawn, better say so before training than after
    known = outlook(subject, parameters)
    plan = planned(known.subject, minutes, seeds)
    kept = Store(store)
    chosen = get_engine(engine) if isinstance(engine, str) else engine
    sweep = run_sweep([config for each in plan.configs.values() for config in each], kept, chosen)
    if sweep.failed and not sweep.made:
        raise LengthwiseError(f"no model could be trained: {sweep.failed[0].reason}")
    return measured(known, plan, kept, minutes, seeds)
