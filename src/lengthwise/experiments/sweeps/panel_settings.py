"""What a figure file says about its panels, `[[plot.panels]]`, each of a kind and with settings of its own.

    [[plot.panels]]
    kind = "plateau"
    title = "Plateau"
    over = "train_length"
    lines = "parameters.omega"

Settings of runs are named as in `RunConfig.value`. Every panel may have a `title`, the `sweep` it is about (by default
the figure's first), `where`: settings that the runs it shows must have, and `each`: a setting for each of whose values
there is such a panel.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import ValidationError

from lengthwise.drawing.labels import equation
from lengthwise.experiments.sweeps.figure import Figure
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.grid import flat
from lengthwise.runs.settings import Parameters, Positive, PositiveReal, Settings, Values


class Panel(Settings):
    """What all kinds have."""

    title: str = ""
    sweep: str | None = None
    where: Parameters = Values()
    each: str | None = None

    def separate(self, sweeps: Mapping[str, list[RunConfig]]) -> list[Self]:
        """One panel for each value that its runs have of the setting `each`, in their order; itself without one."""
        if self.each is None:
            return [self]
        values = dict.fromkeys(config.value(self.each) for config in self.chosen(sweeps))
        return [self._only(self.each, value) for value in values]

    def _only(self, setting: str, value: Any) -> Self:
        title = ", ".join(part for part in (self.title, equation(setting, value)) if part)
        return self.model_copy(update={"title": title, "where": Values({**self.where, setting: value}), "each": None})

    def chosen(self, sweeps: Mapping[str, list[RunConfig]]) -> list[RunConfig]:
        """The runs of its sweep that have the settings it asks for."""
        name = next(iter(sweeps)) if self.sweep is None else self.sweep
        if name not in sweeps:
            raise ConfigError(f"there is no sweep {name!r}; there are {', '.join(map(repr, sweeps))}")
        wanted = dict(flat(self.where))
        found = [config for config in sweeps[name] if all(config.value(key) == value for key, value in wanted.items())]
        if not found:
            asked = ", ".join(f"{key} = {value}" for key, value in wanted.items())
            raise ConfigError(f"no run of this preset has {asked}")
        return found


class LengthPanel(Panel):
    """Test loss, or accuracy, against test length."""

    lines: str | None = None
    """The setting whose values have a line each."""
    of: Literal["losses", "accuracies"] = "losses"


class PlateauPanel(Panel):
    """The loss at the longest test length against a setting."""

    over: str
    lines: str | None = None
    scaled_by: str | None = None
    """A setting that `over` is divided by."""
    certified: PositiveReal | None = None
    """The error for which certified lengths are marked."""


class NeededPanel(Panel):
    """The least training length whose plateau is at most a loss, against a setting."""

    over: str
    loss: PositiveReal
    certified: PositiveReal | None = None


class AttentionPanel(Panel):
    """Attention at positions of the task's residue and at others, against a setting."""

    length: Positive
    over: str = "train_length"


KINDS: dict[str, type[Panel]] = {
    "test-length": LengthPanel,
    "plateau": PlateauPanel,
    "needed": NeededPanel,
    "attention": AttentionPanel,
}


def read_panels(figure: Figure) -> list[Panel]:
    """The panels of a figure, from left to right."""
    for name in figure.plot:
        if name != "panels":
            raise ConfigError(f"[plot] has panels and nothing else, but there is {name!r}")
    given = figure.plot.get("panels", [])
    if not isinstance(given, list | tuple) or not given or not all(isinstance(each, Mapping) for each in given):
        raise ConfigError("a figure that is to be drawn has tables [[plot.panels]]")
    return [_panel(number, each) for number, each in enumerate(given, start=1)]


def _panel(number: int, given: Mapping[str, Any]) -> Panel:
    settings = dict(given)
    kind = settings.pop("kind", None)
    if kind not in KINDS:
        near = difflib.get_close_matches(str(kind), KINDS)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KINDS)}"
        raise ConfigError(f"panel {number} is of no known kind: {kind!r}; {hint}")
    try:
        return KINDS[kind](**settings)
    except ValidationError as problem:
        raise ConfigError(f"panel {number}: {sentence(KINDS[kind], problem)}") from None
