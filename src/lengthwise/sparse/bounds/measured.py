"""Measured against promised: the exact loss of every minimiser at L̄ beside the printed and the repaired bound."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction

from lengthwise.bounds.bound import Bound
from lengthwise.sparse.bounds.extrapolation import Extrapolation
from lengthwise.sparse.bounds.instance import require_one_label_set
from lengthwise.sparse.bounds.quantities import block_ratio, far_mass, mixing, placement_coverage
from lengthwise.sparse.bounds.theorem_4_3 import Quantity, printed_value, repaired_value, theorem_4_3
from lengthwise.sparse.ensembles.coverage import coverage
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.functional.risk import Members, length_generalization


@dataclass(frozen=True)
class Promise:
    """One minimiser: what it does at L̄, and what the two forms of Theorem 4.3 say about it."""

    name: str
    measured: Fraction
    """Its exact loss at L̄."""
    bound: Bound
    """The repaired bound from δ, with the printed one in `bound.printed`."""
    repaired: Quantity
    """The repaired bound as an exact number."""
    from_training: Quantity
    """The repaired bound from its own training losses in place of n_L δ: never larger."""
    printed: Quantity
    """The printed bound as an exact number."""

    @property
    def printed_holds(self) -> bool:
        """Whether the loss is within the printed bound."""
        return self.measured <= self.printed

    @property
    def repaired_holds(self) -> bool:
        """Whether the loss is within the repaired bound, in its sharpest form."""
        return self.measured <= self.from_training

    def __str__(self) -> str:
        return (
            f"{self.name}: loss {float(self.measured):.3g}, "
            f"printed {_shown(self.printed, self.bound.printed[0])} "
            f"({'holds' if self.printed_holds else 'violated'}), "
            f"repaired {_shown(self.repaired, self.bound)} ({'holds' if self.repaired_holds else 'violated'})"
        )


def promises(members: Members, ensemble: Ensemble, lengths: Extrapolation) -> tuple[Promise, ...]:
    """Every minimiser of the training risk against both bounds.

    δ is the least that the class allows at the training lengths and at L̄; the printed theorem asks for every length.
    Values must lie in a set of diameter 1 with the labels, as Definition 3.3 has it.
    """
    require_one_label_set(members, ensemble)
    report = length_generalization(members, ensemble, lengths.training, lengths.test)
    delta = Fraction(report.delta)
    training = coverage(ensemble.positions, lengths.training, lengths.locality).value
    test = coverage(ensemble.positions, lengths.test, lengths.locality).value
    needed, far = placement_coverage(ensemble.positions, lengths), far_mass(ensemble.positions, lengths)
    background = mixing(ensemble.background, lengths)
    used = (lengths.base, lengths.base + lengths.locality, lengths.training)
    found = []
    for name in report.minimisers:
        ratio = block_ratio(members[name].key, ensemble, lengths)
        own = max(Fraction(report.losses[length][name]) for length in used)
        found.append(
            Promise(
                name,
                Fraction(report.losses[lengths.test][name]),
                theorem_4_3(
                    lengths,
                    delta=delta,
                    coverage=needed,
                    ratio=ratio,
                    coverage_training=training,
                    coverage_test=test,
                    far=far,
                    mixing=background,
                ),
                repaired_value(lengths, needed, ratio, delta * lengths.lengths, far, background),
                repaired_value(lengths, needed, ratio, own, far, background),
                printed_value(lengths, training, test, delta),
            )
        )
    return tuple(found)


def finite(value: Quantity) -> float | None:
    """A bound as a number for JSON; None if it is infinite or beyond all doubles."""
    return float(value) if value <= sys.float_info.max else None


def _shown(value: Quantity, bound: Bound) -> str:
    return bound.shown if bound.value is None else f"{float(value):.3g}"
