"""Python files of users: loaded by their path, and blamed for their faults with file and line, never a traceback."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
import traceback
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = __name__.partition(".")[0]
PREFIX = "lengthwise_predicate_"
"""What the names of modules begin with that were loaded by their path."""
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+:[A-Za-z_]\w*")
"""How a name in a package is written; the dot tells it from the name of a subject."""
MOST_SHOWN = 200
"""Characters of a message of the user's that are repeated."""

_being_loaded: ContextVar[frozenset[str]] = ContextVar("being_loaded", default=frozenset())


class UserCodeError(LengthwiseError):
    """Code of a user cannot be loaded, raised an exception, or returned the wrong thing."""


def file_and_name(text: str) -> tuple[str, str] | None:
    """Split text of the form `FILE.py:NAME`.

    Args:
        text: Any text.

    Returns:
        The file and the name, or None if the text does not have this form.

    Example:
        >>> file_and_name("languages/mine.py:balanced"), file_and_name("(ab)*")
        (('languages/mine.py', 'balanced'), None)

    """
    file, _, name = text.rpartition(":")
    return (file, name) if file.lower().endswith(".py") and name.isidentifier() else None


def is_dotted(text: str) -> bool:
    """Whether a text has the form `package.module:Name`.

    Args:
        text: Any text.

    Returns:
        True if it has.

    Example:
        >>> is_dotted("package.module:Name"), is_dotted("scattered:ab")
        (True, False)

    """
    return DOTTED.fullmatch(text) is not None


def imported_object(text: str) -> Any:
    """What stands under a name of a module; one that is not installed is looked for where we are.

    Args:
        text: Such as `package.module:Name`.

    Returns:
        The class, function or object.

    Raises:
        UserCodeError: The module cannot be imported, or has no such name.

    """
    module, _, name = text.partition(":")
    here = os.getcwd()
    sys.path.append(here)
    try:
        found = importlib.import_module(module)
    except LengthwiseError:
        raise
    except (Exception, SystemExit) as problem:
        raise UserCodeError(f"the module {module} cannot be imported: {told(problem)}") from None
    finally:
        sys.path.remove(here)
    if not hasattr(found, name):
        raise UserCodeError(f"the module {module} has no {name!r}")
    return getattr(found, name)


def module_title(file: str) -> str:
    """The name that a file has as a module; files of one name in two directories have two."""
    path = os.path.abspath(file)
    digest = hashlib.sha256(path.encode()).hexdigest()[:8]
    return f"{PREFIX}{os.path.splitext(os.path.basename(path))[0]}_{digest}"


def load_module(file: str) -> ModuleType:
    """Run a Python file as a module of its own; modules beside it can be imported by it.

    Args:
        file: The path, which must exist.

    Returns:
        The module.

    Raises:
        UserCodeError: The file loads itself, or running it fails; with its file and line.

    """
    path = os.path.abspath(file)
    title = module_title(path)
    if path in _being_loaded.get():
        raise UserCodeError(
            f'{file} uses a task of its own while it is loaded; put what it runs behind if __name__ == "__main__":'
        )
    spec = importlib.util.spec_from_file_location(title, path)
    if spec is None or spec.loader is None:
        raise UserCodeError(f"the file {file} cannot be loaded as Python; give a file whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    directory, writes = os.path.dirname(path), sys.dont_write_bytecode
    # Behind all others, so that a file of the user cannot take the place of a module of Python.
    sys.path.append(directory)
    sys.modules[title], sys.dont_write_bytecode = module, True
    token = _being_loaded.set(_being_loaded.get() | {path})
    try:
        spec.loader.exec_module(module)
    except UserCodeError:  # says what, and where
        del sys.modules[title]
        raise
    except LengthwiseError as error:  # about what the file gave us
        del sys.modules[title]
        raise UserCodeError(f"{place(error, path, file)}: {' '.join(str(error).split())}") from None
    except (Exception, SystemExit) as error:
        del sys.modules[title]
        raise UserCodeError(f"{place(error, path, file)}: loading this file raised {told(error)}") from None
    finally:
        _being_loaded.reset(token)
        sys.dont_write_bytecode = writes
        if directory in sys.path:
            del sys.path[len(sys.path) - 1 - sys.path[::-1].index(directory)]
    return module


def place(error: BaseException, path: str, shown: str, line: int | None = None) -> str:
    """The last line of the user's file that an exception went through, as `file:line`."""
    if isinstance(error, SyntaxError) and error.filename == path and error.lineno:
        return f"{shown}:{error.lineno}"
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
    found = lines[-1] if lines else line
    return shown if found is None else f"{shown}:{found}"


def told(error: BaseException) -> str:
    """An exception in one line."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}"
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    text = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def is_ours(thing: object) -> bool:
    """Whether a class, function or object is of this package, and not a user's."""
    module = getattr(thing, "__module__", None) or ""
    return str(module).partition(".")[0] == PACKAGE


def source_file(thing: Any) -> str | None:
    """The file that defines a class or function, or the class of an object; None if there is none."""
    try:
        found = inspect.getsourcefile(thing if hasattr(thing, "__qualname__") else type(thing))
    except (TypeError, OSError):
        return None
    return found if found is not None and os.path.isfile(found) else None


def shown_path(path: str) -> str:
    """A path from where we are, if it is below that; else as it is."""
    whole = os.path.abspath(path)
    return os.path.relpath(whole) if whole.startswith(os.getcwd() + os.sep) else path


@contextmanager
def blaming(path: str | None, what: str) -> Iterator[None]:
    """Tell an exception of the user's code in one sentence.

    Args:
        path: The user's file; None if there is none.
        what: The call, such as `Mine.sample(8, 64, rng)`.

    Raises:
        UserCodeError: An exception, with the file and the line in it. Our own errors pass.

    """
    try:
        yield
    except LengthwiseError:
        raise
    except (Exception, SystemExit) as error:
        where = "" if path is None else f"{place(error, path, shown_path(path))}: "
        raise UserCodeError(f"{where}{what} raised {told(error)}") from error


@contextmanager
def blaming_whose_it_is() -> Iterator[None]:
    """Tell an exception that comes out of a user's file in one sentence, whatever called it.

    Raises:
        UserCodeError: An exception that was raised in a file which is neither ours nor installed, with its line.
            All others pass, and so does a want of memory, which is no fault of a line.

    """
    try:
        yield
    except (LengthwiseError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        file, line = next((each for each in reversed(frames) if not _is_installed(each[0])), (None, 0))
        if file is None:
            raise
        raise UserCodeError(f"{shown_path(file)}:{line}: {told(error)}") from error


def _is_installed(file: str) -> bool:
    """Whether a file is ours, one of Python or of a package, or no file at all."""
    places = [os.path.dirname(os.path.abspath(__file__)), *(sysconfig.get_path(each) for each in _INSTALLED)]
    return not os.path.isfile(file) or any(os.path.abspath(file).startswith(each + os.sep) for each in places)


_INSTALLED = ("stdlib", "platstdlib", "purelib", "platlib")
