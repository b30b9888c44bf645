"""Tasks of users as subjects: by the place in their file, as classes and as objects, here and in worker processes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Automaton, Language
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Local
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from lengthwise.subjects import Subject, task_of
from lengthwise.tasks import CountedTask, ModPTask, QuestionAnswerTask, Task, registered, registry
from lengthwise.tasks.own_task import OwnTask, user_file
from tests.e2e.command import lengthwise

MINE = '''
from dataclasses import dataclass
from lengthwise.tasks import ModPTask, QuestionAnswerTask, register_task


@dataclass(frozen=True)
class Reverse(QuestionAnswerTask):
    """The question backwards."""

    letters: int = 2

    def question(self, rng, length):
        return [str(symbol) for symbol in rng.choice(list("abcdef"[: self.letters]), length)]

    def answer(self, question):
        return question[::-1]


@register_task("of-this-file")
def shares(odd: bool = True):
    """The share of 1s at every other position."""
    return ModPTask(2, int(odd))


thirds = ModPTask(3, 2)


def even(word):
    return len(word) % 2 == 0
'''


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(registry, "_makers", dict(registry._makers))
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    registry._plugins.cache_clear()


def digest(path: str) -> str:
    return f"sha256:{hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"


def has_changed(before: str) -> str:
    now = digest("mine.py")
    return (
        f"mine.py has changed: this run is about {before}, and the file is {now} now; restore the file, or train anew"
    )


def same(left: Task, right: Task) -> bool:
    first, second = (task.sample(6, 20, np.random.default_rng(0)) for task in (left, right))
    return np.array_equal(first.tokens, second.tokens) and np.array_equal(first.targets, second.targets)


# ------------------------------------------------------------------------------------------------------ texts


def test_a_name_of_a_file_is_a_task_or_a_predicate() -> None:
    for name, meaning, parameters in (
        ("Reverse", "task Reverse of mine.py", {"letters": 2}),
        ("shares", "task shares of mine.py", {"odd": True}),
        ("thirds", "task thirds of mine.py", {"period": 3, "residue": 2}),
    ):
        subject = Subject.of(f"mine.py:{name}")
        assert (subject.kind, subject.meaning, subject.from_file) == ("task", meaning, True)
        task = subject.task
        assert (task.name, task.parameters) == (f"mine.py:{name}", {**parameters, "source": digest("mine.py")})
        assert same(task, task_of(task.name, **task.parameters))
    assert Subject.of("mine.py:even", "ab").kind == "predicate"
    assert "of-this-file" not in registered()
    assert isinstance(task_of("mine.py:thirds"), CountedTask)
    assert not isinstance(task_of("mine.py:Reverse"), CountedTask)


def test_parameters_are_converted_and_checked() -> None:
    assert task_of("mine.py:Reverse", letters="3").alphabet.symbols[:4] == ("a", "b", "c", "SOS")
    for name, parameters, message in (
        ("Reverse", {"lettres": 3}, "mine.py:Reverse has no parameter 'lettres'; it has letters"),
        ("Reverse", {"letters": "x"}, "the parameter 'letters' is a whole number, not 'x'"),
        ("thirds", {"period": 4}, "mine.py:thirds is a task with period=3; leave period out"),
        ("Reverse", {"source": "sha256:0"}, has_changed("sha256:0")),
    ):  # fmt: skip
        with pytest.raises(LengthwiseError) as refused:
            task_of(f"mine.py:{name}", **parameters)
        assert str(refused.value) == message
    with pytest.raises(LengthwiseError, match="Reverse is a task, which has its own alphabet"):
        Subject.of("mine.py:Reverse", "ab")


def test_a_changed_file_is_another_run_and_a_kept_run_says_that_it_changed(directory: Path) -> None:
    settings: dict[str, Any] = {"task": "mine.py:Reverse", "train_length": 4, "test_lengths": [4, 8]}
    before = RunConfig(**settings, model={"position": "learned"})
    assert before.parameters == {"letters": 2, "source": digest("mine.py")}
    assert before.model.position_parameters["context"] == 2 + 8 + 8
    assert RunConfig(**settings, model={"position": "learned"}).id == before.id
    (directory / "mine.py").write_text(MINE + "\n# changed\n", encoding="utf-8")
    assert RunConfig(**settings, model={"position": "learned"}).id != before.id
    with pytest.raises(
        LengthwiseError, match=r"^mine\.py has changed: this run is about sha256:\w{16}, and the file is"
    ):
        before.get_task()
    (directory / "mine.py").unlink()
    with pytest.raises(
        LengthwiseError, match=r"^the file mine\.py does not exist; give a Python file and a task or a pr"
    ):
        before.get_task()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = 1\n\nclass Task:\n    y = 1 / 0\n", "bad.py:4: loading this file raised ZeroDivisionError: division by "),
        ("def f(:\n", "bad.py:1: loading this file raised SyntaxError: invalid syntax"),
        ("class Other:\n    pass\n", "bad.py has no 'Task'; it has Other"),
        ("class Task:\n    pass\n", "Task is not a task: it has no name, parameters, alphabet"),
        ("class Task:\n    def __init__(self):\n        self.x = self.y\n", "bad.py:3: Task() raised AttributeError: "),
        ("Task = 3\n", "Task in bad.py is of type int"),
        ("import lengthwise as lw\nclass Task:\n    def sample(self): pass\nlw.Subject.of(Task)\nlw.Subject.of('bad.py:"
         "Task')\n", 'bad.py uses a task of its own while it is loaded; put what it runs behind if __name__ == "__mai'),
        ("from lengthwise.tasks import QuestionAnswerTask\nclass Task(QuestionAnswerTask):\n    def question(self, rng,"
         " length):\n        return 'a' * length\n    def answer(self, question):\n        return question[99]\n",
         "bad.py:6: Task.sample() raised IndexError: string index out of range"),
        ("from lengthwise.tasks import QuestionAnswerTask\nclass Task(QuestionAnswerTask):\n    def question(self, rng,"
         " length):\n        return 'a' * length\n", "Task is not a task: it does not define answer"),
        ("from lengthwise.tasks import QuestionAnswerTask\nclass Task(QuestionAnswerTask):\n    program = 'Y = = 3'\n",
         "bad.py:2: Task:1:"),
    ],
)  # fmt: skip
def test_a_fault_in_the_file_is_one_sentence_with_its_line(directory: Path, content: str, message: str) -> None:
    (directory / "bad.py").write_text(content, encoding="utf-8")
    done = lengthwise("tasks", "bad.py:Task", cwd=directory)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(message)


def test_a_fault_at_some_length_only_is_told_when_it_happens(directory: Path) -> None:
    content = MINE.replace("return question[::-1]", "return question[::-1] if len(question) < 30 else question[99]")
    (directory / "late.py").write_text(content, encoding="utf-8")
    task = task_of("late.py:Reverse")
    task.sample(29, 2, np.random.default_rng(0))
    line = next(number for number, text in enumerate(content.splitlines(), 1) if "question[99]" in text)
    with pytest.raises(LengthwiseError) as refused:
        task.sample(30, 2, np.random.default_rng(0))
    assert (
        str(refused.value) == f"late.py:{line}: Reverse.sample(30, 2, rng) raised IndexError: list index out of range"
    )


def test_the_command_line_shows_a_task_of_a_file(directory: Path) -> None:
    shown = lengthwise("tasks", "mine.py:Reverse", "--set", "letters=1", "--length", "3", cwd=directory)
    assert shown.stdout.splitlines() == [
        "task Reverse of mine.py",
        "mine.py:Reverse: The question backwards.",
        "  parameters  letters=1",
        "  alphabet    a SOS SEP EOS",
        "  loss        next-token, 4 outputs",
        "  lengths     1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 and perhaps more",
        "  example     SOS a a a SEP a a a → a a a EOS",
    ]


# ---------------------------------------------------------------------------------------------------- objects


@dataclass(frozen=True)
class Doubled(QuestionAnswerTask):
    """The question twice; at the top level of a file."""

    letters: int = 2

    def question(self, rng: np.random.Generator, length: int) -> list[str]:
        return [str(symbol) for symbol in rng.choice(list("abcdef"[: self.letters]), length)]

    def answer(self, question: list[str]) -> list[str]:
        return [*question, *question]


class Forgetful(Doubled):
    """A task that does not say what its argument was."""

    @property
    def parameters(self) -> dict[str, Any]:
        return {}


def test_a_class_and_an_object_are_the_task_that_their_file_makes_again() -> None:
    text = f"{__file__}:Doubled"
    for thing, letters in ((Doubled, 2), (Doubled(), 2), (Doubled(3), 3)):
        subject = Subject.of(thing)
        assert (subject.kind, subject.name, subject.meaning) == ("task", text, "task Doubled of test_own_tasks.py")
        task = subject.task
        assert isinstance(task, OwnTask)
        assert task.parameters == {"letters": letters, "source": digest(__file__)}
        assert same(task, Doubled(letters))
    assert Subject.of(Doubled).as_task(letters=3).parameters["letters"] == 3
    with pytest.raises(
        LengthwiseError, match=r"Forgetful made again with its parameters \{\} is another task; list all"
    ):
        Subject.of(Forgetful(3))


def test_a_class_of_ours_is_the_registered_task() -> None:
    assert Subject.of(ModPTask).name == "mod-p-task"
    assert Subject.of(ModPTask).as_task(period=4).parameters["period"] == 4
    assert Subject.of(ModPTask(4)).task.parameters["period"] == 4


def test_a_class_that_stands_in_no_file_is_registered_in_this_process() -> None:
    class Local(Doubled):
        name = "of-a-function"

    subject = Subject.of(Local)
    assert (subject.name, subject.meaning) == ("of-a-function", "task of-a-function")
    assert "of-a-function" in registered()
    assert RunConfig(task=subject.name, train_length=4, test_lengths=[4]).get_task().name == "of-a-function"


def test_a_script_may_use_its_own_task_behind_its_guard(directory: Path) -> None:
    script = MINE + (
        '\n\nif __name__ == "__main__":\n    import lengthwise as lw\n'
        "    print(lw.Subject.of(Reverse).name, lw.Subject.of(Reverse(3)).task.parameters['letters'])\n"
    )
    (directory / "script.py").write_text(script.replace("def shares", "def parts"), encoding="utf-8")
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, cwd=directory, check=False)
    assert (done.stdout, done.stderr) == ("script.py:Reverse 3\n", "")


# --------------------------------------------------------------------------------------------- worker processes


def small(task: str, parameters: dict[str, Any], **more: Any) -> RunConfig:
    return RunConfig(
        task=task, parameters=parameters, train_length=4, test_lengths=[4], model={"width": 4, "hidden": 4, **more},
        optimizer={"batch": 8}, stopping={"steps": 1}, evaluation={"words": 4},
    )  # fmt: skip


@pytest.mark.slow
def test_worker_processes_train_tasks_of_files_languages_and_predicates(directory: Path) -> None:
    even = Language(Automaton(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0})), "even")

    def starts_with_a(word: str) -> bool:
        return word[:1] == "a"

    tasks = [
        Subject.of("mine.py:Reverse").as_task(letters=3),
        Subject.of("mine.py:thirds").task,
        Subject.of(even).task,
        Subject.of(starts_with_a, "ab").task,
        Subject.of(lambda word: len(word) % 2 == 0, "ab").task,
        Subject.of("mine.py:even", "ab").task,
    ]
    configs = [small(task.name, dict(task.parameters)) for task in tasks]
    for task, config in zip(tasks, configs, strict=True):
        assert same(config.get_task(), task)
    store = Store(directory / "runs")
    sweep = run_sweep(configs, store, Local(1))
    assert [each.reason for each in sweep.failed] == []
    assert {each.id for each in sweep.made} == {each.id for each in configs}


@pytest.mark.slow
def test_a_worker_that_meets_a_changed_file_says_so(directory: Path) -> None:
    config = small("mine.py:Reverse", {})
    (directory / "mine.py").write_text(MINE + "\n", encoding="utf-8")
    done = run_sweep_of(config, directory)
    assert done == [has_changed(config.parameters["source"])]


def run_sweep_of(config: RunConfig, directory: Path) -> list[str]:
    from lengthwise.runs.engines.engine import completed

    return [str(outcome.error) for outcome in completed(Local(1), _trained, [(config, str(directory))])]


def _trained(given: tuple[RunConfig, str]) -> None:
    from lengthwise.runs.training.train import train_run

    os.chdir(given[1])
    train_run(given[0], Path(given[1]))


@pytest.mark.slow
def test_the_command_line_trains_a_task_of_a_file_with_the_default_engine(directory: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "lengthwise", "train", "mine.py:Reverse", "-n", "4", "-t", "N", "--seeds", "1"),
            *("--steps", "2", "--processes", "1", "--set", "letters=3", "--set", "optimizer.batch=8"),
            *("--set", "evaluation.words=8", "--position", "learned"),
        ],
        capture_output=True,
        text=True,
        cwd=directory,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second, *_ = done.stdout.splitlines()
    assert first == "task Reverse of mine.py"
    assert second == "mine.py:Reverse letters=3 N=4: 1 of 1 seeds trained, kept in lengthwise-runs"


# ---------------------------------------------------------------------------------------------------- verdicts


def test_decide_takes_the_claim_of_a_task_of_a_file(directory: Path) -> None:
    program = (
        '\n    program = """\n    alphabet "a" "b" "SEP" "EOS"\n    next "a" = "SEP" && # "a" > 0\n'
        '    next "b" = "SEP" && # "a" == 0\n    next "EOS" = exists[j<i] "SEP" && !"EOS"\n    """\n'
    )
    has_a = MINE.replace("    letters: int = 2\n", f"    letters: int = 2\n{program}").replace(
        "return question[::-1]", 'return "a" if "a" in question else "b"'
    )
    (directory / "claims.py").write_text(has_a, encoding="utf-8")
    verdict = lw.decide("claims.py:Reverse")
    assert (verdict.nope.kind, verdict.nope.proved) == ("yes", False)
    assert verdict.meaning == "task Reverse of claims.py"
    assert "checked and not proved" in verdict.nope.reason
    shown = lengthwise("tasks", "claims.py:Reverse", cwd=directory).stdout.splitlines()
    assert shown[-1] == "  decide      NoPE yes, APE yes"
    with pytest.raises(LengthwiseError, match=r"there is no verdict on mine\.py:Reverse, a task Reverse of mine\.py"):
        lw.decide("mine.py:Reverse")


def test_a_file_is_run_once_while_it_does_not_change(directory: Path) -> None:
    (directory / "loud.py").write_text(
        MINE + "\nwith open('runs.txt', 'a') as runs:\n    runs.write('x')\n", encoding="utf-8"
    )
    for _ in range(3):
        task_of("loud.py:Reverse")
    assert Path("runs.txt").read_text(encoding="utf-8") == "x"
    shutil.copy("mine.py", "loud.py")
    assert user_file("loud.py").digest == digest("mine.py")


def test_files_of_one_name_in_two_directories_are_two(directory: Path) -> None:
    for name, letters in (("one", 2), ("two", 4)):
        (directory / name).mkdir()
        content = MINE.replace("letters: int = 2", f"letters: int = {letters}").replace(
            "rng.choice(", "rng.choice(" if name == "one" else "rng.no_choice("
        )
        (directory / name / "mine.py").write_text(content, encoding="utf-8")
    one = task_of("one/mine.py:Reverse")
    with pytest.raises(LengthwiseError, match=r"^two/mine\.py:\d+: Reverse\.sample\(\) raised AttributeError: "):
        task_of("two/mine.py:Reverse")
    assert same(one, task_of("mine.py:Reverse"))
    assert same(one, task_of("one/mine.py:Reverse", **one.parameters))
