"""The panels of published figures, a function for each kind, drawn from what a store has.

- Test loss or accuracy against test length, one line for each training length or other setting.
- The plateau, the test loss at the longest test length, against the training length or another setting.
- The training length that a loss needs, against ω, Δ or another setting (workshop version, Figure 1, right).
- Attention at positions ≡ k (mod p) and at others, against the training length (Figure 3 of both versions).

Needed lengths: for each value of the setting, the plateaus at several training lengths give one needed length. That of
the medians over seeds is a point; those of the lower and upper quartiles, and of the best and the worst seeds, are
whiskers. Where the smallest training length is enough already, or the largest is not, there is an arrow instead of a
number.

Certified lengths: from which training length on an error is promised, whatever the length of a word. `certified`
promises ε_train + 2ε to every model that attends to the same keys as the construction of
the task and is as steep, or less. So for an error e stand-ins are to be within ε = e/2; then the mean squared error at
every test length is at most e², as far as ε_train may be neglected. It is a promise about the largest error, so
training may well do better with less.

Attention: what the last position gives to a position: mean and standard deviation over positions, words and seeds. The
dashed line is what each of the positions ≡ k would get if they shared all attention evenly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from lengthwise.bounds.certified.length import certified
from lengthwise.drawing.axes import (
    SPREAD_IN_WORDS,
    WHISKERS,
    dodged,
    doubled,
    draw_band,
    draw_hollow,
    draw_median,
    draw_whiskers,
    legend_beside,
    logarithmic,
    quantile,
    readable_numbers,
    ticks_at,
)
from lengthwise.drawing.labels import label, power, symbol, value, words
from lengthwise.drawing.measured import Measured, flawed, grouped, number_of, only
from lengthwise.drawing.style import COLOURS, MARKERS, colours, markers, pyplot
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.needed_length import Needed, needed_length
from lengthwise.experiments.sweeps.panel_settings import AttentionPanel, LengthPanel, NeededPanel, PlateauPanel
from lengthwise.limit.constructions import NAMED, named_construction
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.store.summary import AtLength

if TYPE_CHECKING:
    from lengthwise.diagnose.hardmax import Group


def draw_test_length(axes: Any, panel: LengthPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    lines = grouped(configs, panel.lines)
    looks = zip(colours(list(lines)), markers(list(lines)), strict=True)
    for (shown, members), (colour, marker) in zip(lines.items(), looks, strict=True):
        summary = measured.summary(only(members, f"with {panel.lines} = {shown}" if panel.lines else "to show"))
        if not summary.lengths:
            continue
        places = [each.test_length for each in summary.lengths]
        losses = [_shown(panel, each) for each in summary.lengths]
        draw_band(axes, places, losses, colour)
        name = value(shown) if panel.lines else "median"
        hollow = [flawed(summary)] * len(places)
        draw_median(axes, places, losses, hollow, label=name, colour=colour, marker=marker)
    axes.set_xlabel("test length T")
    if panel.of == "accuracies":
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel("accuracy")
    else:
        for which in ("x", "y"):
            logarithmic(axes, which)
            readable_numbers(axes, which)
        axes.set_ylabel("test loss")
    if panel.lines:
        legend_beside(axes, label(panel.lines))
    return [SPREAD_IN_WORDS["band" if panel.of == "losses" else "accuracies"]]


def _shown(panel: LengthPanel, each: AtLength) -> tuple[float, ...]:
    if panel.of == "losses":
        return each.losses
    if each.accuracies is None:
        raise ConfigError("a regression has no accuracies; show losses")
    return each.accuracies


STAR = {"marker": "*", "markersize": 9.5, "markeredgecolor": "black", "markeredgewidth": 0.6, "linestyle": "none"}


def draw_plateau(axes: Any, panel: PlateauPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    lines = grouped(configs, panel.lines)
    looks = list(zip(colours(list(lines)), markers(list(lines)), strict=True))
    stars = []
    for number, ((shown, members), (colour, marker)) in enumerate(zip(lines.items(), looks, strict=True)):
        places, losses, hollow = [], [], []
        for at, found in grouped(members, panel.over).items():
            config = only(found, f"with {panel.over} = {at}" + (f" and {panel.lines} = {shown}" if panel.lines else ""))
            plateau = measured.plateau(config)
            if plateau is not None:
                # Divided by a setting, places are different for every line anyway.
                place = number_of(config, panel.over) / _scale(panel, config)
                places.append(dodged(place, number, len(lines)) if panel.scaled_by is None else place)
                losses.append(plateau.losses)
                hollow.append(flawed(measured.summary(config)))
        if places:
            draw_whiskers(axes, places, losses, colour)
            name = value(shown) if panel.lines else "median"
            draw_median(axes, places, losses, hollow, label=name, colour=colour, marker=marker)
            stars.append((members[0], colour))
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    told, extra = [SPREAD_IN_WORDS["whiskers"]], []
    if panel.certified is not None and stars:
        extra = [_mark_certified(axes, panel, panel.certified, stars)]
        told.append(explanation(panel.certified))
    if panel.scaled_by is None:
        ticks_at(axes, "x", doubled({config.value(panel.over) for config in configs}, axes.get_xlim()[1]))
        axes.set_xlabel(label(panel.over))
    else:
        quotient = f"{symbol(panel.over)} / {symbol(panel.scaled_by)}"
        axes.set_xlabel(f"{words(panel.over)} / {words(panel.scaled_by)}, {quotient}")
        readable_numbers(axes, "x")
    readable_numbers(axes, "y")
    axes.set_ylabel(f"test loss at {_longest(configs)}")
    if panel.lines or extra:
        legend_beside(axes, label(panel.lines) if panel.lines else "", extra)
    return told


def _scale(panel: PlateauPanel, config: RunConfig) -> float:
    return 1.0 if panel.scaled_by is None else number_of(config, panel.scaled_by)


def _longest(configs: Sequence[RunConfig]) -> str:
    """The longest test length in words, as a multiple of N where it is one."""
    longest = {max(config.test_lengths) for config in configs}
    multiples = {max(config.test_lengths) / config.train_length for config in configs}
    if len(longest) == 1:
        return f"T = {longest.pop():,}"
    return f"T = {multiples.pop():g} N" if len(multiples) == 1 else "the longest T"


def _mark_certified(axes: Any, panel: PlateauPanel, error: float, lines: Sequence[tuple[RunConfig, Any]]) -> Any:
    """A star for each line at its certified length, at the height of the loss that is promised; its legend."""
    for config, colour in lines:
        length = certified_length(config, error)
        axes.plot([length / _scale(panel, config)], [error**2], color=colour, zorder=4, **STAR)
    axes.axhline(error**2, color="0.4", linewidth=0.8, linestyle=":", zorder=0)
    text = f"{legend(error)}\n(loss ≤ {power(error**2)})"
    return pyplot().Line2D([], [], color="0.75", label=text, **STAR)


ARROWS = {"at most": "v", "more than": "^"}


def draw_needed(axes: Any, panel: NeededPanel, configs: Sequence[RunConfig], measured: Measured) -> list[str]:
    """Draw the panel; what its caption has to say."""
    values = {number_of(members[0], panel.over): members for members in grouped(configs, panel.over).values()}
    curves = {at: found for at, members in values.items() if (found := _curve(panel, at, members, measured))}
    medians = {at: _needed(curve, 0.5, panel.loss) for at, curve in curves.items()}
    for at, curve in curves.items():
        for share, width in WHISKERS:
            ends = [_needed(curve, end, panel.loss).length for end in (share, 1 - share)]
            axes.plot([at, at], ends, color=COLOURS[0], linewidth=width, alpha=0.55, zorder=2)
    known = {at: needed.length for at, needed in medians.items() if needed.bracketed}
    if known:
        style = {"color": COLOURS[0], "marker": MARKERS[0], "zorder": 3}
        axes.plot(list(known), list(known.values()), label=f"needed for loss ≤ {power(panel.loss)}", **style)
    for side, arrow in ARROWS.items():
        beyond = {at: needed.length for at, needed in medians.items() if needed.side == side}
        if beyond:
            name = "enough already" if side == "at most" else "not enough yet"
            place = {"linestyle": "none", "marker": arrow, "color": COLOURS[0], "markerfacecolor": "white"}
            axes.plot(list(beyond), list(beyond.values()), label=name, zorder=3, **place)
    if len(known) > 1:
        _guide(axes, known)
    told = [
        "Needed N: from there on the median plateau is at most the loss, interpolated as a power law; whiskers: the "
        "same for quartiles (thick) and for the best and the worst seeds."
    ]
    if panel.certified is not None:
        lengths = [certified_length(members[0], panel.certified) for members in values.values()]
        style = {"color": COLOURS[1], "marker": MARKERS[1], "markersize": 4.5}
        axes.plot(list(values), lengths, label=legend(panel.certified), **style)
        told.append(explanation(panel.certified))
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    ticks_at(axes, "x", values)
    readable_numbers(axes, "y")
    axes.set_xlabel(label(panel.over))
    axes.set_ylabel("training length N")
    legend_beside(axes)
    return told


def _curve(
    panel: NeededPanel, at: float, configs: Sequence[RunConfig], measured: Measured
) -> dict[int, tuple[float, ...]]:
    """The plateaus of all seeds by training length, as far as there are any."""
    curve = {}
    for length, members in grouped(configs, "train_length").items():
        plateau = measured.plateau(only(members, f"with {panel.over} = {at:g} and train_length = {length}"))
        if plateau is not None:
            curve[length] = plateau.losses
    return curve


def _needed(curve: Mapping[int, Sequence[float]], share: float, loss: float) -> Needed:
    """The needed length of the curve through a quantile of the seeds."""
    return needed_length(list(curve), [quantile(losses, share) for losses in curve.values()], loss)


def _guide(axes: Any, known: Mapping[float, float]) -> None:
    """Growth in proportion to the setting, through the middle of the points: a slope of 1."""
    factor = math.exp(sum(math.log(length / at) for at, length in known.items()) / len(known))
    ends = [min(known), max(known)]
    axes.plot(ends, [factor * end for end in ends], color="0.5", linestyle="--", linewidth=1, label="proportional")


SECONDS = 5.0
"""So long the search for one length may take; an upper bound is drawn if it does not end."""


def certified_length(config: RunConfig, error: float) -> int:
    """The training length from which on models of the task of a config are within this error on all words."""
    if config.task not in NAMED or NAMED[config.task].layers != 1:
        known = ", ".join(name for name, family in NAMED.items() if family.layers == 1)
        raise LengthwiseError(f"certified lengths are known of {known}, not of {config.task}")
    return _length(config.task, json.dumps(dict(config.parameters), sort_keys=True), error)


def legend(error: float) -> str:
    """What a certified length is, in a few words."""
    return f"certified length for\nerrors ≤ {power(error)} at every T"


def explanation(error: float) -> str:
    """What a certified length promises, and for which models."""
    return (
        f"Certified length: models that agree with the task on all words up to it, attend to the same keys as its "
        f"construction and are not steeper are off by at most {power(error)} on every word of any length "
        f"(stand-ins within ε = {power(error / 2)} promise 2ε)."
    )


@cache
def _length(task: str, parameters: str, error: float) -> int:
    given: Mapping[str, Any] = json.loads(parameters)
    known = NAMED[task].arguments
    model = named_construction(task, {name: value for name, value in given.items() if name in known}).model
    return certified(model, error / 2, sensitivity="own", seconds=SECONDS).length


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
