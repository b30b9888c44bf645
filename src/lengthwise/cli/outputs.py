"""Options that name a file to write: what cannot be written is refused when options are read, before any work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from lengthwise.output import is_standard_output, require_writable


def writable(path: str | None) -> str | None:
    """The value of an option that names a file, or `-` for standard output, if that can be written."""
    if path is not None:
        require_writable(path)
    return path


def writable_figure(path: str | None) -> str | None:
    """The same for a drawing, whose suffix is that of a format."""
    if path is not None:
        from lengthwise.drawing.style import format_of

        format_of(path)
    return writable(path)


def require_results(directory: Path, names: Iterable[str]) -> None:
    """Refuse a directory, which is made when it is needed, in which files of these names cannot be written."""
    for name in names:
        require_writable(directory / name, parents=True)


def beside(path: str | None) -> bool:
    """Whether messages belong to standard error, because a file goes to standard output."""
    return path is not None and is_standard_output(path)


def say(path: str | None, text: str) -> None:
    """Print a message where it does not get into the file."""
    typer.echo(text, err=beside(path))
