"""The page of `lengthwise run --trace html`, as a browser shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.browser.looks import Looks
from tests.e2e.command import lengthwise

WORDS = ("(())()", "())(", "", "(()())" * 6)
VIEWS = [(360, False), (360, True), (1000, False), (1000, True)]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.html"
    done = lengthwise("run", "dyck1", *WORDS, "--trace", "html", "--output", str(path))
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize(("width", "dark"), VIEWS)
def test_a_trace_opens_quietly_and_can_be_read(trace: Path, open_page: Open, width: int, dark: bool) -> None:
    opened = open_page(trace, width, dark)
    looks = Looks(opened.page)
    assert opened.problems == []
    assert opened.requests == []
    assert looks.sideways() == 0
    assert looks.low_contrast() == []
    assert looks.without_alternative() == []
    assert opened.page.locator("table").count() == len(WORDS)


def test_on_paper_a_trace_hides_nothing_and_unfolds_its_program(trace: Path, open_page: Open) -> None:
    looks = Looks(open_page(trace).page)
    on_screen = set(looks.readable())
    paper = looks.on_paper()
    # Long words run down the paper, one narrow column for each operation, whose formulas stand in the listing below.
    formulas = {text for text in on_screen if text.startswith("= ")}
    printed = paper.readable()
    assert on_screen - formulas <= set(printed)
    assert not any(text.startswith("C_open = ") for text in on_screen)
    assert any(text.startswith("C_open = ") for text in printed)
    assert paper.cut_off() == []


def test_a_hostile_symbol_is_text_in_the_browser_too(tmp_path: Path, open_page: Open) -> None:
    path = tmp_path / "trace.html"
    word = "<script>document.title='obeyed'</script> <img/src=x/onerror=alert(1)> \"'><b>"
    program = tmp_path / "any.crasp"
    program.write_text('C = # "<b>"  // <b>bold</b>\nD = C >= 1\n', encoding="utf-8")
    done = lengthwise("run", str(program), word, "--trace", "html", "--output", str(path))
    assert done.returncode == 0, done.stderr
    opened = open_page(path)
    assert opened.problems == opened.requests == []
    assert opened.page.title() == "C-RASP trace"
    assert opened.page.locator("script, img").count() == 0
    assert "<img/src=x/onerror=alert(1)>" in Looks(opened.page).readable()
