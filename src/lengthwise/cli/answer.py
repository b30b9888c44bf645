"""How verbs answer: text or JSON, beside a file that goes to standard output, and with which exit code they end.

Every object that `--json` prints begins with the version of its keys.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import typer

from lengthwise.cli.exit import ExitCode
from lengthwise.cli.printing import echo
from lengthwise.output import is_standard_output, plain, write_text
from lengthwise.resources import TimeLimitError
from lengthwise.streams import speaks_unicode

if TYPE_CHECKING:
    from lengthwise.regular.proofs import Proof

SCHEMA = 1
"""The version of the keys: raised when a key goes or changes its meaning, not when one is added."""
RUNS_KEPT = "finished runs are kept, and the same command goes on from there"
"""What an interruption leaves of runs."""


class Answer(Protocol):
    """What a public function returns: as text, by `str` or `lines`, and as JSON."""

    def as_json(self) -> Mapping[str, Any]:
        """What `--json` prints."""


def json_text(answer: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """The JSON of a verb's answer, with `"schema"` as its first key.

    Answers that are lists have no place for a version and are printed without one (docs/reference/stability.md).

    Args:
        answer: What the verb found. An answer with a version of its own keeps it. Numbers that JSON cannot express,
            NaN and the infinities, become null.

    Returns:
        Indented JSON.

    Example:
        >>> print(json_text({"equal": True}))
        {
          "schema": 1,
          "equal": true
        }

    """
    found = {"schema": SCHEMA, **plain(answer)} if isinstance(answer, Mapping) else plain(answer)
    return json.dumps(found, ensure_ascii=not speaks_unicode(), indent=2)


def json_line(entry: Any) -> str:
    """Plain data as JSON on one line, in which standard output can encode every character."""
    return json.dumps(entry, ensure_ascii=not speaks_unicode())


def show(
    found: Answer | Sequence[Answer], as_json: bool, *, path: str | None = None, code: ExitCode = ExitCode.DONE
) -> None:
    """Print what a public function found, and end the command with this exit code.

    Args:
        found: The answer, or answers that are printed one after the other and are a list in JSON. An answer with
            `lines` is printed line by line, any other as its `str`.
        as_json: Whether to print JSON.
        path: A file that was written; if that is standard output, the answer goes to standard error.
        code: What the answer means.

    """
    answers = found if isinstance(found, Sequence) else (found,)
    if as_json:
        say(path, json_text([each.as_json() for each in found] if isinstance(found, Sequence) else found.as_json()))
    else:
        for each in answers:
            for line in each.lines() if hasattr(each, "lines") else (str(each),):
                say(path, line)
    if code != ExitCode.DONE:
        raise typer.Exit(code)


@contextmanager
def counted_progress() -> Iterator[Callable[[int, int], None] | None]:
    """What tells on a terminal's standard error how far an enumeration is; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    last = 0.0

    def tell(complexity: int, functions: int) -> None:
        nonlocal last
        if time.monotonic() - last > 0.25:
            last = time.monotonic()
            echo(f"\r\x1b[K{functions:,} functions, complexity {complexity}", err=True, nl=False, colored=True)

    yield tell
    if last:
        echo("\r\x1b[K", err=True, nl=False, colored=True)


def beside(path: str | None) -> bool:
    """Whether messages belong to standard error, because a file goes to standard output."""
    return path is not None and is_standard_output(path)


def say(path: str | None, text: str) -> None:
    """Print a message where it does not get into the file."""
    echo(text, err=beside(path))


def save_proofs(path: str | None, proofs: Iterable[Proof | None]) -> None:
    """Save proofs in a file, if one was asked for; say so where nothing was proved.

    Args:
        path: The file, `-` for standard output, or None.
        proofs: The proofs; None for what was not proved.

    """
    from lengthwise.regular.proofs import proofs_as_json

    if path is None:
        return
    found = [proof for proof in proofs if proof is not None]
    if found:
        write_text(path, proofs_as_json(found))
    else:
        echo(f"nothing was proved, so {path} was not written", err=True)


@contextmanager
def interruptible(kept: str = RUNS_KEPT) -> Iterator[None]:
    """End the command at Ctrl-C or its time limit and say what is kept; an interrupted sweep says it by itself."""
    from lengthwise.runs.sweep import SweepInterruptedError

    try:
        yield
    except SweepInterruptedError as problem:
        echo(str(problem), err=True)
        code = ExitCode.INCOMPLETE if isinstance(problem, TimeLimitError) else ExitCode.INTERRUPTED
        raise typer.Exit(code) from None
    except KeyboardInterrupt:
        echo(f"interrupted: {kept}", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED) from None
