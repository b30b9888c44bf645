import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.runs.store.run_directory import DONE, MODEL
from lengthwise.runs.store.store import Store
from tests.runs.stand_in import config, configs, loss, numbers, pretended


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    for each in configs(3):
        pretended(each, store.runs)
    return store


def test_rows_are_the_results_of_finished_runs(store: Store) -> None:
    rows = store.rows()
    assert len(rows) == 3 * 2 * 2
    assert all(row.loss == loss(row.config, row.seed, -row.test_length) for row in rows)
    assert {row.run for row in rows} == {each.id for each in configs(3)}


def test_rows_can_be_asked_for_by_config_and_by_task(store: Store) -> None:
    chosen = configs(3)[1]
    assert {row.config for row in store.rows([chosen])} == {chosen}
    assert store.rows([config(parameters={"omega": 99})]) == []
    assert len(store.rows(task="simple-task")) == 12
    assert store.rows(task="mod-p-task") == []
    assert {row.seed for row in store.rows([chosen.with_seeds((1, 5))])} == {1}


def test_seeds_of_several_runs_complement_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    pretended(config(seeds=[0, 1]), store.runs)
    pretended(config(seeds=[1, 2]), store.runs)
    assert [row.seed for row in store.rows() if row.test_length == 4] == [0, 1, 2]
    assert store.finished(config(seeds=3))
    assert store.missing([config(seeds=5)]) == [config(seeds=[3, 4])]
    assert len(store.directories(config(seeds=3))) == 2


def test_equal_configs_are_missing_once(tmp_path: Path) -> None:
    wanted = [config(seeds=1), config(seeds=2), config(seeds=[4]), config(seeds=1)]
    assert Store(tmp_path).missing(wanted) == [config(seeds=[0, 1, 4])]


def test_an_index_is_rebuilt_when_it_is_gone_or_garbage_or_of_another_version(store: Store, tmp_path: Path) -> None:
    before = numbers(store.rows())
    index = tmp_path / "index.sqlite"
    with sqlite3.connect(index) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert numbers(Store(tmp_path).rows()) == before
    index.write_bytes(b"this is no database" * 1000)
    assert numbers(Store(tmp_path).rows()) == before
    index.unlink()
    assert numbers(Store(tmp_path).rows()) == before
    assert Store(tmp_path).rebuild() == 3
    assert numbers(Store(tmp_path).rows()) == before


def test_an_index_that_is_damaged_inside_is_rebuilt(store: Store, tmp_path: Path) -> None:
    before = numbers(store.rows())
    index = tmp_path / "index.sqlite"
    with sqlite3.connect(index) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(index.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    index.write_bytes(content)
    assert numbers(Store(tmp_path).rows()) == before


def test_a_store_that_cannot_be_written_can_be_read(store: Store, tmp_path: Path) -> None:
    before = numbers(store.rows())
    for path in tmp_path.glob("index.sqlite*"):
        path.unlink()
    # A directory of the index's name keeps everybody, the superuser included, from making the file.
    (tmp_path / "index.sqlite").mkdir()
    assert numbers(Store(tmp_path).rows()) == before


def test_an_empty_store_has_no_rows_and_is_not_created_by_asking(tmp_path: Path) -> None:
    store = Store(tmp_path / "none")
    assert store.rows() == []
    assert store.missing([config()]) == [config()]
    assert not store.path.exists()


def test_directories_come_and_go_with_their_rows(store: Store, tmp_path: Path) -> None:
    gone = store.directory(configs(3)[0].id)
    assert len(store.rows()) == 12
    gone.path.rename(tmp_path / "elsewhere")
    assert len(store.rows()) == 8
    (tmp_path / "elsewhere").rename(gone.path)
    assert len(store.rows()) == 12


def test_a_damaged_run_is_reported_and_not_used(store: Store) -> None:
    damaged = store.directory(configs(3)[0].id)
    (damaged.path / MODEL).write_bytes(b"")
    assert len(store.rows()) == 8
    (problem,) = store.problems()
    assert "model.safetensors has changed since it was written" in problem
    assert not store.finished(configs(3)[0])


def test_a_run_that_is_damaged_later_is_noticed(store: Store) -> None:
    assert len(store.rows()) == 12
    (store.directory(configs(3)[0].id).path / DONE).write_text("{")
    assert len(store.rows()) == 8
    assert len(store.problems()) == 1


def test_a_second_process_reads_while_the_first_writes(store: Store, tmp_path: Path) -> None:
    store.rows()
    with sqlite3.connect(tmp_path / "index.sqlite", isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM runs")
        code = f"from lengthwise.runs.store.store import Store; print(len(Store({str(tmp_path)!r}).rows()))"
        read = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        writer.execute("ROLLBACK")
    writer.close()
    assert read.stdout.strip() == "12"


def test_a_run_whose_task_is_not_known_here_can_still_be_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    foreign = config().from_store({**config().settings(), "task": "a task of another package"})
    pretended(foreign, store.runs)
    assert {row.config.task for row in store.rows()} == {"a task of another package"}
