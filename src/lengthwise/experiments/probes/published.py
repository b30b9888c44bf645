"""Figures of probes: files `papers/<paper>/probes/<file>.toml`, each known as `<paper>-<file>`.

title = "Edelman et al., Figure 2: a hidden AND of three bits"
kind = "samples"                          # trials with one sample each; or "online", with fresh batches
settings = { function = "and-3" }         # of every cell

[presets.paper]
contexts = [100, 200, 400]                # T
samples = [50, 100, 150]                  # m, for every T; or by T: { 100 = [50, 100], 200 = [100, 150] }
examples = { 400 = [100, 200] }           # m by T of a few trials whose training curves are drawn (`example`)
settings = { trials = 50 }                # in place of those above
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, ValidationError

from lengthwise.experiments.paper_files import content_of, files_of, preset_of
from lengthwise.experiments.probes.cell import Cell
from lengthwise.experiments.probes.example import Example
from lengthwise.experiments.probes.function import ProbeError
from lengthwise.experiments.probes.online import Online
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.grid import merged
from lengthwise.runs.settings import Parameters, Settings, Values

Kind = TypeVar("Kind", Cell, Example, Online)

WATCHED = 3
"""Trials of an example: more would hide each other in a drawing."""


class ProbePreset(Settings):
    """What is trained in a preset."""

    contexts: tuple[int, ...] = ()
    samples: tuple[int, ...] | dict[int, tuple[int, ...]] = ()
    examples: dict[int, tuple[int, ...]] = Field(default_factory=dict)
    settings: Parameters = Values()

    def sizes(self) -> list[tuple[int, int]]:
        """T and m of every cell with samples, by T and then by m."""
        if isinstance(self.samples, dict):
            return sorted((context, size) for context, sizes in self.samples.items() for size in sizes)
        return sorted((context, size) for context in self.contexts for size in self.samples)


class ProbeFigure(Settings):
    """The content of a file."""

    title: str
    kind: Literal["samples", "online"]
    settings: Parameters = Values()
    presets: Mapping[str, ProbePreset]

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The figure of a TOML file."""
        return content_of(path, cls, ProbeError)

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
        content: Mapping[str, Any] = merged(self.settings, preset.settings, sizes)
        try:
            return kind(**content)
        except ValidationError as problem:
            raise ProbeError(f"{self.title}: {sentence(kind, problem)}") from None


def catalogue() -> dict[str, Path]:
    """The files of all figures of probes by name, in the order of their names."""
    return files_of("probes")
