"""SIGKILL at random moments: whatever is killed, the store is whole, no row is lost, and going on gives the same bytes.

    python -m tests.e2e.kills --kills 200               prints what came of it
    python -m tests.e2e.kills --kills 20 --verb ray     on a Ray of this machine, if it is installed

A command runs in a process group of its own, forked from this one where everything is imported already, so that kills
hit the work and not the imports. All processes of the group die at once, or one of them alone.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lengthwise.runs.store.inspection import check_store
from lengthwise.runs.store.run_directory import CHECKED, DONE
from lengthwise.runs.store.store import Store
from tests.runs.stand_in import numbers

TRAINING = (
    "simple-task", "-n", "8", "-t", "N,2N", "--seeds", "2", "--positions", "none,learned", "--set", "model.width=8",
    "--set", "model.hidden=16", "--set", "optimizer.batch=32", "--set", "evaluation.words=64", "--set",
    "stopping.loss=none", "--steps",
)  # fmt: skip
FIGURE = """
title = "A small figure"

[settings]
task = "simple-task"
test_lengths = ["N", "2N"]
seeds = 2
model = { width = 4, hidden = 8 }
optimizer.batch = 32
stopping = { steps = 100, loss = "none" }
evaluation.words = 64

[[axes]]
train_length = [4, 6]

[presets.quick]

[[plot.panels]]
kind = "test-length"
title = "losses"
where = { train_length = 4 }
"""
COMMANDS: dict[str, tuple[str, ...]] = {
    "train": ("train", *TRAINING, "60", "--engine", "serial"),
    "local": ("train", *TRAINING, "60", "--engine", "local", "--processes", "2"),
    "ray": ("train", *TRAINING, "60", "--engine", "ray", "--processes", "2"),
    "study": ("study", "(aa)*", "--minutes", "0.01", "--engine", "serial"),
    "reproduce": ("reproduce", "small.toml", "--preset", "quick", "--store", "lengthwise-runs", "--engine", "serial"),
}
CHECKPOINT_SECONDS = "0.02"
MEMORY = "/dev/shm"  # noqa: S108 - a directory with a random name is made in it
"""Where there is a disk in memory: a kill is no power cut, and waiting for a disk would be most of the time."""
PARTS = ("results.csv", "claims.json", "report.json", "report.html", "figure.svg")
"""Files beside the store that say nothing about the time."""


@dataclass
class Outcome:
    """What came of attacks on one verb."""

    verb: str
    kills: int = 0
    finished: int = 0
    """Sessions that came to their end."""
    resumed: int = 0
    """Runs that went on at a checkpoint."""
    moments: Counter[str] = field(default_factory=Counter)
    """What a kill found: drafts, checkpoints and finished runs."""


WARM = (
    "lengthwise.cli", "lengthwise.public", "lengthwise.nn", "lengthwise.study", "lengthwise.study.conduct",
    "lengthwise.experiments.reproduce", "lengthwise.experiments.sweeps.experiment", "matplotlib.pyplot", "rich", "loky",
    "lengthwise.study.page", "lengthwise.runs.text", "torch.optim",
)  # fmt: skip
"""What commands import."""


def started(directory: Path, command: tuple[str, ...]) -> int:
    """The process of a command, which leads a group of its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    try:
        os.setsid()
        os.chdir(directory)
        said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(said, stream)
        os.environ["LENGTHWISE_CHECKPOINT_SECONDS"] = CHECKPOINT_SECONDS
        from lengthwise.cli import main

        sys.argv = ["lengthwise", *command]
        main()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 70
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 70
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def ended(pid: int, within: float | None = None) -> int | None:
    """How a process ended; None if it has not, within so many seconds."""
    end = None if within is None else time.monotonic() + within
    while end is None or time.monotonic() < end:
        found, status = os.waitpid(pid, 0 if end is None else os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def group_of(leader: int) -> list[int]:
    """The processes of a group; those that it started in sessions of their own, as Ray does, are not in it."""
    found = []
    for path in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            if path.name.isdigit() and int((path / "stat").read_text().rpartition(")")[2].split()[2]) == leader:
                found.append(int(path.name))
    return found


def kill(leader: int, rng: random.Random) -> None:
    """Kill one process of a group, and then, after a moment in which others may go on, all of them."""
    members = group_of(leader)
    if len(members) > 1 and rng.random() < 0.5:
        with suppress(ProcessLookupError):
            os.kill(rng.choice(members), signal.SIGKILL)
        time.sleep(rng.uniform(0, 0.5))
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def bytes_of(directory: Path) -> dict[str, bytes]:
    """All that must be the same: the files of runs, and what is drawn and reported from them."""
    runs = directory / "lengthwise-runs" / "runs"
    found = {f"{run.name}/{name}": (run / name).read_bytes() for run in runs.iterdir() for name in (*CHECKED, DONE)}
    for path in directory.rglob("*"):
        if path.name in PARTS and runs not in path.parents:
            found[str(path.relative_to(directory))] = path.read_bytes()
    return found


def prepared(directory: Path, plans: Path | None) -> Path:
    """A directory in which a command can run; how fast the machine is was measured once, and is part of a plan."""
    directory.mkdir()
    (directory / "small.toml").write_text(FIGURE, encoding="utf-8")
    if plans is not None and plans.is_dir():
        shutil.copytree(plans, directory / "lengthwise-runs" / "plans")
    return directory


def rows_of(directory: Path) -> set[tuple[object, ...]]:
    return set(numbers(Store(directory / "lengthwise-runs").rows()))


def moment(directory: Path) -> str:
    """What there is of a store right after a kill."""
    store = directory / "lengthwise-runs"
    words = (
        ("draft", list(store.glob("runs/*.part-*"))),
        ("checkpoint", list(store.glob("checkpoints/*/checkpoint.json"))),
        ("finished runs", list(store.glob("runs/*/done.json"))),
    )
    return ", ".join(word for word, there in words if there) or "nothing yet"


def attacked(verb: str, kills: int, rng: random.Random, work: Path) -> Outcome:
    """Kill a verb so often, and compare each session that comes to its end with one that nobody disturbed."""
    command, outcome = COMMANDS[verb], Outcome(verb)
    for module in WARM:
        importlib.import_module(module)
    quiet = prepared(work / f"{verb}-quiet", None)
    begin = time.monotonic()
    assert ended(started(quiet, command)) == 0, (quiet / "said.txt").read_text()
    duration, expected = time.monotonic() - begin, bytes_of(quiet)
    plans, session = quiet / "lengthwise-runs" / "plans", 0
    while outcome.kills < kills:
        directory = prepared(work / f"{verb}-{session}", plans)
        session += 1
        for _ in killed_until_done(directory, command, duration, kills, rng, outcome):
            pass
        assert bytes_of(directory) == expected, f"{verb}, session {session}: other bytes"
        outcome.finished += 1
        outcome.resumed += (directory / "said.txt").read_text().count(" goes on at step ")
        shutil.rmtree(directory)
    return outcome


def killed_until_done(
    directory: Path, command: tuple[str, ...], duration: float, kills: int, rng: random.Random, outcome: Outcome
) -> Iterator[int]:
    """One session: kill and go on until a command is quicker than its killer, or there were enough kills."""
    rows: set[tuple[object, ...]] = set()
    while True:
        pid = started(directory, command)
        enough = outcome.kills >= kills
        code = ended(pid, None if enough else rng.uniform(0, duration))
        if code is not None:
            assert code == 0, (directory / "said.txt").read_text()
            return
        kill(pid, rng)
        ended(pid)
        outcome.kills += 1
        outcome.moments[moment(directory)] += 1
        if (store := directory / "lengthwise-runs").is_dir():
            assert check_store(store).damaged == ()
            now = rows_of(directory)
            assert rows <= now, "a row was lost"
            rows = now
        yield pid


@contextmanager
def room() -> Iterator[Path]:
    """A directory for attacks."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as directory:
        yield Path(directory)


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill commands at random moments and see what is left.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--verb", action="append", choices=COMMANDS)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    verbs = given.verb or [verb for verb in COMMANDS if verb != "ray"]
    seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    print(f"seed {seed}")
    for place, verb in enumerate(verbs):
        share = given.kills // len(verbs) + (place < given.kills % len(verbs))
        with room() as work:
            found = attacked(verb, share, random.Random(seed + place), work)
        moments = "; ".join(f"{count} × {what}" for what, count in found.moments.most_common())
        print(
            f"{verb}: {found.kills} kills in {found.finished} sessions, all with the same bytes in the end; "
            f"{found.resumed} times a run went on at a checkpoint; kills found {moments}",
            flush=True,
        )


if __name__ == "__main__":
    main()
