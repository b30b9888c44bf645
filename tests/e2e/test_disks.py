"""On a full or read-only disk every verb that writes ends in one sentence and leaves nothing half-written."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lengthwise.runs.store.inspection import check_store
from tests.e2e.command import Done, lengthwise
from tests.e2e.kills import FIGURE

SIZE = 8 * 1024 * 1024
"""Of the disk; a page of its memory is 4,096 bytes."""
TRAINING = ("--engine", "serial", "--seeds", "1", "--steps", "5", "-t", "N")
FILES: dict[str, tuple[str, ...]] = {
    "compile": ("compile", "dyck1", "-o", "{}/model.safetensors"),
    "decide": ("decide", "(ab)*", "-o", "{}/program.crasp"),
    "run": ("run", "dyck1", "(())", "--trace", "html", "-o", "{}/trace.html"),
    "bound": ("bound", "worst-case", "simple-task", "--plot", "{}/bound.svg"),
    "capacity": ("capacity", "linear", "--plot", "{}/capacity.svg"),
    "verify": ("verify", "(aa)*", "(aaaa)*(aa)*", "--proof", "{}/proof.json"),
    "sparse": ("sparse", "construct", "parity:2", "--length", "4", "-o", "{}/model.safetensors"),
    "train --plot": ("train", "simple-task", "-n", "4", *TRAINING, "--plot", "{}/loss.svg"),
}
"""The verbs that write one file, which is larger than the room that is left."""
STORES: dict[str, tuple[str, ...]] = {
    "train": ("train", "simple-task", "-n", "4", *TRAINING, "--store", "{}/store"),
    "reproduce": ("reproduce", "small.toml", "--preset", "quick", "--engine", "serial", "--format", "svg",
                  "--store", "{}/store", "--out", "{}/out"),
    "study": ("study", "a*", "--minutes", "0.001", "--engine", "serial", "--store", "{}/store", "--out", "{}/out"),
}  # fmt: skip
"""The verbs that keep runs."""


class Disk:
    """A small disk in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(path)], capture_output=True, check=False
        )
        self.mounted = done.returncode == 0

    def fill(self, room: int) -> None:
        """Leave so many bytes."""
        rest = os.statvfs(self.path).f_bavail * os.statvfs(self.path).f_frsize - room
        (self.path / "filler").write_bytes(bytes(rest))

    def forbid_writing(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.path)], check=True)

    def names(self) -> list[str]:
        """All files but the filler."""
        found = (each for each in self.path.rglob("*") if each.is_file() and each.name != "filler")
        return sorted(str(each.relative_to(self.path)) for each in found)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    found = Disk(tmp_path / "disk")
    if not found.mounted:
        pytest.skip("a disk in memory may not be mounted here")
    yield found
    subprocess.run(["umount", "-l", str(found.path)], check=True)


def called(command: tuple[str, ...], disk: Disk) -> Done:
    (disk.path.parent / "small.toml").write_text(FIGURE)
    return lengthwise(*(part.format(disk.path) for part in command), cwd=disk.path.parent)


def require_one_sentence(done: Done, reason: str) -> None:
    *progress, sentence = done.stderr.splitlines()
    assert reason in sentence
    assert not any("Traceback" in line or reason in line for line in progress)


@pytest.mark.parametrize("verb", FILES)
def test_a_full_disk_gets_one_sentence_and_no_file(verb: str, disk: Disk) -> None:
    disk.fill(0)
    done = called(FILES[verb], disk)
    assert done.returncode == 2, done.stderr
    require_one_sentence(done, "no space left on device")
    assert disk.names() == []


@pytest.mark.parametrize("verb", [*FILES, *STORES])
def test_a_read_only_disk_gets_one_sentence_and_no_file(verb: str, disk: Disk) -> None:
    disk.forbid_writing()
    done = called({**FILES, **STORES}[verb], disk)
    assert done.returncode == 2, done.stderr
    require_one_sentence(done, "read-only file system")
    assert disk.names() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "room"),
    [*((verb, pages) for verb in ("train", "reproduce") for pages in (0, 4, 8, 12, 40)), ("study", 20)],
)
def test_a_disk_that_gets_full_while_runs_are_made_keeps_a_whole_store(verb: str, room: int, disk: Disk) -> None:
    disk.fill(4096 * room)
    done = called(STORES[verb], disk)
    assert done.returncode in ((0, 2) if room else (2,)), done.stderr
    if done.returncode:
        require_one_sentence(done, "no space left on device")
    assert not [name for name in disk.names() if ".part-" in name or name.endswith(".new")]
    if (disk.path / "store").is_dir():
        (disk.path / "filler").unlink()
        assert check_store(disk.path / "store").damaged == ()
        assert called(STORES[verb], disk).returncode == 0, "with room again, the same command goes on"


def test_what_is_kept_on_a_read_only_disk_can_be_read(disk: Disk) -> None:
    assert called(STORES["train"], disk).returncode == 0
    before = called((*STORES["train"], "--json"), disk)
    disk.forbid_writing()
    assert called((*STORES["train"], "--json"), disk).stdout == before.stdout
    assert lengthwise("store", "check", str(disk.path / "store")).returncode == 0
