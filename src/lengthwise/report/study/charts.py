"""The charts of a study: scores against the test length for each scheme, and against the training length for all.

A scheme has one hue everywhere; training lengths differ by how strong it is and by their markers. Every chart can be
written as a file for a paper, or put into a page (`lengthwise.report.study.inline_svg`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.report.panels.axes import readable_numbers, ticks_at
from lengthwise.report.panels.spread import dodged, draw_band, draw_median, draw_whiskers
from lengthwise.report.study.expectation import SCHEME_NAMES, SCHEMES_IN_WORDS
from lengthwise.report.study.measurement import AtTestLength, Measurement, Trained
from lengthwise.report.study.outcome import GOOD, failing, is_learned
from lengthwise.report.study.training_lengths import ERROR
from lengthwise.report.study.wording import listed, number, percent
from lengthwise.report.style import COLOURS, MARKERS, pyplot, save, style

SIZE = (3.9, 3.1)
"""Of a chart, in inches: two fit side by side on a page, one on a telephone."""
FAINTEST = 0.4
"""How strong the hue of the shortest training length is."""
MOST_TICKS, MOST_LABELS = 8, 5
"""Test lengths that there is room for below a chart, and entries of a legend that there is ample room for above it."""
MARGIN = 1.3
"""The factor that the axis of losses goes on beyond them."""
FAR = 64
"""A certified length more than so many times the longest training length is told, not drawn."""
CLOSE = 1.5
"""Lengths whose ratio is at most this have ticks that would run into each other."""
HUES = {"nope": COLOURS[0], "ape": COLOURS[1], "periodic": COLOURS[3], "relative": COLOURS[4]}
"""The colour of each scheme; the one that is left out is that of certified lengths."""


Limits = tuple[float, float]


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


def charts(measured: Mapping[str, Measurement], certified: int | None) -> tuple[Chart, ...]:
    """The charts that the measurements allow."""
    known = {scheme: each for scheme, each in measured.items() if each.known}
    limits = _limits(known.values())
    found = [_over_test_length(each, limits) for each in known.values()]
    return (*found, _over_train_length(known, certified, limits)) if found else ()


def write(chart: Chart, path: Path) -> None:
    """Write a chart to a file: svg, pdf or png."""
    plt = pyplot()
    with style():
        figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
        chart.draw(axes)
        figure.suptitle(chart.title, fontsize=10)
        save(figure, path, f"{chart.title}. {chart.alternative}")


def hue(scheme: str) -> str:
    """The colour of a scheme."""
    return HUES[scheme]


# ------------------------------------------------------------------------------------------- over the test length


def _over_test_length(measured: Measurement, limits: Limits) -> Chart:
    name = SCHEME_NAMES[measured.scheme]
    shown = _shown(measured)
    return Chart(
        f"test-length-{measured.scheme}",
        f"{name}: {shown} against test length",
        f"Median {shown} of models {SCHEMES_IN_WORDS[measured.scheme]}. " + " ".join(_in_words(measured)),
        lambda axes: _draw_over_test_length(axes, measured, limits),
    )


def _draw_over_test_length(axes: Any, measured: Measurement, limits: Limits) -> None:
    from matplotlib.colors import to_rgba

    trained = measured.known
    for place, each in enumerate(trained):
        strength = FAINTEST + (1 - FAINTEST) * (place + 1) / len(trained) if len(trained) > 1 else 1.0
        colour = to_rgba(hue(measured.scheme), strength)
        places = [at.test_length for at in each.lengths]
        values = [_values(measured, at) for at in each.lengths]
        draw_band(axes, places, values, hue(measured.scheme))
        hollow = [each.missed > 0] * len(places)
        marker = MARKERS[place % len(MARKERS)]
        draw_median(axes, places, values, hollow, label=f"{each.train_length:,}", colour=colour, marker=marker)
    axes.set_xscale("log", base=2)
    ticks_at(axes, "x", _doublings([at.test_length for each in trained for at in each.lengths]))
    _vertical(axes, measured, limits)
    axes.set_xlabel("test length")
    _legend(axes, "trained up to")


# --------------------------------------------------------------------------------------- over the training length


def _over_train_length(measured: Mapping[str, Measurement], certified: int | None, limits: Limits) -> Chart:
    shown = _shown(next(iter(measured.values())))
    ends = [
        f"{SCHEME_NAMES[scheme]}: "
        + listed([f"{_value(each, at.lengths[-1])} at N = {at.train_length:,}{_missed(at)}" for at in each.known])
        for scheme, each in measured.items()
    ]
    told = f"Median {shown} at the longest test length against the training length N. {'; '.join(ends)}."
    if certified is not None:
        told += f" The certified length is {certified:,}."
    return Chart(
        "plateau",
        f"{shown.capitalize()} at the longest test length against training length",
        told,
        lambda axes: _draw_over_train_length(axes, measured, certified, limits),
    )


def _draw_over_train_length(
    axes: Any, measured: Mapping[str, Measurement], certified: int | None, limits: Limits
) -> None:
    at: set[int] = set()
    for place, (scheme, each) in enumerate(measured.items()):
        trained = each.known
        at |= {found.train_length for found in trained}
        places = [dodged(found.train_length, place, len(measured)) for found in trained]
        values = [_values(each, found.lengths[-1]) for found in trained]
        hollow = [found.missed > 0 for found in trained]
        draw_whiskers(axes, places, values, hue(scheme))
        marker = MARKERS[place]
        draw_median(axes, places, values, hollow, label=SCHEME_NAMES[scheme], colour=hue(scheme), marker=marker)
    first = next(iter(measured.values()))
    axes.set_xscale("log", base=2)
    if certified is not None and certified <= FAR * max(at):
        axes.axvline(
            certified, color=COLOURS[2], linestyle="--", linewidth=1.4, label=f"certified length {certified:,}"
        )
        # The legend says it; a tick of its own only where its number has room.
        if all(max(certified, length) > CLOSE * min(certified, length) for length in at):
            at.add(certified)
    ticks_at(axes, "x", at)
    _vertical(axes, first, limits)
    if first.measure != "accuracy" and certified is not None and limits[0] < ERROR**2 < limits[1]:
        axes.axhline(ERROR**2, color=COLOURS[2], linestyle=":", linewidth=1.2, label=f"error {ERROR:g}, squared")
    axes.set_xlabel("training length N")
    _legend(axes)


# ------------------------------------------------------------------------------------------------------- in common


def _shown(measured: Measurement) -> str:
    return "accuracy" if measured.measure == "accuracy" else "loss"


def _values(measured: Measurement, at: AtTestLength) -> Sequence[float]:
    return at.scores if measured.measure == "accuracy" else at.losses


def _value(measured: Measurement, at: AtTestLength) -> str:
    return percent(at.score) if measured.measure == "accuracy" else number(at.loss)


def _in_words(measured: Measurement) -> Iterator[str]:
    for each in measured.known:
        points = [f"{_value(measured, at)} at length {at.test_length:,}" for at in each.lengths]
        yield f"Trained up to {each.train_length:,}: {listed(points)}{_flaws(each)}."


def _missed(trained: Trained) -> str:
    return "" if is_learned(trained) else " (not learned)"


def _flaws(trained: Trained) -> str:
    missed = trained.missed
    return f" ({missed} of {trained.wanted} seeds did not reach the goal of training)" if missed else ""


def _limits(measured: Iterable[Measurement]) -> Limits:
    """The lowest and the highest loss to be shown, the same in all charts: what there is, and at least a decade."""
    losses = [
        loss
        for each in measured
        for trained in each.trained
        for at in trained.lengths
        for loss in at.losses
        if 0 < loss < math.inf
    ]
    low, high = min(losses, default=ERROR**2), max(losses, default=ERROR**2)
    middle, half = math.sqrt(low * high), max(math.sqrt(high / low), math.sqrt(10)) * MARGIN
    return middle / half, middle * half


def _vertical(axes: Any, measured: Measurement, limits: Limits) -> None:
    """The axis of scores or losses; scores with the lines that the outcome is judged by."""
    if measured.measure != "accuracy":
        axes.set_yscale("log")
        axes.set_ylim(*limits)
        readable_numbers(axes, "y")
        axes.set_ylabel("loss (mean squared error)")
        return
    axes.set_ylim(-0.04, 1.04)
    axes.set_yticks([0, 0.25, 0.5, 0.75, GOOD], ["0 %", "25 %", "50 %", "75 %", "95 %"])
    for level in (failing(measured), GOOD):
        axes.axhline(level, color="0.5", linestyle=":", linewidth=1, zorder=0)
    by_answer = measured.answered == "the end"
    axes.set_ylabel("inputs answered right" if by_answer else "inputs with every position right")


def _doublings(lengths: Sequence[int]) -> list[int]:
    """Few enough lengths for ticks: all, or else the first of each octave, or of every other one up to the last."""
    found: list[int] = []
    for length in sorted(set(lengths)):
        if not found or length >= 1.9 * found[-1]:
            found.append(length)
    return found if len(found) <= MOST_TICKS else found[(len(found) - 1) % 2 :: 2]


def _legend(axes: Any, title: str = "") -> None:
    """Above the axes, where no data are: in one row, or two if there is more to say than lines."""
    handles, labels = axes.get_legend_handles_labels()
    if title:
        handles, labels = [pyplot().Line2D([], [], linestyle="none"), *handles], [title, *labels]
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=2 if any(" " in each for each in labels if each != title) else len(labels),
        fontsize=8.5,
        handlelength=1.5 if len(labels) <= MOST_LABELS else 1.0,
        columnspacing=1.1 if len(labels) <= MOST_LABELS else 0.7,
        handletextpad=0.45 if len(labels) <= MOST_LABELS else 0.3,
        borderaxespad=0.1,
    )
