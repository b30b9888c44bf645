"""A chart as SVG inside a page: the colours of its surroundings, a text alternative, and names of its own.

matplotlib writes colours as numbers. Ink is drawn in a colour that nothing else has, which becomes `currentColor`; the
hues of lines become properties that a style sheet may set, so that a dark page has lighter lines.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

from lengthwise.drawing.style import COLOURS, pyplot, style
from lengthwise.study.page.chart import Chart

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
