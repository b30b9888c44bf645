"""One door: `import lengthwise as lw` has everything, and every verb of the command line calls one function of it."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest
import typer

import lengthwise as lw
from lengthwise import public
from lengthwise.cli import app

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "lengthwise"

VERBS = {
    "run": {"run", "lines_of"},  # the words of standard input are `lines_of` a stream
    "show": {"show"},
    "check": {"check"},
    "check-proof": {"check_proof"},
    "decide": {"decide"},
    "compile": {"compile"},
    "evaluate": {"evaluate"},
    "eval": {"evaluate"},
    "bound": {"bound", "identification"},  # the second with `bound identification`
    "capacity": {"model_norms"},  # `capacity model`; the others call those of `lengthwise.bounds.capacity`
    "simulate": {"simulate"},
    "protocol": {"protocol"},
    "verify": {"verify"},
    "rivals": {"rivals"},
    "learn": {"learn"},
    "tasks": {"describe_task"},
    "train": {"train"},
    "search": {"search"},
    "study": {"study", "plan_study"},  # the second with --dry-run
}
"""The functions of `lengthwise.public` that each verb calls."""
ELSEWHERE = {
    "library": "lengthwise.crasp.library",
    "diagnose": "lengthwise.diagnose.influence",
    "sparse": "lengthwise.sparse",
    "figures": "lengthwise.experiments.catalogue",
    "papers": "lengthwise.statements",
    "store": "lengthwise.runs.store.inspection",
    "reproduce": "lengthwise.experiments.reproduce",
}
"""Verbs whose functions are those of a package."""
FILES = {"check-proof": "check_proof", "eval": "evaluate"}


def commands() -> set[str]:
    group = typer.main.get_command(app)
    return set(group.commands)  # type: ignore[attr-defined]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_every_verb_has_its_function() -> None:
    assert not set(VERBS) & set(ELSEWHERE)
    known = {*VERBS, *ELSEWHERE}
    assert known == commands(), "a verb calls a function of lengthwise.public"


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_calls_its_function_and_no_other(verb: str) -> None:
    nodes = list(ast.walk(tree(SOURCE / "cli" / f"{FILES.get(verb, verb)}.py")))
    called = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "public"
    }
    called |= {
        alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "lengthwise.public"
        for alias in node.names
    }
    assert called == VERBS[verb]
    assert called <= set(public.__all__)


def test_every_function_of_a_verb_is_at_the_door() -> None:
    for functions in VERBS.values():
        for name in functions - {"lines_of"}:
            assert getattr(lw, name) is getattr(public, name) or name == "study"
    assert callable(lw.study)


def test_all_names_are_there_and_type_checkers_see_them() -> None:
    for name in lw.__all__:
        assert getattr(lw, name) is not None
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree(SOURCE / "__init__.py"))
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("lengthwise")
        for alias in node.names
    }
    assert imported | {"__version__"} == set(lw.__all__)
    assert sorted(lw.__all__) == dir(lw)


DEEP = re.compile(r"\bfrom lengthwise\.\w+\.\w|\blengthwise\.\w+\.\w+\.\w+")
WORKED_ON = {
    "docs/explanation/golowich-experiments.md",
    "docs/explanation/huang-experiments.md",
    "docs/explanation/positional-functions.md",
    "docs/explanation/probes.md",
    "docs/howto/use-results.md",
}
"""Pages about a package whose public names are still to come: `experiments`."""
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_no_module_deep_inside_the_package(page: Path) -> None:
    name = str(page.relative_to(ROOT))
    text = page.read_text(encoding="utf-8")
    if name.startswith("docs/reference"):
        text = re.sub(r"^::: .*$|`[^`\n]*`", "", text, flags=re.MULTILINE)  # these say where extension points live
    found = [line for line in text.splitlines() if DEEP.search(line)]
    if name in WORKED_ON:
        assert found, f"{name} is clean; take it off the list"
    else:
        assert found == []


def test_the_reference_lists_every_public_name() -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    block = re.compile(
        r"^::: ([\w.]+)\n    options:\n      show_root_heading: true\n      members:\n((?:        - \w+\n)+)",
        re.MULTILINE,
    )
    listed = {package: re.findall(r"- (\w+)", names) for package, names in block.findall(text)}
    assert {"lengthwise", "lengthwise.runs", "lengthwise.crasp", "lengthwise.tasks", "lengthwise.nn"} <= set(listed)
    for package, names in listed.items():
        module = importlib.import_module(package)
        found = {name: getattr(module, name) for name in module.__all__}
        # `lw.study` is a package that can be called, once that package is imported.
        public_names = [name for name, it in found.items() if callable(it) or not isinstance(it, ModuleType)]
        assert names == [name for name in public_names if name != "__version__"], package
