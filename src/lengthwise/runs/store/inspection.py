"""Inspecting a store: every digest is looked at, and what is damaged can be set aside.

Run directories, the index, and the single files in which experiments keep what they measured are all looked at; nothing
is changed by looking. To repair a store is to make its index anew, to rename what is damaged, so that the next training
makes it again, and to give a digest to what earlier versions wrote, if it fits together. Nothing is deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.runs.store.disk import DAMAGED, checksum, set_aside, writing
from lengthwise.runs.store.draft import drafts, remove_stale_drafts
from lengthwise.runs.store.run_directory import MODEL, RunError
from lengthwise.runs.store.sealed import read_sealed, seal_of, write_sealed
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.checkpoint import FOLDER, CheckpointError, ForeignCheckpointError, interrupted

INDEX = "index.sqlite"


@dataclass(frozen=True)
class Damage:
    """Something in a store that is not what was written.

    Attributes:
        name: Its path in the store.
        reason: What is wrong with it, in a sentence.

    """

    name: str
    reason: str


@dataclass(frozen=True)
class StoreReport:
    """What was found in a store.

    Attributes:
        store: The directory.
        intact: How many runs and single results are as they were written.
        damaged: What is not.
        without_digest: What an earlier version wrote, which is used, but whose numbers could have changed unnoticed.
        set_aside: What was damaged and has another name now; it is not used.
        unfinished: Runs that were being written, and are or are not any more.

    """

    store: str
    intact: int
    damaged: tuple[Damage, ...]
    without_digest: tuple[str, ...]
    set_aside: tuple[str, ...]
    unfinished: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The report as lines of text."""
        for damage in self.damaged:
            yield f"damaged: {damage.name}: {damage.reason}"
        for word, names in (
            ("without digest", self.without_digest),
            ("set aside", self.set_aside),
            ("unfinished", self.unfinished),
        ):
            for name in names:
                yield f"{word}: {name}"
        yield (
            f"{self.store}: {self.intact} intact, {len(self.damaged)} damaged, {len(self.without_digest)} without "
            f"digest, {len(self.set_aside)} set aside, {len(self.unfinished)} unfinished"
        )
        if self.damaged:
            yield "`lengthwise store repair` sets damaged ones aside, and training makes them again"
        elif self.without_digest:
            yield "`lengthwise store repair` gives a digest to those that have none"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "store": self.store,
            "intact": self.intact,
            "damaged": [{"name": each.name, "reason": each.reason} for each in self.damaged],
            "without_digest": list(self.without_digest),
            "set_aside": list(self.set_aside),
            "unfinished": list(self.unfinished),
        }


def check_store(path: str | os.PathLike[str]) -> StoreReport:
    """Look at every digest of a store, and change nothing.

    Args:
        path: The directory of the store, such as `lengthwise-runs`.

    Returns:
        What is intact, damaged, without a digest, set aside or unfinished.

    Raises:
        LengthwiseError: There is no store.

    Example:
        >>> check_store("lengthwise-runs-that-do-not-exist")
        Traceback (most recent call last):
        ...
        lengthwise.errors.LengthwiseError: there is no store lengthwise-runs-that-do-not-exist; name the directory \
that train, study or reproduce keeps runs in

    """
    store = _existing(path)
    intact, damaged, without = 0, [], []
    if (problem := store.index_damage()) is not None:
        damaged.append(Damage(INDEX, f"the index is damaged: {problem}; it is made again from the run directories"))
    for run in store.run_directories():
        name = _name(store, run.path)
        try:
            run.verified()
        except RunError as problem:
            damaged.append(Damage(name, str(problem)))
            continue
        if run.seal() == "none":
            without.append(name)
        else:
            intact += 1
    for file in _single_files(store):
        name = _name(store, file)
        try:
            data = read_sealed(file)
            _require_weights(file, data)
        except (ValueError, OSError) as problem:
            damaged.append(Damage(name, f"the file cannot be used: {_reason(problem)}"))
            continue
        if seal_of(data) == "none":
            without.append(name)
        else:
            intact += 1
    aside = sorted(_name(store, each) for each in store.path.rglob(f"*{DAMAGED}*") if DAMAGED not in each.parent.name)
    unfinished = sorted(_name(store, each) for each in drafts(store.runs))
    for checkpoint, saved in interrupted(store.path / FOLDER):
        if isinstance(saved, ForeignCheckpointError):
            unfinished.append(f"{_name(store, checkpoint)} (of other versions or another processor; begins anew)")
        elif isinstance(saved, CheckpointError):
            damaged.append(Damage(_name(store, checkpoint), str(saved)))
        else:
            unfinished.append(f"{_name(store, checkpoint)} (goes on at step {saved.step:,})")
    return StoreReport(str(path), intact, tuple(damaged), tuple(without), tuple(aside), tuple(unfinished))


def repair_store(path: str | os.PathLike[str]) -> StoreReport:
    """Set aside what is damaged in a store, make its index anew, and give digests to what has none.

    Nothing is deleted but what killed processes left half-written. What was set aside is made again by the next
    `train`, `study` or `reproduce` that needs it.

    Args:
        path: The directory of the store.

    Returns:
        What the store is like now.

    Raises:
        LengthwiseError: There is no store, or it cannot be written to.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     report = repair_store(directory)
        >>> report.intact, report.damaged
        (0, ())

    """
    store = _existing(path)
    remove_stale_drafts(store.runs)
    for run in store.run_directories():
        try:
            run.verified()
        except RunError:
            run.set_aside()
            continue
        if run.seal() == "none":
            with writing(f"the digest of {run.path}"):
                run.give_digest()
    for file in _single_files(store):
        try:
            data = read_sealed(file)
            _require_weights(file, data)
        except (ValueError, OSError):
            set_aside(file)
            continue
        if seal_of(data) == "none":
            with writing(f"the digest of {file}"):
                write_sealed(file, data)
    for checkpoint, saved in interrupted(store.path / FOLDER):
        if isinstance(saved, CheckpointError) and not isinstance(saved, ForeignCheckpointError):
            set_aside(checkpoint)
    store.rebuild()
    return check_store(path)


def _existing(path: str | os.PathLike[str]) -> Store:
    store = Store(path)
    if not store.path.is_dir():
        raise LengthwiseError(
            f"there is no store {store.path}; name the directory that train, study or reproduce keeps runs in"
        )
    return store


def _single_files(store: Store) -> list[Path]:
    """The files of single results: what experiments keep in folders of the store, beside runs."""
    return sorted(
        path
        for path in store.path.glob("*/**/*.json")
        if not {store.runs, store.path / FOLDER} & set(path.parents) and DAMAGED not in _name(store, path)
    )


def _require_weights(file: Path, data: dict[str, Any]) -> None:
    """Refuse a trained model of text whose weights are not those that its record names."""
    if isinstance(wanted := data.get("weights"), str) and checksum(file.with_name(MODEL)) != wanted:
        raise ValueError(f"{MODEL} has changed since it was written")


def _name(store: Store, path: Path) -> str:
    return path.relative_to(store.path).as_posix()


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError):
        return f"{problem.filename}: {(problem.strerror or str(problem)).lower()}"
    return "it cannot be read" if type(problem) is not ValueError else str(problem)
