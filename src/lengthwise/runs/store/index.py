"""The index of a store: an SQLite file of results that many processes can read while one writes (WAL).

It holds nothing that is not in the run directories. Every entry has a digest, which is checked whenever the index is
read, and all of them are read, so that no damage can hide one. A damaged or outdated file is begun anew, and where none
can be written, on a full or read-only disk, the index lives in memory.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from lengthwise.output import plain
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import Done

VERSION = 2
"""Of the table; a file with another is begun anew."""
WAIT = 60.0
"""Seconds to wait for another process that is writing."""
TABLE = (
    "CREATE TABLE runs (run TEXT PRIMARY KEY, stamp TEXT NOT NULL, settings TEXT NOT NULL, task TEXT NOT NULL,"
    " finished TEXT NOT NULL, content TEXT NOT NULL, digest TEXT NOT NULL) STRICT, WITHOUT ROWID"
)
ENTRIES = "SELECT run, stamp, settings, task, finished, content, digest FROM runs"
DISK = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
    }
)
"""What keeps a file from being read or written without being wrong with its content."""

Answer = TypeVar("Answer")


class EntryError(sqlite3.DatabaseError):
    """An entry of the index is not what was written."""


@dataclass(frozen=True)
class Entry:
    """A run as it stands in the index.

    Attributes:
        run: Its id.
        stamp: What tells its files from others.
        settings: The hash of its settings without the seeds.
        task: What it was trained on.
        finished: When.
        content: Settings, seeds and results as JSON.

    """

    run: str
    stamp: str
    settings: str
    task: str
    finished: str
    content: str

    @classmethod
    def of(cls, run: str, stamp: str, config: RunConfig, done: Done) -> Entry:
        """The entry of a run."""
        content = {
            "config": config.settings(),
            "seeds": {str(each.seed): [each.steps, each.ending, each.loss] for each in done.seeds},
            "results": [[each.seed, each.test_length, each.loss, each.accuracy, each.words] for each in done.results],
        }
        text = json.dumps(plain(content), ensure_ascii=False, separators=(",", ":"))
        return cls(run, stamp, config.settings_id, config.task, done.finished, text)

    @property
    def columns(self) -> tuple[str, ...]:
        """What is written down, but for the digest."""
        return self.run, self.stamp, self.settings, self.task, self.finished, self.content

    @property
    def digest(self) -> str:
        """The SHA-256 of all of it."""
        return hashlib.sha256(json.dumps(self.columns).encode()).hexdigest()

    @cached_property
    def data(self) -> dict[str, Any]:
        """Settings, seeds and results; numbers that JSON lacks are None."""
        return dict(json.loads(self.content))

    @property
    def seeds(self) -> set[int]:
        """The seeds it has."""
        return {int(seed) for seed in self.data["seeds"]}


class Index:
    """The results of a store's runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._memory: sqlite3.Connection | None = None
        self.damage: str | None = None
        """What was wrong with the file, if it had to be begun anew."""

    def entries(self) -> list[Entry]:
        """All runs, the older ones first."""
        return sorted(self._ask(_entries), key=lambda entry: (entry.finished, entry.run))

    def update(self, entries: Iterable[Entry], gone: Iterable[str]) -> None:
        """Note runs, and forget runs, all at once."""
        there, away = list(entries), list(gone)

        def change(index: sqlite3.Connection) -> None:
            old = (*away, *(entry.run for entry in there))
            index.executemany("DELETE FROM runs WHERE run = ?", [(run,) for run in old])
            rows = [(*entry.columns, entry.digest) for entry in there]
            index.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

        self._ask(change, "BEGIN IMMEDIATE")

    def clear(self) -> None:
        """Forget all runs."""
        self._ask(lambda index: index.execute("DELETE FROM runs").close(), "BEGIN IMMEDIATE")

    def found_damage(self) -> str | None:
        """What is wrong with the file, which is only read; None if nothing is, or there is none."""
        if not self._path.is_file():
            return None
        try:
            with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=WAIT)) as index:
                if _version(index) == VERSION:
                    _entries(index)
                    told = index.execute("PRAGMA quick_check(1)").fetchone()[0]
                    return None if told == "ok" else str(told).splitlines()[-1]
        except sqlite3.DatabaseError as problem:
            return str(problem) if _is_damage(problem) else None
        return None

    @property
    def in_memory(self) -> bool:
        """Whether it had to be begun anew in memory."""
        return self._memory is not None

    def _ask(self, question: Callable[[sqlite3.Connection], Answer], begin: str = "BEGIN") -> Answer:
        """The answer to a question, which is one transaction."""
        if self._memory is None and self._path.parent.is_dir():
            try:
                return self._ask_file(question, begin)
            except sqlite3.DatabaseError as problem:
                if _is_damage(problem):
                    self.damage = str(problem)
                    try:
                        self._remove()
                        return self._ask_file(question, begin)
                    except (sqlite3.DatabaseError, OSError):
                        pass  # nor can a new one be made
        if self._memory is None:
            self._memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            _prepare(self._memory)
        return _transaction(self._memory, question, begin)

    def _ask_file(self, question: Callable[[sqlite3.Connection], Answer], begin: str) -> Answer:
        with closing(sqlite3.connect(self._path, timeout=WAIT, isolation_level=None)) as index:
            index.execute("PRAGMA journal_mode = WAL")
            index.execute("PRAGMA synchronous = NORMAL")
            _prepare(index)
            return _transaction(index, question, begin)

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


def _entries(index: sqlite3.Connection) -> list[Entry]:
    """All entries, each of which is checked."""
    found = []
    for *columns, digest in index.execute(ENTRIES):
        entry = Entry(*columns)
        if entry.digest != digest:
            raise EntryError(f"the entry of the run {entry.run} has changed since it was written")
        found.append(entry)
    return found


def _is_damage(problem: sqlite3.DatabaseError) -> bool:
    """Whether an error is about the content of the file; without a code, it is of text that is none."""
    code = getattr(problem, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in DISK


def _transaction(index: sqlite3.Connection, question: Callable[[sqlite3.Connection], Answer], begin: str) -> Answer:
    index.execute(begin)
    try:
        answer = question(index)
        index.execute("COMMIT")
    except BaseException:
        if index.in_transaction:
            index.execute("ROLLBACK")
        raise
    return answer


def _prepare(index: sqlite3.Connection) -> None:
    """Make the table, in place of older ones."""
    if _version(index) != VERSION:
        _transaction(index, _begin_anew, "BEGIN IMMEDIATE")


def _begin_anew(index: sqlite3.Connection) -> None:
    if _version(index) == VERSION:
        return  # another process was faster
    for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        index.execute(f'DROP TABLE "{name}"')
    index.execute(TABLE)
    index.execute(f"PRAGMA user_version = {VERSION}")


def _version(index: sqlite3.Connection) -> int:
    return int(index.execute("PRAGMA user_version").fetchone()[0])
