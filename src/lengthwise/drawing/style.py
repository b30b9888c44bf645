"""One style for all figures: embedded fonts, colours that everyone can tell apart, the same bytes each time.

Neighbouring values get neighbouring colours and markers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.output import STANDARD_OUTPUT, writer

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's palette, the darker colours first."""
MARKERS = ("o", "s", "^", "D", "v", "P")
FORMATS = ("svg", "pdf", "png")


def pyplot() -> Any:
    """matplotlib.pyplot without a display, or what to install."""
    try:
        import matplotlib
    except ImportError:
        raise LengthwiseError("figures need matplotlib; install it with pip install 'lengthwise[report]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    return plt


def obstacle_to_drawing() -> str | None:
    """What keeps figures from being drawn, in a sentence; None if nothing does."""
    try:
        pyplot()
    except LengthwiseError as problem:
        return str(problem)
    return None


def read_formats(texts: Sequence[str]) -> tuple[str, ...]:
    """The formats that were asked for, each once."""
    found = [part.strip().lower().lstrip(".") for text in texts for part in text.split(",")]
    for each in found:
        if each not in FORMATS:
            raise LengthwiseError(f"there is no format {each!r} for figures; there are {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(found))


def style() -> AbstractContextManager[Any]:
    """The settings of every figure, as a context."""
    plt = pyplot()
    context: AbstractContextManager[Any] = plt.rc_context(
        {
            "figure.figsize": (6.0, 3.8),
            "figure.dpi": 150,
            "font.size": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.3,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "pdf.fonttype": 42,
            "svg.fonttype": "none",
            "svg.hashsalt": "lengthwise",
            "savefig.bbox": "tight",
        }
    )
    return context


def format_of(path: str | Path) -> str:
    """The format that the suffix of a file asks for; standard output, `-`, gets SVG."""
    suffix = "svg" if path == STANDARD_OUTPUT else Path(path).suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        raise LengthwiseError(f"a figure is written as .{', .'.join(FORMATS)}, not as {path}")
    return suffix


def save(figure: Any, path: str | Path, description: str) -> None:
    """Write a figure in the format of its suffix, without a date, with a text that says what it shows."""
    formats: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": "lengthwise"},
        "pdf": {"CreationDate": None, "Creator": "lengthwise"},
        "png": {"Software": "lengthwise"},
    }
    try:
        suffix = format_of(path)
        with writer(path) as file:
            figure.savefig(file, format=suffix, metadata={"Title": description, **formats[suffix]})
    finally:
        pyplot().close(figure)


RAMP = "viridis"
"""Rises evenly in lightness, also for the colour-blind and in grey."""
LIGHTEST = 0.88
"""The part of the ramp that is used; beyond it yellow vanishes on white."""
FEW = 4
"""So many values still have colours of their own."""


def colours(values: Sequence[Any]) -> list[Any]:
    """A colour for each value: from a ramp if they are more than a few numbers, else those of all our figures."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if (numbers and len(values) > FEW) or len(values) > len(COLOURS):
        ramp = pyplot().get_cmap(RAMP)
        return [ramp(LIGHTEST * place / (len(values) - 1)) for place in range(len(values))]
    return list(COLOURS[: len(values)])


def markers(values: Sequence[Any]) -> list[str]:
    """A marker for each value."""
    return [MARKERS[place % len(MARKERS)] for place in range(len(values))]


def require_drawable(found: object) -> None:
    """Refuse texts with formulas that cannot be drawn, before anything is computed for the drawing.

    Args:
        found: Texts, in mappings and sequences of any depth, such as the content of a figure file.

    Raises:
        LengthwiseError: A formula between dollars is none that matplotlib draws.

    """
    if isinstance(found, str):
        if found.replace(r"\$", "").count("$") >= 2:
            from matplotlib.mathtext import MathTextParser

            try:
                MathTextParser("path").parse(found)
            except (ValueError, RecursionError) as problem:
                reason = str(problem).strip().splitlines()[-1] if str(problem).strip() else type(problem).__name__
                raise LengthwiseError(
                    f"the text {found!r} cannot be drawn: {reason}; change what is between $"
                ) from None
    elif isinstance(found, Mapping):
        for each in found.values():
            require_drawable(each)
    elif isinstance(found, Sequence):
        for each in found:
            require_drawable(each)
