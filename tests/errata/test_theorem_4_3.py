"""Golowich et al., Theorem 4.3, Lemma C.1 and Proposition C.3 (c) as printed: the instances on which they fail."""

from fractions import Fraction
from itertools import product

import pytest

from lengthwise.sparse.bounds import Extrapolation, far_mass, printed_value, promises
from lengthwise.sparse.bounds.instance import COVERAGE, REALIZABILITY
from lengthwise.sparse.ensembles import coverage
from lengthwise.sparse.functional import exact_loss
from tests.errata.far_planting import far_planting
from tests.errata.lemma_c1 import HidingBlock
from tests.errata.printed_without_realizability import printed_without_realizability
from tests.errata.unbounded_scores import unbounded_scores


def test_far_planting_meets_every_printed_assumption_with_delta_zero() -> None:
    instance = far_planting(8)
    assert instance.violated(range(4, 17)) == ()
    assert exact_loss(instance.members["any near 2 or 3"], instance.ensemble, 40) == 0
    Extrapolation(8, 16, 2)  # L >= 4 L_local, and L_local divides the difference


def test_far_planting_violates_the_printed_bound_and_not_the_repaired_one() -> None:
    instance = far_planting(8)
    found = {each.name: each for each in promises(instance.members, instance.ensemble, Extrapolation(8, 16, 2))}
    learned = found[instance.learned]
    assert learned.printed == 0
    # 8 of 23 sets are far; then the label 1 is missed by 1 − 29/120, the share of pairs without a 3.
    assert learned.measured == Fraction(8, 23) * Fraction(1, 2) * Fraction(91, 120)
    assert not learned.printed_holds
    assert f"{float(learned.measured):.3f}" == "0.132"
    assert learned.repaired == Fraction(8, 23) >= learned.measured
    assert found["any near 2 or 3"].printed_holds


def test_unbounded_scores_violate_the_printed_bound_by_any_factor() -> None:
    """With local sets, and for every constant in the O(·): the loss stays while the bound goes to 0 with δ."""
    lengths = Extrapolation(8, 10, 2)
    instance = unbounded_scores()
    learned, honest = (instance.members[name] for name in ("masking", "honest"))
    assert [exact_loss(honest, instance.ensemble, length) for length in (4, 8, 10)] == [Fraction(1, 10**14)] * 3
    (promise,) = promises(instance.members, instance.ensemble, lengths)
    assert promise.name == instance.learned
    assert float(promise.measured) == pytest.approx(7**-7 / 18, rel=1e-6)
    assert promise.measured > 7 * promise.printed > 0
    assert f"{float(promise.measured):.2g}, {float(promise.printed):.2g}" == "6.7e-08, 5e-10"
    assert promise.repaired_holds
    assert far_mass(instance.ensemble.positions, lengths) == 0
    rarer = unbounded_scores(Fraction(1, 10**30), 10**32)
    assert float(exact_loss(rarer.members["masking"], rarer.ensemble, 10)) == pytest.approx(7**-7 / 18, rel=1e-6)
    assert exact_loss(rarer.members["masking"], rarer.ensemble, 8) < Fraction(1, 10**30)
    etas = [coverage(rarer.ensemble.positions, length, 2).value for length in (8, 10)]
    assert printed_value(lengths, etas[0], etas[1], Fraction(1, 10**30), constant=10**15) < Fraction(1, 10**8)
    assert learned.key.reach == 1


def test_the_harmful_word_is_the_one_that_shows_the_last_pair_unmasked() -> None:
    masking = unbounded_scores().members["masking"]
    assert masking("p p c0 c1 c2 c3 c4 c5 c6 c3") == pytest.approx([0.5])
    assert masking("p p c0 c1 c2 c3 c4 c5 c6") == pytest.approx([1.0])
    assert masking("p p c0 c1 c2 c4 c5 c6 c3 c0") == pytest.approx([1.0])


@pytest.mark.parametrize("weight", [10, 1000, 10**9])
def test_lemma_c1_promises_less_than_what_happens(weight: int) -> None:
    block = HidingBlock(weight)
    assert block.epsilon <= Fraction(1, 2 * weight)
    assert block.move(0, 3) >= Fraction(1, 8)
    if weight > 36:
        assert block.move(0, 3) > block.promised(3)


def test_the_instance_of_lemma_c1_is_the_one_in_the_text() -> None:
    """f(z, *) = 0, g(z, *) = Mz, f(z, z') = g(z, z') = 1[z' = 1], A_0 = 0, B_0 = 1, summed by hand for i = 3."""
    mean = Fraction(0)
    for first, second, _ in product((0, 1), repeat=3):
        top, bottom = first + second, 1 + 50 * first + first + second
        mean += Fraction(top, bottom) / 8
    assert HidingBlock(50).move(0, 3) == mean


def test_the_printed_instance_without_realizability_has_no_coverage_either() -> None:
    instance = printed_without_realizability(6)
    assert instance.violated(range(3, 13)) == (REALIZABILITY, COVERAGE)
    assert coverage(instance.ensemble.positions, 12, 2).value == float("inf")
    assert instance.report(12).losses[12][instance.learned] > Fraction(4, 5)
