"""What `--json` prints, verb by verb: objects begin with the version of their keys, and some answers are lists."""

import doctest
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from lengthwise.cli import answer, app, options
from tests.cases.names import VERBS
from tests.diagnose.text_models import saved_hugging_face
from tests.e2e.command import lengthwise

LISTS = {
    "run": ("run", "dyck1", "()"),
    "check": ("check", "dyck1"),
    "check-proof": ("check-proof", "proof.json"),
    "library": ("library",),
    "figures": ("figures",),
    "eval": ("eval", "model.safetensors", "()"),
}
OBJECTS = {
    "papers": ("papers", "izzo"),
    "evaluate": ("evaluate", "dyck1", "--task", "dyck1", "--lengths", "4,6"),
    "show": ("show", "dyck1"),
    "show a language": ("show", "(aa)*"),
    "show a model": ("show", "model.safetensors"),
    "decide": ("decide", "(aa)*", "--classes"),
    "compile": ("compile", "dyck1", "-o", "dyck1.safetensors"),
    "reproduce": ("reproduce", "huang-table2"),
    "simulate": ("simulate", "simple-task", "01", "--times", "50"),
    "rivals": ("rivals", "a*b*", "-n", "2"),
    "learn": ("learn", "majority"),
    "verify": ("verify", "(aa)*", "a*"),
    "tasks": ("tasks", "simple-task"),
    "train": tuple(part if part != "{}" else "a*" for part in VERBS["train"]),
    "search": tuple(part if part != "{}" else "a*" for part in VERBS["search"]),
    "diagnose": ("diagnose", "gpt2", "--influence", "--text", "text", "--window", "12", "--recent", "5", "--examples",
                 "2"),
    "bound worst-case": ("bound", "worst-case", "simple-task"),
    "bound average": ("bound", "average", "simple-task"),
    "bound two-layer": ("bound", "two-layer", "k-gram"),
    "bound certified": ("bound", "certified", "simple-task"),
    "bound identification": ("bound", "identification", "a*b*"),
    "protocol": ("protocol", "dyck1", "(())"),
    "sparse construct": ("sparse", "construct", "parity:2", "--length", "4"),
    "sparse ensemble": ("sparse", "ensemble", "retrieval"),
    "sparse coupling": ("sparse", "coupling", "across-halves"),
    "capacity linear": ("capacity", "linear"),
    "capacity matrix": ("capacity", "matrix"),
    "capacity head": ("capacity", "head"),
    "capacity network": ("capacity", "network"),
}  # fmt: skip
ELSEWHERE = {"study", "capacity model", "bound table", "store check", "store repair"}
"""Verbs whose answers are looked at in tests of their own; `bound table` takes a minute."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files that the calls name."""
    made = tmp_path_factory.mktemp("answers")
    lengthwise("compile", "dyck1", "-o", "model.safetensors", cwd=made)
    lengthwise("verify", "(aa)*", "(aaaa)*(aa)*", "--proof", "proof.json", cwd=made)
    (made / "text").write_text("a cat and a dog and a cat again\n", encoding="utf-8")
    saved_hugging_face(made / "gpt2", vocabulary=256)
    return made


def verbs(command: Any, name: str = "") -> Iterator[str]:
    """The names of all commands that have `--json`."""
    if hasattr(command, "commands"):
        for key, each in command.commands.items():
            yield from verbs(each, f"{name} {key}".strip())
    elif any("--json" in parameter.opts for parameter in command.params):
        yield name


def test_the_tables_have_every_verb_that_prints_json() -> None:
    tabled = {key for key in (*LISTS, *OBJECTS, *ELSEWHERE) if "show a" not in key}
    assert tabled == set(verbs(typer.main.get_command(app)))


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_begins_with_the_version_of_its_keys(name: str, directory: Path) -> None:
    done = lengthwise(*OBJECTS[name], "--json", cwd=directory)
    answer = json.loads(done.stdout, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
    assert next(iter(answer)) == "schema", done.stderr
    assert answer["schema"] == 1


@pytest.mark.parametrize("name", LISTS)
def test_an_answer_that_was_a_list_is_one(name: str, directory: Path) -> None:
    done = lengthwise(*LISTS[name], "--json", cwd=directory)
    assert isinstance(json.loads(done.stdout), list), done.stderr


def test_numbers_that_json_lacks_are_null() -> None:
    assert json.loads(answer.json_text({"loss": float("inf")})) == {"schema": 1, "loss": None}


@pytest.mark.parametrize(("module", "examples"), [(answer, 1), (options, 2)])
def test_the_examples_are_true(module: ModuleType, examples: int) -> None:
    assert doctest.testmod(module) == (0, examples)
