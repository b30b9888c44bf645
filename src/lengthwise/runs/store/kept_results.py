"""Results that were kept without their runs become runs of a store again, without weights.

`reproduce` writes `results.csv` and `provenance.json`, which are small enough to be sent to others or put under version
control; run directories with their weights are not. Together with the file of the figure, which has the settings, these
two say all that a figure needs of a run: which seeds it trained, how they ended and how they did at every test length.
So a sweep that somebody else began, or whose store is lost, goes on from its results.

A run is taken over only if the figure asks for its settings now, to the last of them, and if there is a result for
every seed and test length. What it was computed with comes along; its weights and the losses on its way do not, so
nothing is tested again with it (`lengthwise.runs.training.retest`).
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import Ending, Result, SeedSummary
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.retest import TRAINED_IN

TABLE = "results.csv"
ORIGIN = "provenance.json"
TIMINGS = "timings.json"
LENGTH = ("test_length", "to")
"""What the column of test lengths is called: in figures of sweeps, and in experiments whose lengths are bins."""


class KeptResultsError(LengthwiseError):
    """A directory has no results that can be taken over."""


@dataclass(frozen=True)
class TakenOver:
    """What came of a directory of results."""

    runs: int
    """Runs that the store has now and had not before."""
    other: int
    """Runs of settings that the figure does not ask for, which were left out."""


@dataclass(frozen=True)
class _Line:
    """A line of the table."""

    summary: SeedSummary
    result: Result


def take_over(directory: Path, configs: Iterable[RunConfig], store: Store) -> TakenOver:
    """Make runs of a store from the results of a directory, where configs ask for them and the store lacks them."""
    asked = {config.settings_id: config for config in configs}
    lines = _lines(directory / TABLE)
    origin = _origin(directory / ORIGIN)
    made = other = 0
    for run in origin["runs"]:
        if run["settings"] not in asked:
            other += 1
            continue
        config = asked[run["settings"]].with_seeds(tuple(run["seeds"]))
        if store.finished(config):
            continue
        found = [lines.get((config.settings_id, seed), []) for seed in config.seeds]
        for seed, there in zip(config.seeds, found, strict=True):
            if [line.result.test_length for line in there] != sorted(config.test_lengths):
                raise KeptResultsError(
                    f"{directory / TABLE} lacks results of the run {run['run']}, seed {seed}, which "
                    f"{ORIGIN} names; both have to be of the same command"
                )
        environment = origin["environments"][_place(run, origin["environments"])]
        facts = {name: value for name, value in environment.items() if name != "runs"}
        if TRAINED_IN in run:
            facts[TRAINED_IN] = run[TRAINED_IN]
        with Draft(store.runs, config) as draft:
            draft.save_environment(facts)
            draft.save_model({})
            results = tuple(line.result for there in found for line in there)
            draft.finish(tuple(there[0].summary for there in found), results, run.get("seconds") or 0.0, weights=False)
        made += 1
    return TakenOver(made, other)


def read_table(directory: Path) -> list[dict[str, str]]:
    """The rows of the table of a directory of results, whatever they are of."""
    return list(csv.DictReader(io.StringIO(_text(directory / TABLE))))


def read_origin(directory: Path, name: str = ORIGIN) -> Any:
    """What a directory of results says of their origin, or another of its JSON files."""
    try:
        found = json.loads(_text(directory / name))
    except (ValueError, RecursionError):
        raise KeptResultsError(f"{directory / name} is not JSON") from None
    return found if name != ORIGIN else _timed(found, directory)


def _timed(origin: Any, directory: Path) -> Any:
    """What is told of the origin, with the seconds of each run or cell; earlier versions had these in one file."""
    if not isinstance(origin, dict) or not (directory / TIMINGS).is_file():
        return origin
    told = read_origin(directory, TIMINGS)
    try:
        for kind, name in (("runs", "run"), ("cells", "settings")):
            for each in origin.get(kind, ()):
                each.setdefault("seconds", told[kind].get(each[name]))
    except (AttributeError, KeyError, TypeError):
        raise KeptResultsError(f"{directory / TIMINGS} does not say how long each run took; remove it") from None
    return origin


def _lines(path: Path) -> dict[tuple[str, int], list[_Line]]:
    """The lines of a table by settings and seed, in the order of test lengths; what several sweeps share once."""
    found: dict[tuple[str, int], dict[int, _Line]] = {}
    for number, row in enumerate(csv.DictReader(io.StringIO(_text(path))), start=2):
        try:
            length = int(next(row[name] for name in LENGTH if name in row))
            seed, ending = int(row["seed"]), _ending(row["ending"])
            accuracy = float(row["accuracy"]) if row["accuracy"] else None
            line = _Line(
                SeedSummary(seed, int(row["steps"]), ending, _loss(row.get("training_loss"))),
                Result(seed, length, _loss(row["loss"]), accuracy, int(row["words"])),
            )
            found.setdefault((row["settings"], seed), {})[length] = line
        except (KeyError, TypeError, ValueError, StopIteration):
            raise KeptResultsError(
                f"{path}, line {number}, is no line of results that `lengthwise reproduce` wrote"
            ) from None
    return {place: [lines[length] for length in sorted(lines)] for place, lines in found.items()}


def _origin(path: Path) -> dict[str, Any]:
    """Which runs the results are from, and what these were computed with; checked as far as it is used."""
    try:
        data = read_origin(path.parent)
        environments, runs = list(data["environments"]), list(data["runs"])
        sound = all(isinstance(each, Mapping) for each in environments) and all(
            isinstance(run["settings"], str)
            and isinstance(run["run"], str)
            and all(type(seed) is int for seed in run["seeds"])
            and math.isfinite(run.get("seconds") or 0.0)
            and type(place := _place(run, environments)) is int
            and 0 <= place < len(environments)
            for run in runs
        )
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        raise KeptResultsError(f"{path} does not say, for each run, what it was computed with")
    return {"environments": environments, "runs": runs}


def _place(run: Mapping[str, Any], environments: Sequence[Mapping[str, Any]]) -> Any:
    """Which environment a run had; the only one need not be named."""
    return run.get("environment", 0 if len(environments) == 1 else None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is no text"
        raise KeptResultsError(
            f"{path} cannot be read: {reason}; results are taken over from a directory that "
            "`lengthwise reproduce` wrote"
        ) from None


def _loss(text: str | None) -> float:
    """A loss; NaN where there is none: of a seed that diverged, or in a table without it."""
    return float(text) if text else math.nan


def _ending(text: str) -> Ending:
    if text not in get_args(Ending):
        raise ValueError(text)
    return cast(Ending, text)
