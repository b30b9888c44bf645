"""The pages about training are complete: tables are those of the models and the registry, packages install."""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from lengthwise import tasks
from lengthwise.crasp import library
from lengthwise.nn import positions
from lengthwise.regular import languages
from lengthwise.runs.config import RunConfig
from lengthwise.subjects import names

DOCS = Path(__file__).parent.parent.parent / "docs"
TITLED = re.compile(r"^```\w+ title=\"([^\"]+)\"\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def table(name: str, heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading by the name in backquotes in their first cell."""
    section = page(name).partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


# ---------------------------------------------------------------------------------------------------- settings


class Schema(GenerateJsonSchema):
    # The default of values by name is a mapping of our own.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


def settings() -> Iterator[tuple[str, str, str]]:
    """Every setting with its type and its default in words, from what pydantic says of the models."""
    schema = RunConfig.model_json_schema(schema_generator=Schema)
    yield from _settings(schema, schema, "")


def _settings(schema: dict[str, Any], group: dict[str, Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, field in group["properties"].items():
        if "$ref" in field:
            yield from _settings(schema, schema["$defs"][field["$ref"].rpartition("/")[2]], f"{prefix}{name}.")
        else:
            # Values by name have a default that is no JSON, and so none in the schema: there are none.
            default = "required" if name in group.get("required", ()) else f"`{_value(field.get('default', {}))}`"
            yield prefix + name, _type(field), default


def _value(default: Any) -> str:
    return "none" if default is None else json.dumps(default).strip('"')


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"])
    if "anyOf" in field:
        first, second = field["anyOf"]
        return f"{_type(first)}, or " + ("`none`" if second == {"type": "null"} else "a list of them")
    if "prefixItems" in field:
        return f"{len(field['prefixItems'])} × {_type(field['prefixItems'][0])}"
    match field["type"]:
        case "array":
            return f"list: {_type(field['items'])}"
        case "object":
            return "values by name"
        case "boolean":
            return "`true`, `false`"
        case "string":
            return "text"
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    limits = [f"{sign} {field[key]:g}" for key, sign in signs.items() if key in field]
    return " ".join(["whole number" if field["type"] == "integer" else "number", ", ".join(limits)]).strip()


def test_every_setting_of_a_run_is_documented_with_its_type_and_default() -> None:
    rows = table("reference/run-config.md", "All settings")
    assert {name: tuple(row[:2]) for name, row in rows.items()} == {
        name: (kind, default) for name, kind, default in settings()
    }
    assert all(row[2] for row in rows.values())


def shown(default: Any) -> str:
    """A default as it stands in a table: numbers without needless zeros, truth values as in a file."""
    if isinstance(default, bool):
        return str(default).lower()
    return default if isinstance(default, str) else f"{default:g}"


def test_every_position_scheme_is_documented_with_its_parameters() -> None:
    rows = table("reference/run-config.md", "Position schemes")
    ours = [name for name in positions.names() if positions.get(name).__module__.startswith("lengthwise.")]
    assert {name: row[0] for name, row in rows.items()} == {
        name: ", ".join(
            f"`{key}`" if default is None else f"`{key}` = {shown(default)}"
            for key, default in positions.get(name).parameters_wanted.items()
        )
        for name in ours
    }


# ------------------------------------------------------------------------------------------------------- tasks


def ours() -> list[str]:
    """The registered tasks of lengthwise itself."""
    return [name for name in tasks.registered() if type(tasks.get(name)).__module__.startswith("lengthwise.")]


def test_every_registered_task_is_documented_as_it_is() -> None:
    rows = table("reference/tasks.md", "Registered tasks")
    expected = {}
    for name in ours():
        task = tasks.get(name)
        arguments = inspect.signature(type(task)).parameters.values()
        parameters = ", ".join(f"`{each.name}` = {shown(each.default)}" for each in arguments)
        expected[name] = [parameters, tasks.describe(name), task.loss, str(task.outputs), str(task.min_length)]
    assert rows == expected


def test_a_shortest_length_that_depends_on_parameters_is_as_documented() -> None:
    text = " ".join(page("reference/tasks.md").split())
    assert "*p* for residue 0, and else the residue" in text
    assert [tasks.get("mod-p-task", period=5, residue=residue).min_length for residue in range(5)] == [5, 1, 2, 3, 4]
    assert "2*c* symbols" in text
    assert [tasks.get("k-gram", context=context).min_length for context in (1, 2, 3)] == [2, 4, 6]


def test_every_other_name_is_a_language_of_the_catalogue_or_a_library_program() -> None:
    text = " ".join(page("reference/tasks.md").split())
    assert "[catalogue](languages.md#the-catalogue)" in text
    assert "[library](library.md)" in text
    others = [name for name in names() if name not in tasks.registered()]
    assert set(others) <= {*languages(), *library.names()}
    predicting = [name for name in others if name not in languages() and library.get(name).predicts]
    listed = re.search(r"\*\*A program with `next` statements\*\* \((.*?)\)", text)
    assert listed is not None
    assert re.findall(r"`([^`]+)`", listed[1]) == predicting


# ------------------------------------------------------------------------------------------------ own packages


def install(name: str, directory: Path) -> None:
    """Lay out the package of a page as pip does: its modules, and beside them what its pyproject.toml declares."""
    files = dict(TITLED.findall(page(name)))
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    for title, body in files.items():
        (directory / title).write_text(body, encoding="utf-8")
    facts = directory / f"{project['name']}-{project['version']}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    (facts / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.slow
def test_the_packages_of_the_pages_make_a_task_and_a_position_scheme_known_to_worker_processes(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    install("howto/own-task.md", packages)
    install("howto/own-position-scheme.md", packages)
    install("howto/own-model.md", packages)
    small = ["model.hidden=4", "optimizer.batch=16", "evaluation.words=16", "most=0.5"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "lengthwise", "train", "changes", "--position", "sinusoidal", "--json"),
            *("--train-length", "4", "--test-lengths", "N", "--seeds", "1", "--steps", "2", "--processes", "1"),
            *(word for setting in small for word in ("--set", setting)),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(packages)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["failed"] == []
    assert found["parameters"] == {"most": 0.5}
    assert found["settings"]["model"]["position"] == "sinusoidal"
    assert len(found["seeds"]) == 1
    listed = "from lengthwise.nn.architectures import names; print(names())"
    known = subprocess.run(
        [sys.executable, "-c", listed],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{packages}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        check=True,
    )
    assert "'gru'" in known.stdout
