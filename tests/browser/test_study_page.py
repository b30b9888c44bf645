"""The page of `lengthwise study`, as a browser shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from lengthwise.runs.config import RunConfig
from tests.browser.conftest import Open
from tests.browser.looks import Looks
from tests.e2e.command import in_own_process
from tests.study.pretended import pretended_study

SUBJECTS = {
    "hostile": "('<script>alert(1)</script>'|b)*b'</main>'(b|'&lt;')*",
    "with bounds": "simple-task",
    "long program": "task:sort",
    "two noes": "parity",
    "relative positions": "k-gram",
    "many schemes": "(aa)*",
    "one training length": "majority",
}
OPTIONS: dict[str, dict[str, Any]] = {
    "many schemes": {"positions": "none,learned,periodic,rope", "train_lengths": [8, 16, 32, 64, 128]},
    "one training length": {"train_lengths": [40]},
}
VIEWS = [(360, False), (360, True), (1000, False), (1000, True)]


def mixed(config: RunConfig, seed: int) -> str:
    """All curves: failing, not learned, and two of three seeds."""
    if config.model.position == "none":
        return "fails"
    if config.model.position == "rope":
        return "not learned"
    return "generalizes" if seed else "fades"


@pytest.fixture(scope="module", params=SUBJECTS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a study whose models were not really trained, which makes no difference to how it looks."""
    directory = tmp_path_factory.mktemp("study")
    options = OPTIONS.get(request.param, {})
    pretended_study(directory / "store", SUBJECTS[request.param], mixed, **options).write(directory)
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
    assert opened.page.locator("script").count() == 1
    assert opened.page.locator("img").count() == 0


def test_the_charts_of_a_report_are_drawn_and_say_what_they_show(report: Path, open_page: Open) -> None:
    page = open_page(report).page
    charts = page.locator("figure svg[role=img]")
    assert charts.count() == page.locator("figure").count() >= 3
    for chart in charts.all():
        box = chart.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 60
        assert len(chart.get_attribute("aria-label") or "") > 60


def test_a_report_on_paper_hides_nothing_and_unfolds_everything(report: Path, open_page: Open) -> None:
    looks = Looks(open_page(report).page)
    on_screen = set(looks.readable())
    rule = " ".join((looks.page.locator("#agreement details:not([open]) p").first.text_content() or "").split())
    tips = looks.page.locator("[data-heat] td:not(.untested)").evaluate_all(
        "cells => cells.map(each => each.dataset.told)"
    )
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
    # What appears under the pointer stands in the table: the values of the seeds.
    assert tips
    for told in tips:
        seeds = [part.rpartition(" (seed")[0] for part in told.split("; ")[2].split("), ")]
        assert ", ".join(seeds).replace(" %", "\u00a0%") in printed or ", ".join(seeds) in printed


def test_cells_of_a_heat_map_tell_their_seeds_to_pointer_and_keyboard(report: Path, open_page: Open) -> None:
    page = open_page(report).page
    tip = page.locator(".tip")
    assert not tip.is_visible()
    first = page.locator("[data-heat] td:not(.untested)").first
    first.hover()
    assert tip.is_visible()
    assert "(seed 0)" in tip.inner_text()
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    first.focus()
    told = tip.inner_text()
    page.keyboard.press("ArrowRight")
    assert tip.is_visible()
    assert tip.inner_text() != told
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    # One stop of the tabulator key for each heat map.
    assert page.locator("[data-heat] td[tabindex='0']").count() == page.locator("[data-heat]").count()


def test_the_table_of_all_numbers_is_sorted_by_any_column_and_back(report: Path, open_page: Open) -> None:
    page = open_page(report).page
    table = page.locator("table[data-sortable]")

    def column(place: int) -> list[float]:
        cells = table.locator(f"tbody tr > :nth-child({place})")
        return [float(each) for each in cells.evaluate_all("cells => cells.map(each => each.dataset.value)")]

    for place, title in ((4, "Test length"), (5, "Median"), (10, "Words")):
        original = column(place)
        button = table.get_by_role("button", name=title, exact=True)
        button.click()
        assert column(place) == sorted(original)
        assert table.locator("th[aria-sort=ascending]").count() == 1
        button.click()
        assert column(place) == sorted(original, reverse=True)
        button.click()
        assert column(place) == original


def test_without_scripts_everything_can_be_read(report: Path, browser: Browser, open_page: Open) -> None:
    scripted = open_page(report).page
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(report.resolve().as_uri())
    assert plain.locator("main").inner_text().split() == scripted.locator("main").inner_text().split()
    assert "(seed 0)" in (plain.locator("[data-heat] td:not(.untested)").first.get_attribute("title") or "")
    context.close()


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
    assert any(text.startswith("Smallest N with") for text in first)
    assert any(text.startswith("Yes, with positions") for text in first)
