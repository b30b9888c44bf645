"""Completion in a shell: verbs, names of subjects and models, position schemes."""

import doctest
import subprocess
import sys

import pytest

from lengthwise.cli import completion
from tests.e2e.command import lengthwise


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("lengthwise check-", ["check-proof"]),
        ("lengthwise decide abab", ["abab-star"]),
        ("lengthwise verify dyck1 tomita-7", ["tomita-7"]),
        ("lengthwise tasks task:so", ["task:sort"]),
        ("lengthwise simulate mod", ["mod-p-task"]),
        ("lengthwise bound worst-case simple", ["simple-task"]),
        ("lengthwise study majority --positions none,ra", ["none,randomized"]),
        ("lengthwise run calm.cra", []),
    ],
)
def test_a_shell_completes_verbs_and_names(typed: str, completed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_LENGTHWISE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert lengthwise().stdout.split() == completed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_LENGTHWISE_COMPLETE", f"source_{shell}")
    assert f"_LENGTHWISE_COMPLETE=complete_{shell}" in lengthwise().stdout


def test_completion_can_be_installed() -> None:
    shown = lengthwise("--help").stdout
    assert "--install-completion" in shown
    assert "--show-completion" in shown


def test_completing_a_name_loads_nothing_slow() -> None:
    code = (
        "import sys; from lengthwise.cli import completion; assert completion.subject_names('tomita');"
        "print([name for name in ('torch', 'z3', 'llvmlite', 'matplotlib', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_examples_are_true() -> None:
    assert doctest.testmod(completion) == (0, 4)
