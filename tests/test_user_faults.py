"""Faults in a user's task or position scheme are told with their file and line, wherever they are trained."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.command import lengthwise

TASK = """from lengthwise.tasks import QuestionAnswerTask


class Exits(QuestionAnswerTask):
    def question(self, rng, length):
        raise SystemExit(5)

    def answer(self, question):
        return ["a"]
"""
SCHEME = """import torch
import lengthwise as lw


@lw.nn.positions.register_position("broken")
class Broken(lw.nn.positions.PositionScheme):
    def phi(self, layer, queries, keys):
        return torch.zeros(2) @ torch.zeros(3)


class Task(lw.tasks.QuestionAnswerTask):
    def question(self, rng, length):
        return ["a"] * length

    def answer(self, question):
        return ["a"]
"""


def test_a_task_that_ends_python_does_not_choose_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TASK, encoding="utf-8")
    done = lengthwise("tasks", "mine.py:Exits", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "mine.py:6: Exits.sample() raised SystemExit: 5\n"


def test_a_scheme_that_fails_deep_in_torch_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SCHEME, encoding="utf-8")
    arguments = ("-n", "4", "--seeds", "1", "--steps", "1", "--set", "optimizer.batch=8", "--engine", "serial")
    done = lengthwise("train", "mine.py:Task", "--position", "broken", *arguments, cwd=tmp_path)
    assert done.returncode == 3
    assert "mine.py:8: RuntimeError: " in done.stderr
    assert "Traceback" not in done.stderr
