"""Figures about models of text: their files, the pairs of models that these ask for, and what the results say.

settings = { longest = 128 }              # of both models (`TextCell`)
short = { context = 64 }                  # of one of them
long = { context = 128 }
tokens = [5]                              # and what else a pair has (`TextPair`)

[presets.quick]
seeds = [0]                               # a pair of models for each
settings = { steps = 4000 }               # these win over those above; also short, long
examples = 400

[[claims]]
text = "…"
kind = "correlated"                       # see `claims`
model = "short"
chosen = "short"

[published]                               # the authors' perplexities by model and length
short = { 64 = 17.59, 128 = 14.74 }

    perplexity.csv      Table 1, with intervals, and the authors' numbers beside it
    correlations.csv    each panel of Figures 4 and 6 in numbers, for every k, and for tokens at random
    examples.csv        every point: the losses of each window by model and chooser
    corpus.csv          every file of the text
    results.csv         the losses of each window that perplexities are computed from
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.experiment import Experiment, Lacking, computed
from lengthwise.experiments.figure_file import FigureFile, Preset, preset_of
from lengthwise.experiments.results import Size
from lengthwise.runs.display.watch import RunningRun
from lengthwise.runs.engines.engine import Engine
from lengthwise.runs.labels import scheme_label, size_label
from lengthwise.runs.settings import Natural, Parameters, Positive, Settings, Values
from lengthwise.runs.text.cell import Name, TextCell
from lengthwise.runs.text.checkpoint import steps_done
from lengthwise.runs.text.corpus import TextError, kept_corpus
from lengthwise.runs.text.pair import TextPair, corpus_of, train_cell
from lengthwise.runs.text.training import read_trained

if TYPE_CHECKING:
    from lengthwise.experiments.text.parts import PairOutcome, Part
    from lengthwise.experiments.text.report import TextReport

MEASURED = ("tokens", "examples", "windows", "looks")
"""What a pair has beside its models."""
FOLDER = "text"
"""The directory within a store that has texts, models of them, and what was measured."""


ABOUT_CHOSEN = ("correlated", "closer-than-random")

Kind = Literal["lower-perplexity", "lower-than-recent", "correlated", "closer-than-random"]


class Claim(Settings):
    """One claim of a figure."""

    text: str
    kind: Kind
    model: Name
    """The one whose losses are looked at."""
    chosen: Name | None = None
    """The one that chooses the influential tokens."""

    @model_validator(mode="after")
    def _chosen_where_it_matters(self) -> Self:
        if (self.chosen is not None) != (self.kind in ABOUT_CHOSEN):
            needs = "needs" if self.chosen is None else "has no"
            raise ValueError(f"a claim of the kind {self.kind!r} {needs} 'chosen'")
        return self


class TextPreset(Preset):
    """What is trained and measured in a preset."""

    seeds: tuple[Natural, ...] = (0,)
    short: Parameters = Values()
    long: Parameters = Values()
    tokens: tuple[Positive, ...] | None = None
    examples: Positive | None = None
    windows: Positive | None = None
    looks: Positive | None = None


class TextFigure(FigureFile):
    """The content of a file."""

    problem = TextError
    short: Parameters
    long: Parameters
    tokens: tuple[Positive, ...] = (5,)
    presets: Mapping[str, TextPreset]
    claims: tuple[Claim, ...] = ()
    published: Mapping[Name, Mapping[int, float]] = Field(default_factory=dict)

    def pairs(self, preset: str) -> list[TextPair]:
        """A pair of models for each seed."""
        chosen = preset_of(self.presets, preset)
        given = {name: getattr(chosen, name) for name in MEASURED}
        return [
            self.made(
                TextPair,
                {
                    "short": self._cell(chosen, "short", seed),
                    "long": self._cell(chosen, "long", seed),
                    "tokens": self.tokens,
                    **{name: value for name, value in given.items() if value is not None},
                },
            )
            for seed in chosen.seeds
        ]

    def _cell(self, preset: TextPreset, name: Name, seed: int) -> TextCell:
        groups = (self.settings, getattr(self, name), preset.settings, getattr(preset, name), {"seed": seed})
        return self.made(TextCell, *groups)


class Text(Experiment[TextFigure]):
    """A figure about pairs of models of text: what is measured on a pair depends on both of its models."""

    content = TextFigure
    tables = ("perplexity.csv", "correlations.csv", "examples.csv", "corpus.csv", "results.csv")
    keeps = "checkpoints and finished parts are kept, and the same command goes on"

    def cells(self, preset: str) -> list[TextPair]:
        """The pairs of models."""
        return self.figure.pairs(preset)

    def size(self, preset: str) -> Size:
        """Two models for each seed."""
        pairs = len(self.cells(preset))
        return Size(2, pairs, 2 * pairs)

    def next(self, preset: str, store: Path) -> Sequence[TextCell] | Sequence[Part]:
        """The models that are not trained; if all are, the parts that are not measured."""
        from lengthwise.experiments.text.parts import missing_parts

        pairs, kept = self.cells(preset), Path(store) / FOLDER
        cells = [cell for pair in pairs for cell in pair.cells.values()]
        return [cell for cell in cells if read_trained(kept / cell.id) is None] or missing_parts(kept, pairs)

    def train(self, preset: str, store: Path, engine: Engine) -> Sequence[Any]:
        """Train models, each from its last checkpoint on, and measure them."""
        from lengthwise.experiments.text.parts import measure_part

        if not engine.shares_disk:
            raise LengthwiseError(f"{self.name} keeps its checkpoints on this machine; take --engine local or serial")
        kept = Path(store) / FOLDER
        for corpus in {pair.short.corpus for pair in self.cells(preset)}:
            kept_corpus(kept, corpus)  # once, before several processes would
        while wanted := self.next(preset, store):
            cells = [each for each in wanted if isinstance(each, TextCell)]
            if cells:
                computed(
                    partial(train_cell, kept), cells, engine, partial(_in_training, kept, cells, _steps(kept, cells))
                )
            else:
                computed(partial(measure_part, kept), wanted, engine)
        return ()

    def take_over(self, preset: str, store: Path, directory: Path) -> str:
        """Nothing: what is measured belongs to models, whose weights are in a store alone."""
        raise LengthwiseError(f"{self.name} is measured on models, which are kept in the store alone; leave --kept out")

    def lacking(self, preset: str, store: Path) -> list[Lacking]:
        """Whether models are not trained, or parts not measured."""
        pairs, outcomes = self.cells(preset), self.there(preset, store)
        if not outcomes:
            return [Lacking(f"{Path(store) / FOLDER} has no results for the {len(pairs)} pairs of models", True)]
        whole = len(outcomes) == len(pairs) and all(each.complete for each in outcomes)
        return [] if whole else [Lacking("some results are missing", False)]

    def there(self, preset: str, store: Path) -> list[PairOutcome]:
        """What was measured on the pairs that have results."""
        from lengthwise.experiments.text.parts import outcome_of

        found = (outcome_of(Path(store) / FOLDER, pair) for pair in self.cells(preset))
        return [each for each in found if each is not None]

    def report(self, preset: str, store: Path) -> TextReport:
        """What was measured, put together."""
        from lengthwise.experiments.text.report import TextReport

        outcomes = self.there(preset, store)
        return TextReport(
            self, preset, outcomes, corpus_of(Path(store) / FOLDER, outcomes[0].pair, outcomes[0].trained)
        )


def _steps(kept: Path, cells: Sequence[TextCell]) -> dict[str, int]:
    """How many steps the checkpoint of each cell has behind it; a finished cell has no checkpoint any more."""
    return {cell.id: steps_done(kept / cell.id) for cell in cells}


def _in_training(kept: Path, cells: Sequence[TextCell], at_first: Mapping[str, int]) -> list[RunningRun]:
    """The models that have come further than they were at first."""
    now = _steps(kept, cells)
    return [
        RunningRun(
            cell.id,
            "text",
            scheme_label("pose" if cell.pose_steps else "rope"),
            cell.context,
            size_label(cell.model.layers, cell.model.heads, cell.model.width),
            str(cell.seed),
            now[cell.id],
            cell.steps,
            first_step=at_first[cell.id],
        )
        for cell in cells
        if now[cell.id] > at_first[cell.id]
    ]
