"""Subjects from texts, files and objects."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lengthwise.alphabet import Alphabet, parse_alphabet, write_alphabet
from lengthwise.crasp import Program, load
from lengthwise.crasp.library import catalogue as library
from lengthwise.errors import LengthwiseError
from lengthwise.subjects.names import DYCK, EQUAL, IN_FILE, TASK, file_kind, kind_of
from lengthwise.subjects.subject import Subject, Symbols
from lengthwise.user_code import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from lengthwise.regular import Automaton, Language
    from lengthwise.regular.languages.learning import Predicate
    from lengthwise.tasks import Task


def with_parameters(thing: object, parameters: Mapping[str, Any]) -> tuple[Subject, dict[str, Any]]:
    """The subject of a text or an object for which parameters of a task are given, and those that are left for it.

    The `alphabet` of a regex or predicate says how it is read. A whole `program` or `automaton`, as kept runs of files
    have them, is the subject, and the text is only its title.
    """
    given = dict(parameters)
    if not isinstance(thing, str):
        return Subject.of(thing, given.pop("alphabet", None)), given
    if "program" in given or "automaton" in given:
        return _kept(thing, given), given
    if "alphabet" in given and kind_of(thing)[0] in ("regex", "predicate"):
        return Subject.of(thing, given.pop("alphabet")), given
    return Subject.of(thing), given


def _kept(title: str, parameters: Mapping[str, Any]) -> Subject:
    from lengthwise.tasks.typed import task_of_parameters

    held = "program" if "program" in parameters else "automaton"
    shown = "C-RASP program" if held == "program" else held
    return Subject(
        title, "program" if held == "program" else "automaton", title, f"{shown} {os.path.basename(title)} as given",
        from_file=True, _task=lambda **given: task_of_parameters(title, given),
    )  # fmt: skip


def task_of(thing: object, /, **parameters: Any) -> Task:
    """Make the task of a text or an object.

    Args:
        thing: As for `Subject.of`; if the parameters hold a whole `program` or `automaton`, as those of kept runs do,
            only a title.
        **parameters: Those of the task, and the `alphabet` of a regex.

    Returns:
        The task.

    Raises:
        LengthwiseError: As for `Subject.of` and `Subject.as_task`.

    Example:
        >>> task_of("(ab)*", alphabet="abc").alphabet.symbols
        ('a', 'b', 'c')

    """
    from lengthwise.tasks.registry import changes

    written = _as_json(parameters) if isinstance(thing, str) and not _reads_a_file(thing, parameters) else None
    return _made(thing, parameters) if written is None else _kept_task(thing, written, changes())


def _made(thing: object, parameters: Mapping[str, Any]) -> Task:
    subject, left = with_parameters(thing, parameters)
    return subject.as_task(**left)


@lru_cache(maxsize=64)
def _kept_task(thing: object, parameters: str, registered: int) -> Task:
    """The task of a text, which means the same until another task is registered."""
    return _made(thing, json.loads(parameters))


def _as_json(parameters: Mapping[str, Any]) -> str | None:
    """The parameters as one text, if they can be read back from it as they are."""
    try:
        text = json.dumps(parameters, sort_keys=True)
    except TypeError:
        return None
    return text if json.loads(text) == parameters else None


def _reads_a_file(text: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a task comes from a file, which may have changed since it was read."""
    if IN_FILE.fullmatch(text):
        return True
    if "program" in parameters or "automaton" in parameters:
        return False
    kind, name = kind_of(text)
    return kind in ("automaton", "predicate") or (kind == "program" and not _in_library(text, name))


def _in_library(text: str, name: str) -> bool:
    return library.knows(name) and not text.startswith("file:")


def both(left: object, right: object, alphabet: Symbols | None = None) -> tuple[Subject, Subject]:
    """Two subjects that are compared: a regex is read over the symbols of both, for it says nothing about others.

    Args:
        left: As for `Subject.of`.
        right: The same.
        alphabet: The symbols of the words that are compared; a regex is read over these and those that it names.

    Returns:
        Both.

    Raises:
        LengthwiseError: As for `Subject.of`.

    """
    given = as_symbols(alphabet)
    sides: list[Subject | str] = []
    groups: list[tuple[str, ...]] = [] if given is None else [given]
    for side in (left, right):
        if isinstance(side, str) and kind_of(side)[0] == "regex":
            sides.append(side)
            continue
        needs_symbols = kind_of(side)[0] == "predicate" if isinstance(side, str) else _is_predicate(side)
        found = Subject.of(side, given if needs_symbols else None)
        sides.append(found)
        if given is None:
            groups.append(found.as_acceptor().alphabet.symbols)
    groups += [named_symbols(kind_of(side)[1]) for side in sides if isinstance(side, str)]
    shared = tuple(dict.fromkeys(symbol for group in groups for symbol in group)) or None
    first, second = (Subject.of(side, shared) if isinstance(side, str) else side for side in sides)
    return first, second


# ------------------------------------------------------------------------------------------------ texts


def of_text(text: str, alphabet: Symbols | None) -> Subject:
    """The subject of a text."""
    kind, name = kind_of(text)
    symbols = as_symbols(alphabet)
    match kind:
        case "program":
            if _in_library(text, name):
                return _named_program(text, name, symbols)
            if not os.path.exists(name):
                load(name)  # says which names are near
            return of_file(text, name, symbols)
        case "language":
            return _named_language(text, name, symbols)
        case "regex":
            return _regex(text, name, symbols)
        case "task":
            return (_in_file if IN_FILE.fullmatch(name) else _registered)(text, name, symbols)
        case "predicate":
            return _predicate_in_file(text, name, symbols)
        case "automaton":
            return of_file(text, name, symbols)


def of_file(text: str, path: str, symbols: tuple[str, ...] | None) -> Subject:
    """The subject of a file; `automaton:` before its path says that it holds an automaton, however it is called."""
    shown = os.path.basename(path)
    if not text.startswith("automaton:") and file_kind(path) == "program":
        program = load(os.path.join(os.curdir, path) if library.knows(path) else path)
        _require_symbols(text, program, symbols)
        own = {"program": str(program)}
        return Subject(
            text, "program", path, f"C-RASP program {shown} over {program.alphabet}", program, from_file=True,
            _task=lambda **given: _program_task(text, program, given, own),
        )  # fmt: skip
    from lengthwise.regular.languages.dfa_files import read_automaton

    return replace(_automaton(text, read_automaton(path), shown, symbols), name=path, from_file=True)


def _named_program(text: str, name: str, symbols: tuple[str, ...] | None) -> Subject:
    """A library program, together with the language that it is proved equal to."""
    program = library.get(name)
    _require_symbols(text, program, symbols)
    is_language = name in EQUAL or DYCK.fullmatch(name) is not None
    what = "library program and language" if is_language and not text.startswith("program:") else "library program"

    def language() -> Language:
        from lengthwise.regular.languages.catalogue import get_language

        return get_language(name)

    def task(**given: Any) -> Task:
        from lengthwise.regular.languages.catalogue import languages
        from lengthwise.tasks.typed import task_of_language

        # The families are tasks of their programs, under whose names runs are kept.
        if text in languages():
            return task_of_language(text, language(), given, {}, program)
        return _program_task(text, program, given, {})

    return Subject(
        text, "program", name, f"{what} {name} over {program.alphabet}", program,
        _language=language if is_language and not text.startswith("program:") else None, _task=task,
    )  # fmt: skip


def _named_language(text: str, name: str, symbols: tuple[str, ...] | None) -> Subject:
    from lengthwise.regular.languages.catalogue import get_language

    language = _over(get_language(name), symbols)
    return Subject(
        text, "language", name, f"language {name} over {language.alphabet}",
        _language=lambda: language, _task=_language_task(text, language, {}),
    )  # fmt: skip


def _regex(text: str, regex: str, symbols: tuple[str, ...] | None) -> Subject:
    from lengthwise.regular.languages.language import Language

    language = Language.from_regex(regex, symbols)
    own = {} if symbols is None else {"alphabet": write_alphabet(symbols)}

    def task(**given: Any) -> Task:
        from lengthwise.tasks.typed import task_of_language

        if "alphabet" in given:
            return Subject.of(text, given.pop("alphabet")).as_task(**given)
        return task_of_language(text, language, given, own, others=("alphabet",))

    return Subject(text, "regex", regex, f"regex over {language.alphabet}", _language=lambda: language, _task=task)


def _in_file(text: str, name: str, symbols: tuple[str, ...] | None, own: Mapping[str, Any] | None = None) -> Subject:
    """A task of a user's file, with the parameters that it has of its own."""
    _require_no_alphabet(text, symbols)
    file, _, title = name.rpartition(":")

    def made(**given: Any) -> Task:
        from lengthwise.tasks.own_task import own_task

        return own_task(name, {**(own or {}), **given})

    return Subject(text, "task", name, f"task {title} of {os.path.basename(file)}", from_file=True, _task=made)


def _predicate_in_file(text: str, name: str, symbols: tuple[str, ...] | None) -> Subject:
    from lengthwise.regular.languages.learning.predicates import function_of
    from lengthwise.tasks.own_task import user_file

    file, _, title = name.rpartition(":")
    return _predicate(text, function_of(user_file(file).module, file, title), os.path.basename(file), symbols)


def _require_no_alphabet(text: str, symbols: tuple[str, ...] | None) -> None:
    if symbols is not None:
        raise LengthwiseError(f"{text} is a task, which has its own alphabet; leave the alphabet out")


def _registered(text: str, name: str, symbols: tuple[str, ...] | None) -> Subject:
    from lengthwise import tasks

    _require_no_alphabet(text, symbols)
    shown = name.removeprefix(TASK)
    return Subject(text, "task", name, f"task {shown}", _task=lambda **given: tasks.get(name, **given))


# ---------------------------------------------------------------------------------------------- objects


def of_object(thing: Any, alphabet: Symbols | None) -> Subject:
    """The subject that an object is."""
    from lengthwise.regular.languages.automata_lib import is_automata_lib
    from lengthwise.regular.languages.automaton import Automaton
    from lengthwise.regular.languages.language import Language

    symbols = as_symbols(alphabet)
    if isinstance(thing, Program):
        _require_symbols(thing.title or "the program", thing, symbols)
        return _program_object(thing)
    if isinstance(thing, Language):
        language = _over(thing, symbols)
        title = thing.title or "language"
        meaning = f"language {thing.title + ' ' if thing.title else ''}over {language.alphabet}"
        table = _language_task(title, language, None)
        return Subject(title, "language", title, meaning, _language=lambda: language, _task=table)
    if isinstance(thing, Automaton):
        return _automaton("automaton", thing, "", symbols)
    if is_automata_lib(thing):
        return _automaton("automaton", Language.from_dfa(thing).automaton, "", symbols)
    if _is_task(thing) or _is_task_class(thing):
        _require_no_alphabet(_shown(thing), symbols)
        return _task_class(thing) if isinstance(thing, type) else _task_object(thing)
    if _is_predicate(thing):
        return _predicate(getattr(thing, "__name__", "predicate"), thing, "", symbols)
    raise LengthwiseError(
        f"{type(thing).__name__} is no subject; give a text, a path, a program, a language, an automaton, a task, a "
        "task class or a function from words to Booleans"
    )


def _program_object(program: Program) -> Subject:
    title = program.title or "program"
    meaning = f"C-RASP program {os.path.basename(program.title) + ' ' if program.title else ''}over {program.alphabet}"
    own = {"program": str(program)}
    return Subject(
        title, "program", title, meaning, program, _task=lambda **given: _program_task(title, program, given, own)
    )


def _automaton(text: str, automaton: Automaton, shown: str, symbols: tuple[str, ...] | None) -> Subject:
    from lengthwise.regular.languages.language import Language

    language = _over(Language(automaton, text), symbols)
    number = len(automaton)
    meaning = (
        f"automaton {shown + ' ' if shown else ''}with {number} state{'' if number == 1 else 's'} "
        f"over {language.alphabet}"
    )
    return Subject(
        text, "automaton", text, meaning, _language=lambda: language, _task=_language_task(text, language, None)
    )


def _predicate(text: str, predicate: Predicate, file: str, symbols: tuple[str, ...] | None) -> Subject:
    """What is learned from a predicate; it was compared with it, not proved equal."""
    from lengthwise.regular.languages.language import Language
    from lengthwise.regular.languages.learning import learned_automaton

    if symbols is None:
        raise LengthwiseError(f"{text} is a predicate, which does not say what its words consist of; give the alphabet")
    found = learned_automaton(predicate, symbols)
    language = Language(found.automaton, text)
    where = f" of {file}" if file else ""
    named = "predicate" if found.name == "the predicate" else f"predicate {found.name}"
    meaning = f"{named}{where} over {language.alphabet}, automaton checked to length {found.checked_to}"
    return Subject(
        text, "predicate", found.name, meaning, checked_to=found.checked_to,
        _language=lambda: language, _task=_language_task(text, language, None),
    )  # fmt: skip


def _task_object(task: Task) -> Subject:
    """A task that was made; one of a user's is the one that its file makes again, so that workers can train it."""
    if not is_ours(task) and (text := _text_in_file(type(task))) is not None:
        subject = _in_file(text, text, None, dict(task.parameters))
        _require_remade(task, subject.task)
        return subject

    def made(**given: Any) -> Task:
        if given:
            raise LengthwiseError(f"{task.name} is given as a task, which has its parameters; leave {min(given)} out")
        return task

    return Subject(task.name, "task", task.name, f"task {task.name.removeprefix(TASK)}", _task=made)


def _task_class(maker: Any) -> Subject:
    """A class of tasks: by the name that every process knows it under, by its file, or registered in this process."""
    from lengthwise.tasks import registry

    name = registry.name_of(maker)
    if name is None and (text := _text_in_file(maker)) is not None:
        return _in_file(text, text, None)
    if name is None:
        name = str(getattr(maker, "name", maker.__name__))
        registry.register_task(name)(maker)
    return _registered(name, name, None)


def _text_in_file(maker: type) -> str | None:
    """How a class is named by its file; None if it stands in none, or not at its top level, or is known by a name."""
    from lengthwise.tasks import registry
    from lengthwise.tasks.own_task import user_object
    from lengthwise.user_code import file_and_name, shown_path, source_file

    file = source_file(maker)
    text = "" if file is None else f"{shown_path(file)}:{maker.__qualname__}"
    if not file_and_name(text) or registry.name_of(maker) is not None:
        return None
    try:
        _, found = user_object(text)
    except LengthwiseError:
        # A module of a package, say, which cannot be loaded by its path alone; workers say so.
        return None
    return text if isinstance(found, type) else None


def _require_remade(task: Task, again: Task) -> None:
    """Refuse a task whose parameters do not make the same task again."""
    import numpy as np

    from lengthwise.tasks.request import lengths

    length = lengths(task, task.min_length + 8)[-1]
    left, right = (each.sample(length, 4, np.random.default_rng(0)) for each in (task, again))
    if not np.array_equal(left.tokens, right.tokens) or not np.array_equal(left.targets, right.targets):
        raise LengthwiseError(
            f"{_shown(task)} made again with its parameters {dict(task.parameters)} is another task; list all its "
            "arguments in `parameters`"
        )


def _shown(thing: Any) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))


def _is_task(thing: object) -> bool:
    from lengthwise.tasks.validation import OFFERS

    return not isinstance(thing, type) and all(offer in dir(thing) for offer in OFFERS)


def _is_task_class(thing: object) -> bool:
    """Whether a class makes tasks: one of ours that offers all, or any other that samples."""
    from lengthwise.tasks.validation import OFFERS

    wanted = OFFERS if is_ours(thing) else ("sample",)
    return isinstance(thing, type) and all(offer in dir(thing) for offer in wanted)


def _is_predicate(thing: object) -> bool:
    return callable(thing) and not isinstance(thing, type | Subject | Program)


# ------------------------------------------------------------------------------------------------- parts


def as_symbols(alphabet: Symbols | None) -> tuple[str, ...] | None:
    """The symbols of an alphabet, however it was given."""
    if alphabet is None or isinstance(alphabet, tuple):
        return alphabet
    if isinstance(alphabet, str):
        return parse_alphabet(alphabet)
    return alphabet.symbols if isinstance(alphabet, Alphabet) else tuple(alphabet)


def over(subject: Subject, symbols: tuple[str, ...]) -> Subject:
    """A subject whose language has more symbols; a program decides its own."""
    if subject.kind == "regex":
        return Subject.of(subject.text, symbols)
    language = subject.language
    if language is None or subject.program is not None:
        return subject
    extended = language.over(symbols)
    meaning = subject.meaning.replace(f"over {language.alphabet}", f"over {extended.alphabet}")
    task = _language_task(subject.text, extended, None)
    return replace(subject, meaning=meaning, _language=lambda: extended, _task=task)


def named_symbols(regex: str) -> tuple[str, ...]:
    """The symbols that a regex names; none if it cannot be read without an alphabet."""
    from lengthwise.regular.languages.regex import RegexError, parse_regex

    try:
        return parse_regex(regex).alphabet.symbols
    except RegexError:
        return ()


def _require_symbols(text: str, program: Program, symbols: tuple[str, ...] | None) -> None:
    """Refuse symbols that a program with a declared alphabet does not have: its words never have them."""
    foreign = [symbol for symbol in symbols or () if symbol not in program.alphabet]
    if foreign and not program.alphabet.is_open:
        raise LengthwiseError(
            f"{text} is a program over {program.alphabet}, without {foreign[0]!r}; give some of its symbols, or leave "
            "the alphabet out"
        )


def _over(language: Language, symbols: tuple[str, ...] | None) -> Language:
    return language if symbols is None else language.over(symbols)


def _program_task(name: str, program: Program, given: Mapping[str, Any], own: Mapping[str, str]) -> Task:
    from lengthwise.tasks.typed import task_of_program

    return task_of_program(name, program, given, own)


def _language_task(name: str, language: Language, own: Mapping[str, str] | None) -> Callable[..., Task]:
    """What makes the task of a language; without parameters of its own, its automaton is one."""

    def made(**given: Any) -> Task:
        from lengthwise.regular.languages.dfa_files import to_table
        from lengthwise.tasks.typed import task_of_language

        return task_of_language(
            name, language, given, {"automaton": to_table(language.automaton)} if own is None else own
        )

    return made
