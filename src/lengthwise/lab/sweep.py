"""A sweep: the runs that are missing from a store are made, whatever happens on the way.

Finished runs are never repeated, so the same sweep again goes on where the last one ended: after Ctrl-C, after a kill,
with more seeds. Seeds of one config are trained together in one run where that is faster, and in several otherwise;
their numbers are the same either way.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lengthwise.errors import LengthwiseError
from lengthwise.lab.config import RunConfig
from lengthwise.lab.disk import DiskError
from lengthwise.lab.draft import PART, drafts, latest_step, remove_stale_drafts, unpacked
from lengthwise.lab.engines import Engine, Local, completed
from lengthwise.lab.known_to_workers import require_known
from lengthwise.lab.progress import Progress
from lengthwise.lab.retest import in_rounds
from lengthwise.lab.run_directory import RunDirectory, RunError
from lengthwise.lab.store import Store
from lengthwise.lab.train import folding_pays, require_trainable, train_run

Train = Callable[[RunConfig, Path], RunDirectory]
"""Makes a run in a directory of runs."""


class SweepInterruptedError(LengthwiseError):
    """A sweep was ended by Ctrl-C."""


@dataclass(frozen=True)
class Failure:
    """A run that could not be made, and why."""

    config: RunConfig
    reason: str


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep."""

    made: tuple[RunConfig, ...]
    """The runs that were made, in the order in which they were finished."""
    failed: tuple[Failure, ...]


def run_sweep(
    configs: Iterable[RunConfig],
    store: Store,
    engine: Engine | None = None,
    train: Train = train_run,
    show: Callable[[int, Callable[[], float]], Progress] = Progress,
) -> Sweep:
    """Make the runs that are missing for these configs; a run that fails does not keep others from being made."""
    chosen = Local() if engine is None else engine
    remove_stale_drafts(store.runs)
    missing = store.missing(configs)
    if train is train_run:
        for config in missing:
            require_trainable(config)
    runs = [run for config in missing for run in shared_out(config, len(missing), chosen.processes)]
    made: list[RunConfig] = []
    failed: list[Failure] = []
    work = partial(_work_here, train, store.runs) if chosen.shares_disk else partial(_work_elsewhere, train)
    try:
        # A trainer of somebody else's may bring what it needs to the workers with it.
        if train is train_run:
            require_known(missing, chosen)
        with show(len(runs), partial(_under_way, store.runs, {run.id: run.stopping.steps for run in runs})) as progress:
            # Of runs whose models are trained alike, all but the first wait until that is there.
            for some in in_rounds(runs) if train is train_run and chosen.shares_disk else [runs]:
                with closing(completed(chosen, work, _with_room(some, store, progress))) as outcomes:
                    for outcome in outcomes:
                        run, problem = outcome.item, outcome.error
                        if isinstance(problem, DiskError):
                            raise problem
                        if problem is not None:
                            failed.append(Failure(run, _reason(problem)))
                            progress.advance(f"{_named(run)} failed: {failed[-1].reason}")
                            continue
                        if outcome.value:
                            unpacked(store.runs, run, outcome.value)
                        store.refresh()
                        made.append(run)
                        progress.advance(f"{_named(run)} finished")
    except KeyboardInterrupt:
        raise SweepInterruptedError(
            f"interrupted: {len(made)} of {len(runs)} runs were finished and are kept; "
            "the same command goes on with the others"
        ) from None
    return Sweep(tuple(made), tuple(failed))


def shared_out(config: RunConfig, configs: int, processes: int) -> list[RunConfig]:
    """The seeds of one of several configs in as many runs as is fastest.

    Where folding pays, a run takes as many seeds as it can without leaving processes idle, and else one.
    """
    pieces = min(max(1, processes // configs), len(config.seeds)) if folding_pays(config) else len(config.seeds)
    return [config.with_seeds(config.seeds[place::pieces]) for place in range(pieces)]


def _work_here(train: Train, runs: Path, config: RunConfig) -> None:
    """Make a run where it belongs."""
    train(config, runs)


def _work_elsewhere(train: Train, config: RunConfig) -> dict[str, bytes]:
    """Make a run on another machine; its files."""
    with tempfile.TemporaryDirectory() as runs:
        return train(config, Path(runs)).packed()


def _with_room(runs: Iterable[RunConfig], store: Store, progress: Progress) -> Iterator[RunConfig]:
    """The runs, after damaged directories that have their names were set aside."""
    for run in runs:
        there = store.directory(run.id)
        if there.path.exists():
            try:
                there.verified()
            except RunError as problem:
                progress.note(f"{problem} (now, as {there.set_aside().name} keeps the old one)")
        yield run


def _under_way(runs: Path, limits: Mapping[str, int]) -> float:
    """How many runs' worth of steps the unfinished runs have done."""
    done = 0.0
    for draft in drafts(runs):
        limit = limits.get(draft.name.partition(PART)[0], 0)
        if limit:
            done += min(1.0, latest_step(draft) / limit)
    return done


def _named(run: RunConfig) -> str:
    """A run in words."""
    seeds = f"seed {run.seeds[0]}" if len(run.seeds) == 1 else f"{len(run.seeds)} seeds"
    return f"{run}, {seeds},"


def _reason(problem: Exception) -> str:
    """What went wrong, in one sentence; errors that are not about input are named."""
    return str(problem) if isinstance(problem, LengthwiseError) else f"{type(problem).__name__}: {problem}"
