"""Bad input is answered in the words of who typed it, in one sentence."""

from pathlib import Path

import pytest

from tests.e2e.command import lengthwise

SENTENCES = {
    ("train", "(ab)*", "-n", "0"): "a training length (--train-length) is a whole number from 1 on, not 0",
    ("train", "(ab)*", "-n", "4,-1"): "a training length (--train-length) is a whole number from 1 on, not -1",
    ("bound", "certified", "simple-task", "--omega", "nan"): "omega is a finite number, not nan",
    ("bound", "worst-case", "simple-task", "--omega", "inf"): "omega is a finite number, not inf",
    ("search", "simple-task"): "simple-task asks for a number, and a search needs accuracies",
    ("train", "(ab)*", "-n", "4", "--set", "model.position=[]"): "position",
    ("train", "(ab)*", "-n", "4", "--set", 'model.position={"a": 1}'): "position",
    ("train", "(ab)*", "-n", "4", "--set", "model.width=" + "[" * 50_000): "width",
}


@pytest.mark.parametrize("command", SENTENCES, ids=lambda command: " ".join(command)[:60])
def test_it_says_what_is_wrong_with_what_was_typed(command: tuple[str, ...], tmp_path: Path) -> None:
    done = lengthwise(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert SENTENCES[command] in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
