"""Verdict against outcome in tables: a count for each scheme, the disagreements, rival predictors, and every cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from lengthwise.experiments.generalization.confusion import THRESHOLDS, Confusion, confusion, same_cells
from lengthwise.experiments.generalization.measured import GENERALIZES, LEARNED, NEARLY, Measured
from lengthwise.experiments.generalization.names import (
    SCHEMES,
    THEORY,
    VERDICTS,
    from_to,
    label,
    named,
    percent,
    title,
    verdict,
    with_spread,
)
from lengthwise.experiments.generalization.outcomes import OUTCOMES, Outcomes, chosen
from lengthwise.experiments.generalization.predictors import PREDICTORS


@dataclass(frozen=True)
class Table:
    """A table under a heading."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    """Sentences below the table, or in place of it if there are no rows."""

    def text(self) -> str:
        """With aligned columns."""
        lines = [self.title]
        if self.rows:
            widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
            for row in (self.header, tuple("-" * width for width in widths), *self.rows):
                entries = (entry.ljust(width) for entry, width in zip(row, widths, strict=True))
                lines.append(f"  {'  '.join(entries)}".rstrip())
        return "\n".join([*lines, *(f"  {remark}" for remark in self.remarks)])

    def markdown(self) -> str:
        """Under a heading of the second level."""
        lines = [f"## {self.title}", ""]
        if self.rows:
            lines += [_row(self.header), _row(["---"] * len(self.header)), *map(_row, self.rows), ""]
        if self.remarks:
            lines += [*(f"- {_escaped(remark)}" for remark in self.remarks), ""]
        return "\n".join(lines)


def _row(entries: Iterable[str]) -> str:
    return f"| {' | '.join(map(_escaped, entries))} |"


def _escaped(text: str) -> str:
    """The text without what Markdown would take for a column, emphasis or a tag."""
    for sign in ("|", "*", "<"):
        text = text.replace(sign, f"\\{sign}")
    return text


def tables(outcomes: Outcomes) -> list[Table]:
    """All tables but that of the claims."""
    return [
        verdict_against_outcome(outcomes),
        disagreements(outcomes),
        left_out(outcomes),
        predictors(outcomes),
        thresholds(outcomes),
        every_cell(outcomes),
    ]


def verdict_against_outcome(outcomes: Outcomes) -> Table:
    """How many tasks came out how, with their accuracies on the longest words."""
    rows = []
    for scheme in outcomes.schemes:
        for said in VERDICTS:
            cells = chosen(outcomes.judged, scheme, said)
            if cells or said != "undecided":
                entries = (_counted(chosen(cells, outcome=outcome)) for outcome in OUTCOMES)
                rows.append((SCHEMES[scheme], said, *entries))
    explained = (
        f"An entry is a number of tasks and the mean of their accuracies (lengths {outcomes.bins[-1]}, percent), "
        "in brackets that of the worst task and of the best.",
        f"A task generalizes if the mean over its seeds is at least {100 * GENERALIZES:g} %; seeds count that reached "
        f"100 % on words of training lengths or, where all count, if their mean there is at least {100 * LEARNED:g} %.",
    )
    return Table("Verdict against outcome", ("scheme", "verdict", *OUTCOMES), tuple(rows), explained)


def disagreements(outcomes: Outcomes) -> Table:
    """The cells in which the verdict was wrong, by name."""
    found = confusion(THEORY, outcomes.judged)
    cells = _in_order(outcomes.judged, found.wrong_yes + found.wrong_no)
    remarks = () if cells else (f"There are none among {found.counted} cells.",)
    return _cells("Disagreements", cells, outcomes, remarks)


def left_out(outcomes: Outcomes) -> Table:
    """The cells about which nothing can be said, as they were not learned or not run."""
    learning, running = outcomes.with_outcome("not learned"), outcomes.with_outcome("not run")
    remarks = [] if learning else ["There is none that was run and not learned."]
    if running:
        remarks.append(f"Not run: {', '.join(map(named, running))}.")
    if outcomes.absent:
        remarks.append(f"Not in this preset: {', '.join(map(title, outcomes.absent))}.")
    return _cells("Not learned or not run", learning, outcomes, tuple(remarks))


def every_cell(outcomes: Outcomes) -> Table:
    """All cells, baselines last."""
    lacking = outcomes.lacking()
    remarks = ["* marks models or training that are not the published ones."]
    if outcomes.changes:
        remarks.append(f"Settings of this preset: {', '.join(outcomes.changes)}.")
    if lacking:
        remarks.append(f"Cells that want more seeds than there are: {len(lacking)}.")
    return _cells("Every cell", [*outcomes.judged, *outcomes.baselines], outcomes, tuple(remarks))


def predictors(outcomes: Outcomes) -> Table:
    """How often each predictor is wrong, on all its cells and on those about which all of them say something."""
    header = ("predictor", "cells", "wrong yes", "wrong no", "error rate", "area")
    rows = []
    for which, cells in cell_sets(outcomes).items():
        for name in PREDICTORS:
            found = confusion(name, cells)
            numbers = (str(found.counted), str(len(found.wrong_yes)), str(len(found.wrong_no)))
            by_scheme = (_rate(confusion(name, chosen(cells, scheme))) for scheme in outcomes.schemes)
            rows.append((which, name, *numbers, _rate(found), _area(found.area), *by_scheme))
    remarks = (
        "Error rates in percent, of learned cells. Wrong yes: should generalize, and fails. Wrong no: the opposite.",
        f"Nearly learned: seeds with at least {100 * NEARLY:g} % on words of training lengths count as well.",
        "Authors': the accuracies that the authors of the paper report, of all tasks and models of theirs; a cell is "
        f"learned from {100 * LEARNED:g} % on.",
        "The area is the probability that a task which should generalize is better on long words than one which should "
        "not; it needs no threshold.",
    )
    schemes = (f"error rate {SCHEMES[scheme]}" for scheme in outcomes.schemes)
    return Table("Predictors", ("on", *header, *schemes), tuple(rows), remarks)


def thresholds(outcomes: Outcomes) -> Table:
    """The error rates if models were said to generalize from other accuracies on."""
    rows = tuple(
        (which, name, *(_rate(confusion(name, cells, threshold)) for threshold in THRESHOLDS))
        for which, cells in cell_sets(outcomes).items()
        for name in PREDICTORS
    )
    header = ("on", "predictor", *(f"{100 * threshold:g} %" for threshold in THRESHOLDS))
    return Table("Error rates by the accuracy from which on a model generalizes", header, rows)


def cell_sets(outcomes: Outcomes) -> dict[str, list[Measured]]:
    """The cells that predictors are compared on, by what these sets are called."""
    nearly = [each.nearly for each in outcomes.judged]
    theirs = {
        "authors', all": list(outcomes.reported),
        "authors', shared": same_cells(list(PREDICTORS), outcomes.reported),
    }
    return {
        "all its cells": list(outcomes.judged),
        "shared cells": same_cells(list(PREDICTORS), outcomes.judged),
        "all, nearly learned": nearly,
        "shared, nearly learned": same_cells(list(PREDICTORS), nearly),
        **(theirs if outcomes.reported else {}),
    }


def agrees(each: Measured) -> str:
    """Whether outcome and verdict agree; a dash where one of them is missing."""
    said = verdict(each.cell.task, each.cell.scheme)
    if each.cell.scheme == "baseline" or said == "undecided" or each.outcome not in ("generalizes", "fails"):
        return "–"
    return "yes" if (said == "program") == (each.outcome == "generalizes") else "no"


def _cells(heading: str, cells: Sequence[Measured], outcomes: Outcomes, remarks: tuple[str, ...]) -> Table:
    bins = (f"{name} %" for name in outcomes.bins)
    theirs = any(each.cell.reported for each in outcomes.measured)
    header = ("task", "scheme", "verdict", "outcome", "agrees", "model", "learned", *bins)
    return Table(
        heading,
        (*header, *((f"authors', {outcomes.bins[-1]} %",) if theirs else ())),
        tuple((*_cell_row(each), *((_reported(each),) if theirs else ())) for each in cells),
        remarks,
    )


def _reported(each: Measured) -> str:
    """The accuracy that the authors report on the longest words."""
    return percent(None if each.cell.reported is None else each.cell.reported[-1])


def _cell_row(each: Measured) -> tuple[str, ...]:
    cell = each.cell
    learned = f"{sum(seed.learned for seed in each.seeds)} of {len(each.seeds)}"
    return (
        label(cell.task),
        SCHEMES[cell.scheme],
        "–" if cell.scheme == "baseline" else verdict(cell.task, cell.scheme),
        "–" if cell.scheme == "baseline" and each.seeds else each.outcome,
        agrees(each),
        f"{cell.size}{'*' if cell.changed else ''}",
        learned,
        *(with_spread(each, place) for place in range(len(cell.bins))),
    )


def _counted(cells: Sequence[Measured]) -> str:
    """A number of cells with their mean accuracy, and the lowest and the highest."""
    means = [mean for each in cells if (mean := each.mean(-1)) is not None]
    if not means:
        return str(len(cells))
    return f"{len(cells)}: {percent(fmean(means))}{from_to(min(means), max(means))}"


def _rate(found: Confusion) -> str:
    return percent(found.error_rate) if found.counted else percent(None)


def _area(area: float) -> str:
    return percent(None) if math.isnan(area) else f"{area:.3f}"


def _in_order(cells: Sequence[Measured], some: Sequence[Measured]) -> list[Measured]:
    return [each for each in cells if each in some]
