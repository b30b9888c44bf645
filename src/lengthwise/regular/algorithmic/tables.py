"""Tables 2 and 3 of Huang et al. from computation, beside the paper's entries.

Nothing here is copied into a verdict: every entry of ours comes from `decide`, `classify` or a task's own argument, and
a cell that differs from the paper is named. Whether a task that is no regular language is in AC⁰ is argued in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.regular.algebra.classes import classify
from lengthwise.regular.algorithmic.decide import decide_task, get_task, task_names
from lengthwise.regular.deciding.decider import decide_automaton
from lengthwise.regular.deciding.verdict import Answer
from lengthwise.regular.languages.automaton import Acceptance
from lengthwise.regular.languages.catalogue import TableRow, languages, table_row
from lengthwise.regular.languages.language import Language


@dataclass(frozen=True)
class Row:
    """One row: what we compute, what the paper prints, and how ours is supported."""

    number: str
    name: str
    title: str
    ours: Mapping[str, str]
    paper: Mapping[str, str]
    support: Mapping[str, str]
    """For each C-RASP column: the program's size or the kind of witness, and whether it was proved; for others, if they
    are argued and not computed, the argument."""
    proved: int
    """How many of the two C-RASP columns rest on a program proved at every length or on a re-checked witness."""
    remarks: tuple[str, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        """The columns in which ours is not the paper's."""
        return tuple(column for column, value in self.paper.items() if self.ours[column] != value)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "number": self.number,
            "name": self.name,
            "title": self.title,
            "ours": dict(self.ours),
            "paper": dict(self.paper),
            "support": dict(self.support),
            "proved": self.proved,
            "differences": list(self.differences),
            "remarks": list(self.remarks),
        }


def table_2(acceptance: Acceptance = "last") -> Iterator[Row]:
    """The finite-state languages of Bhattamishra et al., row by row."""
    for name in languages():
        printed = table_row(name)
        automaton = printed.language.automaton
        verdict = decide_automaton(automaton, acceptance, title=name)
        classes = classify(automaton)
        ours = {
            "[∅]": verdict.nope.kind,
            "[periodic, local]": verdict.ape.kind,
            "star-free": _yes(classes.star_free),
            "dot-depth": classes.dot_depth or "-",
            "AC⁰": _yes(classes.ac0),
        }
        paper = {
            "[∅]": _yes(printed.nope),
            "[periodic, local]": _yes(printed.ape),
            "star-free": _yes(printed.star_free),
            "dot-depth": "-" if printed.dot_depth is None else str(printed.dot_depth),
            "AC⁰": _yes(printed.ac0),
        }
        remarks = []
        if classes.dot_depth == ">=2" and printed.dot_depth is not None and printed.dot_depth >= 2:
            # Ours decides the levels 0 and 1; a printed level from 2 on agrees with >=2.
            paper["dot-depth"] = ">=2"
            remarks.append(f"the paper has dot-depth {printed.dot_depth}; ours decides 0, 1 and >=2")
        support = {"[∅]": _support(verdict.nope), "[periodic, local]": _support(verdict.ape)}
        proved = verdict.nope.proved + verdict.ape.proved
        yield Row(str(printed.number or "-"), name, _title(printed), ours, paper, support, proved, tuple(remarks))


def table_3() -> Iterator[Row]:
    """The algorithmic tasks, row by row."""
    for number, name in enumerate(task_names(), start=1):
        task = get_task(name)
        verdict = decide_task(name)
        in_ac0, argument = ac0_argument(name)
        ours = {"[∅]": verdict.nope.kind, "[periodic, local]": verdict.ape.kind, "AC⁰": _yes(in_ac0)}
        paper = {"[∅]": task.paper.nope, "[periodic, local]": task.paper.ape, "AC⁰": task.paper.ac0}
        support = {"[∅]": _support(verdict.nope), "[periodic, local]": _support(verdict.ape), "AC⁰": argument}
        proved = verdict.nope.proved + verdict.ape.proved
        yield Row(str(number), name, task.title, ours, paper, support, proved, verdict.notes[1:])


def ac0_argument(name: str) -> tuple[bool, str]:
    """Whether an algorithmic task is in AC⁰, and why; for a regular language, its syntactic monoid tells."""
    regex = get_task(name).regular
    if regex is not None:
        found = classify(Language.from_regex(regex).automaton).ac0
        return found, "by its syntactic monoid (for parity: Furst, Saxe and Sipser)"
    return _AC0[name]


_AC0: dict[str, tuple[bool, str]] = {
    "binary-majority": (False, "parity reduces to it, as padding makes every threshold of it"),
    "binary-majority-interleave": (False, "binary majority is one of its tracks"),
    "majority": (False, "over two letters it is binary majority"),
    "sort": (True, "the next number is the least that is larger than the last, which is first-order"),
    "copy-unique": (True, "the next symbol is the one behind the only other place of the last, which is first-order"),
    "copy-repeat": (True, "every output is the input as far behind the start as it is behind the separator"),
    "addition": (True, "a carry arrives if some lower place makes one and all between pass it on (carry lookahead)"),
}
"""For tasks that are not regular languages: whether they are in AC⁰, and why."""


def _title(row: TableRow) -> str:
    """The language as the table names it: in the paper's notation, or by name where that is a sentence."""
    return row.name.replace("tomita-", "Tomita ") if row.name.startswith("tomita") else row.written


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _support(answer: Answer) -> str:
    """How an answer is supported, in a few words."""
    if answer.program is not None:
        proof = "proved" if answer.proved else f"checked to length {answer.checked_to}"
        return f"program of {answer.program.size} operations, {proof}"
    if answer.witness is not None:
        return f"{answer.witness.kind}, {'re-checked' if answer.proved else 'not re-checked'}"
    return "-"
