"""The page of `lengthwise study`, as a browser shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.browser.looks import Looks
from tests.e2e.command import in_own_process
from tests.report.pretended_study import pretended_study, small_plan

SUBJECTS = {
    "hostile": "('<script>alert(1)</script>'|b)*b'</main>'(b|'&lt;')*",
    "with bounds": "simple-task",
    "long program": "sort",
    "two noes": "parity",
    "relative positions": "k-gram",
    "three schemes": "(aa)*",
}
VIEWS = [(360, False), (360, True), (1000, False), (1000, True)]


@pytest.fixture(scope="module", params=SUBJECTS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a study whose models were not really trained, which makes no difference to how it looks."""
    directory = tmp_path_factory.mktemp("study")
    subject = SUBJECTS[request.param]
    plan = small_plan(subject, period=2, lengths=(8, 16, 32, 64, 128)) if request.param == "three schemes" else None
    pretended_study(directory / "store", subject, "fails", "generalizes", plan=plan).write(directory)
    return directory / "report.html"


@pytest.mark.parametrize(("width", "dark"), VIEWS)
def test_a_report_opens_quietly_and_can_be_read(report: Path, open_page: Open, width: int, dark: bool) -> None:
    opened = open_page(report, width, dark)
    looks = Looks(opened.page)
    assert opened.problems == []
    assert opened.requests == []
    assert looks.sideways() == 0
    assert looks.low_contrast() == []
    assert looks.without_alternative() == []
    assert looks.narrow_cells() == []
    assert opened.page.locator("script, img").count() == 0


def test_the_charts_of_a_report_are_drawn_and_say_what_they_show(report: Path, open_page: Open) -> None:
    page = open_page(report).page
    charts = page.locator("figure svg[role=img]")
    assert charts.count() == page.locator("figure").count() >= 3
    for chart in charts.all():
        box = chart.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 100
        assert len(chart.get_attribute("aria-label") or "") > 60


def test_a_report_on_paper_hides_nothing_and_unfolds_everything(report: Path, open_page: Open) -> None:
    looks = Looks(open_page(report).page)
    on_screen = set(looks.readable())
    rule = " ".join((looks.page.locator("#agreement details:not([open]) p").text_content() or "").split())
    paper = looks.on_paper()
    printed = set(paper.readable())
    # What does not fit side by side runs down the paper, in columns too narrow for formulas; the listing has them.
    listing = looks.page.locator("pre.listing").all_text_contents()
    assert {text for text in on_screen - printed if text.removeprefix("= ") not in "".join(listing)} == set()
    assert rule.startswith("The rule looks at")
    assert rule in printed - on_screen
    assert paper.sideways() == 0
    assert paper.cut_off() == []
    assert paper.low_contrast() == []


@pytest.mark.slow
def test_the_report_of_a_study_that_was_really_run_opens_quietly(tmp_path: Path, open_page: Open) -> None:
    places = ("--store", str(tmp_path / "store"), "--out", str(tmp_path / "out"))
    done = in_own_process("study", "(aa)*", "--minutes", "0.1", "--engine", "serial", *places)
    assert done.returncode == 0, done.stderr
    opened = open_page(tmp_path / "out" / "report.html", 360, True)
    looks = Looks(opened.page)
    assert opened.problems == opened.requests == []
    assert looks.sideways() == 0
    assert looks.low_contrast() == looks.without_alternative() == []
    # The page leads with its answer.
    first = opened.page.locator("h1, p").all_inner_texts()[:5]
    assert "(aa)*" in first
    assert any(text.startswith("Yes, with position information") for text in first)
