"""No flipped bit and no edited number of a store goes unnoticed, and none costs more than its own run."""

import json
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.store.disk import write_json
from lengthwise.runs.store.inspection import check_store, repair_store
from lengthwise.runs.store.run_directory import CHECKED, DONE, TIMING, RunDirectory, RunError
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from tests.e2e.command import lengthwise
from tests.runs.stand_in import config, configs, numbers, pretended


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    for each in configs(3):
        pretended(each, store.runs)
    store.rows()
    return Store(store.path)


def settled(store: Store) -> bytes:
    """The index in one file, without a log beside it."""
    with sqlite3.connect(store.path / "index.sqlite") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    return (store.path / "index.sqlite").read_bytes()


def flipped(content: bytes, place: int) -> bytes:
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


def flips(content: bytes, number: int, seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    for _ in range(number):
        yield flipped(content, rng.randrange(8 * len(content)))


def test_a_flipped_bit_of_the_index_changes_no_number(store: Store) -> None:
    before, content = numbers(store.rows()), settled(store)
    for changed in flips(content, 150, seed=1):
        (store.path / "index.sqlite").write_bytes(changed)
        assert numbers(Store(store.path).rows()) == before


def test_a_flipped_bit_in_a_number_of_the_index_is_named(store: Store) -> None:
    before, content = numbers(store.rows()), settled(store)
    # A digit of a loss, in the place where the entry of the first run has it.
    loss = str(store.rows()[0].loss).encode()
    place = content.index(loss) + len(loss) // 2
    (store.path / "index.sqlite").write_bytes(flipped(content, 8 * place))
    report = check_store(store.path)
    assert [each.name for each in report.damaged] == ["index.sqlite"]
    assert "has changed since it was written" in report.damaged[0].reason
    assert (store.path / "index.sqlite").read_bytes() == flipped(content, 8 * place), "looking changes nothing"
    again = Store(store.path)
    assert numbers(again.rows()) == before
    assert "made again from the run directories, and no result is lost" in again.problems()[0]
    assert check_store(store.path).damaged == ()


def test_an_index_whose_words_are_damaged_is_made_again(store: Store) -> None:
    before, content = numbers(store.rows()), settled(store)
    for word in (b"CREATE TABLE", b"WITHOUT ROWID", b"finished TEXT"):
        (store.path / "index.sqlite").write_bytes(flipped(content, 8 * content.index(word)))
        again = Store(store.path)
        assert numbers(again.rows()) == before
        assert not again._index.in_memory


@pytest.mark.parametrize("name", [*CHECKED, TIMING, DONE])
def test_every_flipped_bit_of_a_run_is_noticed_or_changes_nothing(store: Store, name: str) -> None:
    path = store.runs / configs(3)[0].id / name
    run, content = RunDirectory(path.parent), path.read_bytes()
    intact = run.verified()
    unnoticed = 0
    for changed in flips(content, 200, seed=2):
        path.write_bytes(changed)
        try:
            assert run.verified() == intact
            unnoticed += 1
        except RunError:
            continue
    # Spaces between the parts of JSON are no content; all other files are compared byte by byte.
    assert unnoticed == 0 or (name in (DONE, TIMING) and unnoticed < 20)


def test_an_edited_number_is_named_and_left_out_and_the_run_is_made_again(store: Store) -> None:
    before, first = numbers(store.rows()), configs(3)[0]
    done = store.runs / first.id / DONE
    data = json.loads(done.read_text())
    data["results"][0]["loss"] /= 2
    done.write_text(json.dumps(data, indent=2))
    again = Store(store.path)
    assert len(again.rows()) == 8
    assert {row.run for row in again.rows()} == {each.id for each in configs(3)[1:]}
    assert again.problems() == (
        f"the run directory {done.parent} is damaged: done.json has changed since it was written; it is not used, and "
        "is made again when needed",
    )
    made = run_sweep(configs(3), again, Serial(), pretended)
    assert [each.id for each in made.made] == [first.id]
    assert numbers(Store(store.path).rows()) == before
    assert check_store(store.path).set_aside == (f"runs/{first.id}.damaged-1",)


def test_files_of_a_run_are_checked_when_they_are_read(store: Store) -> None:
    run = store.directory(configs(3)[0].id)
    for name, read in (("metrics.jsonl", lambda: list(run.metrics())), ("environment.json", run.environment)):
        content = (run.path / name).read_bytes()
        (run.path / name).write_bytes(content.replace(b"t", b"T", 1))
        with pytest.raises(RunError, match=f"{name} has changed since it was written"):
            read()


def without_digest(run: Path) -> None:
    """Turn a run into one of an earlier version, with its times in `done.json`."""
    done, timing = json.loads((run / DONE).read_text()), json.loads((run / TIMING).read_text())
    del done["digest"], timing["digest"]
    write_json(run / DONE, {**done, **timing})
    (run / TIMING).unlink()


def test_runs_of_earlier_versions_are_read_reported_and_sealed_on_request(store: Store) -> None:
    before = numbers(store.rows())
    old = store.runs / configs(3)[0].id
    without_digest(old)
    content = (old / DONE).read_bytes()
    assert numbers(Store(store.path).rows()) == before
    report = check_store(store.path)
    assert (report.damaged, report.without_digest, report.intact) == ((), (f"runs/{old.name}",), 2)
    assert (old / DONE).read_bytes() == content, "reading never writes"
    repaired = repair_store(store.path)
    assert (repaired.without_digest, repaired.intact) == ((), 3)
    assert numbers(Store(store.path).rows()) == before
    done = json.loads((old / DONE).read_text())
    done["results"][0]["loss"] /= 2
    (old / DONE).write_text(json.dumps(done))
    assert len(check_store(store.path).damaged) == 1


def test_what_an_earlier_version_wrote_and_somebody_broke_is_not_sealed(store: Store) -> None:
    old = store.runs / configs(3)[0].id
    without_digest(old)
    (old / "metrics.jsonl").write_text("{}\n")
    assert repair_store(store.path).set_aside == (f"runs/{old.name}.damaged-1",)


def test_single_results_have_digests_too(store: Store) -> None:
    folder = store.path / "probes"
    folder.mkdir()
    write_json(folder / "old.json", {"error": 0.5})
    repair_store(store.path)
    (folder / "new.json").write_text((folder / "old.json").read_text().replace("0.5", "0.25"))
    report = check_store(store.path)
    assert [each.name for each in report.damaged] == ["probes/new.json"]
    assert repair_store(store.path).set_aside == ("probes/new.json.damaged-1",)
    assert json.loads((folder / "new.json.damaged-1").read_text())["error"] == 0.25


def test_the_verb_says_what_is_damaged_with_exit_code_1_until_it_is_repaired(store: Store, tmp_path: Path) -> None:
    assert lengthwise("store", "check", str(store.path)).returncode == 0
    run = store.runs / configs(3)[0].id
    (run / "model.safetensors").write_bytes(flipped((run / "model.safetensors").read_bytes(), 700))
    found = lengthwise("store", "check", str(store.path))
    assert found.returncode == 1
    assert f"damaged: runs/{run.name}: the run directory" in found.stdout
    told = json.loads(lengthwise("store", "check", str(store.path), "--json").stdout)
    assert (told["schema"], told["intact"], [each["name"] for each in told["damaged"]]) == (1, 2, [f"runs/{run.name}"])
    assert lengthwise("store", "repair", str(store.path)).returncode == 0
    assert lengthwise("store", "check", str(store.path)).returncode == 0
    assert Store(store.path).missing([config(parameters={"omega": 1})]) == [config(parameters={"omega": 1})]


def test_a_store_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match="there is no store"):
        repair_store(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
