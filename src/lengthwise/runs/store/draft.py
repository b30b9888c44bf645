"""A draft: a run that is being written, under a name of its own beside its final one.

It gets its final name when it is complete. So a kill at any moment, a full disk, or two processes that work on the same
run leave nothing half-written under a run's name. What a killed process left behind is told by its lock, which ends
with the process.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lengthwise.output import growing_text, plain, sorted_header, synchronise, synchronise_directory
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.disk import checksum, new_directory, remove_stale, unlock, write, write_json, writing
from lengthwise.runs.store.run_directory import (
    CHECKED,
    CONFIG,
    DONE,
    ENVIRONMENT,
    FORMAT,
    METRICS,
    MODEL,
    TIMING,
    Result,
    RunDirectory,
    SeedSummary,
)
from lengthwise.runs.store.sealed import write_sealed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PART = ".part-"
"""Stands between the id of a run and a random ending in the name of its draft."""


class Draft:
    """A run that is being written; as a context it is removed at the end unless it was finished."""

    def __init__(self, runs: Path, config: RunConfig) -> None:
        self.config = config
        self._runs = runs
        with self._writing():
            self.path, self._lock = new_directory(runs, config.id + PART)
            try:
                write_json(self.path / CONFIG, config.settings())
                self._metrics = growing_text(self.path / METRICS)
            except BaseException:
                self._remove()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what could not be written belongs to a run that is given up
            self._metrics.close()
        self._remove()

    def log(self, **record: Any) -> None:
        """Add a line to the metrics; it can be read at once."""
        with self._writing():
            self._metrics.write(json.dumps(plain(record)) + "\n")
            self._metrics.flush()

    def metrics(self) -> str:
        """The lines of the metrics so far."""
        with self._writing():
            self._metrics.flush()
        return (self.path / METRICS).read_text(encoding="utf-8")

    def restore_metrics(self, text: str) -> None:
        """Begin with the lines that the run had when it was interrupted."""
        with self._writing():
            self._metrics.write(text)
            self._metrics.flush()

    def save_environment(self, facts: Mapping[str, Any]) -> None:
        """Write what the run is computed with."""
        with self._writing():
            write_json(self.path / ENVIRONMENT, facts)

    def save_model(self, tensors: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Write the weights."""
        import numpy as np
        from safetensors.numpy import save

        arrays = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        with self._writing():
            content = save(arrays, {"format": "lengthwise.run", "run": self.config.id})
            write(self.path / MODEL, sorted_header(content))

    def finish(
        self, seeds: tuple[SeedSummary, ...], results: tuple[Result, ...], seconds: float, *, weights: bool = True
    ) -> RunDirectory:
        """Complete the run and give it its name; if another process finished the same one before, that one stays."""
        with self._writing():
            synchronise(self._metrics)
            self._metrics.close()
            # Apart from the results, which are the same bytes whenever the run is made.
            finished = datetime.now(UTC).isoformat(timespec="seconds")
            write_sealed(self.path / TIMING, {"seconds": round(seconds, 3), "finished": finished})
            done = {
                "format": FORMAT,
                "seeds": [asdict(summary) for summary in seeds],
                "results": [asdict(result) for result in results],
                "files": {name: checksum(self.path / name) for name in CHECKED},
                **({} if weights else {"weights": False}),
            }
            write_sealed(self.path / DONE, done)
            return _published(self.path, self._runs / self.config.id)

    def _remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        unlock(self._lock)

    def _writing(self) -> AbstractContextManager[None]:
        return writing(f"the run {self.config.id}")


def unpacked(runs: Path, config: RunConfig, files: Mapping[str, bytes]) -> RunDirectory:
    """Write a run that came from another machine."""
    with writing(f"the run {config.id}"):
        path, descriptor = new_directory(runs, config.id + PART)
        try:
            for name, content in files.items():
                write(path / name, content)
            return _published(path, runs / config.id)
        finally:
            shutil.rmtree(path, ignore_errors=True)
            unlock(descriptor)


def _published(draft: Path, final: Path) -> RunDirectory:
    """Give a complete draft its final name, unless a run has it already."""
    try:
        draft.rename(final)
    except OSError:
        # A directory is renamed onto nothing, or onto an empty directory; a finished run is neither.
        if not (final / DONE).is_file():
            raise
    synchronise_directory(final.parent)
    return RunDirectory(final)


def drafts(runs: Path) -> Iterator[Path]:
    """The directories of unfinished runs."""
    if runs.is_dir():
        yield from (path for path in runs.iterdir() if PART in path.name)


def remove_stale_drafts(runs: Path) -> int:
    """Remove what killed processes left behind and return how many there were; drafts in work stay."""
    return remove_stale(drafts(runs))
