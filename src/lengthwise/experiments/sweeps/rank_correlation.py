"""How steadily a loss rises or falls with a setting, whatever the other settings are.

Two cells are compared if they lie in one stratum, that is, agree in everything else, and differ in the setting. The
rank correlation is the share of these pairs in which the loss is higher at the higher setting, minus the share in which
it is lower: 1 if the loss always rises, -1 if it always falls, 0 if it does neither or is constant.

This is Kendall's τ of all strata together, in the asymmetric form of Somers (d of the loss given the setting): pairs
with the same setting say nothing about the claim and are not counted, but pairs with the same loss are, as they speak
against it. τ-b would leave out both and so have no value for constant losses, and τ-a would count pairs of a repeated
setting against the claim. Without ties, all three agree within a stratum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

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
