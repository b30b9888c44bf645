"""What a study is about: the task that models are trained on, and what can be said about it without training.

The verdict is about the very thing that is trained. `lengthwise decide majority` answers for the task of Huang et al.
that has this name; a study of `majority` trains the library program, so it is the program that it decides.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise import tasks
from lengthwise.crasp.library.catalogue import knows
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular import languages, task_names
from lengthwise.regular.catalogue import table_row
from lengthwise.regular.subject import kind_of
from lengthwise.tasks.task import Task

LONGEST_SLUG = 40
"""Characters of a directory's name."""
DIGITS = 6
"""Of the hash that tells subjects apart whose names look alike."""
SHOWN = 60
"""Characters of a parameter's value that are shown in titles."""


@dataclass(frozen=True)
class Subject:
    """A task by its name, regex or file, and the parameters that were given for it."""

    text: str
    """As it was given."""
    given: Mapping[str, Any]
    """The parameters that were given."""
    task: Task

    @classmethod
    def of(cls, text: str, given: Mapping[str, Any]) -> Subject:
        """The subject that a text stands for; what cannot be trained is refused as `lengthwise train` does."""
        try:
            task = tasks.get(text, **given)
        except UnknownNameError as problem:
            if text in task_names():
                raise LengthwiseError(
                    f"{text} can be decided (lengthwise decide {text}), but there is no task of this name to train on; "
                    "lengthwise tasks lists those that there are"
                ) from problem
            raise
        # As the task has them, so that omega=3 and omega=3.0 are the same subject.
        return cls(text, {name: plain_number(task.parameters.get(name, value)) for name, value in given.items()}, task)

    @property
    def kind(self) -> str:
        """What it is, in a word or two."""
        if self.text in tasks.registered():
            return "task"
        if self.text in languages():
            return "regular language"
        return {"regex": "regular language", "language": "regular language", "automaton": "automaton"}.get(
            kind_of(self.text)[0], "C-RASP program"
        )

    @property
    def shown(self) -> str:
        """The text; a file without where it is, so that a report names no directories."""
        kind, name = kind_of(self.text)
        is_file = kind in ("program", "automaton") and not knows(name) and self.text not in tasks.names()
        return Path(name).name if is_file else self.text

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
        if self.text in tasks.names() or knows(self.text):
            from lengthwise.crasp import library

            said = tasks.describe(self.text) if self.text in tasks.names() else library.describe(self.text)
            return said.rstrip(".")
        return ""

    @property
    def slug(self) -> str:
        """The title as the name of a directory."""
        plain = (
            re.sub(r"[^a-z0-9]+", "-", self.title.lower().replace(" with ", "-")).strip("-")[:LONGEST_SLUG].strip("-")
        )
        if self.text in tasks.names() or knows(self.text):
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
