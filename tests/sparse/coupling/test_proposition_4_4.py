"""Coupling removes the need for locality on non-local ensembles; and where Proposition 4.4 as printed goes wrong."""

from fractions import Fraction

import pytest

from lengthwise.sparse.bounds import Extrapolation, promises
from lengthwise.sparse.coupling import (
    CoupledTask,
    across_halves,
    coupled_loss,
    digit_with_carry,
    strong_failure,
)
from lengthwise.sparse.functional import HypothesisError, exact_loss, length_generalization


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
