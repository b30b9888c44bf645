"""Proposition C.3: each instance breaks exactly one assumption, and with it length generalization."""

from fractions import Fraction

import pytest

from lengthwise.sparse.bounds import Instance, proposition_c3
from lengthwise.sparse.bounds.instance import COVERAGE, LOCALITY, REALIZABILITY, RELATIVITY
from lengthwise.sparse.ensembles import coverage
from lengthwise.sparse.functional import exact_loss

NUMBERS = {6: (0.954, 0.857, 0.577, 0.985), 8: (0.973, 0.889, 0.603, 0.992)}
"""Losses at 2L, measured once and compared with the notes of the theory."""


@pytest.mark.parametrize("number", range(4))
def test_each_instance_breaks_exactly_the_assumption_it_is_about(number: int) -> None:
    instance = proposition_c3(6)[number]
    broken = (LOCALITY, RELATIVITY, REALIZABILITY, COVERAGE)[number]
    assert instance.violated(range(3, 13)) == (broken,)


@pytest.mark.parametrize("training", [6, 8])
@pytest.mark.parametrize("number", range(4))
def test_each_instance_fails_at_twice_the_training_length(number: int, training: int) -> None:
    instance = proposition_c3(training)[number]
    report = instance.report(2 * training)
    assert instance.learned in report.minimisers
    assert float(report.losses[2 * training][instance.learned]) == pytest.approx(NUMBERS[training][number], abs=5e-4)
    if number != 2:  # without realizability the training loss cannot be 0
        assert report.risks[instance.learned] == 0
        assert report.luckiest == 0 or len(report.minimisers) == 1


def test_longer_tests_do_not_help() -> None:
    for instance in proposition_c3(6):
        losses = [exact_loss(instance.members[instance.learned], instance.ensemble, length) for length in (12, 16, 20)]
        assert min(losses) > Fraction(1, 2)


@pytest.mark.parametrize("length", [8, 12, 16])
def test_the_corrected_instance_loses_what_the_formula_says(length: int) -> None:
    """(ℓ − 4)/(L + ℓ − 4) for a pair inside, (ℓ − 3)/(L + ℓ − 3) at an end; coverage is ℓ − 1."""
    instance: Instance = proposition_c3(8)[2]
    inside, end = Fraction(length - 4, 8 + length - 4), Fraction(length - 3, 8 + length - 3)
    expected = (inside * (length - 3) + 2 * end) / (length - 1)
    assert exact_loss(instance.members[instance.learned], instance.ensemble, length) == expected
    assert coverage(instance.ensemble.positions, length, 2).value == length - 1


def test_which_hypothesis_realizes_what() -> None:
    """ERR-I5: in (a) it is the key for (2, 2) alone, in (d) the one within distance 2."""
    first, _, _, last = proposition_c3(6)
    for instance, name in ((first, "(2,2)"), (last, "(2,2) within 2")):
        assert all(exact_loss(instance.members[name], instance.ensemble, length) == 0 for length in (5, 9, 14))
        assert exact_loss(instance.members[instance.learned], instance.ensemble, 9) > 0
