"""The claim that a plateau rises or falls with a setting: its rank correlation within strata.

Reproduced if the whole interval has the claimed sign, not reproduced if none of it has. Either needs more than the
interval: the losses of single seeds must be in this order too, and more so than in 97.5 % of shuffles that deal them
out anew among the cells of their stratum (a test of trend like that of Jonckheere and Terpstra, which holds for any
number of seeds). Few seeds separate two cells by luck more often than their interval admits: two each, one time in six.
The shuffle also decides about cells with one seed each, which have no interval: many of them can be in an order that
luck does not explain.

The claim that the models of one sweep do better than those of another, all else that is named equal.

    [[claims]]
    kind = "better"
    sweep = "predictive"
    than = "learned"
    by = "parameters.depth"     # cells with the same value are compared
    of = "errors"

It is judged as a trend: from the one sweep to the other the plateau rises, among cells that agree in the
setting `by`. Other settings are those of the sweeps, which are what is compared.

The rank correlation says how steadily a loss rises or falls with a setting, whatever the other settings are. Two cells
are compared if they lie in one stratum, that is, agree in everything else, and differ in the setting. The rank
correlation is the share of these pairs in which the loss is higher at the higher setting, minus the share in which it
is lower: 1 if the loss always rises, -1 if it always falls, 0 if it does neither or is constant.

This is Kendall's τ of all strata together, in the asymmetric form of Somers (d of the loss given the setting): pairs
with the same setting say nothing about the claim and are not counted, but pairs with the same loss are, as they speak
against it. τ-b would leave out both and so have no value for constant losses, and τ-a would count pairs of a repeated
setting against the claim. Without ties, all three agree within a stratum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.experiments.finding import Estimate, Judgement, Verdict, enough_seeds, nothing, spread_is_known
from lengthwise.experiments.sweeps.cells import Cell, strata
from lengthwise.runs.resampling import AVERAGES, CHANCE, Resampling, interval, median

Places = npt.NDArray[np.intp]


def comparable_pairs(settings: Sequence[float], strata: Sequence[Hashable]) -> tuple[Places, Places]:
    """The places of all pairs inside a stratum whose setting differs: those with the lower one, and their partners."""
    members: dict[Hashable, list[int]] = {}
    for place, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(place)
    pairs = [
        (low, high)
        for places in members.values()
        for low in places
        for high in places
        if settings[low] < settings[high]
    ]
    lower, higher = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return lower, higher


def rank_correlation(
    losses: npt.NDArray[np.float64], settings: Sequence[float], strata: Sequence[Hashable]
) -> npt.NDArray[np.float64]:
    """The rank correlation of `losses[..., i]` with `settings[i]` within strata; NaN if no two cells can be compared.

    Losses may be infinite; two infinite ones are equal.
    """
    lower, higher = comparable_pairs(settings, strata)
    if not len(lower):
        return np.full(losses.shape[:-1], np.nan)
    before, after = losses[..., lower], losses[..., higher]
    return np.asarray((after > before).mean(axis=-1) - (after < before).mean(axis=-1))


PLACE = "parameters.sweep"
"""The setting by which cells of both sweeps are told apart: 0 for the better one, 1 for the other."""
ROUNDING = 1e-9
"""Shares of equally many pairs may differ by less than this."""


def trend(grid: Sequence[Cell], setting: str, sign: int, resampling: Resampling) -> Judgement:
    """Does the plateau rise (sign 1) or fall (sign -1) with the setting?"""
    everywhere = strata(grid, [setting])
    places = np.unique(comparable_pairs([cell.number(setting) for cell in grid], everywhere))
    if not len(places):
        return nothing("τ", f"No two cells differ in {setting} alone.")
    cells, groups = [grid[place] for place in places], [everywhere[place] for place in places]
    settings, plateaus = [cell.number(setting) for cell in cells], [cell.plateaus for cell in cells]
    chances = _chances(plateaus, settings, groups, resampling)
    draws = resampling.draws(plateaus)
    estimates = []
    for name, average in AVERAGES.items():
        value, resampled = (
            rank_correlation(np.stack([average(losses) for losses in some], axis=-1), settings, groups)
            for some in (plateaus, draws)
        )
        low, high = interval(float(value), resampled) if spread_is_known(cells) else (np.nan, np.nan)
        # Losses that are the same in all resamples neither rise nor fall, which no shuffle can show.
        steady = low == high == 0 and enough_seeds(cells)
        verdict = "not reproduced" if steady else trend_verdict(sign, float(value), low, high, chances)
        estimates.append(Estimate(f"τ, {name}", float(value), low, high, verdict))
    lower, higher = comparable_pairs(settings, groups)
    medians = np.array([median(losses) for losses in plateaus])
    agreeing = (medians[higher] > medians[lower]) if sign > 0 else (medians[higher] < medians[lower])
    detail = (
        f"Of {len(lower)} pairs of cells that differ in {setting} alone, {agreeing.sum()} have their medians in the "
        f"claimed order; seeds shuffled among cells {'rise' if sign > 0 else 'fall'} as much in "
        f"{100 * chances[sign]:.2g} % of cases."
    )
    return Judgement(tuple(estimates), detail, tuple(cells))


def trend_verdict(sign: int, value: float, low: float, high: float, chances: dict[int, float]) -> Verdict:
    """What a rank correlation says, where `chances` are how often shuffled seeds rise (1) or fall (-1) as much.

    Without an interval, the value stands for it.
    """
    least, most = sorted(sign * end for end in ((value, value) if np.isnan(low) else (low, high)))
    if least > 0 and chances[sign] <= CHANCE:
        return "reproduced"
    return "not reproduced" if most <= 0 and chances[-sign] <= CHANCE else "undecided"


def _chances(
    plateaus: Sequence[npt.NDArray[np.float64]], settings: Sequence[float], groups: Sequence[int], how: Resampling
) -> dict[int, float]:
    """How often the losses of single seeds rise, or fall, as much as they do when they are shuffled."""
    seeds = [len(losses) for losses in plateaus]
    each, inside = np.repeat(settings, seeds).tolist(), np.repeat(groups, seeds).tolist()
    losses = np.concatenate(plateaus)
    value = rank_correlation(losses, each, inside)
    shuffled = np.concatenate([rank_correlation(some, each, inside) for some in how.shuffles(losses, inside)])
    # The order that was found is one of those that were possible.
    return {sign: float((1 + (sign * shuffled >= sign * value - ROUNDING).sum()) / (1 + how.times)) for sign in (1, -1)}


def better(ours: Sequence[Cell], theirs: Sequence[Cell], by: str, resampling: Resampling) -> Judgement:
    """Do the cells of one sweep have a lower plateau than those of another with the same value of a setting?"""
    grid = [_placed(cell, place, by) for place, cells in enumerate((ours, theirs)) for cell in cells]
    judged = trend(grid, PLACE, 1, resampling)
    detail = judged.detail.replace(f"differ in {PLACE} alone", f"have the same {by}")
    return replace(judged, detail=detail)


def _placed(cell: Cell, place: int, by: str) -> Cell:
    chosen: dict[str, Any] = {"parameters.by": cell.settings.get(by), PLACE: place}
    return replace(cell, settings=chosen)
