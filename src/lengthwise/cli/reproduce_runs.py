"""What `lengthwise reproduce` says of figures of runs: which models a store lacks, which failed, and what was made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import typer

from lengthwise.cli.reproduce_request import Request
from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.disk import plain
from lengthwise.runs.store.kept_results import take_over
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Failure

LISTED = 4
"""Missing runs that are named."""


class Made(Protocol):
    """What came of a figure."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What could not be done, in sentences."""
        ...

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        ...


def show_made(made: Made, failed: Sequence[Failure], lines: Iterable[str], as_json: bool) -> None:
    """Print what was made, as JSON or these lines, and end with an error if runs have failed."""
    for remark in made.remarks:
        typer.echo(remark, err=True)
    if as_json:
        failures = [
            {"config": str(each.config), "seeds": list(each.config.seeds), "reason": each.reason} for each in failed
        ]
        typer.echo(json.dumps(plain({**made.as_json(), "failed": failures}), ensure_ascii=False, indent=2))
    else:
        for line in lines:
            typer.echo(line)
    if failed:
        raise typer.Exit(1)


def take_kept(request: Request, name: str, configs: Iterable[RunConfig], store: Store) -> None:
    """Take over the results that were kept of a figure, if there are to be any, and say how many there were."""
    if request.kept is None:
        return
    directory = Path(request.kept) / name / request.preset
    taken = take_over(directory, configs, store)
    other = f"; {taken.other} runs have settings that {name} does not ask for" if taken.other else ""
    typer.echo(f"{directory}: {taken.runs} runs taken over{other}", err=True)


def failure_lines(failed: Sequence[Failure]) -> Iterator[str]:
    """A line for each run that failed."""
    for each in failed:
        yield f"failed: {each.config}, {len(each.config.seeds)} seeds: {each.reason}"


def all_failed(name: str, failed: Sequence[Failure]) -> typer.Exit:
    """Say that there is nothing to show, and why; the end of the command."""
    typer.echo(f"all {len(failed)} runs of {name} failed, the first as follows: {failed[0].reason}", err=True)
    return typer.Exit(1)


def shortened(names: Sequence[str], what: str) -> str:
    """The first names of a list, and how many there are beyond."""
    more = [f"{len(names) - LISTED} more {what}"] if len(names) > LISTED else []
    return ", ".join([*names[:LISTED], *more])


def tell_lacking(lacking: str, something: bool) -> None:
    """Say what a store lacks, which is an error unless it has something to show."""
    if not something:
        raise LengthwiseError(f"{lacking}, which is all of them; without --no-train they are trained")
    typer.echo(f"{lacking}; what is there is shown", err=True)
