"""`Source`: a published experiment with its name, and how much its presets train."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.experiments.generalization.cell import Cell
from lengthwise.experiments.generalization.experiment import Experiment, catalogue
from lengthwise.experiments.paper_files import digest
from lengthwise.runs.config import ConfigError
from lengthwise.runs.settings import Values

FIGURE_1 = "huang-fig1"
"""The experiment that Tables 2 and 3 of Huang et al. can be set beside."""


@dataclass(frozen=True)
class Source:
    """The file of an experiment."""

    name: str
    path: Path
    device: str | None = None
    """Where models are trained, in place of what the file says."""

    @classmethod
    def named(cls, name: str, device: str | None = None) -> Source:
        """The experiment of this name."""
        known = catalogue()
        if name not in known:
            raise UnknownNameError(f"there is no experiment {name!r}; there are {', '.join(known)}")
        return cls(name, known[name], device)

    @cached_property
    def experiment(self) -> Experiment:
        """What the file says."""
        found = Experiment.from_file(self.path)
        if self.device is None:
            return found
        changed = {
            name: preset.model_copy(update={"settings": Values({**preset.settings, "device": self.device})})
            for name, preset in found.presets.items()
        }
        return found.model_copy(update={"presets": changed})

    @property
    def digest(self) -> str:
        """The SHA-256 of the file's text, whichever ends its lines have."""
        return digest(self.path)

    def cells(self, preset: str) -> list[Cell]:
        """The cells of a preset; a mistake is told with the name of the experiment or of its file."""
        try:
            return self.experiment.cells(preset)
        except LengthwiseError as problem:
            if preset in self.experiment.presets:
                raise ConfigError(f"{self.path}: preset {preset!r}: {problem}") from None
            raise UnknownNameError(f"{self.name}: {problem}") from None

    def facts(self) -> dict[str, Any]:
        """The title and, for each preset, how many cells there are and how many seeds they want."""
        presets = {}
        for name in self.experiment.presets:
            cells, wanted = self._number_of_cells(name), self.experiment.preset(name).wanted
            presets[name] = {"configs": cells, "seeds": wanted, "models": cells * wanted}
        return {"name": self.name, "title": self.experiment.title, "presets": presets}

    def _number_of_cells(self, preset: str) -> int:
        """How many cells a preset has, counted without making their configs, which takes longer."""
        chosen = self.experiment.preset(preset)
        return sum(
            chosen.size(entry, scheme) is not None
            for entry in self.experiment.entries
            if chosen.tasks is None or entry.task in chosen.tasks
            for scheme in chosen.schemes
        )
