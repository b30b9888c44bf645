"""The store of runs: run directories, which are the truth, and an SQLite index of their results, which can be rebuilt.

    store/runs/<id>/      one finished run each (`lengthwise.runs.store.run_directory`)
    store/index.sqlite    results by run, seed and test length (`lengthwise.runs.store.index`)

The index is brought up to date with the directories whenever it is asked, and its digests are checked. So a driver that
died between finishing a run and noting it loses nothing, and directories may be copied in from elsewhere or removed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.disk import DAMAGED
from lengthwise.runs.store.draft import PART
from lengthwise.runs.store.index import Entry, Index
from lengthwise.runs.store.run_directory import CHECKED, DONE, TIMING, Ending, RunDirectory, RunError


@dataclass(frozen=True)
class Row:
    """One seed of a run at one test length.

    Attributes:
        run: The id of the run.
        config: Its settings.
        seed: The seed.
        test_length: The length of the test words.
        accuracy: The share of words that are right at every scored position; None for regression.
        words: How many words were tested.
        steps: Updates of the weights.
        ending: Why training stopped: `loss`, `accuracy`, `steps` or `diverged`.
        training_loss: The training loss at the end.

    """

    run: str
    config: RunConfig
    seed: int
    test_length: int
    loss: float
    """NaN for a seed that diverged."""
    accuracy: float | None
    words: int
    steps: int
    ending: Ending
    training_loss: float


class Store:
    """A directory of runs; nothing is created before there is something to keep.

    Args:
        path: The directory, which is made when there is something to keep.

    Example:
        >>> Store("lengthwise-runs-that-do-not-exist").rows()
        []

    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.runs = self.path / "runs"
        self._index = Index(self.path / "index.sqlite")
        self._problems: dict[str, str] = {}

    def rows(self, configs: Iterable[RunConfig] | None = None, task: str | None = None) -> list[Row]:
        """The results of all finished runs, or of those with the settings and seeds of some configs, or of a task.

        Ordered by settings, seed and test length. A seed that several runs of the same settings have counts once.
        """
        entries = self.refresh()
        wanted = None if configs is None else _seeds_by_settings(configs)
        rows: dict[tuple[str, int, int], Row] = {}
        for entry in entries:
            if (wanted is not None and entry.settings not in wanted) or (task is not None and entry.task != task):
                continue
            config = RunConfig.from_store(entry.data["config"])
            for seed, test_length, loss, accuracy, words in entry.data["results"]:
                place = entry.settings, seed, test_length
                if place in rows or (wanted is not None and seed not in wanted[entry.settings].seeds):
                    continue
                steps, ending, training_loss = entry.data["seeds"][str(seed)]
                rows[place] = Row(
                    entry.run,
                    config,
                    seed,
                    test_length,
                    _number(loss),
                    accuracy,
                    words,
                    steps,
                    ending,
                    _number(training_loss),
                )
        return [rows[place] for place in sorted(rows)]

    def missing(self, configs: Iterable[RunConfig]) -> list[RunConfig]:
        """What has to be run for these configs to be finished: each with its missing seeds, equal settings once."""
        there: dict[str, set[int]] = {}
        for entry in self.refresh():
            there.setdefault(entry.settings, set()).update(entry.seeds)
        lacking = (
            (config, tuple(seed for seed in config.seeds if seed not in there.get(settings, ())))
            for settings, config in _seeds_by_settings(configs).items()
        )
        return [config.with_seeds(seeds) for config, seeds in lacking if seeds]

    def finished(self, config: RunConfig) -> bool:
        """Whether all seeds of a config are there."""
        return not self.missing([config])

    def directory(self, run: str) -> RunDirectory:
        """The directory of a run, by its id."""
        return RunDirectory(self.runs / run)

    def directories(self, config: RunConfig) -> list[RunDirectory]:
        """The runs that hold the seeds of a config."""
        return [self.directory(run) for run in dict.fromkeys(row.run for row in self.rows([config]))]

    def problems(self) -> tuple[str, ...]:
        """One sentence for each directory that cannot be used, and for an index that was damaged."""
        self.refresh()
        return (*self._problems.values(), *self._index_problems)

    def rebuild(self) -> int:
        """Make the index anew, looking at every file of every run; how many runs there are."""
        self._index.clear()
        return len(self.refresh())

    def index_damage(self) -> str | None:
        """What is wrong with the index, which is only read; None if nothing is."""
        return self._index.found_damage()

    def run_directories(self) -> list[RunDirectory]:
        """The directories that should hold finished runs, damaged ones among them."""
        return [self.directory(run) for run, _ in self._stamps()]

    def refresh(self) -> list[Entry]:
        """Bring the index up to date with the directories, and return its entries, the older ones first."""
        entries, in_memory = self._index.entries(), self._index.in_memory
        noted = {entry.run: entry for entry in entries}
        there = dict(self._stamps())
        self._problems = {}
        good = []
        for run, stamp in there.items():
            if stamp is not None and run in noted and noted[run].stamp == stamp:
                continue
            try:
                good.append(Entry.of(run, stamp or "", *self.directory(run).verified()))
            except RunError as problem:
                self._problems[run] = str(problem)
        gone = [run for run in noted if run not in there or run in self._problems]
        if good or gone:
            self._index.update(good, gone)
            entries = self._index.entries()
        if self._index.in_memory and not in_memory:
            return self.refresh()  # the disk became full, and what the file had is not in memory yet
        return entries

    @property
    def _index_problems(self) -> tuple[str, ...]:
        if self._index.damage is None:
            return ()
        return (
            f"the index of {self.path} was damaged ({self._index.damage}); it was made again from the run directories, "
            "and no result is lost",
        )

    def _stamps(self) -> Iterator[tuple[str, str | None]]:
        """The run directories, each with what tells its files from others; None where one is missing."""
        if not self.runs.is_dir():
            return
        for path in sorted(self.runs.iterdir()):
            if PART in path.name or DAMAGED in path.name or not path.is_dir():
                continue
            try:
                files = [(path / name).stat() for name in (*CHECKED, DONE)]
                if (timing := path / TIMING).is_file():  # runs of earlier versions have none
                    files.append(timing.stat())
                yield path.name, " ".join(f"{file.st_mtime_ns}:{file.st_size}" for file in files)
            except OSError:
                yield path.name, None


def _seeds_by_settings(configs: Iterable[RunConfig]) -> dict[str, RunConfig]:
    """The configs by their settings; those that differ in their seeds only become one with all of them."""
    found: dict[str, RunConfig] = {}
    for config in configs:
        settings = config.settings_id
        if settings in found and found[settings].seeds != config.seeds:
            config = config.with_seeds(tuple({*found[settings].seeds, *config.seeds}))
        found[settings] = config
    return found


def _number(loss: float | None) -> float:
    """A loss as it was: NaN where JSON had none."""
    return math.nan if loss is None else loss
