"""`Study`: everything that is known about a subject, as data, as a page and as files.

Keys of `as_json`: `meaning`, `subject`, `answer`, `verdict`, `example`, `bounds`, `measured`, `outcomes`, `rule`,
`promises`, `settings`, `provenance`, `command`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lengthwise.crasp import Program
from lengthwise.crasp.trace import Trace
from lengthwise.lab.disk import plain
from lengthwise.lab.results import as_bytes, write_results
from lengthwise.regular import Verdict
from lengthwise.report.study import charts
from lengthwise.report.study.answer import answer
from lengthwise.report.study.example import Evaluated, evaluated, shown_program, trace_json, trace_of
from lengthwise.report.study.expectation import USUAL, construction_of
from lengthwise.report.study.measurement import Measurement
from lengthwise.report.study.outcome import BAD, GOOD, Finding, failing
from lengthwise.report.study.promises import Promises, promises
from lengthwise.report.study.subject import Studied
from lengthwise.report.study.training_lengths import TrainingLengths
from lengthwise.report.study.wording import percent

PAGE, DATA = "report.html", "report.json"


@dataclass(frozen=True, eq=False)
class Study:
    """A verdict, bounds and measurements on one subject."""

    subject: Studied
    verdict: Verdict
    bounds: TrainingLengths
    measured: Mapping[str, Measurement]
    """By scheme: `nope`, and some of `ape`, `periodic` and `relative`."""
    findings: Mapping[str, Finding]
    """By scheme: the outcome, and whether it is what the verdict says."""
    provenance: Mapping[str, Any]
    command: str
    """What to type to get the same again."""

    def __repr__(self) -> str:
        told = "; ".join(f"{name}: {each.verdict}, {each.outcome}" for name, each in self.findings.items())
        return f"<Study of {self.subject.title}: {told}>"

    def __str__(self) -> str:
        from lengthwise.report.study.study_text import found_lines, outlook_lines

        expected = outlook_lines(self.subject, self.verdict, self.bounds, self.schemes)
        return "\n".join([*expected, "", *found_lines(self)])

    @property
    def schemes(self) -> tuple[str, ...]:
        """The position schemes that are compared."""
        return tuple(self.findings) or USUAL

    @cached_property
    def answer(self) -> tuple[str, str]:
        """What is to be expected, and what was measured: a sentence each."""
        return answer(self.subject.title, self.verdict, self.schemes, self.measured, self.findings)

    @cached_property
    def promises(self) -> Promises:
        """What the verdict promises, and what it does not."""
        return promises(self.subject.task, self.verdict, self.schemes)

    @property
    def program(self) -> Program | None:
        """A program for the subject, if there is one."""
        return shown_program(self.verdict)

    @cached_property
    def trace(self) -> Trace | None:
        """The program's values on an example."""
        if self.program is None:
            return None
        # A program from a file has the file's path as its title.
        return replace(trace_of(self.program, self.subject.task), title=self.subject.shown)

    @cached_property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """What the limit transformer of the task says on a few words, if there is one."""
        construction = construction_of(self.subject.task)
        return () if construction is None else evaluated(construction, self.subject.task)

    @cached_property
    def rule(self) -> str:
        """How outcomes are judged."""
        first = next(iter(self.measured.values()), None)
        measure, bad = ("accuracy", BAD) if first is None else (first.measure, failing(first))
        return (
            f"The rule looks at the median {measure} over seeds, and at the longest training length N that was "
            f"learned: on inputs of length N itself it is at least {percent(GOOD)}. The models generalize if it is at "
            f"least {percent(GOOD)} at their longest test length, too, and fail if it is at most {percent(bad)} there; "
            "in between it is unclear. If no training length was learned, nothing can be said about longer inputs."
        )

    @cached_property
    def charts(self) -> tuple[charts.Chart, ...]:
        """The charts that the page shows."""
        return charts.charts(self.measured, self.bounds.certified)

    def as_json(self) -> dict[str, Any]:
        """All that the page shows, as plain data with stable keys."""
        task = self.subject.task
        found: dict[str, Any] = plain(
            {
                "meaning": self.subject.subject.meaning,
                "subject": {
                    "text": self.subject.shown,
                    "kind": self.subject.kind,
                    "title": self.subject.title,
                    "description": self.subject.description,
                    "parameters": dict(task.parameters),
                    "alphabet": list(task.alphabet.symbols),
                    "loss": task.loss,
                },
                "answer": list(self.answer),
                "verdict": self.verdict.as_json(),
                "example": {
                    "trace": None if self.trace is None else trace_json(self.trace),
                    "words": [each.as_json() for each in self.evaluated],
                },
                "bounds": self.bounds.as_json(),
                "measured": {scheme: each.as_json() for scheme, each in self.measured.items()},
                "outcomes": {scheme: each.as_json() for scheme, each in self.findings.items()},
                "rule": self.rule,
                "charts": [{"name": each.name, "title": each.title, "text": each.alternative} for each in self.charts],
                "promises": self.promises.as_json(),
                "settings": {
                    each.settings_id: each.settings for scheme in self.measured.values() for each in scheme.trained
                },
                "provenance": dict(self.provenance),
                "command": self.command,
            }
        )
        return found

    def to_html(self) -> str:
        """One self-contained page."""
        from lengthwise.report.study.page import page

        return page(self)

    def _repr_html_(self) -> str:
        from lengthwise.report.study.page import fragment

        return fragment(self)

    def write(self, directory: str | Path, formats: Sequence[str] = ()) -> tuple[str, ...]:
        """Write the page, the data and, in these formats, the charts into a directory; the names of the files."""
        files = {PAGE: self.to_html().encode(), DATA: as_bytes(self.as_json())}
        with tempfile.TemporaryDirectory() as drawn:
            for chart in self.charts:
                for suffix in formats:
                    path = Path(drawn) / f"{chart.name}.{suffix}"
                    charts.write(chart, path)
                    files[path.name] = path.read_bytes()
        write_results(Path(directory), files)
        return tuple(files)
