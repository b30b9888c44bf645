"""Published figures, drawn anew from the runs of a store: all panels in a row, with a caption that says what is shown.

Every line is a median over seeds and shows their spread. Seeds that are missing, diverged or never reached their
training loss are counted in the caption, and markers are hollow where there are any: nothing vanishes silently.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lengthwise.drawing.labels import together
from lengthwise.drawing.measured import Measured
from lengthwise.drawing.style import pyplot, save, style
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.figure import Figure
from lengthwise.experiments.sweeps.panel_settings import (
    AttentionPanel,
    LengthPanel,
    NeededPanel,
    Panel,
    PlateauPanel,
    read_panels,
)
from lengthwise.experiments.sweeps.panels import draw_attention, draw_needed, draw_plateau, draw_test_length
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.store.store import Store

WIDTH, HEIGHT = 4.8, 3.0
"""Of a panel with its legend, in inches."""
LEAST_WIDTH = 6.4
"""Of a figure."""
LINE = 0.15
"""The height of a line of the caption."""
LETTERS, TITLE_LETTERS = 17, 11
"""Letters of the caption and of the title in an inch."""

DRAWN_BY: dict[type[Panel], Callable[..., list[str]]] = {
    LengthPanel: draw_test_length,
    PlateauPanel: draw_plateau,
    NeededPanel: draw_needed,
    AttentionPanel: draw_attention,
}


def draw(
    figure: Figure, preset: str, store: Store, path: str | Path, *, remarks: Sequence[str] = ()
) -> tuple[str, ...]:
    """Draw a figure from what a store has on the runs of a preset, and write it to a file (svg, pdf or png).

    The sentences of its caption are returned; `remarks` are added to them.
    """
    sweeps, measured = figure.configs(preset), Measured(store)
    panels = list(_panels(figure, sweeps))
    title = together(f"{figure.title} (preset {preset})")
    told: dict[str, None] = {}
    plt = pyplot()
    with style():
        canvas, row = plt.subplots(1, len(panels), squeeze=False, layout="constrained")
        try:
            for axes, (number, panel) in zip(row[0], panels, strict=True):
                told.update(dict.fromkeys(_drawn(axes, number, panel, sweeps, measured)))
            caption = (*told, *measured.remarks(), *remarks)
            _write_around(canvas, title, caption, max(LEAST_WIDTH, WIDTH * len(panels)))
        except BaseException:
            plt.close(canvas)
            raise
        save(canvas, path, f"{title}. {' '.join(caption)}")
    return caption


def _panels(figure: Figure, sweeps: Mapping[str, list[RunConfig]]) -> Iterator[tuple[int, Panel]]:
    """The panels of a preset, each with the number of its table in the file."""
    for number, given in enumerate(read_panels(figure), start=1):
        with _about_panel(number):
            separate = given.separate(sweeps)
        yield from ((number, panel) for panel in separate)


@contextmanager
def _about_panel(number: int) -> Iterator[None]:
    """Say in an error which panel it is about."""
    try:
        yield
    except LengthwiseError as problem:
        raise ConfigError(f"panel {number}: {problem}") from None


def _drawn(
    axes: Any, number: int, panel: Panel, sweeps: Mapping[str, list[RunConfig]], measured: Measured
) -> list[str]:
    """Draw one panel; what is to be said about it."""
    with _about_panel(number):
        configs = panel.chosen(sweeps)
        found = DRAWN_BY[type(panel)](axes, panel, configs, measured)
    axes.set_title(panel.title, fontsize=10)
    if not any(measured.summary(config).seeds for config in configs):
        axes.text(0.5, 0.5, "no runs yet", transform=axes.transAxes, ha="center", color="0.4")
    return found


def _write_around(canvas: Any, title: str, caption: Sequence[str], width: float) -> None:
    """The title above, and below a paragraph for each sentence; they make the figure higher, not the panels lower."""
    above = textwrap.wrap(title, int(TITLE_LETTERS * width))
    below = [line for sentence in caption for line in textwrap.wrap(sentence, int(LETTERS * width))]
    canvas.suptitle("\n".join(above), fontsize=11)
    canvas.supxlabel("\n".join(below), x=0.01, ha="left", fontsize=8)
    canvas.set_size_inches(width, HEIGHT + LINE * (len(above) + len(below)))
