"""The index of a store: an SQLite file of results that many processes can read while one writes (WAL).

It holds nothing that is not in the run directories. A damaged or outdated file is begun anew, and where none can be
written, on a full or read-only disk, the index lives in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import Done, Ending

VERSION = 1
"""Of the tables; a file with another is begun anew."""
WAIT = 60.0
"""Seconds to wait for another process that is writing."""
TABLES = (
    "CREATE TABLE runs (run TEXT PRIMARY KEY, settings TEXT NOT NULL, task TEXT NOT NULL, config TEXT NOT NULL,"
    " finished TEXT NOT NULL, seconds REAL NOT NULL, stamp TEXT NOT NULL) STRICT",
    "CREATE INDEX runs_by_settings ON runs (settings)",
    "CREATE TABLE seeds (run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, seed INTEGER NOT NULL,"
    " steps INTEGER NOT NULL, ending TEXT NOT NULL, loss REAL, PRIMARY KEY (run, seed)) STRICT",
    "CREATE TABLE results (run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, seed INTEGER NOT NULL,"
    " test_length INTEGER NOT NULL, loss REAL, accuracy REAL, words INTEGER NOT NULL,"
    " PRIMARY KEY (run, seed, test_length)) STRICT",
)
RESULTS = """
SELECT runs.run, settings, config, results.seed, test_length, results.loss, accuracy, words, steps, ending, seeds.loss
FROM results JOIN runs USING (run) JOIN seeds USING (run, seed)
WHERE (:settings IS NULL OR settings IN (SELECT value FROM json_each(:settings))) AND (:task IS NULL OR task = :task)
ORDER BY settings, results.seed, test_length, finished, runs.run
"""

Answer = TypeVar("Answer")
Entry = tuple[str, str, RunConfig, Done]
"""A run: its id, its stamp, its settings, its results."""


class Found(NamedTuple):
    """A result as it stands in the index."""

    run: str
    settings: str
    config: str
    seed: int
    test_length: int
    loss: float | None
    accuracy: float | None
    words: int
    steps: int
    ending: Ending
    training_loss: float | None


class Index:
    """The results of a store's runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._memory: sqlite3.Connection | None = None

    def stamps(self) -> dict[str, str]:
        """The runs it has, each with the stamp it was noted with."""
        return self._ask(lambda index: dict(index.execute("SELECT run, stamp FROM runs")))

    def seeds(self) -> dict[str, set[int]]:
        """The seeds there are, by settings."""
        found: dict[str, set[int]] = {}
        query = "SELECT settings, seed FROM seeds JOIN runs USING (run)"
        for settings, seed in self._ask(lambda index: index.execute(query).fetchall()):
            found.setdefault(settings, set()).add(seed)
        return found

    def results(self, settings: list[str] | None, task: str | None) -> list[Found]:
        """All results, or those of some settings, or of a task; those of older runs first where they compete."""
        chosen = {"settings": None if settings is None else json.dumps(settings), "task": task}
        return self._ask(lambda index: [Found(*row) for row in index.execute(RESULTS, chosen)])

    def update(self, entries: Iterable[Entry], gone: Iterable[str]) -> None:
        """Note runs, and forget runs, all at once."""
        there, away = list(entries), list(gone)

        def change(index: sqlite3.Connection) -> None:
            index.executemany("DELETE FROM runs WHERE run = ?", [(run,) for run in (*away, *(one[0] for one in there))])
            for entry in there:
                _insert(index, *entry)

        self._ask(change, "BEGIN IMMEDIATE")

    def clear(self) -> None:
        """Forget all runs."""
        self._ask(lambda index: index.execute("DELETE FROM runs").close(), "BEGIN IMMEDIATE")

    @property
    def in_memory(self) -> bool:
        """Whether it had to be begun anew in memory."""
        return self._memory is not None

    def _ask(self, question: Callable[[sqlite3.Connection], Answer], begin: str = "BEGIN") -> Answer:
        """The answer to a question, which is one transaction."""
        if self._memory is None and self._path.parent.is_dir():
            try:
                return self._ask_file(question, begin)
            except sqlite3.OperationalError:
                pass  # no file can be written here
            except sqlite3.DatabaseError:
                for ending in ("", "-wal", "-shm"):
                    self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
                return self._ask_file(question, begin)
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
    """Make the tables, in place of older ones."""
    index.execute("PRAGMA foreign_keys = ON")
    if _version(index) != VERSION:
        _transaction(index, _begin_anew, "BEGIN IMMEDIATE")


def _begin_anew(index: sqlite3.Connection) -> None:
    if _version(index) == VERSION:
        return  # another process was faster
    for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        index.execute(f'DROP TABLE "{name}"')
    for table in TABLES:
        index.execute(table)
    index.execute(f"PRAGMA user_version = {VERSION}")


def _version(index: sqlite3.Connection) -> int:
    return int(index.execute("PRAGMA user_version").fetchone()[0])


def _insert(index: sqlite3.Connection, run: str, stamp: str, config: RunConfig, done: Done) -> None:
    index.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
        (run, config.settings_id, config.task, config.to_json(), done.finished, done.seconds, stamp),
    )
    index.executemany(
        "INSERT INTO seeds VALUES (?, ?, ?, ?, ?)",
        [(run, one.seed, one.steps, one.ending, one.loss) for one in done.seeds],
    )
    index.executemany(
        "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?)",
        [(run, one.seed, one.test_length, one.loss, one.accuracy, one.words) for one in done.results],
    )
