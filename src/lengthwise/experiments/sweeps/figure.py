"""A figure file: the runs behind a published figure, in the sizes of several presets.

    title = "Izzo et al., Figure 1: SimpleTask"

    [settings]                      # common to all runs, as in a run's own config
    task = "simple-task"
    test_lengths = ["N", "4N", "1024N"]
    seeds = 8

    [[axes]]                        # see `lengthwise.runs.grid`
    train_length = [16, 32, 64]

    [presets.smoke]                 # what is different in a preset
    settings.seeds = 2
    axes = [{train_length = [8]}]

    [presets.paper]                 # nothing

A figure of several sweeps has a table `[sweeps.NAME]` with `settings` and `axes` for each, and presets may have
`[presets.PRESET.sweeps.NAME]`. Settings add up, from general to special; of the axes, the most special ones count.
`[plot]` and `[[claims]]` belong to the report, which reads them from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from lengthwise.experiments.figure_file import FigureFile, preset_of
from lengthwise.experiments.figure_file import Preset as FigurePreset
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.grid import expand, merged
from lengthwise.runs.settings import Parameters, Settings, Values


class Part(Settings):
    """Settings and axes; no axes means those of what it is a part of."""

    settings: Parameters = Values()
    axes: tuple[Parameters, ...] | None = None


class Preset(Part, FigurePreset):
    """What a preset changes, for all sweeps and for some."""

    sweeps: Mapping[str, Part] = {}


class Figure(FigureFile):
    """The content of a figure file."""

    axes: tuple[Parameters, ...] | None = None
    sweeps: Mapping[str, Part] = {}
    presets: Mapping[str, Preset]
    plot: Parameters = Values()
    claims: tuple[Parameters, ...] = ()

    def __init__(self, **content: Any) -> None:
        try:
            super().__init__(**content)
        except ValidationError as problem:
            raise ConfigError(sentence(type(self), problem)) from None
        for name, preset in self.presets.items():
            for sweep in preset.sweeps:
                if sweep not in self.sweeps:
                    raise ConfigError(f"the preset {name!r} changes a sweep {sweep!r}, which the figure does not have")

    def configs(self, preset: str) -> dict[str, list[RunConfig]]:
        """The runs of a preset by sweep; the only sweep of a figure without names is called by the empty name."""
        chosen = preset_of(self.presets, preset)
        return {
            name: self._expanded(sweep, chosen, chosen.sweeps.get(name, Part()))
            for name, sweep in (self.sweeps or {"": Part()}).items()
        }

    def _expanded(self, sweep: Part, preset: Preset, special: Part) -> list[RunConfig]:
        settings = merged(self.settings, sweep.settings, preset.settings, special.settings)
        axes = next((part.axes for part in (special, preset, sweep, self) if part.axes is not None), ())
        return expand(settings, axes)
