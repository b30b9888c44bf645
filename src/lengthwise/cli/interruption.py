"""Ctrl-C in a command that keeps what is finished: a sentence that says so, and the exit code of an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from lengthwise.cli.train import INTERRUPTED
from lengthwise.lab.sweep import SweepInterruptedError


@contextmanager
def interruptible(kept: str) -> Iterator[None]:
    """End the command at Ctrl-C and say what is kept; a sweep that was interrupted says it by itself."""
    try:
        yield
    except SweepInterruptedError as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(INTERRUPTED) from None
    except KeyboardInterrupt:
        typer.echo(f"interrupted: {kept}", err=True)
        raise typer.Exit(INTERRUPTED) from None
