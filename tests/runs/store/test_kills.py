"""Real training, killed at random moments, has in the end the numbers of training that nobody disturbed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Local, Serial
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from tests.runs.stand_in import numbers
from tests.runs.test_sweep import check_no_half_rows, group_of

ROOT = Path(__file__).parents[3]


def configs() -> list[RunConfig]:
    return [
        RunConfig(
            task="simple-task",
            parameters={"omega": 1 + place},
            train_length=4,
            test_lengths=["N", "2N"],
            seeds=3,
            model={"width": 4, "hidden": 8},
            optimizer={"batch": 64},
            stopping={"steps": 150},
            evaluation={"words": 64},
        )
        for place in range(10)
    ]


def driver(store: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.runs.store.test_kills", str(store)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, text=True, start_new_session=True)


@pytest.mark.slow
def test_killed_training_comes_to_the_same_numbers(tmp_path: Path) -> None:
    rng = random.Random(os.urandom(8))
    store = tmp_path / "store"
    for victim in ("worker", "driver", "worker", "driver"):
        process = driver(store)
        while not list(store.glob("runs/*.part-*")) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.5))
        pids = [process.pid] if victim == "driver" else [pid for pid in group_of(process.pid) if pid != process.pid]
        if process.poll() is None:
            os.kill(rng.choice(pids or [process.pid]), signal.SIGKILL)
        if victim == "worker":
            time.sleep(rng.uniform(0, 1))
            if process.poll() is None:
                process.kill()
        process.wait()
        check_no_half_rows(Store(store))
    assert driver(store).wait() == 0
    check_no_half_rows(Store(store))
    undisturbed = Store(tmp_path / "undisturbed")
    assert run_sweep(configs(), undisturbed, Serial()).failed == ()
    assert numbers(Store(store).rows()) == numbers(undisturbed.rows())


if __name__ == "__main__":
    done = run_sweep(configs(), Store(sys.argv[1]), Local(2))
    sys.exit(len(done.failed))
