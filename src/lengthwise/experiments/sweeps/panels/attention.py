"""Attention at positions ≡ k (mod p) and at others, against the training length (Figure 3 of both versions).

What the last position gives to a position: mean and standard deviation over positions, words and seeds. The dashed line
is what each of the positions ≡ k would get if they shared all attention evenly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lengthwise.drawing.axes import dodged, draw_hollow, legend_beside, logarithmic, ticks_at
from lengthwise.drawing.labels import label
from lengthwise.drawing.measured import Measured, flawed, grouped, number_of, only
from lengthwise.drawing.style import COLOURS, MARKERS
from lengthwise.experiments.sweeps.panels.settings import AttentionPanel
from lengthwise.runs.config import RunConfig

if TYPE_CHECKING:
    from lengthwise.diagnose.hardmax import Group

GROUPS = {"attended": "positions ≡ k (mod p)", "others": "other positions"}


def draw_attention(axes: Any, panel: AttentionPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    # Here, as this takes torch, which other figures do without.
    from lengthwise.diagnose.hardmax import check, expected

    checks = {}
    for at, members in grouped(configs, panel.over).items():
        config = only(members, f"with {panel.over} = {at}")
        if measured.summary(config).seeds:
            checks[number_of(config, panel.over)] = check(measured.store, config, panel.length)
    hollow = [flawed(measured.summary(found.config)) for found in checks.values()]
    for number, (group, name) in enumerate(GROUPS.items()):
        seeds = {at: [getattr(seed, group) for seed in found.seeds] for at, found in checks.items()}
        _draw_group(axes, number, name, seeds, hollow)
    for share in sorted({expected(config.get_task(), panel.length) for config in configs}):
        text = f"1/{round(1 / share)}, shared evenly"
        axes.axhline(share, color="black", linestyle="--", linewidth=1, label=text, zorder=0)
    logarithmic(axes, "x")
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    ticks_at(axes, "x", (config.value(panel.over) for config in configs))
    axes.set_xlabel(label(panel.over))
    axes.set_ylabel("attention probability")
    legend_beside(axes)
    return [
        f"Attention of the last position of words of length {panel.length}: mean and standard deviation over "
        "positions, words and seeds; dots: the mean of each seed; dashed: all attention shared evenly by positions "
        "≡ k (mod p)."
    ]


def _draw_group(
    axes: Any, number: int, name: str, seeds: Mapping[float, Sequence[Group]], hollow: Sequence[bool]
) -> None:
    """One of the two groups of positions, a little to its side of the setting's value."""
    from lengthwise.diagnose.hardmax import pooled

    colour, marker = COLOURS[number], MARKERS[number]
    # Seeds that diverged have no attention to speak of; the caption counts them.
    known = {at: [each for each in groups if math.isfinite(each.mean)] for at, groups in seeds.items()}
    pools = [pooled(groups) if groups else None for groups in known.values()]
    means = [math.nan if pool is None else pool.mean for pool in pools]
    deviations = [math.nan if pool is None else pool.deviation for pool in pools]
    places = [dodged(at, number, 2) for at in known]
    if places:
        style = {"color": colour, "marker": marker, "markersize": 5, "capsize": 3, "zorder": 2}
        axes.errorbar(places, means, deviations, label=name, **style)
        draw_hollow(axes, places, means, hollow, colour=colour, marker=marker, size=5)
    for place, groups in zip(places, known.values(), strict=True):
        beside = dodged(place, 2 * number, 3, 0.07)
        dots = {"linestyle": "none", "marker": ".", "markersize": 3, "alpha": 0.6, "zorder": 1}
        axes.plot([beside] * len(groups), [each.mean for each in groups], color=colour, **dots)
