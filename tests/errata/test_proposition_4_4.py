"""Golowich et al., Proposition 4.4 as printed: two gaps, each with an instance in which it is wrong."""

from fractions import Fraction

import pytest

from lengthwise.sparse.coupling import CouplingError, coupled_ensemble, coupled_loss, strong_failure, violations
from lengthwise.sparse.coupling.conditions import INDEPENDENT, image_law
from lengthwise.sparse.ensembles import PositionLaw, coverage
from lengthwise.sparse.functional import exact_loss, training_lengths
from tests.errata.dependent_ranks import (
    LOCAL,
    dependent_ranks_class,
    dependent_ranks_coupling,
    dependent_ranks_ensemble,
)
from tests.errata.out_of_order import out_of_order


def test_strong_realizability_does_not_survive_coupling() -> None:
    """All that Proposition 4.4 asks for holds with δ = 0, and the only hypothesis is wrong at every length."""
    task = out_of_order()
    assert [strong_failure(task.plain["tokens"], task.ensemble, length) for length in range(2, 7)] == [0] * 5
    assert violations(task.coupling, task.ensemble.positions, task.locality, range(3, 13)) == ()
    image = task.coupled_ensemble(range(4, 13))
    assert coverage(image.positions, 12, 2).value <= 12
    losses = [exact_loss(task.coupled["tokens"], image, length) for length in (4, 8, 12)]
    assert min(losses) > Fraction(1, 25)  # the promise is η_L η_L̄ L L̄² · 0


def test_the_out_of_order_loss_is_what_the_random_ranks_cause() -> None:
    """Planted (2,3) or (2,4) beside one neighbour: it has rank 2 and the other label with probability ½ · ¼."""
    task = out_of_order()
    image = task.coupled_ensemble(range(3, 4))
    # Length 3: IDs {1, 2} or {2, 3}. The token 2 has a second neighbour in one of the two cases only.
    assert exact_loss(task.coupled["tokens"], image, 3) == Fraction(1, 2) * Fraction(1, 8) * Fraction(1, 2)


def test_rank_lists_that_depend_on_the_place_break_the_proposition() -> None:
    """Conditions 1 to 3, coverage and strong realizability hold with δ = 0, yet a minimiser fails beyond L."""
    ensemble, coupling, members = dependent_ranks_ensemble(), dependent_ranks_coupling(12), dependent_ranks_class()
    found = violations(coupling, ensemble.positions, LOCAL, range(5, 16))
    assert [violation.item for violation in found] == [INDEPENDENT]  # ours; the printed conditions all hold
    law = PositionLaw(3, 4, lambda length: image_law(coupling, length))
    assert coverage(law, 15, 4).value <= 15
    for name, member in members.items():
        losses = [coupled_loss(member, ensemble, coupling, length) for length in training_lengths(12)]
        assert losses == [0] * 7, name
    assert coupled_loss(members["aabb"], ensemble, coupling, 15) == 0
    assert coupled_loss(members["aabb or ccbb"], ensemble, coupling, 15) > Fraction(1, 20)
    with pytest.raises(CouplingError, match="independence fails"):
        coupled_ensemble(ensemble, coupling, LOCAL, range(5, 16))
