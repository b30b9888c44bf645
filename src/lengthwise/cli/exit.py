"""The one place where the outcome of a command becomes its exit code; docs/reference/exit-codes.md lists them."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import TextIO

import typer

from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError
from lengthwise.user_code import told

DEBUG = "LENGTHWISE_DEBUG"
"""The environment variable that, set to 1, shows the traceback of what was not expected."""
EXTRAS = {
    "torch": "train",
    "pydantic": "train",
    "loky": "train",
    "rich": "train",
    "jinja2": "report",
    "matplotlib": "report",
    "ray": "cluster",
}
"""Packages that some commands need, and the extra that each comes with."""
OF_THE_DISK = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ENAMETOOLONG,
    errno.EMFILE, errno.ENFILE, errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EISDIR,
}  # fmt: skip
"""Errors of files, which are those of a place that the user named."""
UsageError = typer.BadParameter.__mro__[2]
"""What is wrong with options and arguments; typer names this class only by its subclasses."""


class ExitCode(IntEnum):
    """What each code means, in every verb."""

    DONE = 0
    """Done, or yes."""
    NO = 1
    """No, where that is an answer: different, does not hold, nothing found."""
    BAD_INPUT = 2
    """Input that is refused, or an output that cannot be written."""
    INCOMPLETE = 3
    """Some runs failed, or the answer is not known."""
    UNEXPECTED = 70
    """A fault of lengthwise."""
    INTERRUPTED = 130
    """Ctrl-C."""
    CLOSED_PIPE = 141
    """Nobody reads the output any more; nothing is said."""


def ended(act: Callable[[], int]) -> int:
    """Run a command, say in one sentence what went wrong, and return the exit code.

    Args:
        act: The command, which returns its own code.

    Returns:
        The code: an `ExitCode`.

    Example:
        >>> ended(lambda: ExitCode.NO)
        <ExitCode.NO: 1>

    """
    _claim_closed_descriptors()
    try:
        code = act()
    except BaseException as problem:
        code, said = _outcome(problem)
        with suppress(OSError, LengthwiseError):
            if code == ExitCode.UNEXPECTED and os.environ.get(DEBUG) == "1":
                echo("".join(traceback.format_exception(problem)), err=True, nl=False)
            if said:
                echo(said, err=True)
    for stream in (sys.stdout, sys.stderr):
        if (unwritten := _unwritten(stream)) is not None and code in (ExitCode.DONE, ExitCode.NO):
            code, said = _outcome(unwritten)
            with suppress(OSError, LengthwiseError):
                echo(said, err=True)
    return code


def _outcome(problem: BaseException) -> tuple[int, str]:
    """The code of what ended a command, and the sentence about it."""
    if isinstance(problem, typer.Exit):
        return problem.exit_code, ""
    if isinstance(problem, UsageError):
        shown = io.StringIO()
        problem.show(shown)  # type: ignore[attr-defined]
        return ExitCode.BAD_INPUT, shown.getvalue().rstrip("\n") or str(problem)
    if isinstance(problem, LengthwiseError):
        return ExitCode.BAD_INPUT, str(problem)
    if isinstance(problem, BrokenPipeError) or (
        isinstance(problem, SystemExit) and isinstance(problem.__context__, BrokenPipeError)  # as rich prints --help
    ):
        return ExitCode.CLOSED_PIPE, ""
    if isinstance(problem, KeyboardInterrupt):
        return ExitCode.INTERRUPTED, ""
    if isinstance(problem, ModuleNotFoundError) and problem.name in EXTRAS:
        wanted = f"lengthwise[{EXTRAS[problem.name]}]"
        return (
            ExitCode.BAD_INPUT,
            f"this needs {problem.name}, which is not installed; install it with pip install '{wanted}'",
        )
    if isinstance(problem, OSError) and problem.errno in OF_THE_DISK:
        what = "write" if problem.filename is None else f"read or write {problem.filename}"
        return ExitCode.BAD_INPUT, f"cannot {what}: {str(problem.strerror).lower()}"
    if not isinstance(problem, Exception):
        raise problem
    return (
        ExitCode.UNEXPECTED,
        f"lengthwise failed unexpectedly{_place(problem)}: {told(problem)}; this is a fault of lengthwise, "
        f"{DEBUG}=1 shows the traceback",
    )


def _place(problem: Exception) -> str:
    """The last line of ours that an exception went through."""
    ours = Path(__file__).parents[1]
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if ours in Path(each.filename).parents]
    return f" at {Path(frames[-1].filename).relative_to(ours).as_posix()}:{frames[-1].lineno}" if frames else ""


def _unwritten(stream: TextIO | None) -> OSError | None:
    """Why the rest of what was printed cannot be written, if so; it is dropped, or Python would complain at its end."""
    if stream is None:
        return None
    try:
        stream.flush()
    except OSError as problem:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return problem
    except ValueError:  # closed by somebody else in this process
        pass
    return None


def _claim_closed_descriptors() -> None:
    """Open descriptors 0 to 2 on nothing where they are closed, or the first files opened would be taken for them."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDONLY)
