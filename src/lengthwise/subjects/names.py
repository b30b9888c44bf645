"""What a text is meant to be: its kind and its name.

A library program and a language of one name are one subject if they are in `EQUAL`, whose entries the tests prove. Any
other name with two meanings is refused, and so is a word that has none: it is never taken for a regex.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Literal, TypeAlias

from lengthwise.crasp.library import catalogue as library
from lengthwise.errors import LengthwiseError, UnknownNameError

Kind: TypeAlias = Literal["program", "language", "regex", "task", "automaton", "predicate"]

PREFIXES = ("regex", "program", "language", "task", "file", "automaton")
"""What may stand before a text, with a colon; `automaton` is an old word for a file with one."""
TASK = "task:"
PROGRAM_SUFFIXES = (".crasp", ".cr")
AUTOMATON_SUFFIXES = (".json", ".dfa", ".txt", ".att")
OPERATORS = frozenset("()[]{}|*+?.Σε∅~&\"'\\")
"""Text with one of these is a regex, unless it is a name or a file."""
PLAIN_PATH = re.compile(r"[^()\[\]{}|*+?]*/[^()\[\]{}|*+?]*")
"""Text with a slash and without what makes a regex a regex: a path is meant."""
HEADED = re.compile(r"[A-Za-z][\w-]+:")
"""How a name with a parameter begins; a regex seldom does."""
IN_FILE = re.compile(r"(?P<file>.*\.py):(?P<name>[^\W\d]\w*)", re.DOTALL)
"""What stands in a Python file: a task, or a predicate."""
EQUAL = frozenset({
    "aa-star", "aaaa-star", "ab-d-bc", "abab-star", "abcde", "d2", "d3", "d4", "d12",
    "tomita-1", "tomita-2", "tomita-4", "tomita-7",
})  # fmt: skip
"""The names of both a program and a language; the tests prove that these are equal and that there are no others.
The families d:N and dN are the same language for every N that has one, too."""
DYCK = re.compile("d:?(?P<depth>[1-9][0-9]?|100)")
ENTRY_POINTS = "lengthwise.tasks"
"""The group of `tasks.registry`, which is not imported for it: that takes longer than running a program."""


def kind_of(text: str) -> tuple[Kind, str]:
    """What a text is meant to be, and its name: the text without a prefix, a task as it is registered.

    Raises:
        UnknownNameError: The text names nothing.
        LengthwiseError: The text has two meanings, or is the path of a file that does not exist or cannot be loaded.

    """
    head, colon, rest = text.partition(":")
    if colon and head in PREFIXES:
        return _prefixed(head, rest)
    if not text.strip():
        raise UnknownNameError("the subject is empty; give a name, a regex or a file, such as '(ab)*'")
    if IN_FILE.fullmatch(text):
        return _kind_in_file(text), text
    suffix = os.path.splitext(text)[1].lower()
    if not library.knows(text) and (_is_path(text, suffix) or (suffix and os.path.isfile(text))):
        return file_kind(text), text
    if meanings := _meanings(text):
        if len(meanings) > 1:
            listed = " and ".join(f"the {kind} {name} ({kind}:{name})" for kind, name in meanings)
            raise LengthwiseError(f"{text} has two meanings, {listed}; write one of them with its prefix")
        return meanings[0]
    if OPERATORS & set(text) and not HEADED.match(text):
        return "regex", text
    if os.path.isfile(text):
        return file_kind(text), text
    raise UnknownNameError(_unknown(text))


def names() -> tuple[str, ...]:
    """The names of everything that can be trained: registered tasks, then languages and library programs.

    Regexes, files and predicates are not listed.
    """
    from lengthwise.regular.languages.catalogue import languages
    from lengthwise.tasks import registered

    return tuple(dict.fromkeys((*registered(), *languages(), *library.names())))


def describe(name: str) -> str:
    """One line about what is trained under one of `names` or of a Python file; empty for other texts."""
    from lengthwise.regular.languages.catalogue import languages, table_row
    from lengthwise.tasks import describe as describe_task
    from lengthwise.tasks import registered

    if name in registered():
        return describe_task(name)
    if IN_FILE.fullmatch(name):
        from lengthwise.tasks.own_task import described

        return described(name)
    if name in languages():
        return f"next symbols of the language {table_row(name).written}"
    if not library.knows(name):
        return ""
    from lengthwise.tasks.typed import found_automaton

    program, line = library.get(name), library.describe(name)
    if program.predicts:
        return line
    return f"next symbols of {line}" if found_automaton(program) else f"which prefixes are accepted: {line}"


def _kind_in_file(text: str) -> Kind:
    """Whether a name of a Python file, which is run for that, is a task or a predicate."""
    from lengthwise.tasks.own_task import is_task_or_maker, user_object

    return "task" if is_task_or_maker(*user_object(text)) else "predicate"


def _meanings(text: str) -> list[tuple[Kind, str]]:
    """What a name without a prefix can mean; a program and a language that are equal are one."""
    found: list[tuple[Kind, str]] = []
    if library.knows(text):
        found.append(("program", text))
    else:
        from lengthwise.regular.languages.catalogue import languages

        if text in languages():
            found.append(("language", text))
    if found:
        return found + ([("task", text)] if text in _registered_by_others() else [])
    from lengthwise.tasks import registered

    return [("task", _task_name(text))] if text in registered() or TASK + text in registered() else []


def _registered_by_others() -> frozenset[str]:
    """The names of registered tasks, without importing ours: a test makes sure that none of these is in the way."""
    registry = sys.modules.get("lengthwise.tasks.registry")
    if registry is not None:
        return frozenset(registry.registered())
    from importlib import metadata

    return frozenset(entry.name for entry in metadata.entry_points(group=ENTRY_POINTS))


def _task_name(name: str) -> str:
    """The registered name of a task that is asked for without its prefix."""
    from lengthwise.tasks import registered

    there = [known for known in (name, TASK + name) if known in registered()]
    if len(there) > 1:
        raise LengthwiseError(f"two tasks are registered, as {there[0]!r} and as {there[1]!r}; rename one of them")
    if not there:
        near = _nearest(name, {known.removeprefix(TASK): known for known in registered()})
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(registered())}"
        raise UnknownNameError(f"there is no task {name!r}; {hint}")
    return there[0]


def _prefixed(head: str, rest: str) -> tuple[Kind, str]:
    match head:
        case "task":
            return "task", _task_name(rest)
        case "file":
            return file_kind(rest), rest
        case "program" | "language" | "regex" | "automaton":
            return head, rest
    raise AssertionError(head)


def _is_path(text: str, suffix: str) -> bool:
    known = (*PROGRAM_SUFFIXES, *AUTOMATON_SUFFIXES, ".py", ".safetensors")
    return suffix in known or PLAIN_PATH.fullmatch(text) is not None


def file_kind(path: str) -> Kind:
    """The kind of a file, by how its name ends; a file that does not exist or is none of these is refused."""
    suffix = os.path.splitext(path)[1].lower()
    if not os.path.exists(path):
        raise LengthwiseError(
            f"the file {path} does not exist; give the path of a program or an automaton, or the name of a program, "
            "language or task"
        )
    if suffix == ".py":
        raise LengthwiseError(f"{path} is a Python file; name a task or a predicate in it, as in {path}:Name")
    if suffix == ".safetensors":
        raise LengthwiseError(f"{path} is a model; `lengthwise eval` and `lengthwise show` are for models")
    return "automaton" if suffix in AUTOMATON_SUFFIXES else "program"


def _unknown(text: str) -> str:
    quoted = shlex.quote(f"regex:{text}")
    near = _nearest(text, _all_names())
    if near:
        hint = f"did you mean {' or '.join(near)}? If a regex is meant, write {quoted}"
    else:
        hint = f"`lengthwise library` and `lengthwise tasks` list the names; if a regex is meant, write {quoted}"
    return f"there is no program, language or task {text!r}; {hint}"


def _all_names() -> dict[str, str]:
    """All names as they may be misspelt, and how each is written: a task without its prefix where that is enough."""
    from lengthwise.regular.languages.catalogue import languages
    from lengthwise.tasks import registered

    plain = (*library.names(), *(family.example for family in library.FAMILIES.values()), *languages())
    found = {name: name for name in plain}
    for name in registered():
        short = name.removeprefix(TASK)
        shown = name if short in plain else short
        found[shown] = shown
    return found


def _nearest(text: str, known: Mapping[str, str]) -> list[str]:
    """Up to three names that are written like a text; capital letters and signs between letters do not count."""
    words: dict[str, str] = {}
    for name, shown in known.items():
        words.setdefault(_letters(name), shown)
    written = _letters(text)
    return [words[word] for word in ([written] if written in words else difflib.get_close_matches(written, words, 3))]


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower()) or text
