"""What the runs of a sweep are doing: their metrics are read while they are written.

A run writes `metrics.jsonl` into its draft, which lies on the disk of this machine unless the run is made on a cluster.
The driver reads new lines from there, so that workers need to know nothing of who looks on.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from lengthwise.runs.config import RunConfig
from lengthwise.runs.labels import scheme_of, seeds_label, size_of
from lengthwise.runs.store.draft import PART, drafts
from lengthwise.runs.store.run_directory import METRICS


@dataclass(frozen=True)
class RunningRun:
    """A run that is being trained, as far as its metrics tell."""

    id: str
    task: str
    scheme: str
    """The name of its position scheme."""
    train_length: int
    size: str
    """Layers, heads and width."""
    seeds: str
    step: int
    limit: int
    """The step limit; a run may stop before."""
    first_step: int = 0
    """The step it started from: not 0 if it continues from a checkpoint."""
    loss: float | None = None
    """The training loss, the median over its seeds."""
    accuracy: float | None = None
    """The in-distribution accuracy, the median over its seeds; None where it is not checked."""
    testing: bool = False
    """Whether training has ended and the models are being tested."""
    work: float = 1.0
    """How much work the whole run is, in any unit that is the same for all."""

    @property
    def done(self) -> float:
        """How much of its work is done."""
        return self.work * min(1.0, max(0.0, (self.step - self.first_step) / max(1, self.limit - self.first_step)))


class Listener(Protocol):
    """Gets the metrics of runs, line by line."""

    def begin(self, run: RunConfig) -> None:
        """A run starts, or starts again because its worker died."""
        ...

    def record(self, run: RunConfig, record: Mapping[str, Any]) -> None:
        """A line of the metrics."""
        ...

    def end(self, run: RunConfig) -> None:
        """All lines of a run have been read."""
        ...


@dataclass
class _Followed:
    """A file of metrics that grows, and what was read of it."""

    draft: Path
    offset: int = 0
    lines: int = 0
    step: int = 0
    testing: bool = False
    losses: dict[str, float | None] = field(default_factory=dict)
    accuracies: dict[str, float | None] = field(default_factory=dict)

    def new_records(self, path: Path) -> Iterator[dict[str, Any]]:
        """The lines that were completed since the last time."""
        try:
            with path.open("rb") as file:
                file.seek(self.offset)
                added = file.read()
        except OSError:
            return  # not there yet, or not any more
        whole = added[: added.rfind(b"\n") + 1]
        self.offset += len(whole)
        for line in whole.splitlines():
            self.lines += 1
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                self._note(record)
                yield record

    def rest_of(self, path: Path) -> Iterator[dict[str, Any]]:
        """What the metrics of the finished run have beyond the lines that were read; runs repeat theirs exactly."""
        known, self.offset, self.lines = self.lines, 0, 0
        for record in self.new_records(path):
            if self.lines > known:
                yield record

    def _note(self, record: Mapping[str, Any]) -> None:
        if "test_length" in record:
            self.testing = True
        elif isinstance(step := record.get("step"), int):
            self.step = step
            for name, known in (("loss", self.losses), ("accuracy", self.accuracies)):
                if isinstance(by_seed := record.get(name), Mapping):
                    known.update(by_seed)


class Watch:
    """Follows the metrics of some runs while they are written.

    Args:
        runs: The directory in which runs are made.
        configs: The runs to follow.
        listeners: Get every line of their metrics once.
        work: How much work a run is.
        first_steps: The steps at which runs go on, by their ids.

    Example:
        >>> Watch(Path("runs"), []).running()
        []

    """

    def __init__(
        self,
        runs: Path,
        configs: Iterable[RunConfig],
        listeners: Iterable[Listener] = (),
        work: Callable[[RunConfig], float] = lambda _: 1.0,
        first_steps: Mapping[str, int] | None = None,
    ) -> None:
        self._runs = runs
        self._configs = {config.id: config for config in configs}
        self._listeners = tuple(listeners)
        self._work = work
        self._first_steps = first_steps or {}
        self._followed: dict[str, _Followed] = {}
        self._ended: set[str] = set()
        self._reading = threading.Lock()

    def running(self) -> list[RunningRun]:
        """Read what is new, and return the runs that are being made.

        Returns:
            Runs that have a draft on this machine, in the order in which they were given.

        """
        with self._reading:
            found = self._drafts()
            for run, draft in found.items():
                followed = self._followed.get(run)
                if followed is None or followed.draft != draft:
                    followed = self._begin(run, draft)
                self._tell(run, followed.new_records(draft / METRICS))
            return [self._state(run, self._followed[run]) for run in self._configs if run in found]

    def end(self, run: RunConfig) -> None:
        """Read the rest of a run's metrics where it was finished, and follow it no longer.

        Args:
            run: A run that was finished or has failed.

        """
        with self._reading:
            if run.id in self._ended or run.id not in self._configs:
                return
            self._ended.add(run.id)
            finished = self._runs / run.id / METRICS
            if os.path.isfile(finished):  # unlike the method of paths, it never raises
                followed = self._followed.get(run.id) or self._begin(run.id, finished.parent)
                self._tell(run.id, followed.rest_of(finished))
            if run.id in self._followed:
                for listener in self._listeners:
                    listener.end(run)

    def _drafts(self) -> dict[str, Path]:
        """The drafts of runs that are followed; if a run has several, the one that was begun last."""
        found: dict[str, tuple[int, Path]] = {}
        try:
            for draft in drafts(self._runs):
                run = draft.name.partition(PART)[0]
                if run in self._configs and run not in self._ended:
                    try:
                        begun = draft.stat().st_ctime_ns
                    except OSError:
                        continue
                    found[run] = max(found.get(run, (0, draft)), (begun, draft))
        except OSError:
            pass
        return {run: draft for run, (_, draft) in found.items()}

    def _begin(self, run: str, draft: Path) -> _Followed:
        self._followed[run] = _Followed(draft)
        for listener in self._listeners:
            listener.begin(self._configs[run])
        return self._followed[run]

    def _tell(self, run: str, records: Iterator[dict[str, Any]]) -> None:
        for record in records:
            for listener in self._listeners:
                listener.record(self._configs[run], record)

    def _state(self, run: str, followed: _Followed) -> RunningRun:
        config = self._configs[run]
        return RunningRun(
            run,
            config.task_title,
            scheme_of(config),
            config.train_length,
            size_of(config.model),
            seeds_label(config.seeds),
            followed.step,
            config.stopping.steps,
            self._first_steps.get(run, 0),
            loss=_median(followed.losses.values()),
            accuracy=_median(followed.accuracies.values()),
            testing=followed.testing,
            work=self._work(config),
        )


def _median(values: Iterable[float | None]) -> float | None:
    """The median of numbers, where None is one that was no number: infinite for a loss."""
    known = [math.inf if value is None else float(value) for value in values]
    return statistics.median(known) if known else None
