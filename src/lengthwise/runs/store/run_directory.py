"""A run directory: one finished run, complete or not there at all.

| file | what it holds |
|---|---|
| `config.json` | the settings, all written out |
| `environment.json` | what it was computed with: versions, processor, commit |
| `metrics.jsonl` | training losses as they came, then the test losses |
| `model.safetensors` | the trained weights of all seeds |
| `done.json` | written last: how each seed ended, all results, and the checksums of the other files |

`lengthwise.runs.store.draft` writes it. Whatever is read here is checked first: a damaged directory is never used.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.store.disk import DiskError, checksum
from lengthwise.runs.training.scoring import ErrorExample, PositionRange

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FORMAT = 1
"""The version of this format, kept in `done.json`."""
CONFIG = "config.json"
ENVIRONMENT = "environment.json"
METRICS = "metrics.jsonl"
MODEL = "model.safetensors"
DONE = "done.json"
DAMAGED = ".damaged-"
"""Stands between the id of a run and a number in the name of a directory that was set aside."""
CHECKED = (CONFIG, ENVIRONMENT, METRICS, MODEL)
"""The files whose checksums stand in `done.json`."""

Ending = Literal["loss", "accuracy", "steps", "diverged"]
"""Why a seed stopped: its loss or accuracy was reached, the step limit came first, or its loss became NaN."""


class RunError(LengthwiseError):
    """A run directory is damaged."""


@dataclass(frozen=True)
class SeedSummary:
    """How the training of a seed ended."""

    seed: int
    steps: int
    """Updates of its weights."""
    ending: Ending
    loss: float
    """The training loss at the end: of a batch or averaged, as the rule has it; NaN if it diverged."""


@dataclass(frozen=True)
class Result:
    """What a seed was worth at a test length."""

    seed: int
    test_length: int
    loss: float
    accuracy: float | None
    """The share of words that are right at every scored position; None for regression."""
    words: int
    """How many words were tested."""
    position_accuracy: float | None = None
    """The share of scored predictions that are right; None for regression and for runs of earlier versions."""
    by_position: tuple[PositionRange, ...] = ()
    """The same by ranges of positions."""
    error: ErrorExample | None = None
    """A word that is wrong, at the shortest test length beyond training for which there is one."""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Result:
        """The result that `asdict` wrote; earlier versions wrote no positions."""
        ranges = tuple(PositionRange(**each) for each in entry.get("by_position", ()))
        error = entry.get("error")
        example = None if error is None else ErrorExample.from_json(error)
        return cls(**{**_with_loss(entry), "by_position": ranges, "error": example})


@dataclass(frozen=True)
class Done:
    """The content of `done.json`."""

    seeds: tuple[SeedSummary, ...]
    results: tuple[Result, ...]
    seconds: float
    finished: str
    files: Mapping[str, str]
    weights: bool = True
    """Whether the run has its weights; one that was made from kept results (`lab.kept_results`) has none."""


@dataclass(frozen=True)
class RunDirectory:
    """A directory that should hold a finished run; reading anything damaged raises `RunError`.

    Attributes:
        path: The directory; its name is the id of the run.

    """

    path: Path

    @property
    def run(self) -> str:
        """The id of the run, the name of its directory."""
        return self.path.name

    def done(self) -> Done:
        """How the run ended, and its results."""
        data = self._json(DONE)
        if data.get("format", FORMAT) != FORMAT:
            raise RunError(f"{self.path / DONE} has format {data['format']}; this version reads format {FORMAT}")
        try:
            return Done(
                tuple(SeedSummary(**_with_loss(entry)) for entry in data["seeds"]),
                tuple(Result.from_json(entry) for entry in data["results"]),
                float(data["seconds"]),
                str(data["finished"]),
                dict(data["files"]),
                bool(data.get("weights", True)),
            )
        except (KeyError, TypeError, ValueError):
            raise self._damaged(DONE, "is incomplete") from None

    def config(self) -> RunConfig:
        """The settings of the run."""
        try:
            config = RunConfig.from_store(self._json(CONFIG))
        except ConfigError as problem:
            raise RunError(f"{self.path / CONFIG} holds no settings that this version knows: {problem}") from None
        if config.id != self.run:
            raise self._damaged(CONFIG, f"holds the settings of the run {config.id}")
        return config

    def environment(self) -> dict[str, Any]:
        """What the run was computed with."""
        return self._json(ENVIRONMENT)

    def metrics(self) -> Iterator[dict[str, Any]]:
        """The lines of the metrics."""
        for number, line in enumerate(self._bytes(METRICS).decode(errors="replace").splitlines(), start=1):
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                raise self._damaged(METRICS, f"cannot be read from line {number} on") from None

    def model(self) -> dict[str, npt.NDArray[np.generic]]:
        """The weights; the first axis of each is the seeds'."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        content, done = self._bytes(MODEL), self.done()
        if not done.weights:
            raise RunError(
                f"the run {self.path} was made from kept results, which have no weights; remove the directory, "
                "and the run is trained when it is needed"
            )
        if hashlib.sha256(content).hexdigest() != done.files.get(MODEL):
            raise self._damaged(MODEL, "has changed since it was written")
        try:
            return dict(load(content))
        except SafetensorError:
            raise self._damaged(MODEL, "cannot be read") from None

    def verified(self) -> tuple[RunConfig, Done]:
        """The settings and the results, after a look at every file."""
        if not (self.path / DONE).is_file():
            raise self._damaged(DONE, "is missing")
        done = self.done()
        for name in CHECKED:
            path = self.path / name
            if not path.is_file():
                raise self._damaged(name, "is missing")
            if _checksum_or_none(path) != done.files.get(name):
                raise self._damaged(name, "has changed since it was written")
        config = self.config()
        if {summary.seed for summary in done.seeds} != set(config.seeds):
            raise self._damaged(DONE, "has other seeds than the settings")
        expected = {(seed, length) for seed in config.seeds for length in config.test_lengths}
        if {(result.seed, result.test_length) for result in done.results} != expected:
            raise self._damaged(DONE, "has other results than the settings ask for")
        return config, done

    def set_aside(self) -> Path:
        """Rename a damaged directory, so that its run can be repeated; its new path."""
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}{DAMAGED}{number}")).exists():
            number += 1
        try:
            return self.path.rename(aside)
        except OSError as problem:
            raise DiskError(f"the damaged run {self.path} cannot be renamed: {problem.strerror}") from None

    def packed(self) -> dict[str, bytes]:
        """The files of the run, to be sent to another machine."""
        return {name: self._bytes(name) for name in (*CHECKED, DONE)}

    def _repr_html_(self) -> str:
        from lengthwise.runs.store.summary_html import run_fragment

        return run_fragment(self)

    def _bytes(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            raise self._damaged(name, "is missing") from None
        except OSError as problem:
            raise RunError(f"{self.path / name} cannot be read: {problem.strerror}") from None

    def _json(self, name: str) -> dict[str, Any]:
        try:
            data = json.loads(self._bytes(name))
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise self._damaged(name, "cannot be read") from None
        if not isinstance(data, dict):
            raise self._damaged(name, "cannot be read")
        return data

    def _damaged(self, name: str, what: str) -> RunError:
        return RunError(
            f"the run directory {self.path} is damaged: {name} {what}; it is not used, and is made again when needed"
        )


def _with_loss(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose loss is a number again."""
    return {**entry, "loss": math.nan if entry["loss"] is None else float(entry["loss"])}


def _checksum_or_none(path: Path) -> str | None:
    try:
        return checksum(path)
    except OSError:
        return None
