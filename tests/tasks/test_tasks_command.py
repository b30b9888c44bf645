"""`lengthwise tasks` as a user meets it."""

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from lengthwise.cli.tasks import tasks as command
from lengthwise.errors import LengthwiseError
from lengthwise.subjects import names, task_of
from lengthwise.tasks import registry

app = typer.Typer()
app.command()(command)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0
    return done.stdout


def of(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_all_tasks_are_listed_with_an_example_and_the_verdict_where_there_is_one() -> None:
    listed = {facts["name"]: facts for facts in of()}
    assert list(listed) == list(names())
    assert listed["simple-task"]["verdict"] is None
    assert listed["aa-star"]["verdict"] == {"nope": "no", "local": "no", "ape": "yes"}
    assert listed["induction-all"]["verdict"]["ape"] == "yes"
    for facts in listed.values():
        assert facts["description"]
        assert facts["example"]["word"]
        assert facts["example"]["target"]


def test_the_keys_of_one_task_are_those_of_the_contract() -> None:
    facts = of("k-gram", "--set", "context=2", "--length", "9", "--seed", "3")
    assert list(facts) == [
        "schema", "meaning", "name", "description", "parameters", "alphabet", "loss",
        "outputs", "min_length", "lengths", "example", "verdict",
    ]  # fmt: skip
    assert facts["parameters"] == {"context": 2, "alphabet_size": 3}
    assert len(facts["example"]["word"]) == 9
    assert sum(facts["example"]["target"]) == pytest.approx(1)
    assert facts == of("k-gram", "--set", "context=2", "--length", "9", "--seed", "3")
    assert facts != of("k-gram", "--set", "context=2", "--length", "9", "--seed", "4")


def test_the_example_of_a_language_has_the_next_symbols_at_every_position() -> None:
    example = of("(ab)*", "--length", "4")["example"]
    assert example["word"] == "abab"
    inside, between = {"symbols": ["b"], "ends": False}, {"symbols": ["a"], "ends": True}
    assert example["target"] == [inside, between, inside, between]
    assert "abab → {a, end}" in run("(ab)*", "--length", "4")


def test_symbols_of_several_characters_are_written_apart() -> None:
    assert " " in of("sort")["example"]["word"]


def test_a_finite_language_has_an_example_of_a_length_that_it_has() -> None:
    facts = of("(ab|c)?b")
    assert facts["lengths"] == [1, 2, 3]
    assert len(facts["example"]["word"]) == 3


def test_a_broken_task_is_listed_with_its_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise LengthwiseError("this one does not work")

    monkeypatch.setattr(registry, "_makers", {"broken": broken, "simple-task": type(task_of("simple-task"))})
    assert of()[0] == {"name": "broken", "problem": "this one does not work"}
    text = run()
    assert "this one does not work" in text
    assert "omega=2.0" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--set", "omega=2"), "--set belongs to one task"),
        (("simple-task", "--set", "omega"), "set as in omega=2"),
        (("simple-task", "--set", "p=2"), "it has omega"),
        (("(aa)*", "--length", "3"), "the nearest lengths with words: 2 and 4"),
        (("simple-task", "--seed", "-1"), "a seed is a whole number from 0 on, not -1"),
        (("simpletask",), "did you mean simple-task"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        run(*arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
