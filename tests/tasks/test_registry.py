"""Tasks by name: what is found, what is refused and how, and tasks of other packages."""

from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.crasp import library
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular import Language
from lengthwise.subjects import describe, making, names, task_of
from lengthwise.tasks import (
    LanguageTask,
    ModPTask,
    ProgramTask,
    SimpleTask,
    Task,
    lengths,
    read_settings,
    register_task,
    registered,
    registry,
)


@pytest.fixture(autouse=True)
def _leave_no_tasks_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_makers", dict(registry._makers))
    yield
    registry._plugins.cache_clear()
    making._kept_task.cache_clear()


def offer(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    """Let packages be installed that offer these tasks."""
    monkeypatch.setattr(metadata, "entry_points", lambda group: [one for one in entries if one.group == group])
    registry._plugins.cache_clear()
    making._kept_task.cache_clear()


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "lengthwise.tasks")


# ------------------------------------------------------------------------------------------------ what is found


def assert_the_same(task: Task, other: Task) -> None:
    assert (task.name, task.parameters) == (other.name, other.parameters)
    length = lengths(task, 12)[-1]
    left, right = (one.sample(length, 20, np.random.default_rng(0)) for one in (task, other))
    assert np.array_equal(left.tokens, right.tokens)
    assert np.array_equal(left.targets, right.targets)


def test_every_name_is_a_task_with_a_line_and_is_found_again_by_its_name_and_parameters() -> None:
    assert {"simple-task", "mod-p-task", "k-gram", "tomita-3", "induction-all"} <= set(names())
    for name in names():
        task = task_of(name)
        assert task.name == name
        assert describe(name)
        assert_the_same(task, task_of(task.name, **task.parameters))


def test_tasks_made_from_objects_are_found_again_by_their_name_and_parameters() -> None:
    for task in (
        LanguageTask(Language.from_regex("(ab|c)*")),
        LanguageTask(Language.from_regex("(ab)*") & Language.from_regex("(abab)*")),
        ProgramTask(library.get("induction-all"), followed=0.25),
    ):
        assert_the_same(task, task_of(task.name, **task.parameters))


def test_a_task_from_a_file_can_be_made_again_when_the_file_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "stutter.crasp": 'alphabet "a" "b"\nnext "a" = "a"\nnext "b" = "b"\n',
        "even.crasp": 'alphabet "a" "b"\nE = i % 2 == 0\n',
        "parity.dfa": "     a b\n>* e o e\no e o\n",
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
        task = task_of(name)
        Path(name).unlink()
        assert_the_same(task, task_of(task.name, **task.parameters))


def test_a_regex_may_have_an_alphabet() -> None:
    assert task_of("(ab)*").alphabet.symbols == ("a", "b")
    assert task_of("(ab)*", alphabet="abc").alphabet.symbols == ("a", "b", "c")
    spaced = task_of('("if" x)*', alphabet="if x")
    assert spaced.alphabet.symbols == ("if", "x")
    assert_the_same(spaced, task_of(spaced.name, **spaced.parameters))
    assert task_of(".*", alphabet="01").alphabet.symbols == ("0", "1")


def test_a_program_that_accepts_a_regular_language_is_a_task_of_that_language() -> None:
    task = task_of("contains-ab")
    assert task.program is not None
    assert task.language is not None
    assert task.language.accepts("bba") is False
    assert task.language.accepts("bab") is True
    assert task_of("tomita-1").program is not None


# ---------------------------------------------------------------------------------------------- parameters


def test_parameters_are_read_from_text_and_have_one_form() -> None:
    assert task_of("simple-task", omega="2").parameters == task_of("simple-task", omega=2).parameters == {"omega": 2.0}
    assert task_of("mod-p-task", **read_settings(["period=5", "residue = 4"])).parameters == {"period": 5, "residue": 4}
    assert task_of("induction-all", followed="0.25").parameters == {"followed": 0.25}
    assert str(task_of("simple-task", omega=2).parameters["omega"]) == "2.0"


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("simple-task", {"omgea": 2}, "simple-task has no parameter 'omgea'; it has omega"),
        ("mod-p-task", {"p": 2}, "mod-p-task has no parameter 'p'; it has period, residue"),
        ("simple-task", {"omega": "two"}, "the parameter 'omega' is a number, not 'two'"),
        ("simple-task", {"omega": True}, "the parameter 'omega' is a number, not True"),
        ("mod-p-task", {"period": "2.5"}, "the parameter 'period' is a whole number, not '2.5'"),
        ("mod-p-task", {"period": 3.0}, "the parameter 'period' is a whole number, not 3.0"),
        ("(ab)*", {"omega": 2}, "(ab)* has no parameter 'omega'; it has alphabet, uneven, start"),
        ("tomita-3", {"alphabet": "01"}, "tomita-3 has no parameter 'alphabet'; it has uneven, start"),
        ("sort", {"omega": 2}, "sort has no parameter 'omega'; it has followed, start"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        task_of(name, **parameters)
    assert str(caught.value) == message


def test_settings_without_an_equals_sign_or_given_twice_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="set as in omega=2, not 'omega'"):
        read_settings(["omega"])
    with pytest.raises(LengthwiseError, match="'omega' is set twice, to 2 and to 3"):
        read_settings(["omega=2", "omega=3"])


# --------------------------------------------------------------------------------------------- unknown names


@pytest.mark.parametrize(
    ("name", "nearest"), [("simpel-task", "simple-task"), ("kgram", "k-gram"), ("Tomita3", "tomita-3")]
)
def test_an_unknown_name_gets_the_nearest_ones(name: str, nearest: str) -> None:
    with pytest.raises(
        UnknownNameError, match=f"there is no program, language or task '{name}'; did you mean .*{nearest}"
    ):
        task_of(name)


def test_what_is_neither_a_name_nor_a_regex_nor_a_file_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="there is no program, language or task 'zzzzz'; `lengthwise library`"):
        task_of("zzzzz")
    with pytest.raises(LengthwiseError, match="this '\\(' is not closed"):
        task_of("(ab")
    with pytest.raises(LengthwiseError, match=r"missing\.crasp does not exist"):
        task_of("missing.crasp")


# --------------------------------------------------------------------------------------------- new tasks


def test_a_registered_function_makes_a_task_and_its_arguments_are_the_parameters() -> None:
    @register_task("every-other")
    def every_other(odd: bool, residue: int | None = None) -> Task:
        """The share of 1s at every other position."""
        return ModPTask(2, int(odd) if residue is None else residue)

    assert "every-other" in names()
    assert describe("every-other") == "The share of 1s at every other position."
    assert task_of("every-other", odd="yes").parameters == {"period": 2, "residue": 1}
    assert task_of("every-other", odd=True, residue="0").parameters == {"period": 2, "residue": 0}
    with pytest.raises(LengthwiseError, match="every-other needs the parameter 'odd'; set it"):
        task_of("every-other")
    with pytest.raises(LengthwiseError, match="the parameter 'odd' is true or false, not 'perhaps'"):
        task_of("every-other", odd="perhaps")


def test_a_name_that_is_taken_is_refused_naming_both() -> None:
    def other() -> Task:
        return SimpleTask()

    with pytest.raises(LengthwiseError) as caught:
        register_task("simple-task")(other)
    assert "two tasks are called 'simple-task', lengthwise.tasks.simple_task.SimpleTask and " in str(caught.value)
    assert "other; rename one of them" in str(caught.value)
    assert isinstance(task_of("simple-task"), SimpleTask)


def test_the_same_definition_may_be_run_again_as_in_a_notebook() -> None:
    for number in (2, 3):

        @register_task("again")
        def again(omega: float = float(number)) -> Task:
            return SimpleTask(omega)

    assert task_of("again").parameters == {"omega": 3.0}


def test_what_makes_no_task_is_refused_naming_what_it_lacks() -> None:
    class Half:
        name = "half"
        min_length = 1

    register_task("half")(Half)  # type: ignore[type-var]
    with pytest.raises(LengthwiseError, match=r"Half is not a task: it has no parameters, alphabet, .*sample"):
        task_of("half")


# --------------------------------------------------------------------------------------------- other packages


def test_an_entry_point_adds_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, entry("their-task", "lengthwise.tasks:ModPTask"))
    assert "their-task" in registered()
    assert task_of("their-task", period="4").parameters == {"period": 4, "residue": 0}
    with pytest.raises(UnknownNameError, match="did you mean their-task"):
        task_of("theirtask")


def test_an_entry_point_may_name_what_its_own_module_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, entry("simple-task", "lengthwise.tasks:SimpleTask"))
    assert isinstance(task_of("simple-task"), SimpleTask)


@pytest.mark.parametrize(
    "entries",
    [
        [entry("simple-task", "lengthwise.tasks:ModPTask")],
        [entry("theirs", "lengthwise.tasks:ModPTask"), entry("theirs", "lengthwise.tasks:SimpleTask")],
    ],
)
def test_two_packages_with_one_name_are_an_error_naming_both_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, entries: list[EntryPoint]
) -> None:
    offer(monkeypatch, *entries)
    assert names()
    with pytest.raises(LengthwiseError) as caught:
        task_of(entries[0].name)
    assert "lengthwise.tasks.mod_p_task.ModPTask" in str(caught.value)
    assert "lengthwise.tasks.simple_task.SimpleTask" in str(caught.value)
    assert task_of("k-gram").name == "k-gram"


def test_a_broken_package_spoils_only_its_own_task(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(
        monkeypatch, entry("broken", "no.such.module:task"), entry("number", "lengthwise.tasks.k_gram:MOST_TRANSITIONS")
    )
    assert {"broken", "number"} <= set(names())
    with pytest.raises(
        LengthwiseError, match=r"'broken' of no\.such\.module:task cannot be loaded: ModuleNotFoundError"
    ):
        task_of("broken")
    with pytest.raises(LengthwiseError, match="is not a class or function that makes a task"):
        task_of("number")
    assert isinstance(task_of("simple-task"), SimpleTask)
