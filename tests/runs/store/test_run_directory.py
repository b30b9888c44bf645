import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lengthwise.runs.environment import environment
from lengthwise.runs.store.disk import DiskError
from lengthwise.runs.store.draft import Draft, drafts, remove_stale_drafts, unpacked
from lengthwise.runs.store.run_directory import CHECKED, CONFIG, DONE, METRICS, MODEL, TIMING, RunDirectory, RunError
from lengthwise.runs.store.sealed import sealed
from tests.runs.stand_in import config, loss, pretended


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return pretended(config(), tmp_path)


def test_a_finished_run_can_be_read_back(run: RunDirectory) -> None:
    made, done = run.verified()
    assert made == config()
    assert [(result.seed, result.test_length) for result in done.results] == [(0, 4), (0, 8), (1, 4), (1, 8)]
    assert [line["step"] for line in run.metrics()] == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(run.model()["weight"], [loss(made, seed, 0) for seed in (0, 1)])
    assert run.environment() == {"pretended": True}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut, flip, Path.unlink], ids=["cut", "flipped", "missing"])
@pytest.mark.parametrize("name", [*CHECKED, TIMING, DONE])
def test_damage_to_any_file_is_said_in_one_sentence(
    run: RunDirectory, name: str, damage: Callable[[Path], None]
) -> None:
    damage(run.path / name)
    with pytest.raises(RunError) as problem:
        run.verified()
    assert name in str(problem.value)
    assert str(run.path) in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_run_under_a_wrong_name_is_not_used(run: RunDirectory) -> None:
    moved = run.path.rename(run.path.with_name("0" * 16))
    with pytest.raises(RunError, match="holds the settings of the run"):
        RunDirectory(moved).verified()


def test_results_that_are_missing_are_noticed_even_if_every_checksum_is_right(run: RunDirectory) -> None:
    data = json.loads((run.path / DONE).read_text())
    for key, change in (("results", data["results"][1:]), ("seeds", data["seeds"][1:]), ("seeds", None)):
        (run.path / DONE).write_text(json.dumps(sealed({**data, key: change})))
        with pytest.raises(RunError, match=r"done\.json"):
            run.verified()


def test_a_run_of_a_later_format_is_refused(run: RunDirectory) -> None:
    data = json.loads((run.path / DONE).read_text())
    (run.path / DONE).write_text(json.dumps(sealed({**data, "format": 99})))
    with pytest.raises(RunError, match="has format 99; this version reads format 1"):
        run.verified()


def test_a_loss_that_is_no_number_is_kept_as_such(tmp_path: Path) -> None:
    from lengthwise.runs.store.run_directory import Result, SeedSummary

    made = config(seeds=1, test_lengths=[4])
    with Draft(tmp_path, made) as draft:
        draft.save_environment({})
        draft.save_model({})
        draft.log(step=0, loss=float("inf"))
        run = draft.finish((SeedSummary(0, 3, "diverged", float("nan")),), (Result(0, 4, float("nan"), None, 8),), 0)
    _, done = run.verified()
    assert np.isnan(done.seeds[0].loss)
    assert np.isnan(done.results[0].loss)
    assert "NaN" not in (run.path / DONE).read_text()
    assert list(run.metrics()) == [{"step": 0, "loss": None}]


def test_an_unfinished_draft_leaves_nothing(tmp_path: Path) -> None:
    with Draft(tmp_path, config()) as draft:
        draft.log(step=17)
        assert list(drafts(tmp_path)) == [draft.path]
    assert list(tmp_path.iterdir()) == []


def test_the_first_of_two_equal_runs_stays(tmp_path: Path) -> None:
    first = pretended(config(), tmp_path)
    before = (first.path / DONE).stat().st_mtime_ns
    second = pretended(config(), tmp_path)
    assert second == first
    assert (first.path / DONE).stat().st_mtime_ns == before
    assert list(tmp_path.iterdir()) == [first.path]


def test_forgotten_drafts_are_removed_but_not_those_in_work(tmp_path: Path) -> None:
    forgotten = tmp_path / f"{config().id}.part-12345678"
    forgotten.mkdir()
    with Draft(tmp_path, config()) as draft:
        assert remove_stale_drafts(tmp_path) == 1
        assert list(drafts(tmp_path)) == [draft.path]


def test_a_run_can_be_sent_to_another_machine(run: RunDirectory, tmp_path: Path) -> None:
    there = unpacked(tmp_path / "elsewhere", config(), run.packed())
    assert there.verified() == run.verified()
    assert there.run == run.run


def write_with_full(runs: Path, name: str) -> None:
    """A run, one file of which is on a full disk."""
    with Draft(runs, config()) as draft:
        (draft.path / name).unlink(missing_ok=True)
        (draft.path / name).symlink_to("/dev/full")
        if name == METRICS:
            draft._metrics.close()
            draft._metrics = (draft.path / name).open("w", encoding="utf-8")
        draft.log(step=0)
        draft.save_environment({})
        draft.save_model({"weight": np.zeros(10)})
        draft.finish((), (), 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("name", [METRICS, MODEL, DONE])
def test_a_full_disk_is_said_in_one_sentence_and_leaves_nothing_half_written(tmp_path: Path, name: str) -> None:
    finished = pretended(config(seeds=1), tmp_path)
    with pytest.raises(DiskError) as problem:
        write_with_full(tmp_path, name)
    assert "could not be written: no space left on device; finished runs are kept" in str(problem.value)
    assert "\n" not in str(problem.value)
    assert list(tmp_path.iterdir()) == [finished.path]
    finished.verified()


def test_a_damaged_run_is_set_aside_under_a_new_name_each_time(tmp_path: Path) -> None:
    for number in (1, 2):
        run = pretended(config(), tmp_path)
        assert run.set_aside().name == f"{run.run}.damaged-{number}"


def test_the_environment_names_versions_but_no_places() -> None:
    facts = environment()
    assert {"lengthwise", "python", "packages", "processor", "commit"} <= set(facts)
    text = json.dumps(facts)
    assert os.sep + "home" not in text
    assert str(Path.cwd()) not in text
    assert str(Path.home()) not in text


def test_settings_are_written_out_in_full(run: RunDirectory) -> None:
    written = json.loads((run.path / CONFIG).read_text())
    assert written["model"]["width"] == 16
    assert written["stopping"]["rule"] == "first-batch"
