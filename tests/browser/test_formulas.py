"""Formulas of the documentation: MathML that the browser draws by itself, in place of LaTeX."""

import doctest
import re
import runpy
from pathlib import Path

import markdown
import pytest

from tests.browser.conftest import Open

ROOT = Path(__file__).parent.parent.parent
HOOK = ROOT / "scripts" / "mathml.py"
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if "\n$$\n" in path.read_text(encoding="utf-8"))


def rendered(page: Path) -> str:
    """The content of a page as `mkdocs build` makes it."""
    options = {"pymdownx.arithmatex": {"generic": True, "inline_syntax": ["dollar"], "block_syntax": ["dollar"]}}
    extensions = ["tables", "pymdownx.superfences", *options]
    body = markdown.markdown(page.read_text(encoding="utf-8"), extensions=extensions, extension_configs=options)
    content: str = runpy.run_path(str(HOOK))["on_page_content"](body)
    return content


def test_the_site_is_built_with_the_hook() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "hooks: [scripts/mathml.py]" in settings
    assert "generic: true\n      inline_syntax: [dollar]\n      block_syntax: [dollar]" in settings


def test_the_example_of_the_hook_is_true() -> None:
    hook = runpy.run_path(str(HOOK))
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(hook["on_page_content"], "on_page_content", globs=hook):
        runner.run(example)
    assert (runner.failures, runner.tries) == (0, 1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_formula_stays_latex(page: Path) -> None:
    content = rendered(page)
    prose = re.sub(r"<(pre|code|math)\b.*?</\1>", "", content, flags=re.DOTALL)
    assert content.count("<math ") > 3
    assert "$" not in prose
    assert "\\" not in prose
    # A command that the converter does not know stays as text in the formula.
    assert "\\" not in re.sub(r' data-latex="[^"]*"', "", "".join(re.findall(r"<math.*?</math>", content, re.DOTALL)))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_formula_is_drawn_without_asking_for_anything(open_page: Open, tmp_path: Path, dark: bool) -> None:
    page = ROOT / "docs" / "explanation" / "bounds-worst-case.md"
    built = tmp_path / "page.html"
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    built.write_text(f"{head}<title>page</title>{rendered(page)}", encoding="utf-8")
    opened = open_page(built, dark=dark)
    fraction = opened.page.locator("math[display=block] mfrac").first
    above, below = (fraction.locator("xpath=*").nth(place).bounding_box() for place in (0, 1))
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"] + 1
    assert opened.requests == []
    assert opened.problems == []
