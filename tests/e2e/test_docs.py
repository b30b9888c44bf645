"""The documentation tells the truth: its commands print what it shows, its Python runs, its tables are complete."""

import os
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from lengthwise.crasp.library import describe, forms, names
from lengthwise.crasp.reading.diagnostics import CODES
from lengthwise.crasp.reading.precedence import OPERATORS
from tests.e2e.command import Done, lengthwise

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return FENCE.findall(page.read_text(encoding="utf-8"))


def run(command: str, directory: Path) -> Done:
    """What a command prints: a bare `lengthwise …` in this process, which is quicker, the others in a shell."""
    words = shlex.split(command)
    if words[0] == "lengthwise" and not set(words) & {"|", ">", "<"}:
        return lengthwise(*words[1:], cwd=directory)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=directory, env=environment, check=False
    )
    return Done(done.stdout, done.stderr, done.returncode)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    checked = 0
    for kind, title, body in blocks(page):
        if title:
            (tmp_path / title).write_text(body, encoding="utf-8")
        if kind != "console":
            continue
        for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, expected = entry.partition("\n")
            if command.startswith("make "):
                continue  # run by continuous integration itself
            done = run(command, tmp_path)
            shown = (done.stdout + done.stderr).rstrip()
            assert "Traceback" not in shown
            if expected.strip():
                assert shown == expected.rstrip(), f"{page.name}: $ {command}"
                checked += 1
            elif ">" not in command:
                assert shown, f"{page.name}: $ {command} prints something"
    if "lengthwise run" in page.read_text(encoding="utf-8") and page.name in ("README.md", "first-program.md"):
        assert checked


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = [body for kind, _, body in blocks(page) if kind == "python"]
    with chdir(tmp_path):
        for number, body in enumerate(bodies):
            (tmp_path / f"block{number}.py").write_text(body, encoding="utf-8")
            runpy.run_path(f"block{number}.py", run_name="__main__")
    assert capsys.readouterr().err == ""


def test_every_message_code_is_documented_with_its_meaning() -> None:
    text = (ROOT / "docs/reference/messages.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (LW\d+) \| (.*?) \|", text, flags=re.MULTILINE))
    assert rows == CODES


def test_every_library_program_is_documented_with_its_description() -> None:
    text = (ROOT / "docs/reference/library.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.*?) \|", text, flags=re.MULTILINE))
    described = {**{name: describe(name) for name in names()}, **forms()}
    assert rows == {name: text.replace("|", "&#124;") for name, text in described.items()}


def test_every_operator_is_in_the_precedence_table() -> None:
    text = (ROOT / "docs/reference/language.md").read_text(encoding="utf-8")
    for operator, level in OPERATORS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {int(level)} |"))
        assert operator in row.replace("&#124;", "|")


@pytest.mark.slow
def test_the_table_of_certified_lengths_is_what_its_command_prints() -> None:
    from lengthwise.bounds.certified.table import as_markdown, table

    page = (ROOT / "docs" / "explanation" / "certified-length.md").read_text(encoding="utf-8")
    rows = table(seconds=120)
    assert all(row.exact for row in rows)
    for line in as_markdown(rows).splitlines():
        assert line in page
