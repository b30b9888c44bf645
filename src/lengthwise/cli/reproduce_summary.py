"""How `lengthwise reproduce` ends for figures with a summary: their files are written, and what they say is printed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import typer

from lengthwise.cli.reproduce_request import Request
from lengthwise.experiments.results import write_results
from lengthwise.experiments.sweeps.reproduction import obstacle_to_drawing
from lengthwise.runs.store.disk import plain


class Titled(Protocol):
    """A figure file."""

    @property
    def title(self) -> str:
        """What it shows, with the paper and the number."""
        ...


class Summary(Protocol):
    """What the results of a figure say."""

    @property
    def figure(self) -> Titled:
        """What the file of the figure says."""
        ...

    def files(self) -> dict[str, bytes]:
        """All but the drawing."""
        ...

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        ...

    def lines(self) -> Iterator[str]:
        """As text."""
        ...


def show_summary(
    summary: Summary, draw: Callable[[Path], None], request: Request, suffixes: Sequence[str], as_json: bool
) -> None:
    """Write the files of the figure, with drawings if they can be made, and print what they say."""
    files = summary.files()
    if (obstacle := obstacle_to_drawing()) is not None:
        typer.echo(f"{obstacle}; the numbers and the claims are written without the figure", err=True)
    else:
        files |= {f"figure.{suffix}": _drawing(draw, suffix) for suffix in suffixes}
    write_results(request.directory, files)
    if as_json:
        typer.echo(json.dumps(plain(summary.as_json()), ensure_ascii=False, indent=2))
        return
    typer.echo(f"{summary.figure.title} ({request.figure}, preset {request.preset})\n")
    for line in summary.lines():
        typer.echo(line)
    typer.echo(f"\n{request.directory}: {', '.join(files)}")


def _drawing(draw: Callable[[Path], None], suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"figure.{suffix}"
        draw(path)
        return path.read_bytes()
