"""The house rule of the architecture: a package imports only from those above it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "lengthwise"

ORDER = [
    "errors",
    "resources",
    "user_code",
    "alphabet",
    "output",
    "streams",
    "text_table",
    "exact_linear",
    "statements",
    "crasp",
    "regular",
    "limit",
    "bounds",
    "sparse",
    "tasks",
    "atlas",
    "subjects",
    "nn",
    "runs",
    "diagnose",
    "models",
    "drawing",
    "experiments",
    "study",
    "public",
    "play",
    "cli",
]
"""The packages in the order in which data flows; `__init__` and `__main__` stand outside it."""

HEAVY = {"torch": {"nn", "runs", "diagnose", "models", "experiments", "study"}, "matplotlib": {"drawing"}}
"""Who may import what is slow to import."""


def imported_modules(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out, not relative"
            module = node.module or ""
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return found


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


MODULES = sorted(path for path in SOURCE.rglob("*.py") if package_of(path) not in ("__init__", "__main__"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_package_imports_only_from_those_above_it(path: Path) -> None:
    own = ORDER.index(package_of(path))
    for module in imported_modules(path):
        parts = module.split(".")
        if parts[0] == "lengthwise" and len(parts) > 1 and parts[1] in ORDER:
            assert ORDER.index(parts[1]) <= own, f"{path} must not import {module}"
        if parts[0] in HEAVY:
            assert package_of(path) in HEAVY[parts[0]], f"{path} must not import {module}"


def test_every_package_has_its_place_in_the_order() -> None:
    assert {package_of(path) for path in MODULES} <= set(ORDER)
    assert len(MODULES) > 20


@pytest.mark.parametrize(
    "statement",
    [
        "import lengthwise",
        "import lengthwise; lengthwise.crasp.load('dyck1').accepts('()')",
        "import lengthwise; [answer.accepts for answer in lengthwise.run('dyck1', ['()'])]",
    ],
)
def test_short_inputs_wait_neither_for_a_compiler_nor_for_the_command_line(statement: str) -> None:
    code = f"{statement}; import sys; print([m for m in ('llvmlite', 'typer', 'rich', 'torch') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_a_library_program_is_run_without_importing_what_only_other_subjects_need() -> None:
    code = (
        "import sys, lengthwise.cli, lengthwise.subjects as s; s.Subject.of('tomita-4').as_runnable();"
        "print([m for m in ('lengthwise.regular', 'lengthwise.tasks', 'lengthwise.bounds') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_importing_the_package_of_studies_leaves_the_function_of_its_name_callable() -> None:
    code = (
        "import lengthwise as lw, lengthwise.study.published as p, lengthwise.study.protocol\n"
        "try: lw.study('no-such-subject')\n"
        "except lw.LengthwiseError as problem: print(problem)\n"
        "print(lw.study.published is p)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("there is no program, language or task 'no-such-subject'")
    assert shown.endswith("True\n")


FINDING = {"deciding", "synthesis", "prover", "search", "balance", "majority_interleave"}
"""The folders and files of `regular` that find answers and proofs."""


def test_the_checker_of_proofs_uses_nothing_that_finds_them() -> None:
    waiting = sorted((SOURCE / "regular" / "proofs").glob("*.py"))
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        for module in imported_modules(path):
            parts = module.split(".")
            if parts[:2] != ["lengthwise", "regular"] or len(parts) < 3:
                continue
            assert not FINDING & set(parts), f"{path.name} imports {module}"
            for found in (SOURCE.joinpath(*parts[1:]).with_suffix(".py"), SOURCE.joinpath(*parts[1:], "__init__.py")):
                if found.exists() and found not in seen:
                    seen.add(found)
                    waiting.append(found)
    assert len(seen) > 12
