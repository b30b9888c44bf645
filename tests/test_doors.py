"""Every module of the package has a door: some command of the command line leads to it.

Read from the source, with imports inside functions. What a package's `__init__` passes on counts only for the names
that somebody asks of it, so that a list of exports opens no door by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"

WITHOUT_A_COMMAND = {
    "lengthwise.nn.loading.boolean": "lw.nn.BooleanDecoder, for PyTorch code (docs/explanation/sparse-boolean.md)",
    "lengthwise.nn.loading.compiled": "lw.nn.load_compiled, for PyTorch code (docs/howto/compiled-weights.md)",
    "lengthwise.sparse.functional.heads": "Proposition B.1 (docs/explanation/sparsity-locality.md)",
    "lengthwise.tasks.question_answer": "the base class of users' tasks (docs/howto/own-task.md)",
}
"""Modules that no command leads to, each with the reason why it stays."""


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted((SOURCE / "lengthwise").rglob("*.py"))}
COMMANDS = sorted(name for name in FILES if name.startswith("lengthwise.cli"))


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


def is_package(module: str) -> bool:
    return FILES[module].name == "__init__.py"


@cache
def bindings(module: str) -> dict[str, tuple[str, str | None]]:
    """For each imported name: its module, and its name there; None if it stands for the module itself."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name] = (alias.name, None)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found[alias.asname or alias.name] = (inner, None) if inner in FILES else (node.module, alias.name)
    return found


@cache
def lazy_places(package: str) -> dict[str, str]:
    """Names that a package loads when they are first used, and their modules: its dictionary `_PLACES`."""
    for node in tree_of(package).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_PLACES":
            return dict(ast.literal_eval(node.value))
    return {}


def home(module: str, name: str) -> str:
    """The module in which a name is written down that is imported from this one."""
    if f"{module}.{name}" in FILES:
        return f"{module}.{name}"
    if not is_package(module):
        return module
    if name in lazy_places(module):
        return home(lazy_places(module)[name], name)
    where, inner = bindings(module).get(name, (module, None))
    if where not in FILES or where == module:
        return module
    return where if inner is None else home(where, inner)


def dotted(node: ast.expr) -> str | None:
    """A name or a name within a name, as it is written; None for any other expression."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


def needed(module: str) -> Iterator[str]:
    """The modules whose names this one uses."""
    known = bindings(module)
    for where, name in known.values():
        if where not in FILES:
            continue
        if name is not None:
            yield home(where, name)
        elif not is_package(where):
            yield where
    for node in ast.walk(tree_of(module)):
        # package.name and package.inner.name, of packages that were imported as such
        if isinstance(node, ast.Attribute) and (written := dotted(node)):
            parts = written.split(".")
            for count in range(len(parts) - 1, 0, -1):
                where, name = known.get(".".join(parts[:count]), ("", None))
                if where in FILES and name is None:
                    for part in parts[count:]:
                        if not is_package(where):
                            break
                        where = home(where, part)
                    yield where
                    break
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.partition(":")[0] in FILES:
            yield node.value.partition(":")[0]  # imported by its name, `module` or `module:name`


@cache
def registers(module: str) -> bool:
    """Whether importing a module makes something known under a name: its own door."""
    return any(
        "register" in ast.unparse(decorator)
        for node in tree_of(module).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for decorator in node.decorator_list
    )


def registering(package: str) -> Iterator[str]:
    """What a package imports, directly or by way of its packages, because that registers something."""
    for where, name in bindings(package).values():
        module = where if name is None else where if where in FILES else ""
        if module in FILES and module != package:
            if is_package(module) and module.startswith(f"{package}."):
                yield from registering(module)
            elif registers(module):
                yield module


@cache
def reached() -> frozenset[str]:
    found: set[str] = set()
    waiting = [*COMMANDS, "lengthwise.__main__"]
    while waiting:
        module = waiting.pop()
        parent = module.rpartition(".")[0]
        if module in found:
            continue
        found.add(module)
        # A package is run when something in it is imported; what it passes on is reached by those who ask for it.
        while parent:
            if parent not in found:
                found.add(parent)
                waiting.extend(registering(parent))
            parent = parent.rpartition(".")[0]
        waiting.extend(registering(module) if is_package(module) else needed(module))
        if module in COMMANDS:
            waiting.extend(needed(module))
    return frozenset(found)


@pytest.mark.parametrize("module", sorted(FILES))
def test_a_command_leads_to_every_module(module: str) -> None:
    if module in WITHOUT_A_COMMAND:
        assert module not in reached(), f"{module} has a door now; take it off the list"
    else:
        assert module in reached(), f"no command leads to {module}"


def test_the_list_of_exceptions_is_about_modules_that_exist() -> None:
    assert set(WITHOUT_A_COMMAND) <= set(FILES)
    assert len(FILES) > 400


def test_every_public_name_can_be_had_through_the_one_door() -> None:
    import lengthwise as lw

    for package in (lw.sparse, lw.limit, lw.bounds, lw.crasp, lw.regular, lw.tasks, lw.atlas):
        for name in package.__all__:
            assert getattr(package, name) is not None, f"{package.__name__}.{name}"


def test_every_command_can_be_imported_and_says_what_it_does() -> None:
    from typer.main import get_command

    from lengthwise.cli import app

    waiting = [get_command(app)]
    seen = 0
    while waiting:
        command = waiting.pop()
        waiting.extend(getattr(command, "commands", {}).values())
        assert command.help, command.name
        seen += 1
    assert seen > 25


def test_a_list_of_exports_opens_no_door() -> None:
    assert home("lengthwise.limit", "exchange") == "lengthwise.limit.protocol.exchange"
    assert home("lengthwise.sparse", "construct") == "lengthwise.sparse.boolean.construct"
    assert home("lengthwise", "sparse") == "lengthwise.sparse"
    assert "lengthwise.limit.transformers.products" not in set(needed("lengthwise.cli.protocol"))
