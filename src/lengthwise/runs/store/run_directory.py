"""A run directory: one finished run, complete or not there at all.

| file | what it holds |
|---|---|
| `config.json` | the settings, all written out |
| `environment.json` | what it was computed with: versions, processor, commit |
| `metrics.jsonl` | training losses as they came, then the test losses |
| `model.safetensors` | the trained weights of all seeds |
| `timing.json` | when it was finished, and how long it took; with a digest of its own |
| `done.json` | written last: how each seed ended, all results, the checksums of the first four files, and a digest |

A run that is made again has the same bytes in all of them but `timing.json`, on the same machine. What earlier versions
wrote has no `timing.json`, whose numbers stood in `done.json`, and may have no digest.

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
from lengthwise.runs.store.disk import checksum, set_aside
from lengthwise.runs.store.sealed import DIGEST, Seal, seal_of, write_sealed
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
TIMING = "timing.json"
DONE = "done.json"
CHECKED = (CONFIG, ENVIRONMENT, METRICS, MODEL)
"""The files whose checksums stand in `done.json`."""
KEYS = frozenset({"format", "seeds", "results", "files", "weights", "seconds", "finished", DIGEST})
"""What `done.json` may have; a key that is none of these was damaged."""

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

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> SeedSummary:
        """The summary that `asdict` wrote."""
        return cls(**_with_loss(entry))


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
        data = self._sealed(DONE)
        if data.get("format", FORMAT) != FORMAT:
            raise RunError(f"{self.path / DONE} has format {data['format']}; this version reads format {FORMAT}")
        if not data.keys() <= KEYS:
            raise self._damaged(DONE, f"has the unknown entry {min(data.keys() - KEYS)!r}")
        timing = data if "seconds" in data else self._sealed(TIMING)
        try:
            return Done(
                tuple(SeedSummary.from_json(entry) for entry in data["seeds"]),
                tuple(Result.from_json(entry) for entry in data["results"]),
                float(timing["seconds"]),
                str(timing["finished"]),
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
        return self._parsed(ENVIRONMENT, self._checked(ENVIRONMENT, self.done()))

    def metrics(self) -> Iterator[dict[str, Any]]:
        """The lines of the metrics."""
        content = self._checked(METRICS, self.done())
        for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                raise self._damaged(METRICS, f"cannot be read from line {number} on") from None

    def model(self) -> dict[str, npt.NDArray[np.generic]]:
        """The weights; the first axis of each is the seeds'."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        done = self.done()
        if not done.weights:
            raise RunError(
                f"the run {self.path} was made from kept results, which have no weights; remove the directory, "
                "and the run is trained when it is needed"
            )
        try:
            return dict(load(self._checked(MODEL, done)))
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

    def seal(self) -> Seal:
        """What the digest of `done.json` says; `none` for runs that earlier versions made."""
        return seal_of(self._json(DONE))

    def give_digest(self) -> None:
        """Write the digest that a run of an earlier version lacks, if all of its files fit together."""
        self.verified()
        write_sealed(self.path / DONE, self._json(DONE))

    def set_aside(self) -> Path:
        """Rename a damaged directory, so that its run can be repeated; its new path."""
        return set_aside(self.path)

    def packed(self) -> dict[str, bytes]:
        """The files of the run, to be sent to another machine."""
        return {name: self._bytes(name) for name in (*CHECKED, TIMING, DONE)}

    def _repr_html_(self) -> str:
        from lengthwise.runs.store.summary_html import run_fragment

        return run_fragment(self)

    def _bytes(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            if not any((self.path / each).exists() for each in (CONFIG, DONE, MODEL)):
                raise RunError(f"{self.path} is no run directory: it has no {name}") from None
            raise self._damaged(name, "is missing") from None
        except OSError as problem:
            raise RunError(f"{self.path / name} cannot be read: {problem.strerror}") from None

    def _checked(self, name: str, done: Done) -> bytes:
        """The content of a file if it is as it was when the run was finished."""
        content = self._bytes(name)
        if hashlib.sha256(content).hexdigest() != done.files.get(name):
            raise self._damaged(name, "has changed since it was written")
        return content

    def _sealed(self, name: str) -> dict[str, Any]:
        """An object whose digest, if it has one, is right."""
        data = self._json(name)
        if seal_of(data) == "broken":
            raise self._damaged(name, "has changed since it was written")
        return data

    def _json(self, name: str) -> dict[str, Any]:
        return self._parsed(name, self._bytes(name))

    def _parsed(self, name: str, content: bytes) -> dict[str, Any]:
        try:
            data = json.loads(content)
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
