"""Figures of probes: their files, the cells that these ask for, and what the results say.

kind = "samples"                          # trials with one sample each; or "online", with fresh batches
settings = { function = "and-3" }         # of every cell

[presets.paper]
contexts = [100, 200, 400]                # T
samples = [50, 100, 150]                  # m, for every T; or by T: { 100 = [50, 100], 200 = [100, 150] }
examples = { 400 = [100, 200] }           # m by T of a few trials whose training curves are drawn (`example`)
settings = { trials = 50 }                # in place of those above

Critical sizes and their growth are there by both rules (`critical`). The verdict of the figure is that of the paper's
rule; where the other one says something else, that stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import Field

from lengthwise.experiments.experiment import CellExperiment, CellReport, computed_with
from lengthwise.experiments.figure_file import FigureFile, Preset, preset_of
from lengthwise.experiments.finding import Finding
from lengthwise.experiments.kept import Kept
from lengthwise.experiments.probes.cell import (
    Cell,
    Curve,
    Curves,
    Example,
    Examples,
    Online,
    Outcome,
    Outcomes,
    Probe,
)
from lengthwise.experiments.probes.critical import RULES, Critical, Rule, Success, critical, successes
from lengthwise.experiments.probes.function import ProbeError
from lengthwise.experiments.probes.information import Information, information
from lengthwise.experiments.probes.problem import hidden_places
from lengthwise.experiments.probes.scaling import Scaling, scaling
from lengthwise.experiments.probes.transition import Transitions, transitions
from lengthwise.experiments.probes.trials import follow, measure, watch
from lengthwise.experiments.results import as_bytes
from lengthwise.output import plain
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.resampling import Resampling
from lengthwise.runs.store.kept_results import read_origin, read_table

Kind = TypeVar("Kind", Cell, Example, Online)

WATCHED = 3
"""Trials of an example: more would hide each other in a drawing."""
WORDS: dict[Rule, str] = {"smallest": "the paper's rule", "crossing": "the crossing of 1/2"}
"""What the rules for critical sizes are called."""


class ProbePreset(Preset):
    """What is trained in a preset."""

    contexts: tuple[int, ...] = ()
    samples: tuple[int, ...] | dict[int, tuple[int, ...]] = ()
    examples: dict[int, tuple[int, ...]] = Field(default_factory=dict)

    def sizes(self) -> list[tuple[int, int]]:
        """T and m of every cell with samples, by T and then by m."""
        if isinstance(self.samples, dict):
            return sorted((context, size) for context, sizes in self.samples.items() for size in sizes)
        return sorted((context, size) for context in self.contexts for size in self.samples)


class ProbeFigure(FigureFile):
    """The content of a file."""

    problem = ProbeError
    kind: Literal["samples", "online"]
    presets: Mapping[str, ProbePreset]

    def cells(self, preset: str) -> list[Cell]:
        """The cells of a figure of samples."""
        chosen = self._preset(preset, "samples")
        return [self._cell(Cell, chosen, context=context, samples=size) for context, size in chosen.sizes()]

    def examples(self, preset: str) -> list[Example]:
        """The examples of a figure of samples, by T and then by m; they have the settings and the seed of its cells."""
        chosen = self._preset(preset, "samples")
        sizes = sorted((context, size) for context, listed in chosen.examples.items() for size in listed)
        return [self._cell(Example, chosen, context=context, samples=size, trials=WATCHED) for context, size in sizes]

    def online(self, preset: str) -> list[Online]:
        """The cells of a figure of fresh batches."""
        chosen = self._preset(preset, "online")
        return [self._cell(Online, chosen, context=context) for context in sorted(chosen.contexts)]

    def _preset(self, name: str, kind: str) -> ProbePreset:
        if self.kind != kind:
            raise ProbeError(f"{self.title!r} is of the kind {self.kind!r}, not {kind!r}")
        return preset_of(self.presets, name)

    def _cell(self, kind: type[Kind], preset: ProbePreset, **sizes: int) -> Kind:
        return self.made(kind, self.settings, preset.settings, sizes)


def compute(cell: Probe) -> Outcomes | Examples | Curves:
    """The result of a cell of any type."""
    if isinstance(cell, Example):
        return follow(cell)
    return measure(cell) if isinstance(cell, Cell) else watch(cell)  # type: ignore[arg-type]


class Probes(CellExperiment[ProbeFigure]):
    """A figure of probes, with one sample for each trial or with fresh batches."""

    content = ProbeFigure
    folder = "probes"
    tables = ("summary.json", "results.csv")
    results: ClassVar = {Cell: Outcomes, Example: Examples, Online: Curves}
    what: ClassVar = {Example: "examples"}
    run = staticmethod(compute)

    def cells(self, preset: str) -> Sequence[Probe]:
        """The cells of a preset, with examples behind them."""
        if self.figure.kind == "online":
            return self.figure.online(preset)
        return [*self.figure.cells(preset), *self.figure.examples(preset)]

    def report(self, preset: str, store: Path) -> ProbeReport:
        """What the trials say."""
        return ProbeReport(self, preset, self.there(preset, store))

    def restored(self, preset: str, directory: Path) -> Iterator[Outcomes | Examples | Curves]:
        """The trials that `summary.json` has of samples and examples, and `results.csv` of fresh batches."""
        told: dict[str, Any] = read_origin(directory, "summary.json")
        cells = {cell.id: cell for cell in self.cells(preset) if cell.id in told["cells"]}
        facts: dict[str, Any] = {name: {"environment": {}} for name in cells}
        if (directory / "provenance.json").exists():
            origin = read_origin(directory)
            facts |= {each["settings"]: computed_with(origin, each) for each in origin["cells"]}
        for each in (*told.get("outcomes", ()), *told.get("examples", ())):
            if (cell := cells.get(each["cell"])) is None:
                continue
            if isinstance(cell, Example):
                data = {"cell": cell.model_dump(mode="json"), "curves": each["curves"]}
                yield replace(Examples.from_json(data), **facts[cell.id])
            elif isinstance(cell, Cell):
                rows = zip(each["endings"], each["steps"], each["losses"], strict=True)
                trials = [
                    Outcome(trial, hidden_places(cell, trial), ending, step, math.nan if loss is None else loss)
                    for trial, (ending, step, loss) in enumerate(rows)
                ]
                yield Outcomes(cell, tuple(trials), **facts[cell.id])
        if self.figure.kind == "online":
            losses: dict[str, dict[int, list[float]]] = {}
            for row in read_table(directory):
                trials_of = losses.setdefault(row["settings"], {})
                trials_of.setdefault(int(row["trial"]), []).append(float(row["loss"]))
            for name, cell in cells.items():
                curves = [
                    Curve(trial, hidden_places(cell, trial), cell.every, tuple(each))  # type: ignore[attr-defined]
                    for trial, each in losses[name].items()
                ]
                yield Curves(cell, tuple(curves), **facts[name])  # type: ignore[arg-type]


class ProbeReport(CellReport):
    """What trials say."""

    @cached_property
    def summary(self) -> SampleSummary | OnlineSummary:
        """The numbers of the figure."""
        found = self.results
        if self.experiment.figure.kind == "online":
            return summarise_online(found)
        outcomes = [each for each in found if isinstance(each, Outcomes)]
        return summarise(outcomes, examples=[each for each in found if isinstance(each, Examples)])

    @cached_property
    def findings(self) -> list[Finding]:
        """On the growth of critical sizes, by both rules."""
        return self.summary.findings()

    def records(self) -> Iterator[dict[str, Any]]:
        """One record for each trial with a sample, or for each loss on a fresh batch; examples are in the summary."""
        for each in self.results:
            cell = each.cell
            common = {"function": cell.function, "context": cell.context, "seed": cell.seed}
            for outcome in each.trials if isinstance(each, Outcomes) else ():
                ended = {"ending": outcome.ending, "step": outcome.step, "loss": outcome.loss}
                yield {**common, "samples": cell.samples, **_trial(outcome), **ended, "settings": cell.id}
            for curve in each.curves if isinstance(each, Curves) else ():
                for step, loss in zip(curve.steps, curve.losses, strict=True):
                    yield {**common, **_trial(curve), "step": step, "loss": loss, "settings": cell.id}

    def tables(self) -> dict[str, bytes]:
        """The records, and the numbers of the figure."""
        return {"summary.json": as_bytes(self.as_json()), **super().tables()}

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        names = ("figure", "title", "preset", "command", "file_sha256")
        return {
            **{name: self.facts[name] for name in names},
            "cells": [each.cell.id for each in self.results],
            "environments": self.provenance["environments"],
            **self.summary.as_json(),
        }

    def lines(self) -> Iterator[str]:
        """As text."""
        yield ""
        yield from self.summary.lines()
        yield ""

    def draw(self, path: Path) -> None:
        """Success and critical sizes with examples, or curves."""
        from lengthwise.experiments.probes.probe_plot import plot_online, plot_samples

        title = self.experiment.figure.title
        if isinstance(self.summary, OnlineSummary):
            plot_online(self.results, self.summary, title, path)
        else:
            plot_samples(self.summary, title, path)


def grid(contexts: Sequence[int], samples: Sequence[int], **settings: Any) -> list[Cell]:
    """The cells of all contexts T and sample sizes m, which agree in all else."""
    return [Cell(context=context, samples=size, **settings) for context, size in product(contexts, samples)]


def run(cells: Iterable[Cell], directory: Path, engine: Engine | str = "serial") -> list[Outcomes]:
    """The outcomes of all cells, from the directory as far as they are there; ordered by T and m."""
    found = Kept(directory, Outcomes, ProbeError).completed(measure, cells, engine)
    return sorted(found, key=lambda each: (each.cell.context, each.cell.samples))


@dataclass(frozen=True, eq=False)
class SampleSummary:
    """Of trials with one sample each."""

    successes: tuple[Success, ...]
    critical: dict[Rule, tuple[Critical, ...]]
    scaling: dict[Rule, Scaling]
    information: tuple[Information, ...]
    """For each context, from the smallest on."""
    outcomes: tuple[Outcomes, ...]
    """All that the numbers above are computed from."""
    examples: tuple[Examples, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; null for what is infinite or unknown."""
        data = {
            "success": [
                {
                    **asdict(each),
                    "probability": each.probability,
                    "standard_error": each.standard_error,
                    "interval": list(each.interval),
                }
                for each in self.successes
            ],
            "information": [
                {
                    "context": each.context,
                    "log2_hypotheses": each.bits,
                    "label_entropy": each.label_entropy,
                    "fewest_samples": each.fewest_samples,
                }
                for each in self.information
            ],
            "critical": {
                rule: [
                    {
                        "context": each.context,
                        "size": each.size,
                        "low": each.low,
                        "high": each.high,
                        "standard_error": each.standard_error,
                        "text": str(each),
                    }
                    for each in found
                ]
                for rule, found in self.critical.items()
            },
            "scaling": {rule: {**asdict(each), "detail": each.detail} for rule, each in self.scaling.items()},
            "verdict": self.scaling["smallest"].verdict,
            "outcomes": [
                {
                    **_which(each.cell),
                    "endings": [trial.ending for trial in each.trials],
                    "steps": [trial.step for trial in each.trials],
                    "losses": [trial.loss for trial in each.trials],
                }
                for each in self.outcomes
            ],
            "examples": [
                {**_which(each.cell), "curves": [asdict(curve) for curve in each.curves]} for each in self.examples
            ],
        }
        found: dict[str, Any] = plain(data)
        return found

    def findings(self) -> list[Finding]:
        """That critical sizes grow less than the context, by the paper's rule and by the other one."""
        estimates = [
            replace(found.exponent, statistic=f"exponent, {WORDS[rule]}") for rule, found in self.scaling.items()
        ]
        detail, trials = self.scaling["smallest"].detail, min(each.trials for each in self.successes)
        text = "The critical sample size is sublinear in the context."
        return [Finding.of(text, "sublinear", estimates, detail, len(self.successes), trials)]

    def lines(self) -> Iterator[str]:
        """As text."""
        yield "   T     m  success  95 % interval"
        for each in self.successes:
            low, high = each.interval
            yield f"{each.context:4}  {each.samples:4}  {each.probability:7.2f}  [{low:.2f}, {high:.2f}]"
        yield ""
        table = [("   T", "critical m (paper's rule)", "crossing of 1/2", "no learner below")]
        for paper, crossing, fewest in zip(*self.critical.values(), self.information, strict=True):
            table.append((f"{paper.context:4}", str(paper), str(crossing), f"{fewest.fewest_samples:.1f}"))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for row in table:
            yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        yield ""
        for rule, found in self.scaling.items():
            yield f"sublinear in T, by {WORDS[rule]}: {found.verdict}. {found.detail}"


def _trial(each: Outcome | Curve) -> dict[str, Any]:
    return {"trial": each.trial, "places": " ".join(map(str, each.places))}


def _which(cell: Cell) -> dict[str, Any]:
    return {"cell": cell.id, "context": cell.context, "samples": cell.samples, "seed": cell.seed}


def summarise(
    results: Sequence[Outcomes], resampling: Resampling | None = None, examples: Sequence[Examples] = ()
) -> SampleSummary:
    """What trials with samples say, and examples of them."""
    sizes = {rule: tuple(critical(results, rule, resampling)) for rule in RULES}
    function = results[0].cell.hidden_function
    lines = tuple(information(function, each.context) for each in sizes["smallest"])
    return SampleSummary(
        tuple(successes(results)),
        sizes,
        {rule: scaling(found) for rule, found in sizes.items()},
        lines,
        tuple(results),
        tuple(examples),
    )


@dataclass(frozen=True)
class OnlineSummary:
    """Of trials with fresh batches: the transitions of each context, from the smallest on."""

    contexts: tuple[int, ...]
    transitions: tuple[Transitions, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys; null for what is infinite or unknown."""
        rows = zip(self.contexts, self.transitions, strict=True)
        found: dict[str, Any] = plain({"transitions": [{"context": at, **asdict(each)} for at, each in rows]})
        return found

    def findings(self) -> list[Finding]:
        """The paper's figure makes no claim that is judged by a number."""
        return []

    def lines(self) -> Iterator[str]:
        """As text."""
        yield "   T  learned  median step  95 % interval   width"
        for context, each in zip(self.contexts, self.transitions, strict=True):
            ends = f"[{_step(each.low)}, {_step(each.high)}]"
            yield f"{context:4}  {each.learned:7.2f}  {_step(each.median):>11}  {ends:14}  {_share(each.width)}"


def summarise_online(results: Sequence[Curves], resampling: Resampling | None = None) -> OnlineSummary:
    """What trials with fresh batches say; the loss of a constant guess is the entropy of the label."""
    rows = sorted(results, key=lambda each: each.cell.context)
    found = []
    for each in rows:
        q = each.cell.hidden_function.share
        guess = -(q * math.log(q) + (1 - q) * math.log(1 - q))
        found.append(transitions(each.curves, guess=guess, resampling=resampling))
    return OnlineSummary(tuple(each.cell.context for each in rows), tuple(found))


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _step(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:g}"
