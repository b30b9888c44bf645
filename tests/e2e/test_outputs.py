"""What commands write: complete or as before, through links, into pipes, on standard output, refused in time."""

import json
import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lengthwise.cli import answer
from lengthwise.crasp import load
from tests.e2e.command import lengthwise

LIMIT = 50
"""Bytes that a file may have in a process with a full disk: less than any of the files here."""
WRITING = {
    "compile": ("compile", "dyck1", "-o"),
    "decide": ("decide", "(ab)*", "-o"),
    "run": ("run", "dyck1", "(())", "--trace", "html", "-o"),
    "bound": ("bound", "worst-case", "simple-task", "--plot"),
    "capacity": ("capacity", "linear", "--plot"),
}
"""Each command that writes one file, up to the name of this."""
NAMES = {"compile": "x.safetensors", "decide": "x.crasp", "run": "x.html", "bound": "x.svg", "capacity": "x.svg"}
TRACED = ("run", True)
"""With --json the trace is within the JSON, and no file is written."""
BEGINNINGS = {"decide": b"alphabet", "run": b"<!doctype html>", "bound": b"<?xml", "capacity": b"<?xml"}


def process(*arguments: str, limit: int | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own, in which files cannot get longer than the limit."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "lengthwise", *arguments]
    return subprocess.run(command, capture_output=True, check=False, cwd=cwd, preexec_fn=limited)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize("verb", ["compile", "decide", "run"])
@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path, verb: str, there: bool) -> None:
    path = tmp_path / NAMES[verb]
    if there:
        path.write_bytes(b"what was there before")
    done = process(*WRITING[verb], str(path), limit=LIMIT)
    assert (done.returncode, done.stderr.decode()) == (2, f"cannot write {path}: file too large\n")
    assert names(tmp_path) == ([path.name] if there else [])
    assert not there or path.read_bytes() == b"what was there before"


@pytest.mark.parametrize("verb", ["compile", "decide", "run"])
def test_a_device_that_is_full_is_told_and_stays(verb: str) -> None:
    done = lengthwise(*WRITING[verb], "/dev/full")
    assert (done.returncode, done.stderr) == (2, "cannot write /dev/full: no space left on device\n")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("verb", WRITING)
def test_a_pipe_gets_what_a_file_would_and_stays_a_pipe(tmp_path: Path, verb: str) -> None:
    file, pipe = tmp_path / NAMES[verb], tmp_path / f"pipe-{NAMES[verb]}"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    for path in (file, pipe):
        assert lengthwise(*WRITING[verb], str(path)).returncode == 0
    reader.join(60)
    assert pipe.is_fifo()
    assert [sorted(each) for each in found] == [sorted(file.read_bytes())]  # keys of headers come in any order
    assert names(tmp_path) == sorted([file.name, pipe.name])


@pytest.mark.parametrize("verb", WRITING)
def test_a_link_stays_and_its_file_is_written_with_the_mode_that_the_umask_leaves(tmp_path: Path, verb: str) -> None:
    link, file = tmp_path / NAMES[verb], tmp_path / "file"
    link.symlink_to("file")
    before = os.umask(0o022)
    try:
        assert lengthwise(*WRITING[verb], str(link)).returncode == 0
    finally:
        os.umask(before)
    assert link.readlink() == Path("file")
    assert stat.S_IMODE(file.lstat().st_mode) == 0o644
    assert len(file.read_bytes()) > LIMIT
    assert names(tmp_path) == sorted([file.name, link.name])


@pytest.mark.parametrize("verb", ["compile", "decide", "run"])
def test_a_device_is_written_into_and_stays_a_device(verb: str) -> None:
    assert lengthwise(*WRITING[verb], "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.lstat("/dev/null").st_mode)


@pytest.mark.parametrize(
    ("verb", "json_too"),
    [(verb, json_too) for verb in WRITING for json_too in (False, True) if (verb, json_too) != TRACED],
)
def test_a_dash_puts_the_file_on_standard_output_and_the_message_on_standard_error(
    tmp_path: Path, verb: str, json_too: bool
) -> None:
    options = ("--json",) if json_too else ()
    path = tmp_path / NAMES[verb]
    as_file = lengthwise(*WRITING[verb], str(path), *options)
    shown = process(*WRITING[verb], "-", *options, cwd=tmp_path)
    assert (as_file.returncode, shown.returncode) == (0, 0)
    assert sorted(shown.stdout) == sorted(path.read_bytes())
    if verb != "compile":
        assert shown.stdout == path.read_bytes()
        assert shown.stdout.lower().startswith(BEGINNINGS[verb])
    said = as_file.stderr if verb == "run" else as_file.stdout
    assert said
    name = "standard output" if verb == "run" else "-"
    assert shown.stderr.decode() == said.replace(str(path), name)
    assert not json_too or json.loads(shown.stderr)
    assert names(tmp_path) == [path.name]


def test_a_program_on_standard_output_is_a_program(tmp_path: Path) -> None:
    shown = process("decide", "(ab)*", "-o", "-").stdout
    (tmp_path / "x.crasp").write_bytes(shown)
    program = load(str(tmp_path / "x.crasp"))
    assert [program.accepts(word) for word in ("ab", "abab", "ba", "aab")] == [True, True, False, False]


BAD = {
    "missing/x": "there is no directory missing",
    "file/x": "file is not a directory",
    "directory": "it is a directory; name a file",
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("verb", WRITING)
def test_what_cannot_be_written_is_refused_before_any_work(tmp_path: Path, verb: str, name: str) -> None:
    """The subject does not exist; work would stumble over that first."""
    (tmp_path / "file").touch()
    (tmp_path / "directory.svg").mkdir()
    (tmp_path / "directory").mkdir()
    suffix = ".svg" if verb in ("bound", "capacity") else ""
    arguments = [
        "nothing-of-that-name" if each in ("dyck1", "(ab)*", "simple-task") else each for each in WRITING[verb]
    ]
    done = lengthwise(*arguments, name + suffix, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cannot write {name}{suffix}: {BAD[name]}\n"
    assert names(tmp_path) == ["directory", "directory.svg", "file"]


@pytest.mark.parametrize("verb", ["bound", "capacity"])
def test_a_format_that_no_figure_has_is_refused_before_any_work(tmp_path: Path, verb: str) -> None:
    arguments = ["nothing-of-that-name" if each == "simple-task" else each for each in WRITING[verb]]
    done = lengthwise(*arguments, "x.gif", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("a figure is written as .svg, .pdf, .png, not as x.gif")


@pytest.mark.parametrize(
    "arguments",
    [
        ("study", "(aa)*", "--minutes", "0.01", "--engine", "serial"),
        ("reproduce", "huang-fig5", "--preset", "smoke", "--engine", "serial"),
        ("reproduce", "edelman-fig2", "--preset", "smoke", "--engine", "serial"),
        ("reproduce", "huang-fig1", "--preset", "smoke", "--engine", "serial"),
        ("reproduce", "izzo-fig1", "--preset", "smoke", "--engine", "serial"),
        ("reproduce", "golowich-fig4", "--preset", "smoke", "--engine", "serial"),
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_results_that_cannot_be_written_are_refused_before_anything_is_trained(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    done = lengthwise(*arguments, "--out", "file", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cannot write file/")
    assert done.stderr.endswith(": file is not a directory\n")
    assert names(tmp_path) == ["file"]


def test_messages_go_beside_a_file_on_standard_output_and_nowhere_else(tmp_path: Path) -> None:
    assert [answer.beside(name) for name in (None, str(tmp_path / "x"), "/dev/stderr", "-", "/dev/stdout")] == [
        False, False, False, True, True,
    ]  # fmt: skip
