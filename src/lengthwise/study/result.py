"""`Study`: everything that is known about a subject, as data, as a page and as files.

Keys of `as_json`: `schema`, `meaning`, `subject`, `request`, `answer`, `verdict`, `example`, `bounds`,
`published`, `plan`, `measured`, `outcomes`, `rule`, `charts`, `promises`, `settings`, `provenance`, `command`; and
`scored`, if models were given.

As text, as the command line prints it, it says how the subject was read, what to expect, and what was measured.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.crasp import Program
from lengthwise.crasp.showing.trace import Trace
from lengthwise.experiments.results import as_bytes, write_results
from lengthwise.output import plain
from lengthwise.regular import Verdict
from lengthwise.runs.sweep import Failure
from lengthwise.study.answer import StudyAnswer, expected_sentence, how_far_told, study_answer
from lengthwise.study.example import Evaluated, evaluated, shown_program, trace_json, trace_of
from lengthwise.study.expectation import Promises, construction_of, expected, promises
from lengthwise.study.measurement import HOLDS, Measurement, Mistake
from lengthwise.study.outcome import BAD, GOOD, Finding, decisive, failing
from lengthwise.study.plan import Plan
from lengthwise.study.protocol import LEARNED
from lengthwise.study.published_beside import published_beside
from lengthwise.study.schemes import Scheme
from lengthwise.study.scored import ScoredModel
from lengthwise.study.subject import Studied
from lengthwise.study.training_lengths import TrainingLengths
from lengthwise.study.wording import percent

if TYPE_CHECKING:
    from lengthwise.study.conduct import Outlook
    from lengthwise.study.page.charts import Chart


def outlook_lines(known: Outlook, schemes: Sequence[Scheme]) -> Iterator[str]:
    """How the subject was read, the verdict and the bounds, in a few lines."""
    yield known.subject.subject.meaning
    yield expected_sentence(known.subject.title, known.verdict, schemes)
    yield ""
    width = max(len(scheme.name) for scheme in schemes)
    for scheme in schemes:
        answer = expected(known.verdict, scheme.key)
        yield f"{scheme.name:{width}}  {answer.kind:7}  {answer.reason}"
    for each in known.bounds.lengths:
        yield f"training length  {each.shown:>18}  {each.label}"
    if known.bounds.why_not:
        yield f"training lengths: {known.bounds.why_not[0].lower()}{known.bounds.why_not[1:]}"


def found_lines(study: Study) -> Iterator[str]:
    """The headline, what was measured, and whether it agrees."""
    yield study.answer.headline
    yield ""
    for each in study.findings.values():
        told = f"; {how_far_told(each)}" if each.learned else ""
        yield f"{each.name}: {each.outcome}{told}"
        yield f"  {each.why}"
        yield f"  {each.agreement}: {each.explanation}"
    for model in study.scored:
        yield model.sentence
    for sentence in study.left_out:
        yield f"left out: {sentence}"


SCHEMA = 2
"""Of `report.json`."""
PAGE, DATA = "report.html", "report.json"


@dataclass(frozen=True, eq=False)
class Study:
    """A verdict, bounds and measurements on one subject."""

    subject: Studied
    verdict: Verdict
    bounds: TrainingLengths
    plan: Plan
    measured: Mapping[str, Measurement]
    """By scheme: `nope`, `ape`, `rope`, …."""
    findings: Mapping[str, Finding]
    """By scheme: the outcome, and whether it is what the verdict says."""
    left_out: tuple[str, ...]
    """What there was no time for, in sentences."""
    provenance: Mapping[str, Any]
    command: str
    """What to type to get the same again."""
    failed: tuple[Failure, ...] = ()
    """Runs that could not be made when the study was made."""
    problems: tuple[str, ...] = ()
    """Damaged runs in the store, in sentences."""
    scored: tuple[ScoredModel, ...] = ()
    """Models that were given, and not trained here."""

    def __repr__(self) -> str:
        told = "; ".join(f"{name}: {each.verdict}, {each.outcome}" for name, each in self.findings.items())
        return f"<Study of {self.subject.title}: {told}>"

    def __str__(self) -> str:
        from lengthwise.study.conduct import Outlook

        expected = outlook_lines(Outlook(self.subject, self.verdict, self.bounds), self.schemes)
        return "\n".join([*expected, "", *found_lines(self)])

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """The position schemes that are compared."""
        return self.plan.schemes

    @cached_property
    def answer(self) -> StudyAnswer:
        """The headline, what is to be expected, and what was measured."""
        return study_answer(self.subject.title, self.verdict, self.plan.lengths.target, self.measured, self.findings)

    @cached_property
    def promises(self) -> Promises:
        """What the verdict promises, and what it does not."""
        return promises(self.subject.task, self.verdict, [scheme.key for scheme in self.schemes])

    @property
    def program(self) -> Program | None:
        """A program for the subject, if there is one."""
        return shown_program(self.verdict)

    @cached_property
    def trace(self) -> Trace | None:
        """The program's values on an example."""
        found = None if self.program is None else trace_of(self.program, self.subject.task)
        # A program from a file has the file's path as its title.
        return None if found is None else replace(found, title=self.subject.shown)

    @cached_property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """What the limit transformer of the task says on a few words, if there is one."""
        construction = construction_of(self.subject.task)
        return () if construction is None else evaluated(construction, self.subject.task)

    @cached_property
    def mistakes(self) -> dict[str, Mistake]:
        """By scheme: a long word on which a model errs, of the training length that counts; as far as there are any."""
        found = {scheme: decisive(each) for scheme, each in self.measured.items()}
        return {scheme: each.mistake for scheme, each in found.items() if each is not None and each.mistake is not None}

    @cached_property
    def published(self) -> dict[str, Any]:
        """What published runs say: `runs` of the same task, and `in_practice`, sentences on the same verdicts."""
        return published_beside(self.subject, self.verdict)

    @cached_property
    def rule(self) -> str:
        """How outcomes are judged."""
        first = next(iter(self.measured.values()), None)
        measure, bad, least = ("accuracy", BAD, LEARNED)
        if first is not None:
            measure, bad = first.measure, failing(first)
            least = first.trained[0].least if first.trained else LEARNED
        return (
            f"The rule looks at the median {measure} over seeds, and at the longest training length N that was "
            f"learned: at least {percent(least)} on words of training lengths. The models generalize if it is at least "
            f"{percent(GOOD)} at 2N, where Theorem 7 of Huang et al. speaks; they fail if it is less there and at most "
            f"{percent(bad)} at 3N; otherwise it is undecided. How far: the longest test length up to which it is at "
            f"least {percent(HOLDS)}. A test length stands for all lengths above the one before it."
        )

    @cached_property
    def charts(self) -> tuple[Chart, ...]:
        """The charts that the page shows and that can be written as files."""
        from lengthwise.study.page.charts import charts

        return charts(self)

    def as_json(self) -> dict[str, Any]:
        """All that the page shows, as plain data with stable keys."""
        task = self.subject.task
        found: dict[str, Any] = plain(
            {
                "schema": SCHEMA,
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
                "request": self.plan.request.as_json(),
                "answer": self.answer.as_json(),
                "verdict": self.verdict.as_json(),
                "example": {
                    "trace": None if self.trace is None else trace_json(self.trace),
                    "words": [each.as_json() for each in self.evaluated],
                },
                "bounds": self.bounds.as_json(),
                "published": self.published,
                "plan": {
                    "train_lengths": sorted(self.plan.lengths.train),
                    "target_length": self.plan.lengths.target,
                    "test_lengths": [*self.plan.lengths.near, *self.plan.lengths.far],
                    "ladder": [str(rung) for rung in self.plan.ladder],
                    "left_out": list(self.left_out),
                    "skipped_schemes": dict(self.plan.skipped),
                    "dropped_lengths": list(self.plan.lengths.dropped),
                },
                "measured": {scheme: each.as_json() for scheme, each in self.measured.items()},
                "outcomes": {scheme: each.as_json() for scheme, each in self.findings.items()},
                "rule": self.rule,
                "charts": [{"name": each.name, "title": each.title, "text": each.alternative} for each in self.charts],
                "promises": self.promises.as_json(),
                "settings": {
                    each.settings_id: each.settings for scheme in self.measured.values() for each in scheme.attempts
                },
                "provenance": dict(self.provenance),
                "command": self.command,
            }
        )
        # Only where there are some, so that reports of other studies stay as they are.
        return {**found, "scored": plain([each.as_json() for each in self.scored])} if self.scored else found

    def to_html(self) -> str:
        """One self-contained page."""
        from lengthwise.study.page import page

        return page(self)

    def _repr_html_(self) -> str:
        from lengthwise.study.page import fragment

        return fragment(self)

    def write(self, directory: str | Path, formats: Sequence[str] = ()) -> tuple[str, ...]:
        """Write the page, the data and, in these formats, the charts into a directory.

        Args:
            directory: Where to; it is made if it is not there.
            formats: Some of `svg`, `pdf` and `png`, for the charts.

        Returns:
            The names of the files.

        """
        from lengthwise.study.page.charts import write

        files = {PAGE: self.to_html().encode(), DATA: as_bytes(self.as_json())}
        with tempfile.TemporaryDirectory() as drawn:
            for chart in self.charts:
                for suffix in formats:
                    path = Path(drawn) / f"{chart.name}.{suffix}"
                    write(chart, path)
                    files[path.name] = path.read_bytes()
        write_results(Path(directory), files)
        return tuple(files)
