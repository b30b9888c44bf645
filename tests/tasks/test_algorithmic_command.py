"""The algorithmic tasks on the command line and in the lab: listed with example and verdict, long enough contexts."""

from __future__ import annotations

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from lengthwise.cli.tasks import tasks as command
from lengthwise.public import decide
from lengthwise.regular import task_names
from lengthwise.runs.config import RunConfig
from lengthwise.subjects import task_of
from lengthwise.tasks.request import input_length

app = typer.Typer()
app.command()(command)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.exception
    return done.stdout


@pytest.mark.parametrize("name", task_names())
def test_a_task_is_shown_with_the_verdict_of_table_3_and_an_example_with_its_whole_answer(name: str) -> None:
    facts: Any = json.loads(run(f"task:{name}", "--json"))
    wanted = decide(name)
    assert facts["verdict"] == {
        "nope": wanted.nope.kind,
        "local": wanted.local.kind,
        "ape": wanted.ape.kind,
    }
    answer = [symbol for symbol in facts["example"]["target"] if symbol is not None]
    assert answer[-1] == "EOS"
    assert f"{facts['example']['word']} → {' '.join(answer)}" in run(f"task:{name}")


@pytest.mark.parametrize(
    ("task", "parameters", "length", "symbols"),
    [
        ("task:sort", {}, 150, 302),
        ("task:binary-majority-interleave", {}, 150, 155),
        ("task:addition", {}, 150, 299),
        ("task:parity", {}, 150, 153),
        ("aa-star", {"start": True}, 150, 151),
        ("aa-star", {}, 150, 150),
    ],
)
def test_learned_positions_are_as_many_as_a_model_reads_symbols(
    task: str, parameters: dict[str, Any], length: int, symbols: int
) -> None:
    config = RunConfig(
        task=task, parameters=parameters, train_length=48, test_lengths=(length,), model={"position": "learned"}
    )
    assert config.value("model.position_parameters.context") == symbols
    assert input_length(task_of(task, **parameters), length) == symbols
