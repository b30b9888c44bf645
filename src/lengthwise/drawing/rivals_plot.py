"""Accuracy against length: the right program, and programs that agree with it on short words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style

MOST_LINES = 6
LONGEST_LABEL = 48


def plot_rivals(
    curves: Sequence[tuple[str, Sequence[tuple[int, float]]]], train_length: int, title: str, path: str | Path
) -> None:
    """Draw the accuracy of the simplest rivals, and write it to a file."""
    plt = pyplot()
    with style():
        figure, axes = plt.subplots()
        longest = max((length for _, curve in curves for length, _ in curve), default=2 * train_length)
        axes.plot([1, longest], [100, 100], color="black", label="the right program")
        for number, (name, curve) in enumerate(curves[:MOST_LINES]):
            label = name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"
            lengths, shares = [length for length, _ in curve], [100 * share for _, share in curve]
            axes.plot(lengths, shares, color=COLOURS[number], marker=MARKERS[number], label=label)
        axes.axvline(train_length, color="grey", linestyle=":")
        axes.annotate(f"N = {train_length}", (train_length, 0.02), xycoords=("data", "axes fraction"), color="grey")
        axes.set_xlabel("length of words")
        axes.set_ylabel("accuracy in %")
        axes.set_title(title)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))
        save(figure, path, f"{title}: accuracy against length")
