"""The task that a language or a program stands for.

Regular languages become `LanguageTask`s, programs with `next` statements `ProgramTask`s; a program without them is one
for the language that it accepts, if an automaton is found for it, and else an `AcceptanceTask`. What was read from a
file goes into the parameters, so that a run can be repeated, and is another one when the file has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from lengthwise.crasp import Program, parse
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language, automaton_of
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.dfa_files import to_table
from lengthwise.tasks.acceptance_task import AcceptanceTask
from lengthwise.tasks.language_task import LanguageTask
from lengthwise.tasks.program_task import ProgramTask
from lengthwise.tasks.settings import converted
from lengthwise.tasks.started_task import StartedTask
from lengthwise.tasks.task import Task

STATES = 4096
"""How many states an automaton of an accepting program may have on the way; not a time, so that a text stands for the
same task on every machine."""


def task_of_language(
    name: str,
    language: Language,
    parameters: Mapping[str, Any],
    own: Mapping[str, str],
    program: Program | None = None,
    others: tuple[str, ...] = (),
) -> Task:
    """Next-symbol prediction on a language.

    Args:
        name: What the task is called.
        language: The language.
        parameters: Those that were given: `uneven` (`uneven_words`) and `start`, besides those that are its own.
        own: The parameters that say what the language is, such as the alphabet of a regex.
        program: A program that accepts the language, where one is known.
        others: The names of parameters of its own that it could have.

    Returns:
        The task, behind a start symbol if `start` was given.

    Raises:
        LengthwiseError: A parameter does not exist or has no such value, or the language has no word.

    """
    require_known(name, parameters, (*own, *others, "uneven", "start"))
    uneven = converted("uneven", parameters.get("uneven", False), bool)
    task = LanguageTask(Language(language.automaton, language.title or name), program, name, dict(own), uneven)
    return _started(task, parameters)


def task_of_program(name: str, program: Program, parameters: Mapping[str, Any], own: Mapping[str, str]) -> Task:
    """What a program predicts, or else the language that it accepts, or else which prefixes it accepts.

    Args:
        name: What the task is called.
        program: The program.
        parameters: Those that were given: a program that predicts has the share `followed` of the words that follow its
            predictions, one whose language is regular what `task_of_language` has; all may have a `start` symbol.
        own: The parameters that say what the program is, if that is not its name.

    Returns:
        The task, behind a start symbol if `start` was given.

    Raises:
        LengthwiseError: A parameter does not exist or has no such value.

    """
    if program.predicts:
        require_known(name, parameters, (*own, "followed", "start"))
        followed = converted("followed", parameters.get("followed", 0.5), float)
        return _started(ProgramTask(program, followed, name, dict(own)), parameters)
    automaton = found_automaton(program)
    if automaton is None:
        require_known(name, parameters, (*own, "start"))
        return _started(AcceptanceTask(program, name, dict(own)), parameters)
    return task_of_language(name, Language(automaton, name), parameters, own, program)


def task_of_parameters(name: str, parameters: Mapping[str, Any]) -> Task:
    """The task whose parameters hold a whole `program` or `automaton`, as those of files do."""
    if "program" in parameters:
        program = parse(converted("program", parameters["program"], str), title=name)
        return task_of_program(name, program, parameters, {"program": str(program)})
    language = Language.from_dfa(converted("automaton", parameters["automaton"], str))
    return task_of_language(name, language, parameters, {"automaton": to_table(language.automaton)})


@cache
def found_automaton(program: Program) -> Automaton | None:
    """The automaton of what a program accepts, if a small search finds one."""
    return automaton_of(program, states=STATES, seconds=None) if program.listing.accept is not None else None


def require_known(name: str, parameters: Iterable[str], known: Iterable[str]) -> None:
    """Refuse parameters that a task does not have, naming those that it has."""
    there = tuple(dict.fromkeys(known))
    for parameter in parameters:
        if parameter not in there:
            has = f"it has {', '.join(there)}" if there else "it has none"
            raise LengthwiseError(f"{name} has no parameter {parameter!r}; {has}")


def _started(task: Task, parameters: Mapping[str, Any]) -> Task:
    return StartedTask(task) if converted("start", parameters.get("start", False), bool) else task
