"""The catalogue: every figure that can be reproduced, by its name, and which kind of experiment a file is of.

A figure is a file `papers/<paper>/<file>.toml`, or one in a folder of the paper, and is known as `<paper>-<file>`. The
files are in the installed package, or in the source tree where lengthwise is installed from a checkout. A figure file
of one's own is used by its path and is named like the file. Its kind is what it says as `experiment`, or else follows
from keys that no other kind has.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.experiments.experiment import Experiment

SUFFIX = ".toml"
NEAREST = 3
"""Names that are suggested in place of one that does not exist."""


@dataclass(frozen=True)
class Kind:
    """A kind of experiment."""

    place: str
    """Its class, `module:name`."""
    keys: frozenset[str] = frozenset()
    """Which all of its files have, and no others."""

    @property
    def experiment(self) -> type[Experiment[Any]]:
        """Its class."""
        module, _, name = self.place.partition(":")
        found: type[Experiment[Any]] = getattr(import_module(module), name)
        return found


SWEEP = "sweep"
"""The kind of files that have no keys of another one."""
KINDS: dict[str, Kind] = {
    SWEEP: Kind("lengthwise.experiments.sweeps.experiment:Sweeps"),
    "probes": Kind("lengthwise.experiments.probes.experiment:Probes", frozenset({"kind"})),
    "positional": Kind("lengthwise.experiments.positional.experiment:Positional", frozenset({"panels"})),
    "generalization": Kind("lengthwise.experiments.generalization.experiment:Generalization", frozenset({"entries"})),
    "text": Kind("lengthwise.experiments.text.experiment:Text", frozenset({"short", "long"})),
}
"""All kinds by name, in the order in which figures are listed."""

TABLES = {
    "huang-table2": "Huang et al., Table 2: C-RASP expressiveness and classical classes of finite-state languages",
    "huang-table3": "Huang et al., Table 3: C-RASP expressiveness of algorithmic tasks",
}
"""Tables that are computed (`paper_tables`): their names and titles."""


def register_experiment(
    name: str, keys: Iterable[str] = ()
) -> Callable[[type[Experiment[Any]]], type[Experiment[Any]]]:
    """Make a kind of experiment known: before a class at the top level of a module.

    Args:
        name: What its files say as `experiment`.
        keys: Keys that all of its files have, and no others; without any, its files say what they are.

    Returns:
        What registers the class.

    Raises:
        LengthwiseError: There is such a kind.

    """

    def register(experiment: type[Experiment[Any]]) -> type[Experiment[Any]]:
        if name in KINDS:
            raise LengthwiseError(f"there are two kinds of experiment {name!r}")
        KINDS[name] = Kind(f"{experiment.__module__}:{experiment.__name__}", frozenset(keys))
        return experiment

    return register


def kind_of(path: Path) -> str:
    """The kind of a file; `sweep` if it cannot be read, which that kind tells."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return SWEEP
    told = content.get("experiment")
    if told is None:
        return next((name for name, kind in KINDS.items() if kind.keys and kind.keys <= content.keys()), SWEEP)
    if not isinstance(told, str) or told not in KINDS:
        near = difflib.get_close_matches(str(told), KINDS)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KINDS)}"
        raise UnknownNameError(f"{path}: there is no kind of experiment {told!r}; {hint}")
    return str(told)


def papers() -> list[Path]:
    """Where figure files are: in the package if it was built with them, and else beside its source."""
    package = Path(str(resources.files("lengthwise")))
    there = [path for path in (package / "papers", package.parent.parent / "papers") if path.is_dir()]
    return there[:1]


def files() -> dict[str, Path]:
    """The figure files of all papers by the names of their figures, in the order of these."""
    found = {}
    for directory in papers():
        for path in (*directory.glob(f"*/*{SUFFIX}"), *directory.glob(f"*/*/*{SUFFIX}")):
            found[f"{path.relative_to(directory).parts[0]}-{path.stem}"] = path
    return dict(sorted(found.items()))


def catalogue(kind: str | None = None) -> dict[str, Experiment[Any]]:
    """All experiments by name, or those of a kind: one kind after the other, each in the order of the names."""
    kinds = {name: kind_of(path) for name, path in files().items()}
    return {
        name: KINDS[each].experiment(name, files()[name])
        for each in KINDS
        if kind in (None, each)
        for name in kinds
        if kinds[name] == each
    }


def figures() -> list[dict[str, Any]]:
    """List the figures and tables that `reproduce` knows.

    Returns:
        For each its `name`, its `title`, and how much each of its `presets` trains; nothing for tables.

    Example:
        >>> figures()[-1]["name"]
        'huang-table3'

    """
    tables = [{"name": name, "title": title, "presets": {}} for name, title in TABLES.items()]
    return [experiment.facts() for experiment in catalogue().values()] + tables


def find(name: str, device: str | None = None) -> Experiment[Any]:
    """The experiment of a name, or of a path to a file.

    Args:
        name: `<paper>-<file>`, or the path of a figure file, which ends in `.toml`.
        device: Where it is trained, in place of what the file says.

    Returns:
        The experiment; its file is read when it is needed.

    Raises:
        UnknownNameError: There is no such figure.

    Example:
        >>> find("izzo-fig1").figure.title
        'Izzo et al., Figure 1: SimpleTask'

    """
    known, own = files(), False
    if name.endswith(SUFFIX) or os.sep in name:
        path = Path(name)
        same = (each for each, file in known.items() if path.exists() and path.samefile(file))
        listed = next(same, None)
        name, own = listed or path.stem, listed is None
    elif name in known:
        path = known[name]
    else:
        names = [*known, *TABLES]
        near = difflib.get_close_matches(name.lower(), names, n=NEAREST)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
        raise UnknownNameError(f"there is no figure {name!r}; {hint}")
    return KINDS[kind_of(path)].experiment(name, path, device, own)
