"""Figures about models of text: files `papers/<paper>/text/<file>.toml`, each known as `<paper>-<file>`.

title = "Golowich et al., Figures 4 and 6, Table 1: …"
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
kind = "correlated"                       # see `lengthwise.experiments.text.claims`
model = "short"
chosen = "short"

[published]                               # the authors' perplexities by model and length
short = { 64 = 17.59, 128 = 14.74 }
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from lengthwise.experiments.paper_files import content_of, files_of, preset_of
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.grid import merged
from lengthwise.runs.settings import Natural, Parameters, Positive, Settings, Values
from lengthwise.runs.text.cell import Name, TextCell
from lengthwise.runs.text.corpus import TextError
from lengthwise.runs.text.pair import TextPair

MEASURED = ("tokens", "examples", "windows", "looks")
"""What a pair has beside its models."""
Made = TypeVar("Made", bound=Settings)

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


class TextPreset(Settings):
    """What is trained and measured in a preset."""

    seeds: tuple[Natural, ...] = (0,)
    settings: Parameters = Values()
    short: Parameters = Values()
    long: Parameters = Values()
    tokens: tuple[Positive, ...] | None = None
    examples: Positive | None = None
    windows: Positive | None = None
    looks: Positive | None = None


class TextFigure(Settings):
    """The content of a file."""

    title: str
    settings: Parameters = Values()
    short: Parameters
    long: Parameters
    tokens: tuple[Positive, ...] = (5,)
    presets: Mapping[str, TextPreset]
    claims: tuple[Claim, ...] = ()
    published: Mapping[Name, Mapping[int, float]] = Field(default_factory=dict)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The figure of a TOML file."""
        return content_of(path, cls, TextError)

    def pairs(self, preset: str) -> list[TextPair]:
        """A pair of models for each seed."""
        chosen = preset_of(self.presets, preset)
        given = {name: getattr(chosen, name) for name in MEASURED}
        return [
            self._made(
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
        return self._made(TextCell, merged(*groups))

    def _made(self, kind: type[Made], content: Mapping[str, Any]) -> Made:
        try:
            return kind(**content)
        except ValidationError as problem:
            raise TextError(f"{self.title}: {sentence(kind, problem)}") from None


def catalogue() -> dict[str, Path]:
    """The files of all figures about text by name, in the order of their names."""
    return files_of("text")
