"""The files under `papers/`: where they are, how one is read, its presets by name, and its digest.

A figure with a machinery of its own stands in `papers/<paper>/<kind>/<file>.toml` and is known as `<paper>-<file>`.
"""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.settings import Settings

Content = TypeVar("Content", bound=Settings)
Preset = TypeVar("Preset", bound=Settings)


def papers() -> list[Path]:
    """Where figure files are: in the package if it was built with them, and else beside its source."""
    package = Path(str(resources.files("lengthwise")))
    there = [path for path in (package / "papers", package.parent.parent / "papers") if path.is_dir()]
    return there[:1]


def files_of(kind: str) -> dict[str, Path]:
    """The files of a kind by the names of their figures, in the order of these."""
    found = [path for directory in papers() for path in directory.glob(f"*/{kind}/*.toml")]
    return dict(sorted((f"{path.parent.parent.name}-{path.stem}", path) for path in found))


def content_of(path: str | Path, kind: type[Content], error: type[LengthwiseError]) -> Content:
    """What a TOML file says; whatever is wrong with it is told as an error of this type."""
    try:
        return kind(**tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise error(f"{path} is not TOML: {problem}") from None
    except ValidationError as problem:
        raise error(f"{path}: {sentence(kind, problem)}") from None
    except error as problem:
        raise error(f"{path}: {problem}") from None


def preset_of(presets: Mapping[str, Preset], name: str) -> Preset:
    """The preset of a name; an unknown one is an error that says what may have been meant."""
    if name not in presets:
        near = difflib.get_close_matches(name, presets)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(presets)}"
        raise UnknownNameError(f"there is no preset {name!r}; {hint}")
    return presets[name]


def digest(path: Path) -> str:
    """The SHA-256 of a file's text, whichever ends its lines have."""
    return hashlib.sha256(path.read_text(encoding="utf-8").encode()).hexdigest()
