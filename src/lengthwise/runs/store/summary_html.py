"""Training runs as HTML, for notebooks: the loss at every test length with its spread over seeds.

Each row has one mark for each seed on a logarithmic axis that all rows share; seeds that diverged stand at its right
end, as crosses.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from lengthwise.crasp.showing import display
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import RunDirectory, RunError, SeedSummary
from lengthwise.runs.store.summary import AtLength, Summary

_WIDTH, _HEIGHT, _MARGIN = 160, 16, 6


def summary_fragment(summary: Summary) -> str:
    """The card of a config and what came of it."""
    config = summary.config
    about = display.soft(f"{len(summary.seeds)} of {len(config.seeds)} seeds trained")
    return display.card(display.head(str(config), about), ending(config, summary.seeds), losses(summary.lengths))


def run_fragment(directory: RunDirectory) -> str:
    """The card of one run; that of a damaged one says so."""
    try:
        config, done = directory.verified()
    except RunError as problem:
        return display.card(display.head(f"Run {directory.run}"), display.paragraph(display.shown(problem)))
    lengths = []
    for length in config.test_lengths:
        found = [result for result in done.results if result.test_length == length]
        scores = [result.accuracy for result in found]
        accuracies = None if None in scores else tuple(score or 0.0 for score in scores)
        lengths.append(AtLength(length, tuple(result.loss for result in found), accuracies, found[0].words))
    about = display.soft(f"run {directory.run}, {done.seconds:,.0f} s")
    return display.card(display.head(str(config), about), ending(config, done.seeds), losses(lengths))


def ending(config: RunConfig, seeds: Sequence[SeedSummary]) -> str:
    """The model, its training length, and how training ended."""
    facts = {
        "N": f"{config.train_length:,}",
        "positions": config.model.position,
        "layers": str(config.model.layers),
        "width": str(config.model.width),
    }
    if not seeds:
        return display.facts(facts) + display.paragraph("No seed is trained yet.")
    facts["steps (median)"] = f"{statistics.median(seed.steps for seed in seeds):,g}"
    stopping = config.stopping
    goals = [f"loss {stopping.loss:g}"] if stopping.loss is not None else []
    goals += [f"accuracy {stopping.accuracy:g}"] if stopping.accuracy is not None else []
    if goals:
        reached = sum(seed.ending in ("loss", "accuracy") for seed in seeds)
        facts[f"reached {' or '.join(goals)}"] = f"{reached} of {len(seeds)}"
    if diverged := sum(seed.ending == "diverged" for seed in seeds):
        facts["diverged"] = f"{diverged} of {len(seeds)}"
    return display.facts(facts)


def losses(lengths: Sequence[AtLength]) -> str:
    """A table with a row for each test length."""
    if not lengths:
        return ""
    scored = lengths[0].accuracies is not None
    columns = ["length", "median loss", "lowest", "highest", *(["accuracy"] if scored else []), "all seeds, log scale"]
    low, high = _range(lengths)
    rows = [
        [
            f"{each.test_length:,}",
            *map(_number, (each.median_loss, each.lowest_loss, each.highest_loss)),
            *([f"{each.median_accuracy or 0.0:.1%}"] if scored else []),
            _strip(each.losses, low, high),
        ]
        for each in lengths
    ]
    caption = "Loss at every test length, and its spread over seeds"
    return display.table(caption, columns, rows, left=(len(columns) - 1,))


def _number(loss: float) -> str:
    return "diverged" if math.isinf(loss) else f"{loss:.3g}"


def _range(lengths: Sequence[AtLength]) -> tuple[float, float]:
    """The decimal logarithms of the smallest and the largest loss that can be drawn, a little apart at least."""
    drawn = [math.log10(loss) for each in lengths for loss in each.losses if 0 < loss < math.inf] or [0.0]
    middle = (min(drawn) + max(drawn)) / 2
    return min(min(drawn), middle - 0.5), max(max(drawn), middle + 0.5)


def _strip(found: Sequence[float], low: float, high: float) -> str:
    """One mark for each seed, and a line from the best to the worst that did not diverge."""
    finite = [loss for loss in found if math.isfinite(loss)]
    places = [_place(loss, low, high) for loss in finite]
    middle, right = _HEIGHT / 2, _WIDTH - _MARGIN
    marks = []
    if places:
        ends = f'x1="{min(places):.1f}" x2="{max(places):.1f}" y1="{middle:g}" y2="{middle:g}"'
        marks.append(f'<line {ends} stroke="currentColor" stroke-opacity=".5"/>')
    for place in places:
        marks.append(f'<circle cx="{place:.1f}" cy="{middle:g}" r="3" fill="currentColor" fill-opacity=".55"/>')
    if len(finite) < len(found):
        cross = f"M{right - 3} {middle - 3:g}l6 6m0 -6l-6 6"
        marks.append(f'<path d="{cross}" stroke="currentColor" stroke-width="1.5" fill="none"/>')
    said = ", ".join(_number(loss if math.isfinite(loss) else math.inf) for loss in found)
    return (
        f'<svg class="lw-strip" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Losses of the seeds: {display.shown(said)}">{"".join(marks)}</svg>'
    )


def _place(loss: float, low: float, high: float) -> float:
    exponent = math.log10(loss) if loss > 0 else low
    return _MARGIN + (exponent - low) / (high - low) * (_WIDTH - 3 * _MARGIN)
