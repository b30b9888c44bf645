"""Accuracy or loss of trained models against the test length: a line for each position scheme and training length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lengthwise.drawing.axes import draw_band, draw_median, legend_beside, logarithmic, readable_numbers, ticks_at
from lengthwise.drawing.measured import flawed
from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style
from lengthwise.errors import LengthwiseError
from lengthwise.runs.labels import scheme_of
from lengthwise.runs.store.summary import AtLength, Summary

FAINTEST = 0.4
"""How strong the colour of the shortest training length is."""


def plot_training(summaries: Sequence[Summary], path: str | Path) -> None:
    """Draw the median over seeds with a band of the middle half, and write it to a file.

    Accuracy is drawn if all configs have one, and else the loss. A position scheme has one colour; training lengths
    differ by how strong it is, and by their markers.

    Args:
        summaries: What there is on some configs; those without finished seeds are left out.
        path: The file, .svg, .png or .pdf.

    Raises:
        LengthwiseError: No config has a finished seed, matplotlib is not installed, or the file cannot be written.

    Example:
        >>> plot_training([], "nothing.svg")
        Traceback (most recent call last):
        ...
        lengthwise.errors.LengthwiseError: there is nothing to draw, as no run is finished

    """
    known = [each for each in summaries if each.lengths]
    if not known:
        raise LengthwiseError("there is nothing to draw, as no run is finished")
    scored = all(at.accuracies is not None for each in known for at in each.lengths)
    schemes = list(dict.fromkeys(scheme_of(each.config) for each in known))
    trained = sorted({each.config.train_length for each in known})
    plt = pyplot()
    with style():
        figure, axes = plt.subplots(layout="constrained")
        for each in known:
            _draw(axes, each, schemes, trained, scored)
        axes.set_xscale("log", base=2)
        ticks_at(axes, "x", {at.test_length for each in known for at in each.lengths})
        axes.set_xlabel("test length")
        _vertical(axes, known[0], scored)
        legend_beside(axes)
        measure = "accuracy" if scored else "loss"
        title = f"{known[0].config.task_title}: {measure} against test length"
        axes.set_title(title)
        remark = "Median over seeds, in a band of the middle half of them; thin lines: the seeds."
        if any(flawed(each) for each in known):
            remark += "\nHollow: a seed is missing, diverged, or did not reach the goal of training."
        figure.supxlabel(remark, fontsize=7.5, color="0.35")
        save(figure, path, f"{title}. {remark}".replace("\n", " "))


def _draw(axes: Any, summary: Summary, schemes: Sequence[str], trained: Sequence[int], scored: bool) -> None:
    from matplotlib.colors import to_rgba

    scheme, train_length = scheme_of(summary.config), summary.config.train_length
    colour = COLOURS[schemes.index(scheme) % len(COLOURS)]
    place = trained.index(train_length)
    strength = FAINTEST + (1 - FAINTEST) * (place + 1) / len(trained) if len(trained) > 1 else 1.0
    values = [_values(at, scored) for at in summary.lengths]
    lengths = [at.test_length for at in summary.lengths]
    draw_band(axes, lengths, values, colour)
    draw_median(
        axes,
        lengths,
        values,
        [flawed(summary)] * len(lengths),
        label=f"{scheme}, N = {train_length:,}",
        colour=to_rgba(colour, strength),
        marker=MARKERS[place % len(MARKERS)],
    )


def _values(at: AtLength, scored: bool) -> Sequence[float]:
    return at.accuracies if scored and at.accuracies is not None else at.losses


def _vertical(axes: Any, summary: Summary, scored: bool) -> None:
    if scored:
        axes.set_ylim(-0.04, 1.04)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        axes.set_ylabel("accuracy")
        return
    logarithmic(axes, "y")
    readable_numbers(axes, "y")
    regression = summary.config.get_task().loss == "regression"
    axes.set_ylabel("loss (mean squared error)" if regression else "loss (cross entropy)")
