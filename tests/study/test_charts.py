"""The charts of a study have room for what they say, and can be written as files."""

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lengthwise.drawing.style import pyplot, style
from lengthwise.runs.config import RunConfig
from lengthwise.study.page import Chart, write
from lengthwise.study.page.heat_map import PALE_TO_DEEP, STEPS, SWITCH, heat_maps, step_of
from tests.study.pretended import pretended_study


def mixed(config: RunConfig, seed: int) -> str:
    """Without positions, models fail; with learned ones, two of three seeds generalize; others do."""
    if config.model.position == "none":
        return "fails"
    return "fades" if config.model.position == "learned" and not seed else "generalizes"


def overlapping(chart: Chart) -> list[str]:
    """What a chart draws over something else, or beyond its edges."""
    plt = pyplot()
    with style():
        figure, axes = plt.subplots(figsize=chart.size, layout="constrained")
        chart.draw(axes)
        figure.canvas.draw()
    found = []
    for which, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        ticks = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
        for one, other in pairwise(ticks):
            if one.overlaps(other):
                found.append(f"{which} ticks of {chart.name}")
    legend = axes.get_legend()
    texts = [each.get_window_extent() for each in axes.texts if each.get_text()]
    boxes = [*texts, *([legend.get_window_extent()] if legend else [])]
    found += [f"cut off in {chart.name}" for box in boxes if box.x0 < 0 or box.x1 > figure.bbox.x1 + 1]
    found += [
        f"texts of {chart.name}" for number, one in enumerate(boxes) for two in boxes[:number] if one.overlaps(two)
    ]
    # What does not fit makes the axes smaller.
    if axes.get_window_extent().width < figure.bbox.width * 0.6:
        found.append(f"narrow axes of {chart.name}")
    plt.close(figure)
    return found


@pytest.mark.parametrize("lengths", [(4,), (4, 8, 16), (4, 8, 16, 32, 64), (8, 16, 32, 64, 128)])
@pytest.mark.parametrize(
    ("task", "schemes"), [("(aa)*", "none,learned,periodic,rope"), ("k-gram", "none,relative:1"), ("simple-task", None)]
)
def test_legends_ticks_and_texts_have_room(
    task: str, schemes: str | None, lengths: tuple[int, ...], tmp_path: Path
) -> None:
    study = pretended_study(tmp_path, task, mixed, positions=schemes, train_lengths=list(lengths))
    kinds = [chart.kind for chart in study.charts]
    assert kinds.count("test-length") == len(study.schemes)
    assert kinds.count("heat-map") == (1 if len(lengths) == 1 else len(study.schemes))
    assert kinds.count("how-far") == 1
    assert kinds.count("position") == (task == "(aa)*")
    assert kinds.count("promised") == 1
    assert [problem for chart in study.charts for problem in overlapping(chart)] == []


def test_charts_are_written_in_every_format_with_what_they_show_and_no_date(tmp_path: Path) -> None:
    study = pretended_study(tmp_path / "store", "(aa)*", mixed, train_lengths=[8])
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        for chart in study.charts:
            for suffix in ("svg", "pdf", "png"):
                write(chart, tmp_path / place / f"{chart.name}.{suffix}")
    files = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert {path.partition(".")[0] for path in files} == {chart.name for chart in study.charts}
    for name in files:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    svg = ElementTree.fromstring((tmp_path / "first" / "how-far.svg").read_text(encoding="utf-8"))  # noqa: S314
    title = svg.find(".//{http://purl.org/dc/elements/1.1/}title")
    assert title is not None
    assert "NoPE, trained up to 8" in (title.text or "")


def test_a_heat_map_has_every_test_length_once_in_each_row_and_says_why_cells_are_empty(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "(aa)*", mixed)
    nope, ape = heat_maps(study)
    for heat in (nope, ape):
        assert [sum(cell.span for cell in row.cells) for row in heat.rows] == [len(heat.columns)] * 3
        assert all(sum(cell.training for cell in row.cells) == 1 for row in heat.rows)
    assert nope.untested == ()
    assert ape.untested == ("APE has no trained position ids beyond 120",)
    # Words of training lengths are tested together, so that the test at N = 40 stands for all columns up to 40.
    first = ape.rows[-1].cells[0]
    assert heat_columns(ape.columns, first.span) == [10, 15, 20, 30, 40]
    assert "words of 1 to 40 symbols" in first.told
    assert all(f"(seed {seed})" in first.told for seed in (0, 1, 2))


def heat_columns(columns: tuple[int, ...], span: int) -> list[int]:
    return list(columns[:span])


def luminance(colour: str) -> float:
    """As WCAG has it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_steps_of_the_colour_scale_can_be_told_apart_by_lightness_and_break_where_the_rule_does() -> None:
    lights = [luminance(colour) for colour in PALE_TO_DEEP]
    assert lights == sorted(lights, reverse=True)
    assert all(1.05 / (light + 0.05) >= 4.5 for light in lights[SWITCH:])
    assert [step_of(score) for score in (-1, 0, 0.4999, 0.5, 0.8999, 0.9, 0.9999, 1)] == [0, 0, 4, 5, 8, 9, 9, STEPS]
