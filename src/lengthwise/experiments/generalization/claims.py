"""What Huang et al. say of their Figure 1, judged without allowances: one exception is enough.

1. Every task with a program for its scheme that was learned generalizes.
2. No task without a program for its scheme generalizes.
3. C-RASP errs less often than star-freeness, dot-depth and AC⁰, on the cells about which both say something.

A cell that wants more seeds than there are may still change sides, so claims are open as long as that can matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.experiments.finding import Finding
from lengthwise.experiments.finding import Verdict as Judgement
from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.experiments.generalization.confusion import confusion, same_cells
from lengthwise.experiments.generalization.measured import Measured, Outcome
from lengthwise.experiments.generalization.names import SCHEMES, THEORY, Verdict, named, with_spread
from lengthwise.experiments.generalization.outcomes import Outcomes, chosen
from lengthwise.experiments.generalization.predictors import PREDICTORS
from lengthwise.experiments.generalization.tables import Table

KIND = "generalization"
EXPECTED: dict[Verdict, Outcome] = {"program": "generalizes", "no program": "fails"}
"""What should become of a task that was learned."""


@dataclass(frozen=True)
class Claim:
    """A sentence with the cells that speak for it and against it."""

    text: str
    statistic: str
    cells: tuple[Measured, ...]
    """Those that count."""
    exceptions: tuple[Measured, ...]
    counts: str
    """How often it holds, or who errs how often."""
    value: float
    verdict: Judgement
    remarks: tuple[str, ...]

    def sentences(self) -> tuple[str, ...]:
        """The exceptions by name and whatever else there is to say."""
        return tuple(f"Exception: {_told(each)}." for each in self.exceptions) + self.remarks

    def as_json(self) -> dict[str, Any]:
        """The keys of all findings, and the exceptions."""
        seeds = min((len(each.counted) for each in self.cells), default=0)
        detail = " ".join((f"{self.counts.capitalize()}.", *self.sentences()))
        nothing = math.nan
        finding = Finding(
            self.text, KIND, self.statistic, self.value, nothing, nothing, self.verdict, detail, len(self.cells), seeds
        )
        exceptions = [{"task": each.cell.task, "scheme": each.cell.scheme} for each in self.exceptions]
        return {**finding.as_json(), "exceptions": exceptions}


def claims(outcomes: Outcomes) -> list[Claim]:
    """All claims."""
    found = [_about(outcomes, scheme, said, wanted) for said, wanted in EXPECTED.items() for scheme in outcomes.schemes]
    return found + [_rival(outcomes, rival) for rival in PREDICTORS if rival != THEORY]


def claims_table(found: Sequence[Claim]) -> Table:
    """The claims with their counts, and every exception below."""
    rows = tuple((f"{place}", claim.text, claim.counts, claim.verdict) for place, claim in enumerate(found, start=1))
    remarks = tuple(
        f"Claim {place}. {' '.join(sentences)}"
        for place, claim in enumerate(found, start=1)
        if (sentences := claim.sentences())
    )
    return Table("Claims", ("#", "claim", "counts", "verdict"), rows, remarks)


def _about(outcomes: Outcomes, scheme: Scheme, said: Verdict, wanted: Outcome) -> Claim:
    """What should become of the tasks with a verdict."""
    name = SCHEMES[scheme]
    text = (
        f"Every learned task with a program for {name} generalizes."
        if said == "program"
        else f"No task without a program for {name} generalizes."
    )
    about = chosen(outcomes.judged, scheme, said)
    cells = tuple(each for each in about if each.outcome in ("generalizes", "fails"))
    exceptions = tuple(each for each in cells if each.outcome != wanted)
    open_cells = [each for each in about if _is_open(each)]
    verdict: Judgement = (
        "not reproduced"
        if any(not _is_open(each) for each in exceptions)
        else "undecided"
        if open_cells or not cells
        else "reproduced"
    )
    left_out = [each for each in about if each.outcome == "not learned"]
    remarks = [f"Not learned, and so not counted: {', '.join(map(named, left_out))}."] if left_out else []
    remarks += _about_open(open_cells)
    value = 1 - len(exceptions) / len(cells) if cells else math.nan
    counts = f"holds in {len(cells) - len(exceptions)} of {len(cells)} cells"
    return Claim(text, "share of cells", cells, exceptions, counts, value, verdict, tuple(remarks))


def _rival(outcomes: Outcomes, rival: str) -> Claim:
    """That the theory errs less often than a rival."""
    shared = same_cells([THEORY, rival], outcomes.judged)
    ours, theirs = (confusion(name, shared) for name in (THEORY, rival))
    open_cells = [each for each in shared if _is_open(each)]
    cells = ours.right_yes + ours.wrong_yes + ours.wrong_no + ours.right_no
    told_apart = {*ours.right_yes, *ours.wrong_yes} != {*theirs.right_yes, *theirs.wrong_yes}
    verdict: Judgement = (
        "undecided"
        if open_cells or not told_apart
        else "reproduced"
        if ours.errors < theirs.errors
        else "not reproduced"
    )
    remarks = [] if told_apart else ["Both predict the same for all cells that were learned."]
    counts = f"errors: {ours.errors} against {theirs.errors} in {ours.counted} cells"
    return Claim(
        f"{THEORY} errs less often than {rival}.",
        "difference of error rates",
        cells,
        (),
        counts,
        ours.error_rate - theirs.error_rate,
        verdict,
        (*remarks, *_about_open(open_cells)),
    )


def _told(each: Measured) -> str:
    """A cell with what became of it, and with its model if that is not the paper's."""
    size, published = str(each.cell.size), str(each.cell.published)
    model = f", with {size} in place of {published}" if size != published else ", with other settings than in the paper"
    return f"{named(each)} {each.outcome} at {with_spread(each)} %{model if each.cell.changed else ''}"


def _is_open(each: Measured) -> bool:
    return each.cell.next(list(each.seeds)) is not None


def _about_open(cells: Sequence[Measured]) -> list[str]:
    return [f"Cells that want more seeds than there are: {len(cells)}."] if cells else []
