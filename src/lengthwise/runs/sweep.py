"""A sweep: the runs that are missing from a store are made, whatever happens on the way.

Finished runs are never repeated, so the same sweep again goes on where the last one ended: after Ctrl-C, after a kill,
with more seeds. Seeds of one config are trained together in one run where that is faster, and in several otherwise;
their numbers are the same either way.
"""

from __future__ import annotations

import math
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, Self

from lengthwise.errors import LengthwiseError
from lengthwise.resources import TimeLimitError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.display.logging_adapters import LogFeed, RunLogger, feeds
from lengthwise.runs.display.progress import Progress, Running
from lengthwise.runs.display.watch import Watch
from lengthwise.runs.engines.engine import Engine, Local, completed
from lengthwise.runs.engines.known_to_workers import require_known
from lengthwise.runs.labels import run_label
from lengthwise.runs.store.disk import DiskError, new_directory, remove_stale, unlock, writing
from lengthwise.runs.store.draft import remove_stale_drafts, unpacked
from lengthwise.runs.store.run_directory import DONE, RunDirectory, RunError
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.checkpoint import (
    FOLDER,
    Saved,
    begun,
    goes_on,
    interrupted,
    remove_checkpoint,
)
from lengthwise.runs.training.retest import in_rounds
from lengthwise.runs.training.train import folding_pays, require_trainable, train_run
from lengthwise.user_code import blaming_whose_it_is

ELSEWHERE = "lengthwise-run-"
"""What the name of a temporary directory begins with in which a run is made for another machine."""

Train = Callable[[RunConfig, Path], RunDirectory]
"""Makes a run in a directory of runs."""


class SweepInterruptedError(LengthwiseError):
    """A sweep was ended by Ctrl-C."""


class SweepTimeLimitError(SweepInterruptedError, TimeLimitError):
    """A sweep was ended by its time limit."""


def kept_at_the_end(problem: KeyboardInterrupt | TimeLimitError, kept: str) -> SweepInterruptedError:
    """What ended a sweep, with what is kept of it."""
    if isinstance(problem, TimeLimitError):
        return SweepTimeLimitError(f"{str(problem).partition(';')[0]}: {kept}")
    return SweepInterruptedError(f"interrupted: {kept}")


@dataclass(frozen=True)
class Failure:
    """A run that could not be made, and why.

    Attributes:
        config: The run.
        reason: What went wrong, in one sentence.

    """

    config: RunConfig
    reason: str


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep.

    Attributes:
        failed: The runs that could not be made.

    """

    made: tuple[RunConfig, ...]
    """The runs that were made, in the order in which they were finished."""
    failed: tuple[Failure, ...]


class SweepDisplay(Protocol):
    """Shows how far a sweep is, from the beginning to the end of a `with` block; `Progress` is one."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def note(self, text: str) -> None:
        """Print a line."""
        ...

    def advance(self, text: str, work: float = 1.0) -> None:
        """Count one more finished run, which was so much work, and print a line about it."""
        ...


Show = Callable[[int, Running, float], SweepDisplay]
"""Makes a display of the number of runs, a function that returns those being made, and how much work all are."""


def run_sweep(
    configs: Iterable[RunConfig],
    store: Store,
    engine: Engine | None = None,
    train: Train = train_run,
    show: Show = Progress,
    log: str | RunLogger | Iterable[str | RunLogger] | None = None,
) -> Sweep:
    """Make the runs that are missing for some configs.

    A run that fails does not keep others from being made, and neither do a display or a logger that fail.

    Args:
        configs: What is to be in the store in the end.
        store: Where runs are kept.
        engine: Where runs are made; in worker processes of this machine by default.
        train: Makes a run.
        show: Makes the display. Several sweeps have one display with one estimate of the time left if this is the
            method `part` of one `Progress`.
        log: Where metrics go beside the store: `tensorboard:DIR`, `trackio:PROJECT`, a `RunLogger`, or several.

    Returns:
        The runs that were made, and those that failed.

    Raises:
        SweepInterruptedError: It was ended by Ctrl-C, or `SweepTimeLimitError` by the deadline in force; what is
            finished is kept.
        LengthwiseError: A config cannot be trained, the disk is full, or there is no such logger.

    Example:
        >>> import os, tempfile
        >>> from lengthwise.runs.engines.engine import Serial
        >>> config = RunConfig(task="simple-task", train_length=4, test_lengths=["N"], stopping={"steps": 1})
        >>> with tempfile.TemporaryDirectory() as directory, open(os.devnull, "w") as nowhere:
        ...     sweep = run_sweep([config], Store(directory), Serial(), show=partial(Progress, stream=nowhere))
        >>> [made == config for made in sweep.made], sweep.failed
        ([True], ())

    """
    chosen = Local() if engine is None else engine
    logging = feeds(log)
    remove_stale_drafts(store.runs)
    configs = list(configs)
    missing = store.missing(configs)
    if train is train_run:
        for config in missing:
            require_trainable(config)
    saved = _interrupted(store) if train is train_run else []
    runs = _runs(missing, saved, chosen.processes)
    made: list[RunConfig] = []
    failed: list[Failure] = []
    work = partial(_work_here, train, store.runs) if chosen.shares_disk else partial(_work_elsewhere, train)
    if train is train_run and not chosen.shares_disk:
        # Workers that see this directory keep their checkpoints in it.
        with writing(f"{store.path}"):
            (store.path / FOLDER).mkdir(parents=True, exist_ok=True)
        work = partial(_work_elsewhere, partial(train_run, checkpoints=(store.path / FOLDER).absolute()))
    costs = {run.id: _work_of(run) for run in runs}
    first_steps = {each.config.id: each.step for each in saved}
    watch = Watch(store.runs, runs, logging, lambda run: costs[run.id], first_steps)
    try:
        # A trainer of somebody else's may bring what it needs to the workers with it.
        if train is train_run:
            require_known(missing, chosen)
        _log_finished(configs, store, logging)
        with show(len(runs), watch.running, sum(costs.values())) as progress:
            # Of runs whose models are trained alike, all but the first wait until that is there.
            for some in in_rounds(runs) if train is train_run and chosen.shares_disk else [runs]:
                with closing(completed(chosen, work, _with_room(some, store, progress))) as outcomes:
                    for outcome in outcomes:
                        run, problem = outcome.item, outcome.error
                        if isinstance(problem, DiskError):
                            raise problem
                        if problem is None and outcome.value:
                            unpacked(store.runs, run, outcome.value)
                        watch.end(run)
                        _tell_problems(logging, progress)
                        if problem is not None:
                            failed.append(Failure(run, _reason(problem)))
                            progress.advance(f"{run_label(run)}, failed: {failed[-1].reason}", costs[run.id])
                            continue
                        store.refresh()
                        made.append(run)
                        result = _result(store.directory(run.id), run)
                        progress.advance(f"{run_label(run)}{result}, finished", costs[run.id])
            _tell_problems(logging, progress)
    except (KeyboardInterrupt, TimeLimitError) as problem:
        raise kept_at_the_end(
            problem,
            f"{len(made)} of {len(runs)} runs were finished and are kept; "
            f"the same command goes on with the others{_from_checkpoints(runs, store)}",
        ) from None
    finally:
        for run in runs:
            watch.end(run)
    return Sweep(tuple(made), tuple(failed))


def pending(configs: Iterable[RunConfig], store: Store, engine: Engine) -> tuple[int, float]:
    """Return how many runs a sweep would make, and how much work they are: what `Progress.expect` wants to know.

    Args:
        configs: What is to be in the store in the end.
        store: Where runs are kept.
        engine: Where runs would be made.

    Returns:
        The number of runs, and their work in the unit that `run_sweep` uses.

    Example:
        >>> from lengthwise.runs.engines.engine import Serial
        >>> pending([], Store("nothing"), Serial())
        (0, 0.0)

    """
    runs = _runs(store.missing(configs), _interrupted(store), engine.processes)
    return len(runs), float(sum(_work_of(run) for run in runs))


def shared_out(config: RunConfig, configs: int, processes: int) -> list[RunConfig]:
    """The seeds of one of several configs in as many runs as is fastest.

    Where folding pays, a run takes as many seeds as it can without leaving processes idle, and else one.
    """
    pieces = min(max(1, processes // configs), len(config.seeds)) if folding_pays(config) else len(config.seeds)
    return [config.with_seeds(config.seeds[place::pieces]) for place in range(pieces)]


def _from_checkpoints(runs: Iterable[RunConfig], store: Store) -> str:
    """How many of the runs go on where they were, in words."""
    wanted = {run.id for run in runs}
    steps = [each.step for each in _interrupted(store) if each.config.id in wanted]
    if not steps:
        return ""
    at = " and ".join(f"{step:,}" for step in steps) if len(steps) < 3 else f"{min(steps):,} to {max(steps):,}"
    return f", {len(steps)} of them at step {at}"


def _work_here(train: Train, runs: Path, config: RunConfig) -> None:
    """Make a run where it belongs."""
    with blaming_whose_it_is():
        train(config, runs)


def _work_elsewhere(train: Train, config: RunConfig) -> dict[str, bytes]:
    """Make a run on another machine; its files."""
    here = Path(tempfile.gettempdir())
    remove_stale(here.glob(f"{ELSEWHERE}*"))
    path, descriptor = new_directory(here, ELSEWHERE, 0o700)
    try:
        with blaming_whose_it_is():
            return train(config, path).packed()
    finally:
        shutil.rmtree(path, ignore_errors=True)
        unlock(descriptor)


def _interrupted(store: Store) -> list[Saved]:
    """What the checkpoints of a store say that can be used; those of finished runs are removed."""
    found = []
    for directory, saved in interrupted(store.path / FOLDER):
        if (store.runs / directory.name / DONE).is_file():
            remove_checkpoint(directory)
        elif isinstance(saved, Saved):
            found.append(saved)
    return found


def _runs(missing: Sequence[RunConfig], saved: Sequence[Saved], processes: int) -> list[RunConfig]:
    """The runs that make configs: those that were begun, as they were, and the other seeds as is fastest."""
    found = []
    for config in missing:
        found += (going_on := begun(config, saved))
        if rest := tuple(seed for seed in config.seeds if not any(seed in run.seeds for run in going_on)):
            found += shared_out(config.with_seeds(rest), len(missing), processes)
    return found


def _with_room(runs: Iterable[RunConfig], store: Store, progress: SweepDisplay) -> Iterator[RunConfig]:
    """The runs, after damaged directories that have their names were set aside; where they go on is said."""
    for run in runs:
        if where := goes_on(store.path / FOLDER / run.id, run):
            progress.note(where)
        there = store.directory(run.id)
        if there.path.exists():
            try:
                there.verified()
            except RunError as problem:
                progress.note(f"{problem} (now, as {there.set_aside().name} keeps the old one)")
        yield run


def _work_of(run: RunConfig) -> float:
    """How much work a run is, up to its step limit: an estimate of its seconds."""
    from lengthwise.runs.cost import estimated

    try:
        return max(estimated(run), 1e-6)
    except Exception:  # a task of somebody else's may be of a kind that the formula cannot be applied to
        return 1.0


def _log_finished(configs: Iterable[RunConfig], store: Store, logging: Iterable[LogFeed]) -> None:
    """Hand on the metrics of runs that were finished before, unless a logger has them."""
    for feed in logging:
        for config in configs:
            for directory in store.directories(config):
                run = directory.config()
                if feed.lacks(run):
                    feed.begin(run)
                    for record in directory.metrics():
                        feed.record(run, record)
                    feed.end(run)


def _tell_problems(logging: Iterable[LogFeed], progress: SweepDisplay) -> None:
    """Say once what became of a logger that failed."""
    for feed in logging:
        if feed.problem is not None:
            progress.note(feed.problem)
            feed.problem = None


def _result(directory: RunDirectory, run: RunConfig) -> str:
    """How a run ended, as a part of a line: steps, and the accuracy at the training length or else the loss."""
    try:
        done = directory.done()
    except RunError:
        return ""
    told = [f"{statistics.median(each.steps for each in done.seeds):,g} steps"]
    at_train_length = [each.accuracy for each in done.results if each.test_length == run.train_length]
    accuracies = [accuracy for accuracy in at_train_length if accuracy is not None]
    losses = [each.loss for each in done.seeds if not math.isnan(each.loss)]
    if accuracies:
        told.append(f"in-distribution accuracy {statistics.median(accuracies):.1%}")
    elif losses:
        told.append(f"loss {statistics.median(losses):.2g}")
    if diverged := len(done.seeds) - len(losses):
        told.append(f"{diverged} diverged")
    return f": {', '.join(told)}"


def _reason(problem: Exception) -> str:
    """What went wrong, in one sentence; errors that are not about input are named."""
    return str(problem) if isinstance(problem, LengthwiseError) else f"{type(problem).__name__}: {problem}"
