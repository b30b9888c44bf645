"""What the results of a figure say, as plain data and as text: computed from kept results alone.

Critical sizes and their growth are there by both rules (`critical`). The verdict of the figure is that of the paper's
rule; where the other one says something else, that stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lengthwise.experiments.probes.cell import Cell
from lengthwise.experiments.probes.critical import RULES, Critical, Rule, critical
from lengthwise.experiments.probes.example import Examples
from lengthwise.experiments.probes.information import Information, information
from lengthwise.experiments.probes.online import Curves
from lengthwise.experiments.probes.outcome import Outcomes
from lengthwise.experiments.probes.scaling import Scaling, scaling
from lengthwise.experiments.probes.success import Success, successes
from lengthwise.experiments.probes.transition import Transitions, transitions
from lengthwise.runs.resampling import Resampling
from lengthwise.runs.store.disk import plain

WORDS: dict[Rule, str] = {"smallest": "the paper's rule", "crossing": "the crossing of 1/2"}
"""What the rules for critical sizes are called."""


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
