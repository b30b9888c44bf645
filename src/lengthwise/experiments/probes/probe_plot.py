"""Figures of probes: success by sample size, critical sizes beside the information there is, and curves of losses.

Edelman et al., Figures 2 and 3. Everything drawn comes from kept results.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.drawing.style import COLOURS, MARKERS, pyplot, save, style
from lengthwise.experiments.probes.cell import Curves, Examples
from lengthwise.experiments.probes.experiment import WORDS, OnlineSummary, SampleSummary

MOST_LINES = len(COLOURS)


def plot_samples(summary: SampleSummary, title: str, path: str | Path) -> None:
    """Success probability by m, and critical sizes by T with both laws and the line of the fewest samples.

    Below, if there are examples, their training curves.
    """
    plt = pyplot()
    text = f"{title}: success probability by sample size, and critical sample size by context"
    with style():
        figure = plt.figure(figsize=(10.4, 7.2 if summary.examples else 4.0), layout="constrained")
        above, *below = figure.subfigures(2 if summary.examples else 1, 1, squeeze=False).flat
        left, right = above.subplots(1, 2)
        _success(left, summary)
        _critical(right, summary)
        if summary.examples:
            _examples(below[0], summary.examples)
            text += "; below, losses of single trials by step, on the sample and on the holdout sample"
        figure.suptitle(title)
        save(figure, path, text)


def _success(axes: Any, summary: SampleSummary) -> None:
    contexts = sorted({each.context for each in summary.successes})
    shown = contexts if len(contexts) <= MOST_LINES else [contexts[place] for place in _spread(len(contexts))]
    for number, context in enumerate(shown):
        rows = [each for each in summary.successes if each.context == context]
        heights = np.array([each.probability for each in rows])
        ends = np.array([each.interval for each in rows])
        errors = np.maximum(np.stack([heights - ends[:, 0], ends[:, 1] - heights]), 0.0)
        look = {"color": COLOURS[number], "marker": MARKERS[number], "label": f"T = {context}", "capsize": 2}
        axes.errorbar([each.samples for each in rows], heights, yerr=errors, **look)
    axes.axhline(0.5, color="0.5", linewidth=1, linestyle=":")
    axes.set(xlabel="samples m", ylabel="share of successful trials (95 %)", ylim=(-0.03, 1.03))
    axes.legend()


def _critical(axes: Any, summary: SampleSummary) -> None:
    for number, (rule, found) in enumerate(summary.critical.items()):
        known = [each for each in found if each.known]
        # An end that is not known reaches to the sizes that were tried.
        lows, highs = ([np.clip(end, *each.tried) for each, end in pairs] for pairs in _ends(known))
        sizes = np.array([each.size for each in known])
        errors = np.maximum([sizes - lows, np.array(highs) - sizes], 0.0) if known else None
        look = {"color": COLOURS[number], "marker": MARKERS[number], "capsize": 2, "linestyle": "none"}
        look["label"] = WORDS[rule].removeprefix("the ")
        axes.errorbar([each.context for each in known], sizes, yerr=errors, **look)
    contexts = [each.context for each in summary.information]
    fit, along = summary.scaling["crossing"], np.geomspace(min(contexts), max(contexts), 50)
    if len(fit.contexts) > 1:
        axes.plot(along, fit.logarithm(along), color=COLOURS[1], linewidth=1, label="a + c log T")
        label = f"a T^{fit.exponent.value:.2f}"
        axes.plot(along, fit.power(along), color=COLOURS[1], linewidth=1, linestyle="--", label=label)
    fewest = [each.fewest_samples for each in summary.information]
    axes.plot(contexts, fewest, color=COLOURS[2], label="no learner succeeds below")
    axes.set_xscale("log", base=2)
    axes.set_xticks(contexts, [str(context) for context in contexts])
    axes.minorticks_off()
    axes.set(
        xlabel="context T", ylabel="critical sample size", title=f"sublinear: {summary.scaling['smallest'].verdict}"
    )
    axes.set_ylim(bottom=0)
    axes.legend()


def _examples(figure: Any, examples: Sequence[Examples]) -> None:
    """The losses of every trial of every example, on a logarithmic scale: those of samples go down by magnitudes."""
    panels = figure.subplots(1, len(examples), sharey=True, squeeze=False)[0]
    kinds = (("losses", "on the sample", "--"), ("holdout_losses", "on the holdout sample", "-"))
    for axes, example in zip(panels, examples, strict=True):
        cell = example.cell
        for number, (kind, label, line) in enumerate(kinds):
            for trial, curve in enumerate(example.curves):
                look = {"color": COLOURS[number], "linestyle": line, "linewidth": 1.2, "alpha": 0.8}
                axes.plot(curve.steps, getattr(curve, kind), label=label if not trial else None, **look)
        succeeding = sum(max(curve.holdout_accuracies) > cell.accuracy for curve in example.curves)
        told = f"{succeeding} of {len(example.curves)} succeed"
        axes.set(xlabel="step", yscale="log", title=f"T = {cell.context}, m = {cell.samples}: {told}")
    panels[0].set_ylabel("loss of a trial")
    # Below the panels, as curves go everywhere in them.
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)


def _ends(known: Sequence[Any]) -> tuple[list[tuple[Any, float]], list[tuple[Any, float]]]:
    return [(each, each.low) for each in known], [(each, each.high) for each in known]


def _spread(count: int) -> list[int]:
    """As many places as there are colours, from the first to the last."""
    return [round(place) for place in np.linspace(0, count - 1, MOST_LINES)]


def plot_online(results: Sequence[Curves], summary: OnlineSummary, title: str, path: str | Path) -> None:
    """The loss curves of every context in a panel, with the median step of the transition."""
    plt = pyplot()
    rows = sorted(results, key=lambda each: each.cell.context)
    with style():
        size = (4.2 * len(rows), 3.4)
        figure, grid = plt.subplots(1, len(rows), figsize=size, sharey=True, squeeze=False, layout="constrained")
        for axes, each, found in zip(grid.flat, rows, summary.transitions, strict=True):
            for curve in each.curves:
                axes.plot(curve.steps, curve.losses, color=COLOURS[0], linewidth=1, alpha=0.6)
            if np.isfinite(found.median):
                axes.axvline(found.median, color=COLOURS[1], linestyle="--", label=f"median {found.median:g}")
                axes.legend()
            learned = sum(one.step is not None for one in found.each)
            axes.set(xlabel="step", title=f"T = {each.cell.context}: {learned} of {len(found.each)} learn it")
        grid.flat[0].set_ylabel("loss of a fresh batch")
        figure.suptitle(title)
        save(figure, path, f"{title}: loss curves of fresh batches")
