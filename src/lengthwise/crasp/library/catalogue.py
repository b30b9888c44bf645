"""What the library holds, by name: one `.crasp` file for each fixed program, and families with a parameter.

A fixed program is added by adding its file: the first line, a comment, says in one line which language it is.

`load` takes a program from a file or from the library, whichever the words on a command line mean.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources

from lengthwise.crasp.library import generators
from lengthwise.crasp.program import Program, parse
from lengthwise.errors import LengthwiseError, UnknownNameError

MOST_NUMBERS = 1000
"""The most numbers `sort:N` sorts; its program grows with N."""


@dataclass(frozen=True)
class Family:
    """Programs that differ in one parameter, written after a colon."""

    parameter: str
    """What the parameter is called in the form of the name."""
    example: str
    default: str | None
    """The parameter of the bare name; None if there is no bare name."""
    make: Callable[[str], Program]
    describe: Callable[[str], str]


def _number(text: str, example: str) -> int:
    if not re.fullmatch("[0-9]{1,100}", text):
        raise LengthwiseError(f"a whole number belongs behind the colon, as in {example}, not {text!r}")
    return int(text)


def _numbers(text: str) -> list[str]:
    most = _number(text, "sort:9")
    if not 1 <= most <= MOST_NUMBERS:
        raise LengthwiseError(f"sort:N sorts the numbers 1 to N, for an N from 1 to {MOST_NUMBERS}, not {most}")
    return [str(number) for number in range(1, most + 1)]


FAMILIES: dict[str, Family] = {
    "d": Family(
        "N", "d:5", None,
        lambda n: generators.bounded_dyck(_number(n, "d:5")),
        lambda n: f"D_{n}: the words of matching brackets a (opening) and b (closing), nested at most {n} deep",
    ),
    "majority-interleave": Family(
        "TRACKS", "majority-interleave:5", "3",
        lambda tracks: generators.majority_interleave(_number(tracks, "majority-interleave:5")),
        lambda tracks: f"the words over {{0, 1}} of {tracks} interleaved tracks, each with at least as many 1s as 0s",
    ),
    "scattered": Family(
        "WORD", "scattered:abab", None,
        generators.scattered,
        lambda word: f"the words that contain {word} as a scattered subsequence",
    ),
    "piecewise": Family(
        "FORMULA", "piecewise:ab & !ba | c", None,
        generators.piecewise,
        lambda formula: f"the words with these scattered subsequences: {formula}",
    ),
    "induction-argmax": Family(
        "SYMBOLS", "induction-argmax:abcd", "abc",
        generators.induction_argmax,
        lambda symbols: f"predicts what followed most often on the current symbol, over the alphabet {symbols}",
    ),
    "induction-all": Family(
        "SYMBOLS", "induction-all:abcd", "abc",
        generators.induction_all,
        lambda symbols: f"predicts all that ever followed on the current symbol, over the alphabet {symbols}",
    ),
    "unique-copy": Family(
        "SYMBOLS", "unique-copy:abcd", "abc",
        generators.unique_copy,
        lambda symbols: f"predicts, after #x#, the symbols of x and then #, for x of distinct letters among {symbols}",
    ),
    "sort": Family(
        "N", "sort:9", "5",
        lambda n: generators.sort(_numbers(n)),
        lambda n: f"predicts, after x SEP, the sorted x and then END, for words x of the numbers 1 to {n}",
    ),
}  # fmt: skip

_LISTED = ("d2", "d3", "d4", "d12", *(name for name, family in FAMILIES.items() if family.default is not None))
_SUFFIX = ".crasp"


@cache
def _fixed() -> tuple[str, ...]:
    files = resources.files(__package__).iterdir()
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX)))


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name + _SUFFIX).read_text(encoding="utf-8")


def _family(name: str) -> tuple[Family, str]:
    """The family a name belongs to, and its parameter."""
    if short := re.fullmatch("d([0-9]+)", name):
        return FAMILIES["d"], short[1]
    head, colon, parameter = name.partition(":")
    if head not in FAMILIES:
        raise UnknownNameError(_unknown(name))
    family = FAMILIES[head]
    if colon:
        return family, parameter
    if family.default is None:
        raise LengthwiseError(f"{name} needs a parameter behind a colon, as in {family.example}")
    return family, family.default


def names() -> tuple[str, ...]:
    """The names of the library's programs; `forms` adds those with a parameter.

    Returns:
        The names, sorted.

    Example:
        >>> "dyck1" in names()
        True

    """
    return (*_fixed(), *_LISTED)


def described() -> dict[str, str]:
    """Return one line about each library program, and below them about the families that take a parameter.

    Returns:
        The descriptions by name; a family's name has the parameter after a colon, as in `d:N`.

    Example:
        >>> described()["majority"]
        'the words over {0, 1} with at least as many 1s as 0s'

    """
    return {name: describe(name) for name in names()} | forms()


def forms() -> dict[str, str]:
    """How names with a parameter are written, such as `d:N`, each with one line on what it stands for.

    Returns:
        For each family the form of its names, and one line about it.

    Example:
        >>> "d:N" in forms()
        True

    """
    return {f"{head}:{family.parameter}": family.describe(family.parameter) for head, family in FAMILIES.items()}


def knows(name: str) -> bool:
    """Whether a name is meant for the library: that of a fixed program, or of a family, whatever its parameter."""
    return name in _fixed() or name.partition(":")[0] in FAMILIES or re.fullmatch("d[0-9]+", name) is not None


@lru_cache(maxsize=64)
def get(name: str) -> Program:
    """The program of this name, which is also its title.

    Args:
        name: The name of a library program, such as `dyck1` or `d:5`.

    Returns:
        The program.

    Example:
        >>> get("majority").accepts("011")
        True

    """
    if name in _fixed():
        return parse(_text(name), title=name)
    family, parameter = _family(name)
    return replace(family.make(parameter), title=name)


def describe(name: str) -> str:
    """One line: the language the program of this name accepts, or what it predicts.

    Args:
        name: The name of a library program.

    Returns:
        One line about it.

    Example:
        >>> describe("d:2")
        'D_2: the words of matching brackets a (opening) and b (closing), nested at most 2 deep'

    """
    if name in _fixed():
        return _text(name).splitlines()[0].removeprefix("//").strip()
    family, parameter = _family(name)
    get(name)  # refuses a parameter for which there is no program
    return family.describe(parameter)


def _unknown(name: str) -> str:
    known = (*names(), *(family.example for family in FAMILIES.values()))
    near = difflib.get_close_matches(name.lower(), known)
    if near:
        return f"there is no library program {name!r}; did you mean {' or '.join(near)}?"
    return f"there is no library program {name!r}; there are {', '.join(known)}"


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
