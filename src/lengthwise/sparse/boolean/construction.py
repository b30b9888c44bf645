"""`Construction`: weights that a lemma writes down, with what they are meant to compute and how far off they may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lengthwise.sparse.boolean.arrays import BitsLike, BooleanError, Floats, as_bits, checked_indices
from lengthwise.sparse.boolean.functions import SparseFunction
from lengthwise.sparse.boolean.targets import Target
from lengthwise.sparse.boolean.transformer import BooleanTransformer

Lemma = Literal["B.2", "B.3", "B.4"]
LEAST_GAP = 1e-6
"""Where selected positions are ahead by less than this, as a share of their logit, nothing is built."""
Keys = Literal["dual", "printed"]
"""Which vectors select positions: the dual ones, or the basis itself as the paper has it (ERR-H12)."""


@dataclass(frozen=True, eq=False)
class Construction:
    """Heads within γ/4 of their target on every string, and with a function a network behind them that is exact."""

    lemma: Lemma
    """The lemma the heads are from."""
    model: BooleanTransformer
    indices: tuple[int, ...]
    """I, from 1 on."""
    target: Target
    """What the heads approximate."""
    gamma: float
    sharpness: float
    """R: the logit of the positions that are selected."""
    coherence: float
    """Δ of the vectors of positions."""
    function: SparseFunction | None = None
    """f, if there is a network that computes it."""

    @property
    def length(self) -> int:
        """T."""
        return self.model.inputs.length

    @property
    def sparsity(self) -> int:
        """How many positions are selected: s."""
        return len(self.indices)

    @property
    def allowed_error(self) -> float:
        """γ/4: how far the heads may be from their target."""
        return self.gamma / 4

    def wanted(self, bits: BitsLike) -> Floats:
        """The target's values (…, d_f) for strings (…, T)."""
        return self.target.of_patterns(as_bits(bits, self.length)[..., [index - 1 for index in self.indices]])

    def __repr__(self) -> str:
        what = f"{len(self.function.values)} values" if self.function else f"attention to the {self.target.name}"
        return f"<Construction {self.lemma}: {what} of {self.sparsity} of {self.length} bits, {self.model}>"


def checked_selection(indices: Sequence[int], length: int) -> tuple[int, ...]:
    """I, if there is something in it and all of it is among the positions 1, …, T."""
    found = checked_indices(indices)
    if not found:
        raise BooleanError("a construction selects at least one position; a function of no bits is a constant")
    if max(found) > length:
        raise BooleanError(f"position {max(found)} is beyond the {length} positions there are")
    return found


def checked_gamma(gamma: float | None, target: Target) -> float:
    """γ: at most what the target's values are apart; by default that, or 1 if it is more, as in the lemmas."""
    if gamma is None:
        return min(1.0, target.separation)
    if isinstance(gamma, bool) or not 0 < gamma <= target.separation:
        raise BooleanError(
            f"γ is a positive number up to {target.separation:g}, the distance between values of the {target.name}, "
            f"not {gamma!r}"
        )
    return float(gamma)


def least_sharpness(rows: float, gamma: float, gap: float) -> float:
    """R with 2 · rows · exp(-R · gap) = γ/4: softmax then has given all but that away (lemma B.7).

    `rows` is T times the largest value of a row, `gap` how far the logits of other rows stay behind, R being 1.
    """
    if gap < LEAST_GAP:
        raise BooleanError(
            "other positions answer to the keys as much as the selected ones; take a basis of less coherence"
        )
    return math.log(8 * rows / gamma) / gap
