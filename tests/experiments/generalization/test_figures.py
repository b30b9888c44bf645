import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lengthwise.drawing.style import COLOURS, pyplot
from lengthwise.experiments.generalization import panels
from lengthwise.experiments.generalization.look import COLOUR, draw_cell
from lengthwise.experiments.generalization.outcomes import Outcomes
from lengthwise.experiments.generalization.overlay import draw_overlay, spaced
from lengthwise.experiments.generalization.panels import draw_panels
from tests.experiments.generalization.generalized import as_the_theory_says, outcomes

DRAWN: list[Callable[..., tuple[str, ...]]] = [draw_panels, draw_overlay]


def some_missing() -> Outcomes:
    results = as_the_theory_says()
    results["d2", "nope"] = [(0.9, 0.5, 0.1)] * 3
    results["tomita-4", "nope"] = [(1.0, 1.0, 0.95)] * 3
    del results["d3", "ape"], results["d3", "nope"]
    return outcomes(results)


def written(path: Path) -> list[str]:
    """The texts of a drawing."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [re.sub(r"<[^>]*>", "", text).strip().replace("&lt;", "<") for text in found]


@pytest.fixture
def axes() -> Iterator[Any]:
    plt = pyplot()
    canvas, axes = plt.subplots()
    yield axes
    plt.close(canvas)


@pytest.mark.parametrize("draw", DRAWN)
def test_a_caption_says_how_many_cells_were_not_learned_or_not_run_and_which_seeds_there_are(
    draw: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    told = " ".join(draw(some_missing(), tmp_path / "figure.svg", remarks=["Made by hand."]))
    assert "Not learned, 1 of 52 cells: D₂ NoPE." in told
    assert "Not run, 2 of 52 cells: D₃ NoPE and APE." in told
    assert "174 models, seeds 0–2; 2 of 60 cells (baselines included) want more." in told
    assert told.endswith("Made by hand.")
    drawn = " ".join(written(tmp_path / "figure.svg"))
    assert all(sentence.split(":")[0] in drawn for sentence in ("Not learned, 1 of 52 cells:", "Made by hand."))


def test_every_task_has_a_panel_under_what_decide_says_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(panels, "save", lambda canvas, *_: kept.append(canvas))
    draw_panels(some_missing(), "figure.svg")
    (canvas,) = kept
    headings = {text.get_text(): text.get_position()[1] for text in canvas.texts}
    ends = [
        headings["A program with and without positions: APE and NoPE should generalize"],
        headings["A program with positions only: APE should generalize, NoPE should not"],
        headings["No program: neither should generalize"],
        0.0,
    ]
    groups: list[set[str]] = [set(), set(), set()]
    for each in canvas.axes:
        for place, (above, below) in enumerate(pairwise(ends)):
            if below < each.get_position().y0 < each.get_position().y1 < above:
                groups[place].add(each.get_title())
    pyplot().close(canvas)
    first, second, third = groups
    assert [len(group) for group in groups] == [12, 6, 8]
    assert {"Binary Majority", "Sort", "8: D₂", "11: D₁₂", "16: {a,b}*d{b,c}*"} <= first
    assert {"Copy (unique)", "4: Tomita 4", "14: (abab)*"} <= second
    assert {"Addition", "17: {0,1,2}*02*", "PARITY (language)"} <= third


def test_panels_say_what_cannot_be_seen_in_them(tmp_path: Path) -> None:
    draw_panels(some_missing(), tmp_path / "figure.svg")
    texts = written(tmp_path / "figure.svg")
    assert [texts.count(told) for told in ("NoPE not learned", "NoPE not run", "APE not run", "APE not learned")] == [
        1,
        1,
        1,
        0,
    ]
    assert texts.count("NoPE against the verdict") == 1


def test_the_overlay_names_tasks_and_draws_languages_that_end_together_as_one_label(tmp_path: Path) -> None:
    draw_overlay(some_missing(), tmp_path / "overlay.svg")
    texts = written(tmp_path / "overlay.svg")
    assert texts.count("Copy (unique)") == 2
    # APE right up to the end, NoPE likewise, NoPE of Tomita 4 though there is no program, and those that fail.
    assert {"1, 2, 4, 7, 8, 10–16", "1, 2, 7, 10, 11, 15, 16", "4", "3, 5, 6, 17, PARITY (language)"} <= set(texts)
    # D₂ without positions was not learned, but is drawn.
    assert "8" in texts


@pytest.mark.parametrize("draw", DRAWN)
def test_a_figure_is_the_same_bytes_each_time(draw: Callable[..., tuple[str, ...]], tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        draw(some_missing(), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_line_is_the_mean_with_whiskers_from_the_lowest_seed_to_the_highest(axes: Any) -> None:
    found = outcomes({("tomita-5", "nope"): [(1.0, 0.5, 0.1), (1.0, 0.7, 0.3), (0.8, 0.0, 0.0)]})
    draw_cell(axes, found.tasks["tomita-5"]["nope"])
    *whiskers, line = axes.get_lines()
    assert list(line.get_ydata()) == pytest.approx([1.0, 0.6, 0.2])
    assert [tuple(each.get_ydata()) for each in whiskers] == [(1.0, 1.0), (0.5, 0.7), (0.1, 0.3)]
    assert line.get_color() == COLOUR["no program"]
    assert line.get_marker() == "s"


def test_verdicts_have_colours_that_everyone_can_tell_apart(axes: Any) -> None:
    assert COLOUR["program"] != COLOUR["no program"]
    assert set(COLOUR.values()) <= set(COLOURS)
    found = outcomes(as_the_theory_says())
    for scheme, colour in (("ape", "program"), ("nope", "no program")):
        draw_cell(axes, found.tasks["tomita-4"][scheme])  # type: ignore[index]
        assert axes.get_lines()[-1].get_color() == COLOUR[colour]  # type: ignore[index]


def test_markers_are_hollow_if_the_model_is_not_the_published_one_and_crosses_if_it_learned_nothing(axes: Any) -> None:
    found = outcomes({("d2", "ape"): [(1.0, 1.0, 1.0)] * 3, ("d3", "ape"): [(0.5, 0.1, 0.0)] * 3})
    published, crossed = found.tasks["d2"]["ape"], found.tasks["d3"]["ape"]
    smaller = replace(published, cell=replace(published.cell, changed=True))
    for each in (published, smaller, crossed):
        draw_cell(axes, each)
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 3]
    assert [line.get_marker() for line in lines] == ["o", "o", "x"]
    assert [line.get_markerfacecolor() == "white" for line in lines] == [False, True, False]


def test_labels_keep_their_order_and_their_distance_and_move_no_further_than_they_must() -> None:
    assert spaced([0.0, 0.5, 1.0], 0.05, (-0.02, 1.02)) == [0.0, 0.5, 1.0]
    assert spaced([0.5, 0.5], 0.1, (0.0, 1.0)) == pytest.approx([0.45, 0.55])
    heights = spaced([0.0, 0.01, 0.02, 0.98, 1.0, 1.0, 1.0], 0.05, (-0.02, 1.02))
    assert all(high - low >= 0.05 - 1e-12 for low, high in pairwise(heights))
    assert heights[0] >= -0.02
    assert heights[-1] <= 1.02
    assert spaced([], 0.05, (0.0, 1.0)) == []
