"""A program from a file or from the library, whichever the words on a command line mean."""

from __future__ import annotations

import os

from lengthwise.crasp.library.catalogue import get, knows
from lengthwise.crasp.program import Program, parse
from lengthwise.errors import LengthwiseError, UnknownNameError

LARGEST_FILE = 10_000_000
"""The most bytes a program file may have."""


def load(path_or_library_name: str | os.PathLike[str]) -> Program:
    """The program in a file, or the library program of this name.

    A path object is a file. So is text with a slash or a suffix, if that file exists. Text without either is a library
    name first and a file in the current directory only if the library does not know it. The program's title is the text
    as given, so problems are reported as file:line:column.

    Args:
        path_or_library_name: A file, or the name of a library program such as `dyck1` or `d:5`.

    Returns:
        The program.

    Raises:
        LengthwiseError: There is no such file or program, or the file cannot be read.
        ProgramError: The text is not a program; every problem is listed.

    Example:
        >>> load("dyck1").accepts("(())")
        True

    """
    given = os.fspath(path_or_library_name)
    if not isinstance(path_or_library_name, str):
        return _read(given)
    has_slash = any(separator in given for separator in (os.sep, os.altsep) if separator)
    explicit = has_slash or os.path.splitext(given)[1] != ""
    if os.path.exists(given) and (explicit or not knows(given)):
        return _read(given)
    if not knows(given) and (has_slash or given.endswith((".crasp", ".cr"))):
        raise _missing(given)
    try:
        return get(given)
    except UnknownNameError as error:
        raise UnknownNameError(f"there is no file {given!r}, and {error}") from None


def _missing(path: str) -> LengthwiseError:
    return LengthwiseError(
        f"the file {path} does not exist; give the path of a program or the name of a library program"
    )


def _read(path: str) -> Program:
    if os.path.isdir(path):
        raise LengthwiseError(f"{path} is a directory; give the path of a program file in it")
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise LengthwiseError(f"the file {path} cannot be read: {reason}") from None
    if len(content) > LARGEST_FILE:
        raise LengthwiseError(f"the file {path} has more than {LARGEST_FILE} bytes, which no program needs; is it one?")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LengthwiseError(
            f"the file {path} is not UTF-8 text (byte {error.start + 1} is not); save it as UTF-8"
        ) from None
    return parse(text, title=path)
