"""Sweeps are really killed here: workers from inside, drivers from outside, at moments that differ from try to try."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Local, Serial
from lengthwise.runs.store.disk import DiskError
from lengthwise.runs.store.draft import PART
from lengthwise.runs.store.run_directory import MODEL, RunDirectory
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import pending, run_sweep, shared_out
from tests.runs.stand_in import config, configs, kill_own_process_once, numbers, pretended

ROOT = Path(__file__).parents[2]


def driver(store: Path, engine: str, number: int, seconds: float) -> subprocess.Popen[str]:
    """A sweep in a process group of its own."""
    command = [sys.executable, "-m", "tests.runs.stand_in", str(store), engine, str(number), str(seconds)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)


def run_to_the_end(store: Path, engine: str, number: int) -> None:
    process = driver(store, engine, number, 0)
    said = process.communicate()[1]
    assert process.returncode == 0, said


def finished(store: Path) -> list[Path]:
    """The run directories that have their final names."""
    runs = store / "runs"
    return [path for path in runs.iterdir() if PART not in path.name] if runs.is_dir() else []


def wait_for_runs(store: Path, process: subprocess.Popen[str], number: int) -> None:
    while len(finished(store)) < number and process.poll() is None:
        time.sleep(0.005)


def test_finished_runs_are_not_repeated(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert len(run_sweep(configs(3), store, Serial(), pretended).made) == 3
    assert len(run_sweep(configs(4), store, Serial(), pretended).made) == 1
    assert run_sweep(configs(4), store, Serial(), pretended).made == ()


def test_duplicate_configs_run_once(tmp_path: Path) -> None:
    made = run_sweep(
        [*configs(2), *configs(2), config(parameters={"omega": 1.0})], Store(tmp_path), Serial(), pretended
    )
    assert len(made.made) == 2


def test_only_missing_seeds_are_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_sweep([config(seeds=2)], store, Serial(), pretended)
    assert run_sweep([config(seeds=5)], store, Serial(), pretended).made == (config(seeds=[2, 3, 4]),)
    alone = Store(tmp_path / "alone")
    run_sweep([config(seeds=5)], alone, Serial(), pretended)
    assert numbers(store.rows()) == numbers(alone.rows())


def test_what_is_pending_is_what_a_sweep_makes(tmp_path: Path) -> None:
    store, seen = Store(tmp_path), []

    def show(total: int, running: object, work: float) -> Progress:
        seen.append((total, work))
        return Progress(total, stream=StringIO())

    run_sweep(configs(1), store, Serial(), pretended, show)
    expected = pending(configs(4), store, Serial())
    assert expected[0] == 3
    run_sweep(configs(4), store, Serial(), pretended, show)
    assert seen[1] == expected
    assert pending(configs(4), store, Serial()) == (0, 0.0)


def test_sweeps_with_one_display_count_on(tmp_path: Path) -> None:
    out, store = StringIO(), Store(tmp_path)
    with Progress(stream=out, clock=lambda: 0.0) as progress:
        for number in (1, 3):
            progress.expect(*pending(configs(3)[number:], store, Serial()))
            run_sweep(configs(number), store, Serial(), pretended, progress.part)
    counts = [line.partition("finished (")[2].partition(" runs")[0] for line in out.getvalue().splitlines()]
    assert counts == ["1 of 3", "2 of 3", "3 of 3"]


def fails_for_omega_two(config: object, runs: Path) -> RunDirectory:
    from lengthwise.runs.config import RunConfig

    assert isinstance(config, RunConfig)
    if config.parameters["omega"] == 2:
        raise ValueError("it does not work")
    return pretended(config, runs)


def test_a_run_that_fails_is_reported_and_costs_no_other(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    sweep = run_sweep(configs(3), Store(tmp_path), Serial(), fails_for_omega_two)
    assert len(sweep.made) == 2
    (failure,) = sweep.failed
    assert re.fullmatch(r"tests/runs/test_sweep\.py:\d+: ValueError: it does not work", failure.reason)
    said = capfd.readouterr().err.splitlines()
    assert said[0].startswith("simple-task omega=1.0 N=4, NoPE, 1/1/16, seeds 0,1: 5 steps, loss 0.")
    assert ", finished (1 of 3 runs, " in said[0]
    assert said[1].startswith("simple-task omega=2.0 N=4, NoPE, 1/1/16, seeds 0,1, failed: tests/runs/test_sweep.py:")
    assert said[2].partition(" (")[2].startswith("3 of 3 runs, ")


def is_full(config: object, runs: Path) -> RunDirectory:
    raise DiskError("the run could not be written: no space left on device")


def test_a_full_disk_ends_a_sweep_and_keeps_what_is_finished(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_sweep(configs(2), store, Serial(), pretended)
    with pytest.raises(DiskError, match="no space left on device"):
        run_sweep(configs(5), store, Serial(), is_full)
    assert len(store.rows(configs(2))) == 8


def test_a_damaged_run_is_set_aside_and_made_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path)
    run_sweep(configs(1), store, Serial(), pretended)
    before = numbers(store.rows())
    directory = store.directory(configs(1)[0].id)
    (directory.path / MODEL).unlink()
    run_sweep(configs(1), store, Serial(), pretended)
    assert "is damaged: model.safetensors is missing" in capfd.readouterr().err
    assert numbers(store.rows()) == before
    assert store.problems() == ()
    assert directory.path.with_name(f"{directory.run}.damaged-1").is_dir()


def test_seeds_are_shared_out_so_that_no_process_is_idle() -> None:
    counted, not_counted = config(seeds=8), config(seeds=3, model={"layers": 2})
    assert [len(run.seeds) for run in shared_out(counted, configs=1, processes=2)] == [4, 4]
    assert [len(run.seeds) for run in shared_out(counted, configs=5, processes=2)] == [8]
    assert [len(run.seeds) for run in shared_out(counted, configs=1, processes=20)] == [1] * 8
    assert [len(run.seeds) for run in shared_out(not_counted, configs=9, processes=2)] == [1] * 3
    for processes in (1, 3, 8):
        runs = shared_out(counted, 1, processes)
        assert sorted(seed for run in runs for seed in run.seeds) == list(range(8))


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_a_run_costs_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    train = partial(kill_own_process_once, tmp_path / "mark")
    assert len(run_sweep(configs(3), store, Local(2), train).made) == 3
    undisturbed = Store(tmp_path / "undisturbed")
    run_sweep(configs(3), undisturbed, Serial(), pretended)
    assert numbers(store.rows()) == numbers(undisturbed.rows())


def check_no_half_rows(store: Store) -> None:
    """Every directory with a final name is a whole run, and has all its rows."""
    directories = [store.directory(path.name) for path in finished(store.path)]
    complete = {directory.run: directory.verified()[1] for directory in directories}
    rows = store.rows()
    assert store.problems() == ()
    assert {row.run for row in rows} == set(complete)
    assert len(rows) == sum(len(done.results) for done in complete.values())


def killed_again_and_again(
    store: Path, engine: str, number: int, seconds: float, tries: int, rng: random.Random
) -> int:
    """Kill a driver at random moments, a number of times; how many runs were finished in between."""
    runs = 0
    for _ in range(tries):
        process = driver(store, engine, number, seconds)
        wait_for_runs(store, process, min(runs + 1, number))
        time.sleep(rng.uniform(0, 2 * seconds))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        check_no_half_rows(Store(store))
        now = len(finished(store))
        assert now >= runs
        runs = now
    return runs


def test_a_driver_killed_at_any_moment_loses_no_finished_run(tmp_path: Path) -> None:
    rng = random.Random(os.urandom(8))
    store = tmp_path / "store"
    killed_again_and_again(store, "serial", 15, 0.04, 1, rng)
    run_to_the_end(store, "serial", 15)
    undisturbed = Store(tmp_path / "undisturbed")
    run_sweep(configs(15), undisturbed, Serial(), pretended)
    assert numbers(Store(store).rows()) == numbers(undisturbed.rows())
    assert [path for path in (store / "runs").iterdir() if PART in path.name] == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "local"])
def test_a_driver_killed_many_times_gets_to_the_end(tmp_path: Path, engine: str) -> None:
    rng = random.Random(os.urandom(8))
    store = tmp_path / "store"
    killed_again_and_again(store, engine, 100, 0.05, 12, rng)
    run_to_the_end(store, engine, 100)
    undisturbed = Store(tmp_path / "undisturbed")
    run_sweep(configs(100), undisturbed, Serial(), pretended)
    assert numbers(Store(store).rows()) == numbers(undisturbed.rows())
    check_no_half_rows(Store(store))


@pytest.mark.slow
def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    process = driver(tmp_path, "local", 4, 600)
    while len(list(tmp_path.glob(f"runs/*{PART}*"))) < 2:
        time.sleep(0.02)
    workers = [pid for pid in group_of(process.pid) if pid != process.pid]
    assert len(workers) >= 2
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    while group_of(process.pid):
        time.sleep(0.05)


def group_of(leader: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == leader and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


@pytest.mark.slow
def test_ctrl_c_keeps_finished_runs_and_says_one_line(tmp_path: Path) -> None:
    code = (
        "import sys; from functools import partial; from pathlib import Path\n"
        "from lengthwise.errors import LengthwiseError\n"
        "from lengthwise.runs.engines.engine import Local; from lengthwise.runs.store.store import Store\n"
        "from lengthwise.runs.sweep import run_sweep; from tests.runs.stand_in import configs, pretended\n"
        "try: run_sweep(configs(30), Store(sys.argv[1]), Local(2), partial(pretended, seconds=0.2))\n"
        "except LengthwiseError as problem: sys.exit(str(problem))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_runs(tmp_path, process, 3)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1].splitlines()
    assert process.returncode == 1
    assert said[-1].startswith("interrupted: ")
    assert said[-1].endswith("of 30 runs were finished and are kept; the same command goes on with the others")
    assert not any("Traceback" in line for line in said)
    assert 3 <= len(finished(tmp_path)) < 30
    check_no_half_rows(Store(tmp_path))
