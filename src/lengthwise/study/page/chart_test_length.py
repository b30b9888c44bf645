"""The score against the test length: a chart for each scheme, a line for each training length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lengthwise.drawing.axes import draw_hollow, ticks_at
from lengthwise.drawing.style import MARKERS
from lengthwise.study.measurement import Measurement, Trained
from lengthwise.study.outcome import GOOD, failing
from lengthwise.study.page.chart import (
    Chart,
    Look,
    chosen_ticks,
    drawable,
    legend_above,
    looks,
    measure_words,
    score_axis,
)
from lengthwise.study.wording import listed, percent

if TYPE_CHECKING:
    from lengthwise.study.result import Study

FAINTEST = 0.4
"""How strong the hue of the shortest training length is."""
MOST_TICKS = 8
SIZE_OF_MARKERS = 4.5


def test_length_charts(study: Study) -> tuple[Chart, ...]:
    """A chart for each scheme that was trained."""
    look = looks(study)
    return tuple(_chart(each, look[key]) for key, each in study.measured.items() if each.known)


def _chart(measured: Measurement, look: Look) -> Chart:
    scheme = measured.scheme
    return Chart(
        f"test-length-{scheme.key}",
        f"{scheme.name}: {measured.measure} against test length",
        f"Median {measured.measure} of models {scheme.words}. {' '.join(_in_words(measured))}",
        lambda axes: _draw(axes, measured, look),
        kind="test-length",
    )


def _in_words(measured: Measurement) -> Iterator[str]:
    for each in measured.known:
        points = [f"{percent(at.score)} at length {at.test_length:,}" for at in each.lengths]
        yield f"Trained up to {each.train_length:,}: {listed(points)}{_flaws(each)}."


def _flaws(trained: Trained) -> str:
    missed = trained.missed
    return f" ({missed} of {trained.wanted} seeds did not reach the goal of training)" if missed else ""


def _draw(axes: Any, measured: Measurement, look: Look) -> None:
    trained = measured.known
    below = False
    for place, each in enumerate(trained):
        strength = FAINTEST + (1 - FAINTEST) * (place + 1) / len(trained) if len(trained) > 1 else 1.0
        at = [found.test_length for found in each.lengths]
        medians = [drawable(found.score) for found in each.lengths]
        low = [drawable(min(found.scores)) for found in each.lengths]
        high = [drawable(max(found.scores)) for found in each.lengths]
        below = below or min(low) < 0
        marker = MARKERS[place % len(MARKERS)]
        colour: Any = (look.colour, strength)
        axes.fill_between(at, low, high, color=look.colour, alpha=0.2 * strength, linewidth=0, zorder=1)
        axes.plot(
            at, medians, color=colour, marker=marker, markersize=SIZE_OF_MARKERS, label=f"{each.train_length:,}",
            zorder=3,
        )  # fmt: skip
        draw_hollow(axes, at, medians, [each.missed > 0] * len(at), colour=colour, marker=marker)
    axes.set_xscale("log", base=2)
    lengths = sorted({at.test_length for each in trained for at in each.lengths}, reverse=True)
    wanted = [each.train_length for each in reversed(trained)]
    # The longest length first, so that none stands beside it.
    ticks = chosen_ticks([lengths[0], *wanted], lengths)
    ticks_at(axes, "x", ticks if len(ticks) <= MOST_TICKS else chosen_ticks([lengths[0], *wanted], lengths, 1.9))
    score_axis(axes, measure_words(measured), sorted({failing(measured), GOOD}), below)
    axes.set_xlabel("test length")
    legend_above(axes, "N =")
