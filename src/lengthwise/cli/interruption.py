"""Ctrl-C in a command that keeps what is finished: a sentence that says so, and the exit code of an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""
RUNS_KEPT = "finished runs are kept, and the same command goes on from there"
"""What an interruption leaves of runs."""


@contextmanager
def interruptible(kept: str = RUNS_KEPT) -> Iterator[None]:
    """End the command at Ctrl-C and say what is kept; a sweep that was interrupted says it by itself."""
    from lengthwise.runs.sweep import SweepInterruptedError

    try:
        yield
    except SweepInterruptedError as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(INTERRUPTED) from None
    except KeyboardInterrupt:
        typer.echo(f"interrupted: {kept}", err=True)
        raise typer.Exit(INTERRUPTED) from None
