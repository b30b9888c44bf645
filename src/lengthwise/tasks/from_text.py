"""The task that a text stands for: a language by name or regex, an automaton or program by file or library name.

Regular languages become `LanguageTask`s, programs with `next` statements `ProgramTask`s; a program without them is one
for the language that it accepts, if an automaton is found for it, and else an `AcceptanceTask`. What was read from a
file goes into the parameters, so that a run can be repeated, and is another one when the file has changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from lengthwise.alphabet import parse_alphabet, write_alphabet
from lengthwise.crasp import Program, library, parse
from lengthwise.crasp.library.catalogue import knows
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular import Language, automaton_of, get_language, languages
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.catalogue import table_row
from lengthwise.regular.dfa_files import to_table
from lengthwise.regular.subject import kind_of, resolve
from lengthwise.tasks.acceptance_task import AcceptanceTask
from lengthwise.tasks.language_task import LanguageTask
from lengthwise.tasks.program_task import ProgramTask
from lengthwise.tasks.settings import converted
from lengthwise.tasks.started_task import StartedTask
from lengthwise.tasks.task import Task

LOOKS_LIKE_A_NAME = re.compile(r"[\w:./-]*")
"""Text of these characters alone would be a regex of one word, or one whose dots need an alphabet: a name is meant."""
STATES = 4096
"""How many states an automaton of an accepting program may have on the way; not a time, so that a text stands for the
same task on every machine."""


@cache
def named_texts() -> tuple[str, ...]:
    """The texts that are names: the languages of the catalogue, and the other programs of the library."""
    return (*languages(), *(name for name in library.names() if name not in languages()))


def describe_text(name: str) -> str:
    """One line about one of `named_texts`."""
    if name in languages():
        return f"next symbols of the language {table_row(name).written}"
    program, line = library.get(name), library.describe(name)
    if program.predicts:
        return line
    return f"next symbols of {line}" if _automaton(program) else f"which prefixes are accepted: {line}"


def task_from_text(text: str, parameters: Mapping[str, Any], known: Iterable[str] = ()) -> Task:
    """The task of a text; `known` are other names that it may have been meant to be.

    Parameters: a regex may have an `alphabet`; words of a language may be `uneven` (`uneven_words`); a program that
    predicts has the share `followed` of the words that follow its predictions. `program` and `automaton` hold what was
    read from a file, which then is not read again. All may have a `start` symbol.
    """
    others = {key: value for key, value in parameters.items() if key != "start"}
    task = _plain_task(text, others, known)
    return StartedTask(task) if converted("start", parameters.get("start", False), bool) else task


def _plain_task(text: str, parameters: Mapping[str, Any], known: Iterable[str]) -> Task:
    """The task without a start symbol."""
    if "program" in parameters:
        program = parse(converted("program", parameters["program"], str), title=text)
        return _program_task(text, program, parameters, {"program": str(program)})
    if "automaton" in parameters:
        language = Language.from_dfa(converted("automaton", parameters["automaton"], str))
        return _language_task(text, language, parameters, {"automaton": to_table(language.automaton)})
    if text in languages():
        return _language_task(text, get_language(text), parameters, {}, library.get(text) if knows(text) else None)
    kind, name = kind_of(text)
    if kind == "regex" and name == text and "alphabet" not in parameters and LOOKS_LIKE_A_NAME.fullmatch(text):
        raise UnknownNameError(_unknown(text, (*known, *named_texts())))
    if kind == "regex":
        symbols = parameters.get("alphabet")
        own = {} if symbols is None else {"alphabet": _listed(symbols)}
        language = Language.from_regex(name, own.get("alphabet"))
        return _language_task(text, language, parameters, own, others=("alphabet",))
    found = resolve(text).acceptor
    if isinstance(found, Program):
        from_library = knows(name) and found.title == name
        return _program_task(text, found, parameters, {} if from_library else {"program": str(found)})
    own = {"automaton": to_table(found.minimal())} if kind == "automaton" else {}
    return _language_task(text, Language(found, text), parameters, own)


def _language_task(
    text: str,
    language: Language,
    parameters: Mapping[str, Any],
    own: dict[str, str],
    program: Program | None = None,
    others: tuple[str, ...] = (),
) -> LanguageTask:
    require_known(text, parameters, (*own, *others, "uneven", "start"))
    uneven = converted("uneven", parameters.get("uneven", False), bool)
    return LanguageTask(Language(language.automaton, language.title or text), program, text, own, uneven)


def _program_task(text: str, program: Program, parameters: Mapping[str, Any], own: dict[str, str]) -> Task:
    if program.predicts:
        require_known(text, parameters, (*own, "followed", "start"))
        followed = converted("followed", parameters.get("followed", 0.5), float)
        return ProgramTask(program, followed, text, own)
    automaton = _automaton(program)
    if automaton is None:
        require_known(text, parameters, (*own, "start"))
        return AcceptanceTask(program, text, own)
    return _language_task(text, Language(automaton, text), parameters, own, program)


@cache
def _automaton(program: Program) -> Automaton | None:
    """The automaton of what a program accepts, if a small search finds one."""
    return automaton_of(program, states=STATES, seconds=None) if program.listing.accept is not None else None


def require_known(name: str, parameters: Iterable[str], known: Iterable[str]) -> None:
    """Refuse parameters that a task does not have, naming those that it has."""
    there = tuple(dict.fromkeys(known))
    for parameter in parameters:
        if parameter not in there:
            has = f"it has {', '.join(there)}" if there else "it has none"
            raise LengthwiseError(f"{name} has no parameter {parameter!r}; {has}")


def _listed(symbols: Any) -> str:
    """The symbols of an alphabet as text that is read as them again."""
    return write_alphabet(parse_alphabet(symbols) if isinstance(symbols, str) else list(symbols))


def _unknown(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name.lower(), known)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    return f"there is no task {name!r}; {hint} A language is given as a regex, a program as a file"
