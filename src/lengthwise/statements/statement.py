"""A numbered statement, figure or table of a paper, with its status and the places that make it executable.

The rows stand in a TOML file for each paper beside this module, in the order of the paper. The page
`docs/reference/statements.md` is made from them, and tests import every name and look up every test.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

from lengthwise.errors import LengthwiseError, UnknownNameError

PAPERS = {
    "huang": "Huang et al., A Formal Framework for Understanding Length Generalization in Transformers",
    "izzo": "Izzo, Nichani, Lee, Quantitative Bounds for Length Generalization in Transformers",
    "izzo-workshop": "Izzo, Nichani, Lee, the workshop version",
    "golowich": "Golowich et al., The Role of Sparsity for Length Generalization in Transformers",
    "edelman": "Edelman et al., Inductive Biases and Variable Creation in Self-Attention Mechanisms",
}
"""The papers by the names that commands use."""

STATUSES = {
    "as printed": "no error was found: a definition, or what its paper proves; the tests that a row names check it",
    "measured": "an experiment that can be run again; whether its claims are reproduced is said when it is",
    "repaired": "does not hold or is not defined as printed; a corrected form is used",
    "refuted": "does not hold, and a counterexample is executable",
    "open": "neither proved nor refuted here",
}
"""What can have become of a statement."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A numbered statement, figure or table.

    At least one of `names`, `command`, `proof`, `same` and `note` says where it can be found, or why it cannot be run.
    """

    paper: str
    """The name of the paper, a key of `PAPERS`."""
    label: str
    """As the paper numbers it, such as `Theorem 7`."""
    says: str
    """What it says, in one line."""
    status: str
    """A key of `STATUSES`."""
    names: tuple[str, ...] = ()
    """Functions and classes that make it executable, by their import paths."""
    tests: tuple[str, ...] = ()
    """Tests of it, such as `tests/limit/test_protocol.py::test_name`."""
    command: str = ""
    """The command that shows it."""
    proof: str = ""
    """The page of its proof, for a statement that only serves a proof, below `docs/`."""
    same: str = ""
    """The label of the statement that it restates."""
    note: str = ""
    """What was corrected, or why there is nothing to execute."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise LengthwiseError(f"{self.paper}, {self.label}: there is no status {self.status!r}")
        if not (self.names or self.command or self.proof or self.same or self.note):
            raise LengthwiseError(f"{self.paper}, {self.label}: neither a place nor a reason why there is none")

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return asdict(self)


def papers(paper: str | None = None, status: str | None = None) -> list[Statement]:
    """List what the papers state and what became of it.

    Args:
        paper: The name of a paper, a key of `PAPERS`; all papers if none is given.
        status: A key of `STATUSES`, for statements with this status only.

    Returns:
        The statements in the order of the papers.

    Raises:
        UnknownNameError: There is no such paper or status.

    Example:
        >>> [each.status for each in papers("huang") if each.label == "Theorem 12"]
        ['repaired']

    """
    for what, asked, known in (("paper", paper, PAPERS), ("status", status, STATUSES)):
        if asked is not None and asked not in known:
            near = difflib.get_close_matches(asked.lower(), known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UnknownNameError(f"there is no {what} {asked!r}; {hint}")
    rows = (row for name in PAPERS if paper in (None, name) for row in _rows(name))
    return [row for row in rows if status in (None, row.status)]


def _rows(paper: str) -> list[Statement]:
    text = (resources.files("lengthwise.statements") / f"{paper}.toml").read_text(encoding="utf-8")
    return [_statement(paper, row) for row in tomllib.loads(text)["statement"]]


def _statement(paper: str, row: Mapping[str, Any]) -> Statement:
    places = {key: tuple(row[key]) for key in ("names", "tests") if key in row}
    return Statement(paper=paper, **{**row, **places})
