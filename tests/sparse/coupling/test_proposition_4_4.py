"""Coupling removes the need for locality on non-local ensembles; and where Proposition 4.4 as printed goes wrong."""

from fractions import Fraction

import pytest

from lengthwise.sparse.bounds import Extrapolation, promises
from lengthwise.sparse.coupling import (
    CoupledTask,
    CouplingError,
    across_halves,
    coupled_ensemble,
    coupled_loss,
    digit_with_carry,
    strong_failure,
    violations,
)
from lengthwise.sparse.coupling.conditions import INDEPENDENT, image_law
from lengthwise.sparse.coupling.dependent_ranks import (
    LOCAL,
    dependent_ranks_class,
    dependent_ranks_coupling,
    dependent_ranks_ensemble,
)
from lengthwise.sparse.coupling.out_of_order import out_of_order
from lengthwise.sparse.ensembles import PositionLaw, coverage
from lengthwise.sparse.functional import HypothesisError, exact_loss, length_generalization, training_lengths


@pytest.mark.parametrize("task", [across_halves(), digit_with_carry()], ids=["across halves", "digit with carry"])
def test_a_non_local_ensemble_fails_without_coupling(task: CoupledTask) -> None:
    """A local class cannot see the planted set; one that may look far has a minimiser that fails beyond L."""
    local = length_generalization(task.local, task.ensemble, 8, 12)
    assert local.epsilon > Fraction(2, 5)
    assert min(local.risks.values()) > Fraction(1, 4)
    far = length_generalization(task.far_sighted(8), task.ensemble, 8, 16)
    assert min(far.risks.values()) == 0
    assert far.epsilon > Fraction(2, 5)


@pytest.mark.parametrize(
    ("task", "lengths"),
    [(across_halves(), Extrapolation(8, 16, 1)), (digit_with_carry(), Extrapolation(8, 12, 2))],
    ids=["across halves", "digit with carry"],
)
def test_it_succeeds_with_coupling_and_the_bound_says_so(task: CoupledTask, lengths: Extrapolation) -> None:
    image = task.coupled_ensemble(range(4, lengths.test + 1))
    (promise,) = promises(task.coupled, image, lengths)
    assert promise.measured == 0
    assert promise.repaired == 0


def test_the_planted_sets_of_the_examples_are_not_local() -> None:
    for task in (across_halves(), digit_with_carry()):
        for length in (8, 12, 16):
            spans = [places[-1] - places[0] for places in task.ensemble.positions.masses(length)]
            assert min(spans) >= length // 2


def test_with_noise_the_coupled_loss_is_small_and_within_the_bound() -> None:
    task, lengths = digit_with_carry(Fraction(1, 1000)), Extrapolation(8, 10, 2)
    (promise,) = promises(task.coupled, task.coupled_ensemble(range(4, 11)), lengths)
    assert 0 < promise.measured < Fraction(1, 1000)
    assert promise.repaired_holds
    assert promise.repaired < 1  # the bound says something


def test_with_one_id_strong_realizability_carries_over() -> None:
    """k' = 1 < k: no background token is a complete list."""
    task = across_halves()
    for length in (4, 7):
        assert strong_failure(task.plain["tokens"], task.ensemble, length) == 0
        assert coupled_loss(task.coupled["tokens"], task.ensemble, task.coupling, length) == 0
    with pytest.raises(HypothesisError, match="but the ensemble draws from"):
        strong_failure(task.coupled["tokens"], task.ensemble, 4)


def test_with_one_id_coupling_tells_the_planted_tokens_from_the_same_tokens_elsewhere() -> None:
    """Background of the same letters hides the planted pair from every position-independent hypothesis, not from PC."""
    task = across_halves({"a": 0.5, "b": 0.5})
    assert strong_failure(task.plain["tokens"], task.ensemble, 6) == 1
    assert exact_loss(task.plain["tokens"], task.ensemble, 6) > Fraction(2, 5)
    assert exact_loss(task.coupled["tokens"], task.coupled_ensemble(range(6, 7)), 6) == 0


# --------------------------------------------------------------------------------------- two gaps of the printed one


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
