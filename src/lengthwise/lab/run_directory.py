"""A run directory: one finished run, complete or not there at all.

| file | what it holds |
|---|---|
| `config.json` | the settings, all written out |
| `environment.json` | what it was computed with: versions, processor, commit |
| `metrics.jsonl` | training losses as they came, then the test losses |
| `model.safetensors` | the trained weights of all seeds |
| `done.json` | written last: how each seed ended, all results, and the checksums of the other files |

A run is written as a `Draft` under a name of its own beside its final one and renamed when it is complete. So a kill at
any moment, or two processes that work on the same run, leave nothing half-written under a run's name.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self

from lengthwise.errors import LengthwiseError
from lengthwise.lab.config import ConfigError, RunConfig

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Tensors = Mapping[str, npt.NDArray[np.generic]]

FORMAT = 1
"""The version of this format, kept in `done.json`."""
CONFIG, ENVIRONMENT, METRICS, MODEL, DONE = (
    "config.json",
    "environment.json",
    "metrics.jsonl",
    "model.safetensors",
    "done.json",
)
PART = ".part-"
"""Stands between the id of a run and a random ending in the name of its draft."""

Ending = Literal["loss", "accuracy", "steps", "diverged"]
"""Why a seed stopped: its loss or accuracy was reached, the step limit came first, or its loss was no number any more."""


class RunError(LengthwiseError):
    """A run directory is damaged."""


class DiskError(LengthwiseError):
    """A run could not be written: the disk is full, or may not be written to."""


@dataclass(frozen=True)
class SeedSummary:
    """How the training of a seed ended."""

    seed: int
    steps: int
    ending: Ending
    loss: float
    """The training loss that ended it: of the last batch, or the moving average; NaN if it diverged."""


@dataclass(frozen=True)
class Result:
    """What a seed was worth at a test length."""

    seed: int
    test_length: int
    loss: float
    accuracy: float | None
    """The share of scored positions, or of words, that are right; None for regression."""
    words: int
    """How many words were tested."""


@dataclass(frozen=True)
class Done:
    """The content of `done.json`."""

    seeds: tuple[SeedSummary, ...]
    results: tuple[Result, ...]
    seconds: float
    finished: str
    files: Mapping[str, str]


class Draft:
    """A run that is being written. As a context it is removed at the end unless it was finished."""

    def __init__(self, runs: Path, config: RunConfig) -> None:
        self.config = config
        self._runs = runs
        with _writing(config):
            runs.mkdir(parents=True, exist_ok=True)
            self.path = Path(tempfile.mkdtemp(prefix=f"{config.id}{PART}", dir=runs))
            # mkdtemp makes directories for the owner only; a run is as readable as other files.
            self.path.chmod(0o777 & ~_umask())
            self._lock = _locked(self.path)
            _write_json(self.path / CONFIG, config.settings())
            self._metrics: IO[str] = (self.path / METRICS).open("w", encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._metrics.closed:
            try:
                self._metrics.close()
            except OSError:
                pass  # what could not be written belongs to a run that is given up
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        shutil.rmtree(self.path, ignore_errors=True)

    def log(self, **record: Any) -> None:
        """Add a line to the metrics; it can be read at once."""
        with _writing(self.config):
            self._metrics.write(json.dumps(_plain(record)) + "\n")
            self._metrics.flush()

    def save_model(self, tensors: Tensors) -> None:
        """Write the weights."""
        import numpy as np
        from safetensors.numpy import save

        arrays = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        with _writing(self.config):
            _write(self.path / MODEL, save(arrays, {"format": "lengthwise.run", "run": self.config.id}))

    def save_environment(self, facts: Mapping[str, Any]) -> None:
        """Write what the run is computed with."""
        with _writing(self.config):
            _write_json(self.path / ENVIRONMENT, facts)

    def finish(self, seeds: tuple[SeedSummary, ...], results: tuple[Result, ...], seconds: float) -> RunDirectory:
        """Complete the run and give it its name; if another process was faster, that one's stays."""
        with _writing(self.config):
            _synchronise(self._metrics)
            self._metrics.close()
            done = {
                "format": FORMAT,
                "run": self.config.id,
                "seeds": [asdict(summary) for summary in seeds],
                "results": [asdict(result) for result in results],
                "seconds": round(seconds, 3),
                "finished": datetime.now(UTC).isoformat(timespec="seconds"),
                "files": {name: _checksum(self.path / name) for name in (CONFIG, ENVIRONMENT, METRICS, MODEL)},
            }
            _write_json(self.path / DONE, done)
            return published(self.path, self._runs / self.config.id)


@dataclass(frozen=True)
class RunDirectory:
    """A directory that should hold a finished run; reading anything damaged raises `RunError`."""

    path: Path

    @property
    def run(self) -> str:
        """The id of the run, the name of its directory."""
        return self.path.name

    def done(self) -> Done:
        """How the run ended, and its results."""
        data = self._json(DONE)
        try:
            if data["format"] != FORMAT:
                raise RunError(f"{self._named(DONE)} has format {data['format']}; this version reads format {FORMAT}")
            return Done(
                tuple(SeedSummary(**_with_numbers(entry)) for entry in data["seeds"]),
                tuple(Result(**_with_numbers(entry)) for entry in data["results"]),
                float(data["seconds"]),
                str(data["finished"]),
                dict(data["files"]),
            )
        except (KeyError, TypeError, ValueError):
            raise self._damaged(DONE, "is incomplete") from None

    def config(self) -> RunConfig:
        """The settings of the run."""
        data = self._json(CONFIG)
        try:
            config = RunConfig(**data)
        except ConfigError as problem:
            raise RunError(f"{self._named(CONFIG)} holds no settings this version knows: {problem}") from None
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

        content = self._bytes(MODEL)
        if hashlib.sha256(content).hexdigest() != self.done().files.get(MODEL):
            raise self._damaged(MODEL, "has changed since it was written")
        try:
            return dict(load(content))
        except SafetensorError:
            raise self._damaged(MODEL, "cannot be read") from None

    def verified(self) -> Done:
        """How the run ended, after a look at every file of it."""
        if not self.path.is_dir():
            raise RunError(f"there is no run {self.run} in {self.path.parent}")
        if not (self.path / DONE).is_file():
            raise RunError(f"the run directory {self.path} was never finished: it has no {DONE}; remove it")
        done = self.done()
        for name in (CONFIG, ENVIRONMENT, METRICS, MODEL):
            if _checksum_or_none(self.path / name) != done.files.get(name):
                what = "has changed since it was written" if (self.path / name).is_file() else "is missing"
                raise self._damaged(name, what)
        config = self.config()
        if {summary.seed for summary in done.seeds} != set(config.seeds):
            raise self._damaged(DONE, "has other seeds than the settings")
        expected = {(seed, length) for seed in config.seeds for length in config.test_lengths}
        if {(result.seed, result.test_length) for result in done.results} != expected:
            raise self._damaged(DONE, "lacks results")
        return done

    def set_aside(self) -> Path:
        """Rename a damaged directory, so that its run can be repeated; its new path."""
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        try:
            return self.path.rename(aside)
        except OSError as problem:
            raise DiskError(f"the damaged run {self.path} cannot be renamed: {problem.strerror}") from None

    def packed(self) -> dict[str, bytes]:
        """The files of the run, to be sent to another machine."""
        return {name: self._bytes(name) for name in (CONFIG, ENVIRONMENT, METRICS, MODEL, DONE)}

    def _bytes(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            raise self._damaged(name, "is missing") from None
        except OSError as problem:
            raise RunError(f"{self._named(name)} cannot be read: {problem.strerror}") from None

    def _json(self, name: str) -> dict[str, Any]:
        try:
            data = json.loads(self._bytes(name))
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise self._damaged(name, "cannot be read") from None
        if not isinstance(data, dict):
            raise self._damaged(name, "cannot be read")
        return data

    def _named(self, name: str) -> str:
        return f"{self.path / name}"

    def _damaged(self, name: str, what: str) -> RunError:
        return RunError(f"the run directory {self.path} is damaged: {name} {what}; remove it to have it run again")


def published(draft: Path, final: Path) -> RunDirectory:
    """Give a complete draft its final name; a run that is there already stays, and the draft goes."""
    try:
        draft.rename(final)
    except OSError:
        # Directories are renamed onto nothing or an empty directory only: somebody finished the same run before.
        if not (final / DONE).is_file():
            raise
        shutil.rmtree(draft, ignore_errors=True)
    _synchronise_directory(final.parent)
    return RunDirectory(final)


def unpacked(runs: Path, config: RunConfig, files: Mapping[str, bytes]) -> RunDirectory:
    """Write a run that came from another machine."""
    with _writing(config):
        runs.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f"{config.id}{PART}", dir=runs))
        lock = _locked(draft)
        try:
            draft.chmod(0o777 & ~_umask())
            for name in sorted(files, key=lambda name: name == DONE):
                _write(draft / Path(name).name, files[name])
            return published(draft, runs / config.id)
        finally:
            if lock is not None:
                os.close(lock)
            shutil.rmtree(draft, ignore_errors=True)


def drafts(runs: Path) -> Iterator[Path]:
    """The directories of unfinished runs."""
    if runs.is_dir():
        yield from (path for path in runs.iterdir() if PART in path.name)


def remove_stale_drafts(runs: Path) -> int:
    """Remove what killed processes left behind; how many were removed. Drafts that are being written stay."""
    removed = 0
    for path in list(drafts(runs)):
        lock = _locked(path)
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
            removed += 1
    return removed


class _writing:  # noqa: N801 - read as a phrase: with _writing(config)
    """Turns the errors of a disk into one sentence."""

    def __init__(self, config: RunConfig) -> None:
        self._config = config

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, problem: BaseException | None, _trace: object) -> None:
        if isinstance(problem, OSError):
            reason = (problem.strerror or str(problem)).lower()
            raise DiskError(
                f"the run {self._config.id} could not be written: {reason}; finished runs are kept, "
                "and the same command goes on with the others"
            ) from None


def _locked(directory: Path) -> int | None:
    """A descriptor that locks a directory until it is closed or its process ends; None if somebody else has it."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is there complete or not at all, even after a power cut."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("wb") as file:
        file.write(content)
        _synchronise(file)
    temporary.replace(path)
    _synchronise_directory(path.parent)


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    _write(path, (json.dumps(_plain(data), indent=2, ensure_ascii=False) + "\n").encode())


def _synchronise(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _synchronise_directory(path: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _plain(value: Any) -> Any:
    """The value with null for numbers that JSON does not have: NaN and the infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _with_numbers(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose loss is a number again."""
    return {**entry, "loss": math.nan if entry["loss"] is None else float(entry["loss"])}


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum_or_none(path: Path) -> str | None:
    try:
        return _checksum(path)
    except OSError:
        return None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
