"""Sweeps whose runs were interrupted say where they go on, and share out seeds as they were."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from lengthwise.runs.config import RunConfig
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Local, Serial
from lengthwise.runs.grid import merged
from lengthwise.runs.store.disk import checksum, lock
from lengthwise.runs.store.inspection import check_store, repair_store
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import ELSEWHERE, _work_elsewhere, pending, run_sweep
from lengthwise.runs.training import checkpoint as checkpointing
from lengthwise.runs.training.checkpoint import FACTS, FOLDER, interrupted, read_checkpoint
from lengthwise.runs.training.train import train_run
from tests.runs.stand_in import numbers, pretended
from tests.runs.training.test_checkpoint import files, killed
from tests.runs.training.test_train import small


def interrupted_run(store: Store, config: RunConfig, step: int = 7) -> Path:
    with killed(step):
        train_run(config, store.runs)
    return store.path / FOLDER / config.id


def swept(configs: list[RunConfig], store: Store, processes: int | None = None) -> str:
    """What a sweep says."""
    out = StringIO()
    engine = Serial() if processes is None else Local(processes)
    assert run_sweep(configs, store, engine, show=partial(Progress, stream=out)).failed == ()
    return out.getvalue()


def test_a_sweep_says_where_runs_go_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "store"), Store(tmp_path / "other")
    interrupted_run(store, small())
    assert "goes on at step 6" in swept([small()], store)
    assert "goes on" not in swept([small()], other)
    assert files(store.runs / small().id) == files(other.runs / small().id)


def test_seeds_stay_together_that_were_begun_together(tmp_path: Path) -> None:
    store = Store(tmp_path)
    interrupted_run(store, small(seeds=[1, 2]))
    assert pending([small(seeds=4)], store, Serial())[0] == 2
    said = swept([small(seeds=4)], store, processes=2)
    assert "goes on at step 6" in said
    assert {path.name for path in store.runs.iterdir()} >= {small(seeds=[1, 2]).id}
    other = Store(tmp_path / "other")
    swept([small(seeds=4)], other)
    assert numbers(store.rows()) == numbers(other.rows())


def test_a_damaged_checkpoint_is_named_and_the_run_begins_anew(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "store"), Store(tmp_path / "other")
    facts = interrupted_run(store, small()) / FACTS
    facts.write_text(facts.read_text().replace('"step": 6', '"step": 5'))
    assert [each.name for each in check_store(store.path).damaged] == [f"{FOLDER}/{small().id}"]
    assert f"the checkpoint {facts.parent} is damaged and not used; training begins anew" in swept([small()], store)
    swept([small()], other)
    assert files(store.runs / small().id) == files(other.runs / small().id)


def test_a_store_lists_checkpoints_and_sets_damaged_ones_aside(tmp_path: Path) -> None:
    store = Store(tmp_path)
    left = interrupted_run(store, small())
    assert check_store(tmp_path).unfinished == (f"{FOLDER}/{small().id} (goes on at step 6)",)
    (left / "step-6.safetensors").unlink()
    report = repair_store(tmp_path)
    assert (report.damaged, report.set_aside) == ((), (f"{FOLDER}/{small().id}.damaged-1",))
    assert list(interrupted(tmp_path / FOLDER)) == []


def test_a_checkpoint_of_another_environment_is_whole_and_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    interrupted_run(store, small())
    monkeypatch.setattr(checkpointing, "environment", lambda: {"processor": "another"})
    report = repair_store(tmp_path)
    told = f"{FOLDER}/{small().id} (of other versions or another processor; begins anew)"
    assert (report.damaged, report.set_aside, report.unfinished) == ((), (), (told,))
    assert "was made with other versions or on another processor and is not used" in swept([small()], store)


def test_a_checkpoint_that_is_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = interrupted_run(Store(tmp_path), small(), 7)
    later = interrupted_run(Store(tmp_path / "later"), small(), 10)

    def replaced(path: Path) -> str:
        if path.name == "step-6.safetensors" and path.exists():
            path.unlink()
            for file in later.iterdir():
                shutil.copy(file, left)
        return checksum(path)

    monkeypatch.setattr(checkpointing, "checksum", replaced)
    saved = read_checkpoint(left)
    assert saved is not None
    assert saved.step == 9


def test_the_checkpoint_of_a_finished_run_is_removed_at_the_next_start(tmp_path: Path) -> None:
    store = Store(tmp_path)
    left = interrupted_run(store, small())
    pretended(small(), store.runs)
    assert "goes on" not in swept([small(seeds=1)], store)
    assert not left.exists()


def test_a_run_for_another_machine_removes_what_killed_ones_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("gone", "in-work"):
        (tmp_path / f"{ELSEWHERE}{name}" / "half").mkdir(parents=True)
    descriptor = lock(tmp_path / f"{ELSEWHERE}in-work")
    assert descriptor is not None
    _work_elsewhere(pretended, small())
    os.close(descriptor)
    assert [path.name for path in tmp_path.iterdir()] == [f"{ELSEWHERE}in-work"]


def test_ctrl_c_says_what_is_kept(tmp_path: Path) -> None:
    settings = merged(small(seeds=1).settings(), {"stopping": {"steps": 10**9, "loss": None}})
    (tmp_path / "config.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "lengthwise", "train", "--config", "config.json", "--engine", "serial"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "LENGTHWISE_CHECKPOINT_SECONDS": "0"},
    )
    folder = tmp_path / "lengthwise-runs" / FOLDER
    while not list(folder.glob(f"*/{FACTS}")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    ((_, saved),) = interrupted(folder)
    assert process.returncode == 130
    step = f"{saved.step:,}"  # type: ignore[union-attr]
    assert (
        "interrupted: 0 of 1 runs were finished and are kept; the same command goes on with the others, 1 of them at "
        f"step {step}" in said
    )
