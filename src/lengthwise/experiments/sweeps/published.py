"""The catalogue of published figures: each is a file `papers/<paper>/<file>.toml`, known as `<paper>-<file>`.

The files are in the installed package, or in the source tree where lengthwise is installed from a checkout. A figure
file of one's own is used by its path and is named like the file.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lengthwise.errors import UnknownNameError
from lengthwise.experiments.paper_files import digest, papers
from lengthwise.experiments.sweeps.figure import Figure
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.settings import Values

SUFFIX = ".toml"
NEAREST = 3
"""Names that are suggested in place of one that does not exist."""


@dataclass(frozen=True)
class Size:
    """How much there is to train for a preset of a figure."""

    configs: int
    """Different settings, seeds aside."""
    seeds: int
    """Of one config; the most, where they differ."""
    models: int
    """Seeds of all configs together."""


@dataclass(frozen=True)
class Published:
    """A figure file with its name."""

    name: str
    path: Path
    device: str | None = None
    """Where its models are trained, in place of what the file says."""

    @cached_property
    def figure(self) -> Figure:
        """What the file says."""
        figure = Figure.from_file(self.path)
        if self.device is None:
            return figure
        changed = {
            name: preset.model_copy(update={"settings": Values({**preset.settings, "device": self.device})})
            for name, preset in figure.presets.items()
        }
        return figure.model_copy(update={"presets": changed})

    @property
    def is_in_catalogue(self) -> bool:
        """Whether its name is enough to find it."""
        found = catalogue().get(self.name)
        return found is not None and found.path == self.path

    @property
    def digest(self) -> str:
        """The SHA-256 of the file's text, whichever ends its lines have."""
        try:
            return digest(self.path)
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigError(f"{self.path} cannot be read: {problem}") from None

    def configs(self, preset: str) -> dict[str, list[RunConfig]]:
        """The runs of a preset by sweep; a mistake in the file is told with the name of the file."""
        try:
            return self.figure.configs(preset)
        except (ConfigError, UnknownNameError) as problem:
            if preset in self.figure.presets:
                raise ConfigError(f"{self.path}: preset {preset!r}: {problem}") from None
            raise UnknownNameError(f"{self.name}: {problem}") from None

    def size(self, preset: str) -> Size:
        """How much there is to train for a preset."""
        return size_of(self.configs(preset).values())


def size_of(sweeps: Iterable[Iterable[RunConfig]]) -> Size:
    """How much there is to train for all these configs; what several sweeps share is counted once."""
    seeds: dict[str, set[int]] = {}
    for configs in sweeps:
        for config in configs:
            seeds.setdefault(config.settings_id, set()).update(config.seeds)
    numbers = [len(each) for each in seeds.values()]
    return Size(len(numbers), max(numbers, default=0), sum(numbers))


def catalogue() -> dict[str, Published]:
    """All published figures by name, in the order of their names."""
    found = {}
    for directory in papers():
        for path in directory.glob(f"*/*{SUFFIX}"):
            name = f"{path.parent.name}-{path.stem}"
            found[name] = Published(name, path)
    return dict(sorted(found.items()))


def find(name: str, others: Iterable[str] = (), device: str | None = None) -> Published:
    """The figure of a name, or of a path to a file; `others` are names of another kind that may have been meant."""
    known = {each: replace(found, device=device) for each, found in catalogue().items()}
    if name in known:
        return known[name]
    if name.endswith(SUFFIX) or os.sep in name:
        path = Path(name)
        same = (each for each in known.values() if path.exists() and path.samefile(each.path))
        return next(same, Published(path.stem, path, device))
    names = [*known, *others]
    near = difflib.get_close_matches(name.lower(), names, n=NEAREST)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    raise UnknownNameError(f"there is no figure {name!r}; {hint}")
