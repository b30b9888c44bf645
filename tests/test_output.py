"""What is written is there completely, or what was there before still is, whatever kind of thing is written to."""

import copy
import errno
import io
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lengthwise import output
from lengthwise.errors import LengthwiseError
from lengthwise.output import OutputError, require_writable, write_bytes, write_text, writer

CONTENT = bytes(range(256)) * 300
"""More than the buffer of a pipe holds, and no text."""


@pytest.fixture
def plain_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def read_in_background(path: Path) -> tuple[threading.Thread, list[bytes]]:
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(path.read_bytes()), daemon=True)
    thread.start()
    return thread, found


# ------------------------------------------------------------------------------------------------ regular files


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_has_the_bytes_and_nothing_else_is_left_in_the_directory(tmp_path: Path, durable: bool) -> None:
    for content in (CONTENT, b"", b"shorter"):
        write_bytes(tmp_path / "file", content, durable=durable)
        assert (tmp_path / "file").read_bytes() == content
        assert names(tmp_path) == ["file"]


def test_text_is_utf_8_with_its_line_ends_as_they_are(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "∅\r\na\n")
    assert (tmp_path / "file").read_bytes() == b"\xe2\x88\x85\r\na\n"


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_a_new_file_has_the_mode_that_open_would_give_it(tmp_path: Path, plain_umask: None, mask: int) -> None:
    os.umask(mask)
    write_bytes(tmp_path / "ours", b"")
    (tmp_path / "theirs").open("w").close()
    assert mode(tmp_path / "ours") == mode(tmp_path / "theirs") == 0o666 & ~mask


@pytest.mark.parametrize("before", [0o600, 0o640, 0o664, 0o755])
def test_an_existing_file_keeps_its_mode(tmp_path: Path, plain_umask: None, before: int) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(before)
    write_bytes(path, b"new")
    assert (mode(path), path.read_bytes()) == (before, b"new")


def test_an_existing_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    owner = (1234, 4321) if os.geteuid() == 0 else (os.getuid(), os.getgid())  # only root gives files away
    os.chown(path, *owner)
    write_bytes(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == owner
    assert path.read_bytes() == b"new"


def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_bytes(path, b"content")
    assert path.read_bytes() == b"content"
    with pytest.raises(OutputError, match=r"file name too long$"):
        require_writable(tmp_path / ("n" * 256))


def test_somebody_who_reads_the_old_file_reads_it_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old content")
    with path.open("rb") as file:
        assert file.read(4) == b"old "
        write_bytes(path, b"new")
        assert file.read() == b"content"
    assert path.read_bytes() == b"new"


# ------------------------------------------------------------------------------------------------------- failures


class _Failing(io.FileIO):
    """A file on a disk that has room for ten bytes."""

    problem: BaseException = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, data: Any) -> int:
        super().write(bytes(data)[:10])
        raise self.problem


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    "problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), MemoryError()]
)
def test_a_failure_half_way_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException, there: bool
) -> None:
    path = tmp_path / "file"
    if there:
        path.write_bytes(b"old")
    written: list[str] = []

    def failing(name: Any, flags: str, **_: Any) -> io.FileIO:
        written.append(Path(name).name)
        file = _Failing(name, flags.replace("b", ""))
        file.problem = problem
        return file

    monkeypatch.setattr(output, "open", failing, raising=False)
    with pytest.raises(OutputError if isinstance(problem, OSError) else type(problem)) as told:
        write_bytes(path, CONTENT)
    monkeypatch.undo()
    assert len(written) == 1
    assert written[0] != "file"
    assert names(tmp_path) == (["file"] if there else [])
    assert not there or path.read_bytes() == b"old"
    if isinstance(problem, OSError):
        assert str(told.value) == f"cannot write {path}: no space left on device"


@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_a_failure_at_the_end_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def failing(*_: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os if place == "fsync" else Path, place, failing)
    with pytest.raises(OutputError, match=r"input/output error$"):
        write_bytes(path, CONTENT, durable=True)
    monkeypatch.undo()
    assert (names(tmp_path), path.read_bytes()) == (["file"], b"old")


def test_a_writer_whose_body_fails_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), writer(path) as file:
        file.write(b"%d" % (file.write(b"half") // 0))
    assert (names(tmp_path), path.read_bytes()) == (["file"], b"old")
    with writer(path) as file:
        file.write(b"half")
        file.write(b" and half")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"half and half"


def test_an_error_of_the_body_is_not_taken_for_one_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), writer(tmp_path / "file"):
        (tmp_path / "other").read_bytes()


LIMITED = """
import resource, sys
from lengthwise import output
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    output.write_bytes(sys.argv[1], bytes(5000), durable=True)
except output.OutputError as problem:
    print(problem)
"""


def test_a_disk_that_takes_no_more_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {path}: file too large\n"
    assert (names(tmp_path), path.read_bytes()) == (["file"], b"old")


# ---------------------------------------------------------------------------------------------------------- links


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    (there / "file").write_bytes(b"old")
    (there / "file").chmod(0o640)
    (here / "first").symlink_to("second")
    (here / "second").symlink_to(Path("..", "there", "file"))
    write_bytes(here / "first", b"new")
    assert ((here / "first").readlink(), (here / "second").readlink()) == (Path("second"), Path("../there/file"))
    assert ((there / "file").read_bytes(), mode(there / "file")) == (b"new", 0o640)
    assert (names(there), names(here)) == (["file"], ["first", "second"])


def test_a_link_to_nothing_makes_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    require_writable(tmp_path / "link")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    assert not (tmp_path / "file").is_symlink()


def test_a_link_into_a_missing_directory_and_a_loop_are_errors(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "missing" / "file")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    for name, reason in (("link", "there is no directory .*missing"), ("one", "too many levels of symbolic links")):
        for refuse in (require_writable, lambda path: write_bytes(path, b"")):
            with pytest.raises(OutputError, match=f"^cannot write .*{name}: {reason}$"):
                refuse(tmp_path / name)
    assert names(tmp_path) == ["link", "one", "two"]


# ------------------------------------------------------------------------------------------------ pipes and devices


@pytest.mark.parametrize("through", ["pipe", "link"])
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path, through: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    require_writable(tmp_path / through)  # would wait without an end if it opened the pipe
    thread, found = read_in_background(tmp_path / "pipe")
    write_bytes(tmp_path / through, CONTENT)
    thread.join(60)
    assert found == [CONTENT]
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["link", "pipe"]


def test_a_device_is_written_into_and_stays_a_device(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    for path in (tmp_path / "null", Path("/dev/null")):
        require_writable(path)
        write_bytes(path, CONTENT)
    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "null").is_symlink()


def test_a_full_device_is_told_in_one_sentence() -> None:
    with pytest.raises(OutputError, match=r"^cannot write /dev/full: no space left on device$"):
        write_bytes("/dev/full", CONTENT)
    assert Path("/dev/full").is_char_device()


STREAMS = """
import sys
from lengthwise.output import is_standard_output, require_writable, write_text
print("before")
for name in sys.argv[1:]:
    require_writable(name)
    write_text(name, f"into {name}\\n")
    print(is_standard_output(name))
"""


@pytest.mark.parametrize("kind", ["file", "appended", "pipe"])
def test_standard_output_is_written_on_where_it_stands_by_any_of_its_names(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out"
    path.write_text("first\n")
    command = [sys.executable, "-c", STREAMS, "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
    if kind == "pipe":
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    else:
        with path.open("a" if kind == "appended" else "w") as file:
            subprocess.run(command, stdout=file, check=True)
        shown = path.read_text()
    expected = "before\ninto -\nTrue\ninto /dev/stdout\nTrue\ninto /dev/fd/1\nTrue\ninto /proc/self/fd/1\nTrue\n"
    assert shown == ("first\n" if kind == "appended" else "") + expected
    assert names(tmp_path) == ["out"]


def test_standard_output_takes_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    print("before")
    write_bytes("-", CONTENT)
    assert capfdbinary.readouterr().out == b"before\n" + CONTENT


def test_what_stands_in_for_standard_output_in_a_notebook_takes_text(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stand_in)
    write_text("-", "∅\n")
    with pytest.raises(OutputError, match="it takes text here"):
        write_bytes("-", CONTENT)
    assert stand_in.getvalue() == "∅\n"


def test_standard_output_that_is_closed_or_full_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w") as full:  # its own buffer stays empty, so that closing it succeeds
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match=r"^cannot write to standard output: no space left on device$"):
            write_bytes("-", b"x")
    monkeypatch.setattr(sys, "stdout", None)
    for refuse in (require_writable, lambda name: write_bytes(name, b"x")):
        with pytest.raises(OutputError, match=r"^cannot write to standard output: it is closed$"):
            refuse("-")


def test_a_dash_is_a_file_when_it_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_bytes(Path("-"), b"path")
    assert Path("-").read_bytes() == b"path"
    write_bytes("./-", b"dot")
    assert Path("-").read_bytes() == b"dot"


# ------------------------------------------------------------------------------------------- noticed before any work


def test_what_cannot_be_written_is_refused_in_one_sentence_by_both(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "directory").mkdir()
    (tmp_path / "link").symlink_to("directory")
    cases = {
        "directory": "it is a directory; name a file",
        "link": "it is a directory; name a file",
        "missing/file": f"there is no directory {tmp_path / 'missing'}",
        "missing/below/file": f"there is no directory {tmp_path / 'missing' / 'below'}",
        "file/below": f"{tmp_path / 'file'} is not a directory",
        "file/far/below": f"{tmp_path / 'file'} is not a directory",
        "new/": "a name with a slash at its end is that of a directory; name a file",
    }
    for name, reason in cases.items():
        target = f"{tmp_path}/{name}"
        for refuse in (require_writable, lambda path: write_bytes(path, b"new")):
            with pytest.raises(LengthwiseError) as problem:
                refuse(target)
            assert str(problem.value) == f"cannot write {target}: {reason}"
    for target, sentence in (("", "cannot write '': the name is empty"), ("a\0b", "a path has no null characters")):
        with pytest.raises(LengthwiseError, match=sentence):
            require_writable(target)
    assert names(tmp_path) == ["directory", "file", "link"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_what_can_be_written_is_neither_made_nor_changed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    before = (tmp_path / "file").stat()
    for target in (tmp_path / "file", tmp_path / "new", "/dev/null", "-"):
        require_writable(target)
    assert (tmp_path / "file").stat() == before
    assert names(tmp_path) == ["file"]


def test_directories_that_will_be_made_need_a_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    require_writable(tmp_path / "new" / "deep" / "file", parents=True)
    with pytest.raises(OutputError, match=r"file is not a directory$"):
        require_writable(tmp_path / "file" / "new" / "deep", parents=True)
    assert names(tmp_path) == ["file"]


def test_files_and_directories_without_permission_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may do everything, so what the system would answer to somebody else is pretended."""
    (tmp_path / "file").touch()
    refused = {tmp_path}
    monkeypatch.setattr(os, "access", lambda path, _: path not in refused)
    for path, parents in ((tmp_path / "new", False), (tmp_path / "file", False), (tmp_path / "a" / "b", True)):
        with pytest.raises(OutputError) as problem:
            require_writable(path, parents=parents)
        assert str(problem.value) == f"cannot write {path}: permission denied in the directory {tmp_path}"
    refused = {tmp_path / "file"}
    for refuse in (require_writable, lambda path: write_bytes(path, b"new")):
        with pytest.raises(OutputError, match=r"file: permission denied$"):
            refuse(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b""


WITHOUT_RIGHTS = """
import os, sys
from lengthwise.output import OutputError, require_writable, write_text
if os.geteuid() == 0:
    os.setuid(65534)  # root may do everything
for name in ("file", "new"):
    for work in (require_writable, lambda path: write_text(path, "")):
        try:
            work(f"{sys.argv[1]}/{name}")
        except OutputError as problem:
            print(problem)
"""


def test_somebody_without_rights_is_refused_by_the_system_itself() -> None:
    with tempfile.TemporaryDirectory() as name:
        shared = Path(name)
        (shared / "file").write_bytes(b"old")
        (shared / "file").chmod(0o444)
        shared.chmod(0o555)
        command = [sys.executable, "-c", WITHOUT_RIGHTS, name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [
            f"cannot write {shared / 'file'}: permission denied",
            f"cannot write {shared / 'file'}: permission denied",
            f"cannot write {shared / 'new'}: permission denied in the directory {shared}",
            f"cannot write {shared / 'new'}: permission denied",
        ]
        assert names(shared) == ["file"]
        assert (shared / "file").read_bytes() == b"old"
        shared.chmod(0o755)


def test_an_error_crosses_the_border_between_processes() -> None:
    problem = OutputError("file", "no space left on device")
    again = copy.copy(problem)  # made again from what would be sent
    assert again is not problem
    assert (str(again), again.reason) == (str(problem), problem.reason)
