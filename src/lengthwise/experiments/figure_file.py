"""`FigureFile`: what the TOML files of all kinds of experiments have in common, and how one is read.

    title = "Huang et al., Figure 5: local and periodic functions of positions"
    experiment = "positional"           # its kind; optional where its other keys tell it (`catalogue`)
    settings = { trials = 3 }           # of all that is computed

    [presets.quick]
    settings = { steps = 3000 }         # in place of those above

    [[claims]]                          # what the paper says of the results
    [published]                         # numbers of the authors

Everything else belongs to a kind.
"""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import ValidationError

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.runs.config import ConfigError
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.grid import merged
from lengthwise.runs.settings import Parameters, Settings, Values

Made = TypeVar("Made", bound=Settings)
Chosen = TypeVar("Chosen", bound="Preset")


class Preset(Settings):
    """How much is computed, and what is different from the paper."""

    settings: Parameters = Values()


class FigureFile(Settings):
    """The content of a file."""

    problem: ClassVar[type[LengthwiseError]] = ConfigError
    """What a mistake is told as."""
    title: str
    """What it shows, with the paper and the number."""
    experiment: str | None = None
    settings: Parameters = Values()
    presets: Mapping[str, Preset]

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The content of a TOML file; whatever is wrong with it is told in one sentence."""
        try:
            return cls(**tomllib.loads(Path(path).read_text(encoding="utf-8")))
        except OSError as problem:
            raise cls.problem(f"{path} cannot be read: {problem.strerror}") from None
        except ValidationError as problem:
            raise cls.problem(f"{path}: {sentence(cls, problem)}") from None
        except cls.problem as problem:
            raise cls.problem(f"{path}: {problem}") from None
        except (ValueError, RecursionError) as problem:
            raise cls.problem(f"{path} is not TOML: {problem}") from None

    def made(self, kind: type[Made], *groups: Mapping[str, Any]) -> Made:
        """Settings of a kind, from the most general group to the most special."""
        try:
            return kind(**merged(*groups))
        except ValidationError as problem:
            raise self.problem(f"{self.title}: {sentence(kind, problem)}") from None

    def on(self, device: str) -> Self:
        """The same trained on a device, whatever the presets say."""
        presets = {
            name: preset.model_copy(update={"settings": Values({**preset.settings, "device": device})})
            for name, preset in self.presets.items()
        }
        return self.model_copy(update={"presets": presets})


def preset_of(presets: Mapping[str, Chosen], name: str) -> Chosen:
    """The preset of a name; an unknown one is an error that says what may have been meant."""
    if name not in presets:
        near = difflib.get_close_matches(name, presets)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(presets)}"
        raise UnknownNameError(f"there is no preset {name!r}; {hint}")
    return presets[name]


def digest(path: Path) -> str:
    """The SHA-256 of a file's text, whichever ends its lines have."""
    try:
        return hashlib.sha256(path.read_text(encoding="utf-8").encode()).hexdigest()
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path} cannot be read: {problem}") from None
