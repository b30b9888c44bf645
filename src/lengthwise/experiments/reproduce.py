"""`reproduce`: a figure or table of a paper, from computation, whichever kind of experiment it is.

What is finished is kept in a store and never computed again: the same call again goes on after Ctrl-C or a kill, and
writes the same files.

    figure.svg, figure.png    the drawing
    results.csv               every number that was measured
    claims.json               the findings on the claims of the paper
    provenance.json           what the numbers were computed with, and the command that makes all of this again
    timings.json              how long that took, the one file that differs each time

Some kinds write more (`Experiment.tables`).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.drawing.style import obstacle_to_drawing, read_formats, require_drawable
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import TABLES, find
from lengthwise.experiments.experiment import Report
from lengthwise.experiments.paper_tables import PaperTable
from lengthwise.experiments.results import as_bytes, write_results
from lengthwise.output import plain, require_writable
from lengthwise.resources import TimeLimitError, time_limit
from lengthwise.runs.config import ConfigError
from lengthwise.runs.engines.engine import get_engine
from lengthwise.runs.store.disk import writing
from lengthwise.runs.store.kept_results import TIMINGS
from lengthwise.runs.sweep import Failure, SweepInterruptedError, kept_at_the_end
from lengthwise.streams import escaped

PRESET = "quick"
STORE = "lengthwise-runs"
OUT = "lengthwise-results"
ENGINE = "local"
DRAWN = ("svg", "png")
"""The formats of drawings, if nothing else is asked for."""


class NothingMadeError(LengthwiseError):
    """All that was to be computed failed."""


def tell(text: str) -> None:
    """Print a remark where it is not taken for a result."""
    print(escaped(text), file=sys.stderr)


@dataclass(frozen=True)
class Reproduction:
    """What came of a figure, and the files that tell it."""

    report: Report
    directory: Path
    files: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    """What could not be done, in sentences."""
    failed: tuple[Failure, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data with stable keys."""
        written = {
            "files": [str(self.directory / name) for name in self.files],
            "remarks": list(self.remarks),
            "failed": [
                {"config": str(each.config), "seeds": list(each.config.seeds), "reason": each.reason}
                for each in self.failed
            ],
        }
        data: dict[str, Any] = plain({**self.report.as_json(), "timings": self.report.timings, **written})
        return data

    def lines(self) -> Iterator[str]:
        """As text: what was computed, what the results say, and which files were written."""
        facts = self.report.facts
        yield f"{facts['title']} ({facts['figure']}, preset {facts['preset']})"
        yield from self.report.counts()
        yield from (f"failed: {each.config}, {len(each.config.seeds)} seeds: {each.reason}" for each in self.failed)
        yield from self.report.lines()
        yield f"{self.directory}: {', '.join(self.files)}"


def reproduce(
    figure: str,
    preset: str | None = None,
    *,
    store: str | Path | None = None,
    out: str | Path | None = None,
    formats: Sequence[str] | None = None,
    train: bool = True,
    engine: str | None = None,
    processes: int | None = None,
    address: str | None = None,
    device: str | None = None,
    kept: str | Path | None = None,
    seconds: float | None = None,
    tell: Callable[[str], None] = tell,
) -> Reproduction | PaperTable:
    """Compute what is missing of a figure, judge the claims of the paper, and write the files.

    Args:
        figure: A name of `lengthwise figures`, or the path of a figure file of one's own.
        preset: How much is computed; `quick` by default.
        store: The directory in which everything that is computed is kept; `lengthwise-runs` by default.
        out: Files go to `out`/<figure>/<preset>; `lengthwise-results` by default.
        formats: Of drawings: svg, png, pdf; the first two by default.
        train: Whether to compute what is missing; else what the store has is shown.
        engine: Where it is computed: `local` by default, serial or ray.
        processes: How many cells or runs are computed at once.
        address: Of a Ray cluster.
        device: What models are trained on: cpu, cuda or auto.
        kept: A directory with files of earlier calls, <kept>/<figure>/<preset>, whose results are not computed again.
        seconds: After how long to stop training, as Ctrl-C does; None for no limit.
        tell: What is done with remarks; they are printed on standard error.

    Returns:
        The report, the names of the files, and the runs that failed. For a table nothing is trained or written: with a
        store it is set beside what was measured, else it takes no options.

    Raises:
        LengthwiseError: There is no such figure or preset, its file has a mistake, nothing is there to be shown, or
            something cannot be written.
        NothingMadeError: All runs failed.
        SweepInterruptedError: It was ended by Ctrl-C, or by `seconds` (`SweepTimeLimitError`); what is finished is
            kept.

    Example:
        >>> reproduce("huang-table3").as_json()["title"]
        'Huang et al., Table 3: C-RASP expressiveness of algorithmic tasks'

    """
    if figure in TABLES:
        given = {
            "--preset": preset, "--store": store, "--out": out, "--format": formats, "--no-train": not train or None,
            "--engine": engine, "--processes": processes, "--address": address, "--device": device, "--kept": kept,
            "--seconds": seconds,
        }  # fmt: skip
        return _table(figure, {name: value for name, value in given.items() if value is not None})
    deadline = time_limit(seconds)
    suffixes, preset = read_formats(formats or DRAWN), preset or PRESET
    experiment = find(figure, device)
    directory, kept_in = _directory(out or OUT, experiment.name, preset), Path(store or STORE)
    if obstacle_to_drawing() is None:
        require_drawable(experiment.figure.model_dump())
    experiment.require_sound(preset)
    tables = (
        *experiment.tables,
        "claims.json",
        "provenance.json",
        TIMINGS,
        *(f"figure.{suffix}" for suffix in suffixes),
    )
    for name in tables:
        require_writable(directory / name, parents=True)
    try:
        if kept is not None:
            tell(experiment.take_over(preset, kept_in, Path(kept) / experiment.name / preset))
        failed: tuple[Failure, ...] = ()
        if train:
            with deadline.in_force():
                failed = tuple(experiment.train(preset, kept_in, get_engine(engine or ENGINE, processes, address)))
        lacking = experiment.lacking(preset, kept_in)
        if failed and any(each.everything for each in lacking):
            told = f"all {len(failed)} runs of {experiment.name} failed, the first as follows"
            raise NothingMadeError(f"{told}: {failed[0].reason}")
        for each in lacking if not failed else ():
            if each.everything:
                raise LengthwiseError(f"{each.text}; without --no-train they are {experiment.made}")
            tell(f"{each.text}; what is there is shown")
        for damage in experiment.problems(kept_in):
            tell(damage)
        report = experiment.report(preset, kept_in)
        files, remarks = _files(report, suffixes)
    except SweepInterruptedError:
        raise
    except (KeyboardInterrupt, TimeLimitError) as problem:
        raise kept_at_the_end(problem, experiment.keeps) from None
    write_results(directory, files)
    for remark in remarks:
        tell(remark)
    return Reproduction(report, directory, tuple(files), remarks, tuple(failed))


def _table(name: str, given: Mapping[str, Any]) -> PaperTable:
    """A table, which is set beside what was measured in a preset of the experiments if there is a store."""
    taken = {"--store", "--preset"} if "--store" in given else set()
    if refused := [option for option in given if option not in taken]:
        raise LengthwiseError(f"{name} is a table, for which nothing is trained; leave {', '.join(refused)} out")
    return PaperTable(name, Path(given["--store"]) if given else None, given.get("--preset", PRESET))


def _files(report: Report, suffixes: Sequence[str]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The content of all files, and what is to be said about those that are not there."""
    files = {**report.tables(), "claims.json": as_bytes(report.claims)}
    drawings, remarks = report.drawings, []
    if drawings and (obstacle := obstacle_to_drawing()) is not None:
        drawings, remarks = {}, [f"{obstacle}; the numbers and the claims are written without the figure"]
    with writing("the figure"), tempfile.TemporaryDirectory() as directory:
        for name, draw in drawings.items():
            for suffix in suffixes:
                path = Path(directory) / f"{name}.{suffix}"
                draw(path)
                files[path.name] = path.read_bytes()
    origin = {"provenance.json": as_bytes(report.provenance), TIMINGS: as_bytes(report.timings)}
    return {**files, **origin}, tuple(remarks)


def _directory(out: str | Path, *parts: str) -> Path:
    for part in parts:
        if Path(part).name != part:
            raise ConfigError(
                f"results are kept in a directory with the name {part!r}, which is no name of a directory"
            )
    return Path(out).joinpath(*parts)
