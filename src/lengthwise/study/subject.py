"""What a study is about: the task that models are trained on, and what can be said about it without training.

The verdict is about the very thing that is trained.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.crasp import library
from lengthwise.crasp.library.catalogue import knows
from lengthwise.regular import languages
from lengthwise.regular.languages.catalogue import table_row
from lengthwise.subjects import Subject, describe, names, with_parameters
from lengthwise.tasks.task import Task

LONGEST_SLUG = 40
"""Characters of a directory's name."""
DIGITS = 6
"""Of the hash that tells subjects apart whose names look alike."""
SHOWN = 60
"""Characters of a parameter's value that are shown in titles."""
KINDS = {
    "task": "task",
    "language": "regular language",
    "regex": "regular language",
    "predicate": "regular language",
    "automaton": "automaton",
    "program": "C-RASP program",
}
"""What a report calls each kind of subject."""


@dataclass(frozen=True)
class Studied:
    """A subject as a task, and the parameters that were given for it."""

    subject: Subject
    given: Mapping[str, Any]
    """The parameters that were given."""
    task: Task
    from_text: bool = True
    """Whether the subject was given as a text, which a command can repeat."""

    @classmethod
    def of(cls, thing: object, given: Mapping[str, Any]) -> Studied:
        """The task of a text or an object; what cannot be trained is refused as `lengthwise train` does."""
        subject, left = with_parameters(thing, given)
        task = subject.as_task(**left)
        # As the task has them, so that omega=3 and omega=3.0 are the same subject.
        values = {name: plain_number(task.parameters.get(name, value)) for name, value in given.items()}
        return cls(subject, values, task, isinstance(thing, str))

    @property
    def text(self) -> str:
        """As it was given; a task as it is registered."""
        return self.subject.name if self.subject.kind == "task" else self.subject.text

    @property
    def kind(self) -> str:
        """What it is, in a word or two."""
        return "regular language" if self.text in languages() else KINDS[self.subject.kind]

    @property
    def shown(self) -> str:
        """The text; a file without where it is, so that a report names no directories."""
        return Path(self.subject.name).name if self.subject.from_file else self.text

    @property
    def title(self) -> str:
        """The text with the parameters that were given."""
        values = ", ".join(f"{name} = {_short(value)}" for name, value in self.given.items())
        return f"{self.shown} with {values}" if values else self.shown

    @property
    def description(self) -> str:
        """One sentence about the task, without its full stop; empty if nobody wrote one."""
        if self.text in languages():
            return f"the language {table_row(self.text).written}"
        if self.text in names():
            return describe(self.text).rstrip(".")
        return library.describe(self.text).rstrip(".") if knows(self.text) else ""

    @property
    def slug(self) -> str:
        """The title as the name of a directory."""
        plain = (
            re.sub(r"[^a-z0-9]+", "-", self.title.lower().replace(" with ", "-")).strip("-")[:LONGEST_SLUG].strip("-")
        )
        if self.text in names() or knows(self.text):
            return plain
        # Regexes consist of what a name must not have: (aa)* and aa would have one directory.
        named = json.dumps([self.text, {key: str(value) for key, value in sorted(self.given.items())}])
        digest = hashlib.sha256(named.encode()).hexdigest()[:DIGITS]
        return f"{plain}-{digest}" if plain else digest


def plain_number(value: Any) -> Any:
    """A value with whole numbers written alike: 3.0 is 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
