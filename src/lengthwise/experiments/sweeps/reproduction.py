"""A published figure from the runs of a store: the drawing, the verdicts on its claims, every number, and their origin.

    figure.svg, figure.png    the drawing
    claims.json               the findings on the claims of the figure
    results.csv               one row for each config, seed and test length
    provenance.json           which runs, which versions, and the command that makes all of this again

The same store gives the same bytes.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.drawing.style import FORMATS, pyplot
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.results import Results, as_bytes, write_results
from lengthwise.experiments.sweeps.claims import Evaluator, Finding, evaluate_all
from lengthwise.experiments.sweeps.figure_plot import draw
from lengthwise.experiments.sweeps.panels.settings import read_panels
from lengthwise.experiments.sweeps.published import Published
from lengthwise.runs.config import ConfigError
from lengthwise.runs.store.disk import writing
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import Summary, summarise

SHORT = 12
"""Digits of a commit or a hash in a caption."""


@dataclass(frozen=True)
class Reproduction:
    """What came of a figure, and the files that tell it."""

    published: Published
    preset: str
    results: Results
    findings: tuple[Finding, ...]
    provenance: Mapping[str, Any]
    directory: Path
    files: tuple[str, ...]
    remarks: tuple[str, ...]
    """What could not be done, in sentences."""

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data with stable keys."""
        return {
            "figure": self.published.name,
            "title": self.published.figure.title,
            "preset": self.preset,
            "claims": [finding.as_json() for finding in self.findings],
            "missing": [{"config": str(each), "seeds": list(each.seeds)} for each in self.results.missing()],
            "files": [str(self.directory / name) for name in self.files],
            "remarks": list(self.remarks),
            "provenance": dict(self.provenance),
            "results": list(self.results.records()),
        }


def read_formats(texts: Sequence[str]) -> tuple[str, ...]:
    """The formats that were asked for, each once."""
    found = [part.strip().lower().lstrip(".") for text in texts for part in text.split(",")]
    for each in found:
        if each not in FORMATS:
            raise LengthwiseError(f"there is no format {each!r} for figures; there are {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(found))


def require_sound(published: Published, preset: str) -> None:
    """Refuse a figure file with a mistake in its panels or claims, before anything is trained for it."""
    sweeps = {
        name: [Summary(config, (), (), ()) for config in configs] for name, configs in published.configs(preset).items()
    }
    _directory(Path(), published.name, preset)
    with tempfile.TemporaryDirectory() as empty:
        nothing = Store(Path(empty) / "store")
        try:
            evaluate_all(published.figure.claims, sweeps, _more_claims(nothing))
            if published.figure.plot:
                read_panels(published.figure)
                if obstacle_to_drawing() is None:
                    draw(published.figure, preset, nothing, Path(empty) / "figure.svg")
        except LengthwiseError as problem:
            raise ConfigError(f"{published.path}: {problem}") from None


def reproduce(published: Published, preset: str, store: Store, out: Path, formats: Sequence[str]) -> Reproduction:
    """Make the files of a figure in `out`/<figure>/<preset> from what the store has."""
    figure = published.figure
    results = Results(store, published.configs(preset))
    if not results.rows:
        raise LengthwiseError(f"{store.path} has none of the runs of {published.name}, preset {preset!r}")
    directory = _directory(out, published.name, preset)
    sweeps = {name: [summarise(store, config) for config in configs] for name, configs in results.sweeps.items()}
    findings = tuple(evaluate_all(figure.claims, sweeps, _more_claims(store)))
    provenance = {
        "figure": published.name,
        "title": figure.title,
        "preset": preset,
        "file_sha256": published.digest,
        "command": _command(published, preset),
        **results.provenance(),
    }
    files = {"results.csv": results.table(), "claims.json": as_bytes([finding.as_json() for finding in findings])}
    remarks = []
    if figure.plot and (obstacle := obstacle_to_drawing()) is not None:
        remarks.append(f"{obstacle}; the numbers and the claims are written without the figure")
    elif figure.plot:
        for each in formats:
            files[f"figure.{each}"] = _drawing(published, preset, store, each, origin(provenance))
    files["provenance.json"] = as_bytes(provenance)
    write_results(directory, files)
    return Reproduction(published, preset, results, findings, provenance, directory, tuple(files), tuple(remarks))


def obstacle_to_drawing() -> str | None:
    """What keeps figures from being drawn, in a sentence; None if nothing does."""
    try:
        pyplot()
    except LengthwiseError as problem:
        return str(problem)
    return None


def _more_claims(store: Store) -> dict[str, Evaluator]:
    """The kinds of claims that are about the models themselves."""
    from lengthwise.experiments.sweeps.uniform_attention import KIND, uniform_attention

    return {KIND: uniform_attention(store)}


def _directory(out: Path, *parts: str) -> Path:
    for part in parts:
        if Path(part).name != part:
            raise ConfigError(
                f"results are kept in a directory with the name {part!r}, which is no name of a directory"
            )
    return out.joinpath(*parts)


def _command(published: Published, preset: str) -> str:
    """What to type to get the same again; a file of one's own is named without where it is."""
    name = published.name if published.is_in_catalogue else published.path.name
    device = [] if published.device is None else ["--device", published.device]
    return shlex.join(["lengthwise", "reproduce", name, "--preset", preset, *device])


def _drawing(published: Published, preset: str, store: Store, suffix: str, origin: str) -> bytes:
    with writing("the figure"), tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"figure.{suffix}"
        draw(published.figure, preset, store, path, remarks=[origin])
        return path.read_bytes()


def origin(provenance: Mapping[str, Any]) -> str:
    """Where the figure comes from, for its caption."""
    versions = {
        name: sorted({str(each.get(name)) for each in provenance["environments"]}) for name in ("lengthwise", "commit")
    }
    torch = sorted({str(each.get("packages", {}).get("torch")) for each in provenance["environments"]})
    commits = [commit[:SHORT] + ("-dirty" if commit.endswith("-dirty") else "") for commit in versions["commit"]]
    told = [
        f"lengthwise {', '.join(versions['lengthwise'])}",
        *([f"commit {', '.join(commits)}"] if commits != ["None"] else []),
        f"torch {', '.join(torch)}",
        f"figure file {provenance['file_sha256'][:SHORT]}",
    ]
    return f"{provenance['command']} ({'; '.join(told)})."
