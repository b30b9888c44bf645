"""What `lengthwise reproduce` is asked for, in one object that every kind of figure is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.cli.outputs import require_results

if TYPE_CHECKING:
    from lengthwise.runs.engines.engine import Engine

PRESET = "quick"
STORE = "lengthwise-runs"
OUT = "lengthwise-results"
FORMATS = "svg,png"
ENGINE = "local"


@dataclass(frozen=True)
class Request:
    """The options of the command line, with what stands for those that were not given."""

    figure: str
    preset: str = PRESET
    store: str = STORE
    out: str = OUT
    formats: Sequence[str] = (FORMATS,)
    train: bool = True
    engine: str = ENGINE
    processes: int | None = None
    address: str | None = None
    device: str | None = None
    kept: str | None = None

    @property
    def directory(self) -> Path:
        """Where the files of a figure in the catalogue go."""
        return Path(self.out) / self.figure / self.preset

    def require_writable(self, data: Sequence[str], formats: Sequence[str], name: str | None = None) -> None:
        """Refuse results that cannot be written, before anything is trained for them."""
        directory = Path(self.out) / (name or self.figure) / self.preset
        require_results(directory, (*data, *(f"figure.{suffix}" for suffix in formats)))

    def workers(self) -> Engine:
        """The engine that trains."""
        from lengthwise.runs.engines.engine import get_engine

        return get_engine(self.engine, self.processes, self.address)
