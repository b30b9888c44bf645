"""Files of the store, which are complete or not there, even after a power cut, and directories with one owner."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.output import OutputError, plain, write_bytes

DAMAGED = ".damaged-"
"""Stands between a name and a number in the name of a file or directory that was set aside."""
TRIES = 10
"""How often a new directory is made before it is used without a lock: some network disks have none."""


class DiskError(LengthwiseError):
    """Something could not be written: the disk is full, or may not be written to."""


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Turn the errors of a disk into one sentence about `what`."""
    try:
        yield
    except (OSError, OutputError) as problem:
        reason = problem.reason if isinstance(problem, OutputError) else (problem.strerror or str(problem)).lower()
        raise DiskError(
            f"{what} could not be written: {reason}; finished runs are kept, "
            "and the same command goes on with the others"
        ) from None


def write(path: Path, content: bytes) -> None:
    """Write a file and wait until it is on the disk."""
    write_bytes(path, content, durable=True)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write data as JSON, in the same way."""
    write(path, (json.dumps(plain(data), indent=2, ensure_ascii=False) + "\n").encode())


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def set_aside(path: Path) -> Path:
    """Give something damaged a name under which nobody looks for it; its new path."""
    number = 1
    while (aside := path.with_name(f"{path.name}{DAMAGED}{number}")).exists():
        number += 1
    try:
        return path.rename(aside)
    except OSError as problem:
        raise DiskError(f"{path} is damaged and cannot be renamed: {problem.strerror}") from None


def lock(directory: Path) -> int | None:
    """A descriptor that locks a directory until it is closed or its process ends; None if it cannot be had."""
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


def unlock(descriptor: int | None) -> None:
    """Give a lock back."""
    if descriptor is not None:
        os.close(descriptor)


def new_directory(parent: Path, prefix: str, mode: int = 0o777) -> tuple[Path, int | None]:
    """A new directory with a random ending to its name, and its lock."""
    parent.mkdir(parents=True, exist_ok=True)
    for _ in range(TRIES):
        path = parent / f"{prefix}{secrets.token_hex(4)}"
        path.mkdir(mode)
        # Somebody who cleans up may take an unlocked directory for a forgotten one.
        if (descriptor := lock(path)) is not None and path.is_dir():
            break
        unlock(descriptor)
        descriptor = None
        path.mkdir(mode, exist_ok=True)
    return path, descriptor


def remove_stale(directories: Iterable[Path]) -> int:
    """Remove the directories that nobody has locked, as their process is gone; how many there were."""
    removed = 0
    for path in list(directories):
        if (descriptor := lock(path)) is not None:
            shutil.rmtree(path, ignore_errors=True)
            unlock(descriptor)
            removed += 1
    return removed
