"""`Chart`: a drawing on axes of matplotlib with its text, and what all charts of a study share.

Inside a page a chart is SVG, with the colours of its surroundings, a text alternative, and names of its own. matplotlib
writes colours as numbers. Ink is drawn in a colour that nothing else has, which becomes `currentColor`; the hues of
lines become properties that a style sheet may set, so that a dark page has lighter lines.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from lengthwise.drawing.style import COLOURS, pyplot, style
from lengthwise.study.measurement import Measurement

if TYPE_CHECKING:
    from lengthwise.study.result import Study

WIDTH = 3.9
"""Of a chart, in inches: two fit side by side on a page, one on a phone."""
SIZE = (WIDTH, 3.1)
PROMISED = COLOURS[2]
"""The colour of lengths that theorems promise; no scheme has it."""
FIRST_HUES = {"nope": COLOURS[0], "ape": COLOURS[1]}
OTHER_HUES = (COLOURS[3], COLOURS[4], COLOURS[5])
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))
"""Line styles, so that schemes differ by more than their colour."""
GREY = "0.5"
BELOW = -0.07
"""Where scores below 0 are drawn."""


@dataclass(frozen=True)
class Chart:
    """A drawing with its text."""

    name: str
    """Of its file, without suffix."""
    title: str
    alternative: str
    """What there is to see, for those who do not see it."""
    draw: Callable[[Any], None]
    """Draws on axes of matplotlib."""
    size: tuple[float, float] = SIZE
    """In inches."""
    kind: str = ""
    """What it shows: `heat-map`, `how-far`, `position`, `test-length` or `promised`."""


@dataclass(frozen=True)
class Look:
    """How the line of a scheme looks."""

    colour: str
    dashes: Any
    place: int


def looks(study: Study) -> dict[str, Look]:
    """The look of each scheme of a study; schemes without and with absolute positions have the same in all studies."""
    found: dict[str, Look] = {}
    others = 0
    for place, key in enumerate(study.measured):
        colour = FIRST_HUES.get(key)
        if colour is None:
            colour = OTHER_HUES[others % len(OTHER_HUES)]
            others += 1
        found[key] = Look(colour, DASHES[place % len(DASHES)], place)
    return found


def measure_words(measured: Measurement) -> str:
    """What the score is a share of, for axes."""
    if measured.measure != "accuracy":
        return "variance explained"
    return "words answered right" if measured.answered == "the end" else "words right at every position"


def drawable(score: float) -> float:
    """A score as it is drawn: all that is below 0 in one place."""
    return score if math.isfinite(score) and score >= 0 else BELOW


def score_axis(axes: Any, label: str, levels: Sequence[float] = (), below: bool = False) -> None:
    """The vertical axis of scores, with dotted lines at the levels of the rule."""
    ticks = {0.0: "0 %", 0.25: "25 %", 0.5: "50 %", 0.75: "75 %", 1.0: "100 %"}
    ticks |= {level: f"{100 * level:g} %" for level in levels}
    if below:
        ticks |= {BELOW: "below"}
    axes.set_ylim(BELOW - 0.05 if below else -0.04, 1.04)
    axes.set_yticks(sorted(ticks), [ticks[each] for each in sorted(ticks)])
    for level in levels:
        axes.axhline(level, color=GREY, linestyle=":", linewidth=1.1, zorder=0)
    axes.set_ylabel(label)


def legend_above(axes: Any, title: str = "", columns: int | None = None) -> None:
    """The legend above the axes, where no data are."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return
    if title:
        handles, labels = [pyplot().Line2D([], [], linestyle="none"), *handles], [title, *labels]
    many = len(labels) > 5
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=columns or len(labels),
        fontsize=8.5,
        handlelength=1.0 if many else 1.6,
        columnspacing=0.7 if many else 1.1,
        handletextpad=0.3 if many else 0.45,
        borderaxespad=0.1,
    )


def chosen_ticks(wanted: Iterable[float], others: Iterable[float] = (), ratio: float = 1.42) -> list[float]:
    """Values for ticks of a logarithmic axis, at least a ratio apart: the wanted ones first, in their order."""
    found: list[float] = []
    for value in (*wanted, *others):
        if all(max(value, each) >= ratio * min(value, each) for each in found):
            found.append(value)
    return sorted(found)


INK, PAPER, GREY = "#010203", "#ffffff", "#808080"
COLOUR_NAMES = {INK: "currentColor", PAPER: "var(--paper, #ffffff)", GREY: "var(--middle, #808080)"} | {
    colour: f"var(--line-{number}, {colour})" for number, colour in enumerate(COLOURS, start=1)
}
FONT = re.compile(r"font: ([\d.]+px) [^;\"]+")
REFERENCE = re.compile(r"#([\w-]+)")
INKED = (
    "text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color", "grid.color",
)  # fmt: skip
SETTINGS = {**dict.fromkeys(INKED, INK), "grid.alpha": 0.15, "savefig.bbox": None, "font.size": 9.5}


def inline_svg(chart: Chart, prefix: str = "") -> str:
    """The chart as an element of a page, without a title of its own, which stands beside it.

    Args:
        chart: The chart.
        prefix: What names inside it begin with, so that two pages may stand in one notebook.

    Returns:
        An `svg` element.

    """
    plt = pyplot()
    text = io.StringIO()
    with style(), plt.rc_context(SETTINGS):
        figure, axes = plt.subplots(figsize=chart.size, layout="constrained")
        try:
            chart.draw(axes)
            figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        finally:
            plt.close(figure)
    return _embedded(text.getvalue(), chart, f"{prefix}{chart.name}")


def _embedded(svg: str, chart: Chart, name: str) -> str:
    # What matplotlib has just written, not input.
    root = ElementTree.fromstring(svg.replace("xlink:href", "href"))  # noqa: S314
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    # The first definitions are a style sheet, which would reach the whole page; inherited properties do as well.
    for part in (root.find("metadata"), root.find("defs")):
        if part is not None:
            root.remove(part)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    names = {element.get("id") for element in root.iter()}
    named = (each for element in root.iter() for value in element.attrib.values() for each in REFERENCE.findall(value))
    used = {each for each in named if each in names}
    for element in root.iter():
        if (own := element.attrib.pop("id", None)) in used:
            element.set("id", f"{name}-{own}")
        for key, value in element.attrib.items():
            element.set(key, _adapted(value, used, name))
    for size in ("width", "height", "version"):
        root.attrib.pop(size, None)
    root.set("role", "img")
    root.set("aria-label", f"{chart.title}. {chart.alternative}")
    return ElementTree.tostring(root, encoding="unicode").strip()


def _adapted(value: str, used: set[str], name: str) -> str:
    """An attribute with references to names of this chart, colours of the page, and its fonts."""
    value = REFERENCE.sub(lambda found: f"#{name}-{found[1]}" if found[1] in used else found[0], value)
    for colour, written in COLOUR_NAMES.items():
        value = value.replace(colour, written)
    return FONT.sub(r"font-size: \1; font-family: inherit", value)
