"""The one way to write a file: what was asked for is there completely, or what was there before still is.

A regular file is written under another name in its own directory and renamed when all of it is there, so that a full
disk, an error or Ctrl-C leaves the old content and no remains. Symbolic links stay, and what they point to is
replaced. Pipes and devices are never replaced but written into, and so are open descriptors such as `/dev/stdout`.
`-` is standard output.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from lengthwise.errors import LengthwiseError

STANDARD_OUTPUT = "-"
"""The text that stands for standard output; `Path("-")` and `./-` are files of that name."""
LINKS = 40
"""Symbolic links that are followed one after the other; with more, they are taken for a loop, as Linux does."""
DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)(/task/\d+)?/fd")
"""Directories whose entries are open files."""

Target = str | os.PathLike[str]


class OutputError(LengthwiseError):
    """Something cannot be written.

    Args:
        target: What was to be written, as the user named it.
        reason: Why it cannot be, as part of a sentence.

    """

    def __init__(self, target: str, reason: str) -> None:
        super().__init__(f"cannot write {target}: {reason}")
        self.target, self.reason = target, reason

    def __reduce__(self) -> tuple[type[OutputError], tuple[str, str]]:
        """Errors cross the border between processes, with both arguments."""
        return type(self), (self.target, self.reason)


def write_bytes(target: Target, data: bytes, *, durable: bool = False) -> None:
    r"""Write bytes to a file, a pipe, a device or standard output.

    A new file gets the mode that the umask leaves, an existing one keeps its own.

    Args:
        target: The path, or the text `-` for standard output.
        data: The whole content.
        durable: Whether to wait until a regular file and its name are on the disk, so that they survive a power cut.

    Raises:
        OutputError: It cannot be written. A regular file is then as it was before.
        BrokenPipeError: Nobody reads standard output any more.

    Example:
        >>> write_bytes("-", b"a b\n")
        a b

    """
    if target == STANDARD_OUTPUT:
        _write_to_standard_output(data)
        return
    with _told(target):
        found = _resolved(target)
        if isinstance(found, int):
            _flush_streams()
            with open(os.dup(found), "wb") as file:
                file.write(data)
        elif _is_replaced(found):
            _replace(found, data, durable)
        else:
            # Without O_CREAT and O_TRUNC: this must neither make a file nor change what kind of thing is there.
            with open(found, "wb", opener=lambda path, _: os.open(path, os.O_WRONLY)) as file:
                file.write(data)


def write_text(target: Target, text: str, *, durable: bool = False) -> None:
    r"""Write text as UTF-8, with its line ends as they are; otherwise as `write_bytes`.

    Args:
        target: The path, or the text `-` for standard output.
        text: The whole content.
        durable: Whether to wait until a regular file is on the disk.

    Raises:
        OutputError: It cannot be written.

    Example:
        >>> write_text("-", "∅\n")
        ∅

    """
    write_bytes(target, text.encode(), durable=durable)


@contextmanager
def writer(target: Target, *, durable: bool = False) -> Iterator[IO[bytes]]:
    r"""A file object whose content is written at the end of the context, or not at all if that raises.

    Args:
        target: The path, or the text `-` for standard output.
        durable: Whether to wait until a regular file is on the disk.

    Returns:
        A context with a binary file in memory, for libraries that want to write into one.

    Raises:
        OutputError: It cannot be written.

    Example:
        >>> with writer("-") as file:
        ...     size = file.write(b"first\n") + file.write(b"second\n")
        first
        second

    """
    content = io.BytesIO()
    yield content
    write_bytes(target, content.getvalue(), durable=durable)


def growing_text(path: Path) -> TextIO:
    """A new text file that grows and can be read meanwhile.

    It is for logs inside a directory that is itself renamed when it is complete; everything else is written at once.

    Args:
        path: Where the file is made; an old one is emptied.

    Returns:
        The open file, in UTF-8.

    Raises:
        OSError: The file cannot be made.

    """
    return path.open("w", encoding="utf-8")


def sorted_header(tensors: bytes) -> bytes:
    """A safetensors file with the entries of its header sorted, which their library writes in a random order.

    Args:
        tensors: The content of a safetensors file.

    Returns:
        The same tensors and facts, as the same bytes in every process.

    Example:
        >>> header = b'{"__metadata__":{"b":"1","a":"2"}}'
        >>> sorted_header(len(header).to_bytes(8, "little") + header)[8:]
        b'{"__metadata__":{"a":"2","b":"1"}}      '

    """
    length = int.from_bytes(tensors[:8], "little")
    header = json.loads(tensors[8 : 8 + length])
    # Tensors stay in the order of their places.
    facts = {"__metadata__": dict(sorted(header.pop("__metadata__").items()))} if "__metadata__" in header else {}
    places = sorted(header.items(), key=lambda entry: (entry[1]["data_offsets"], entry[0]))
    text = json.dumps({**facts, **dict(places)}, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + tensors[8 + length :]


def require_writable(target: Target, *, parents: bool = False) -> None:
    """Refuse a target that cannot be written, before any work is done for it; nothing is opened or changed.

    Args:
        target: The path, or the text `-` for standard output.
        parents: Whether directories that are missing will be made.

    Raises:
        OutputError: A directory is missing, is a file or may not be written to; the target is a directory or may not be
            written; links form a loop.

    Example:
        >>> require_writable("missing/model.safetensors")
        Traceback (most recent call last):
        lengthwise.output.OutputError: cannot write missing/model.safetensors: there is no directory missing

    """
    if target == STANDARD_OUTPUT:
        if sys.stdout is None:
            raise OutputError("to standard output", "it is closed")
        return
    with _told(target):
        found = _resolved(target, parents)
        if isinstance(found, int):
            os.fstat(found)
        elif _is_replaced(found):
            _require_access(_nearest(found.parent) if parents else found.parent, os.W_OK | os.X_OK)
        else:
            _require_access(found, os.W_OK)


def is_standard_output(target: Target) -> bool:
    """Whether what is written to the target appears on standard output, so that messages should go elsewhere.

    Args:
        target: The path, or the text `-`.

    Returns:
        True for `-` and for names of the descriptor, such as `/dev/stdout`.

    Example:
        >>> is_standard_output("-"), is_standard_output("model.safetensors")
        (True, False)

    """
    if target == STANDARD_OUTPUT:
        return True
    try:
        return _resolved(target) == 1
    except (OSError, ValueError):
        return False


def synchronise(file: IO[Any]) -> None:
    """Wait until what was written to an open file is on the disk.

    Args:
        file: A file that is open for writing.

    Raises:
        OSError: The disk is full, or gone.

    """
    file.flush()
    os.fsync(file.fileno())


def synchronise_directory(path: Path) -> None:
    """Wait until the names in a directory are on the disk, where systems can do that.

    Args:
        path: The directory.

    Raises:
        OSError: The directory cannot be read.

    """
    if os.name == "posix":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _told(target: Target) -> Iterator[None]:
    """Turn the errors of a disk into one sentence about what was to be written."""
    name = os.fspath(target) or "''"
    try:
        yield
    except OSError as problem:
        raise OutputError(name, _reason(problem)) from None
    except ValueError:  # "embedded null byte", raised by every call that takes a path
        raise OutputError(repr(name), "a path has no null characters") from None


def _reason(problem: OSError) -> str:
    return str(problem.strerror or problem).lower() if problem.errno else str(problem)


def _resolved(target: Target, parents: bool = False) -> Path | int:
    """The path at the end of all symbolic links, which need not exist; or the number of an open descriptor."""
    text = os.fspath(target)
    if not text:
        raise OSError("the name is empty")
    if text.endswith(os.sep):
        raise OSError("a name with a slash at its end is that of a directory; name a file")
    path = Path(text)
    for _ in range(LINKS):
        directory = os.path.realpath(path.parent)
        if (found := DESCRIPTORS.fullmatch(directory)) and path.name.isdecimal():
            # Opened by its name, a file would be written from its start, over what is there already.
            return int(path.name) if found[1] in (None, str(os.getpid())) else path
        if not path.is_symlink():
            if not (parents or os.path.isdir(directory)):
                raise OSError(_missing(path.parent))
            return path
        path = path.parent / os.readlink(path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _missing(directory: Path) -> str:
    """What is wrong with a directory that is none."""
    nearest = _nearest(directory)
    return f"{nearest} is not a directory" if not nearest.is_dir() else f"there is no directory {directory}"


def _nearest(path: Path) -> Path:
    """The directory or file, or the nearest above it that exists."""
    for each in (path, *path.parents):
        with suppress(FileNotFoundError, NotADirectoryError):
            each.stat()
            return each
    return path


def _is_replaced(path: Path) -> bool:
    """Whether there is a regular file at a path, or nothing; False for pipes and devices, an error for the rest."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        raise OSError(_missing(path.parent)) from None
    if stat.S_ISDIR(mode):
        raise OSError("it is a directory; name a file")
    if stat.S_ISSOCK(mode):
        raise OSError("it is a socket")
    if not stat.S_ISREG(mode):
        return False
    if DESCRIPTORS.fullmatch(os.path.realpath(path.parent)):
        return False  # a file that another process has open
    _require_access(path, os.W_OK)
    return True


def _require_access(path: Path, mode: int) -> None:
    """Refuse what this process may not write."""
    if mode & os.X_OK and not path.is_dir():
        raise OSError(f"{path} is not a directory")
    if not os.access(path, mode):
        code = errno.EROFS if _is_read_only(path) else errno.EACCES
        where = f" in the directory {path}" if mode & os.X_OK else ""
        raise OSError(f"{os.strerror(code).lower()}{where}")


def _is_read_only(path: Path) -> bool:
    """Whether a file system may not be written to by anyone."""
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _replace(path: Path, data: bytes, durable: bool) -> None:
    """Write a regular file under another name and give it its own when it is complete."""
    # The name is short and says nothing of the target's, which may be as long as names can be.
    temporary = path.with_name(f".lengthwise-{secrets.token_hex(8)}.new")
    try:
        # "x" follows no link that somebody may have put there, and makes the file as the umask says.
        with open(temporary, "xb") as file:
            _take_over_owner_and_mode(path, temporary)
            file.write(data)
            if durable:
                synchronise(file)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if durable:
        synchronise_directory(path.parent)


def _take_over_owner_and_mode(old: Path, new: Path) -> None:
    """Give a file the owner and the mode of the one that it replaces, if there is one."""
    try:
        before = old.stat()
    except FileNotFoundError:
        return
    mode = stat.S_IMODE(before.st_mode)
    now = new.stat()
    if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.chown(new, before.st_uid, before.st_gid)
        except OSError:
            mode &= 0o777  # rights to act as the owner do not go over to another one
    os.chmod(new, mode)


def _write_to_standard_output(data: bytes) -> None:
    stream = sys.stdout
    if stream is None:
        raise OutputError("to standard output", "it is closed")
    try:
        stream.flush()
        try:
            descriptor = os.dup(stream.fileno())
        except io.UnsupportedOperation:
            _write_to_stand_in(stream, data)
            return
        # Past the stream's own buffer, which would fail once more when Python ends.
        with open(descriptor, "wb") as file:
            file.write(data)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise OutputError("to standard output", _reason(problem)) from None


def _write_to_stand_in(stream: TextIO, data: bytes) -> None:
    """Write to what stands in for standard output in a notebook or a test; some of these take text alone."""
    buffer = getattr(stream, "buffer", None)
    if buffer is not None:
        buffer.write(data)
        buffer.flush()
        return
    try:
        stream.write(data.decode())
    except UnicodeDecodeError:
        raise OutputError("to standard output", "it takes text here, and this is none; name a file") from None


def _flush_streams() -> None:
    """Let what was printed before go before what is written past the streams."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def plain(value: Any) -> Any:
    """The value with null for the numbers that JSON lacks: NaN and the infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value
