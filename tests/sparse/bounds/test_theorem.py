"""Theorem 4.3: the repaired form is never violated, the printed one is, and every ingredient is what it claims."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.bounds import (
    Extrapolation,
    Instance,
    SparsityBoundError,
    block_ratio,
    far_mass,
    mixing,
    placement_coverage,
    promises,
    repaired_value,
    score_ratio,
    theorem_4_3,
)
from lengthwise.sparse.bounds.theorem_4_3 import simple_value
from lengthwise.sparse.ensembles import (
    Ensemble,
    Independent,
    any_places,
    coverage,
    independent,
    largest_entry,
    markov_chain,
    placed_shapes,
    sum_of_entries,
)
from lengthwise.sparse.ensembles.laws import Norm, Number
from lengthwise.sparse.functional import (
    Key,
    Members,
    ShapeKey,
    SparseAttention,
    TokenKey,
    ValueTable,
    exact_loss,
    length_generalization,
)
from tests.errata.far_planting import far_planting
from tests.errata.unbounded_scores import unbounded_scores
from tests.sparse.bounds.random_instances import ALPHABET, RandomInstance, random_instance

# ------------------------------------------------------------------------------------------------ the repaired bound


@pytest.mark.parametrize("chain", [False, True], ids=["independent", "chain"])
@pytest.mark.parametrize("seed", range(12))
def test_no_random_instance_violates_the_repaired_bound(seed: int, chain: bool) -> None:
    instance = random_instance(seed, chain=chain)
    for promise in promises(instance.members, instance.ensemble, instance.lengths):
        assert promise.repaired_holds
        assert promise.from_training <= promise.repaired
        assert promise.bound.log10 == pytest.approx(_log10(promise.repaired))


@pytest.mark.parametrize("seed", range(2))
def test_no_random_instance_with_two_shapes_violates_it_either(seed: int) -> None:
    instance = random_instance(100 + seed, chain=False, wide=True)
    found = promises(instance.members, instance.ensemble, instance.lengths)
    assert found
    assert all(promise.repaired_holds for promise in found)


def test_every_hypothesis_keeps_the_bound_from_its_own_training_losses() -> None:
    """The proof uses minimality only through the training losses at three lengths; any hypothesis will do."""
    largest = 0.0
    for seed in range(8):
        instance = random_instance(seed, chain=seed % 2 == 1)
        for name in instance.members:
            bound, loss = _own_bound(instance, name)
            assert loss <= bound
            largest = max(largest, float(loss / bound) if bound else 0.0)
    assert largest > 0.01  # the bound is loose, but no random instance is far from it by orders of magnitude


def _own_bound(instance: RandomInstance, name: str) -> tuple[Fraction | float, Fraction]:
    member, ensemble, lengths = instance.members[name], instance.ensemble, instance.lengths
    training = max(exact_loss(member, ensemble, lengths.training - number * lengths.locality) for number in (0, 1, 2))
    bound = repaired_value(
        lengths,
        placement_coverage(ensemble.positions, lengths),
        block_ratio(member.key, ensemble, lengths),
        training,
        far_mass(ensemble.positions, lengths),
        mixing(ensemble.background, lengths),
    )
    return bound, exact_loss(member, ensemble, lengths.test)


def test_the_step_for_the_second_block_holds_pointwise_and_is_attained() -> None:
    """|A0/B0 − (A0+A2)/(B0+B2)| ≤ (e1 + e2)(1 + B1/(B0+B2)): where the printed Lemma C.1 has no B1 at all."""
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(1000):
        weights = [Fraction(float(weight)) for weight in np.exp(rng.normal(size=3) * 4)]
        tops = [weight * int(value) for weight, value in zip(weights, rng.integers(0, 2, size=3), strict=True)]
        base, first, both = (sum(tops[:n], Fraction(0)) / sum(weights[:n], Fraction(0)) for n in (1, 2, 3))
        alone = (tops[0] + tops[2]) / (weights[0] + weights[2])
        allowed = (abs(base - first) + abs(base - both)) * (1 + weights[1] / (weights[0] + weights[2]))
        assert abs(base - alone) <= allowed
        largest = max(largest, float(abs(base - alone) / allowed) if allowed else 0.0)
    assert largest > 0.99


def test_the_bound_is_the_sum_over_where_the_planted_set_can_stand() -> None:
    """1 for the base, 2 for the first block on each side, 4ρ(1 + κ) for the others, summed over all t0."""
    for blocks in range(6):
        lengths = Extrapolation(8, 8 + 2 * blocks, 2)
        ratio, rho, loss, cover = Fraction(3), Fraction(5, 2), Fraction(1, 100), Fraction(7, 4)
        total = Fraction(0)
        for front in range(blocks + 3):
            behind = blocks + 2 - front
            first = (front > 0) + (behind > 0)
            total += 1 + 2 * first + 4 * rho * (1 + ratio) * (blocks + 2 - first)
        assert repaired_value(lengths, cover, ratio, loss, Fraction(1, 9), rho) == cover * loss * total + Fraction(1, 9)
        assert repaired_value(lengths, cover, ratio, loss) <= simple_value(lengths, cover, ratio, loss)


def test_where_an_assumption_fails_a_training_loss_of_zero_promises_nothing() -> None:
    lengths = Extrapolation(8, 10, 2)
    assert repaired_value(lengths, math.inf, Fraction(1), 0) == math.inf
    assert repaired_value(lengths, Fraction(1), math.inf, 0) == math.inf
    assert repaired_value(lengths, Fraction(1), Fraction(1), 0) == 0


# ---------------------------------------------------------------------------------------------------- its ingredients


@pytest.mark.parametrize("blocks", range(5))
def test_every_local_set_fits_into_its_base_with_the_blocks_around_it(blocks: int) -> None:
    lengths = Extrapolation(9, 9 + 2 * blocks, 2)
    for places in combinations(range(1, lengths.test + 1), 2):
        if lengths.is_local(places):
            base = lengths.in_base(places)
            assert base[0] >= 1
            assert base[-1] <= lengths.base == 5
            for length, placed in lengths.training_placements(places):
                assert -(-lengths.training // 2) <= length <= lengths.training
                assert placed[0] >= 1
                assert placed[-1] <= length
                # A shift of the set to the left, as the first half of Assumption 4.2 needs it.
                assert placed[0] <= places[0]


def test_the_cover_that_is_needed_is_at_most_the_printed_one_and_can_be_far_smaller() -> None:
    lengths = Extrapolation(8, 14, 2)
    for law in (placed_shapes({(0, 1): 1}), placed_shapes({(0, 1): 0.5, (0, 2): 0.5}), any_places(2)):
        assert placement_coverage(law, lengths) <= coverage(law, lengths.test, 2).value
    assert placement_coverage(placed_shapes({(0, 1): 1}), lengths) == Fraction(7, 13)
    assert coverage(placed_shapes({(0, 1): 1}), 14, 2).value == 13


def ratio_by_listing(key: Key, ensemble: Ensemble, lengths: Extrapolation) -> float:
    """The largest B_1/B_0 over all bases and blocks, by listing every word; an oracle."""
    largest, base, block = 0.0, lengths.base, lengths.locality
    sets = {lengths.in_base(s) for s in ensemble.positions.masses(lengths.test) if lengths.is_local(s)}
    law = ensemble.background
    for places, planted in product(sets, ensemble.planted):
        for beneath in product(range(len(ensemble.alphabet)), repeat=base + block):
            share = law.start[beneath[0]]
            for one, two in pairwise(beneath):
                share *= law.after(one)[two]
            if not share:
                continue
            for front in (False, True):
                word, shift = list(beneath), block if front else 0
                for place, token in zip(places, planted, strict=True):
                    word[place - 1 + shift] = token
                inner = range(1 + shift, base + 1 + shift)
                weights = [Fraction(0), Fraction(0)]
                for subset in combinations(range(1, base + block + 1), key.sparsity):
                    inside = all(place in inner for place in subset)
                    weights[inside] += key.weight(subset, tuple(word[place - 1] for place in subset))
                largest = max(largest, float(weights[0] / weights[1]) if weights[1] else math.inf)
    return largest


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_block_ratio_is_the_largest_over_all_words(seed: int, chain: bool) -> None:
    instance = random_instance(seed, chain=chain)
    for member in instance.members.values():
        expected = ratio_by_listing(member.key, instance.ensemble, instance.lengths)
        assert float(block_ratio(member.key, instance.ensemble, instance.lengths)) == pytest.approx(expected)


def test_the_block_ratio_sees_both_sides_and_forbidden_steps() -> None:
    alphabet = Alphabet(("a", "b", "p"))
    rows = {"a": {"b": 1}, "b": {"a": 1}, "p": {"a": 1}}
    lengths = Extrapolation(4, 6, 1)
    heavy = ShapeKey.of(alphabet, {(0, 1): {"pp": 1, "ap": 30, "bb": 1000}})
    chained = Ensemble.of(alphabet, markov_chain(alphabet, rows), placed_shapes({(0, 1): 1}), {"pp": 1}, {"pp": 1})
    assert block_ratio(heavy, chained, lengths) == 30  # an a before the base; b b never occurs
    free = Ensemble(
        alphabet, independent(alphabet, {"a": 0.5, "b": 0.5}), chained.positions, chained.planted, chained.labels
    )
    assert block_ratio(heavy, free, lengths) == 30
    behind = ShapeKey.of(alphabet, {(0, 1): {"pp": 1, "pa": 20}})
    assert block_ratio(behind, free, lengths) == 20


def test_bounded_scores_bound_the_block_ratio() -> None:
    for seed in range(6):
        instance = random_instance(seed, chain=False)
        for member in instance.members.values():
            looked_at = all(member.key.weight((1, 2), planted) for planted in instance.ensemble.planted)
            if looked_at:
                ratio = block_ratio(member.key, instance.ensemble, instance.lengths)
                assert ratio <= score_ratio(instance.lengths.locality, 2, math.log(100)) + 1e-6


def test_a_base_without_weight_makes_the_ratio_infinite() -> None:
    instance = far_planting(8)
    blind = TokenKey.of(instance.ensemble.alphabet, {"22": 1}, locality=2)
    assert block_ratio(blind, instance.ensemble, Extrapolation(8, 10, 2)) == math.inf


def test_keys_outside_the_theorem_are_refused() -> None:
    instance = far_planting(8)
    wide = TokenKey.of(instance.ensemble.alphabet, {"22": 1})
    with pytest.raises(SparsityBoundError, match="relative and 2-local"):
        block_ratio(wide, instance.ensemble, Extrapolation(8, 10, 2))
    with pytest.raises(SparsityBoundError, match="at least four times"):
        Extrapolation(7, 9, 2)
    with pytest.raises(SparsityBoundError, match="plus a multiple"):
        Extrapolation(8, 11, 2)


def readers(values: dict[str, Number | list[Number]], default: Number | list[Number] = 0) -> Members:
    """One hypothesis with these values, over the alphabet of far planting."""
    alphabet = far_planting(8).ensemble.alphabet
    key = TokenKey.of(alphabet, {"22": 1, "33": 1}, locality=2)
    return {"h": SparseAttention(alphabet, key, ValueTable.of(alphabet, 2, values, default))}


@pytest.mark.parametrize(
    "values",
    [{"33": 1, "11": 50}, {"33": 1, "23": Fraction(-1, 1000)}, {"33": 1, "12": Fraction(1001, 1000)}],
    ids=["far from the labels", "a little less than 0", "a little more than 1"],
)
def test_values_outside_the_set_of_labels_are_refused(values: dict[str, Number | list[Number]]) -> None:
    """Definition 3.3 has g1 in a set Y of diameter 1, and Pr(far) is no bound for the loss on far sets without it."""
    instance, members = far_planting(8), readers(values)
    with pytest.raises(SparsityBoundError, match=r"at most 1 apart .* unlike \(-?[0-9.]+\) and \([0-9.]+\)"):
        promises(members, instance.ensemble, Extrapolation(8, 16, 2))
    with pytest.raises(SparsityBoundError, match="at most 1 apart"):
        Instance("values outside Y", instance.ensemble, members, "h", 8, 2)


def test_without_that_the_repaired_bound_would_fail() -> None:
    """The value 50 for pairs of background: on far sets the loss is larger than their probability."""
    instance, lengths = far_planting(8), Extrapolation(8, 16, 2)
    (member,) = readers({"33": 1, "11": 50}).values()
    assert all(exact_loss(member, instance.ensemble, length) == 0 for length in range(4, 9))
    assert exact_loss(member, instance.ensemble, 16) > 10 > far_mass(instance.ensemble.positions, lengths)


def test_values_are_compared_in_the_norm_of_the_ensemble_and_across_the_class() -> None:
    alphabet, lengths = Alphabet(("1", "2")), Extrapolation(8, 10, 2)
    key = ShapeKey.of(alphabet, {(0, 1): {"22": 1}})

    def member(value: list[Number]) -> SparseAttention:
        return SparseAttention(alphabet, key, ValueTable.of(alphabet, 2, {"22": value}, [0, 0]))

    def drawn(norm: Norm) -> Ensemble:
        positions = placed_shapes({(0, 1): 1})
        return Ensemble.of(alphabet, {"1": 1}, positions, {"22": 1}, {"22": [0.5, 0.5]}, norm)

    square = {"h": member([1, 1])}
    assert promises(square, drawn(largest_entry), lengths)
    with pytest.raises(SparsityBoundError, match="at most 1 apart"):
        promises(square, drawn(sum_of_entries), lengths)
    apart = {"right": member([1, 0]), "up": member([0, 1])}
    assert promises(apart, drawn(largest_entry), lengths)
    for alone in apart.values():
        assert promises({"h": alone}, drawn(sum_of_entries), lengths)
    with pytest.raises(SparsityBoundError, match="at most 1 apart"):
        promises(apart, drawn(sum_of_entries), lengths)


def test_a_default_that_no_tuple_has_is_no_value() -> None:
    alphabet = far_planting(8).ensemble.alphabet
    words = ["".join(pair) for pair in product("123", repeat=2)]
    listed: dict[str, Number | list[Number]] = {word: int("3" in word) for word in words}
    assert promises(readers(listed, default=50), far_planting(8).ensemble, Extrapolation(8, 10, 2))
    del listed["11"]
    with pytest.raises(SparsityBoundError, match="at most 1 apart"):
        promises(readers(listed, default=50), far_planting(8).ensemble, Extrapolation(8, 10, 2))
    assert len(alphabet) ** 2 == len(words)


def test_the_theorem_says_that_values_must_be_labels() -> None:
    (promise, *_) = promises(far_planting(8).members, far_planting(8).ensemble, Extrapolation(8, 10, 2))
    assert any("diameter at most 1" in assumption for assumption in promise.bound.assumptions)


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("delta", "δ"),
        ("coverage", "coverage"),
        ("ratio", "κ"),
        ("coverage_training", "η_L"),
        ("coverage_test", "η_L̄"),
        ("far", r"Pr\(far\)"),
        ("mixing", "ρ"),
    ],
)
def test_negative_quantities_are_refused_by_name(name: str, symbol: str) -> None:
    given: dict[str, Any] = {
        "delta": Fraction(1, 100),
        "coverage": Fraction(1),
        "ratio": Fraction(1),
        "coverage_training": Fraction(1),
        "coverage_test": Fraction(1),
        "far": Fraction(0),
        "mixing": Fraction(1),
    }
    assert theorem_4_3(Extrapolation(8, 10, 2), **given).log10 == pytest.approx(math.log10(0.01 * 5 * 64))
    with pytest.raises(SparsityBoundError, match=f"cannot be negative, but {symbol} is -1"):
        theorem_4_3(Extrapolation(8, 10, 2), **(given | {name: -1}))


def test_a_score_ratio_beyond_all_doubles_is_refused_in_a_sentence() -> None:
    assert score_ratio(2, 2, 100) == pytest.approx(4 * math.exp(200))
    for score in (1000.0, math.inf):
        with pytest.raises(SparsityBoundError, match="block_ratio computes it exactly"):
            score_ratio(2, 2, score)
    with pytest.raises(SparsityBoundError, match="from 0 on"):
        score_ratio(2, 2, -1)
    with pytest.raises(SparsityBoundError, match="1 or more"):
        score_ratio(2, 0, 1)
    assert score_ratio(1, 3, 1000) == 0  # no set of three lies within two positions


def test_bounds_beyond_all_doubles_are_still_compared_and_shown() -> None:
    """κ is 10⁴⁰⁰ in place of the usual 10¹⁶, so is the bound."""
    instance = unbounded_scores(weight=10**400)
    (promise,) = promises(instance.members, instance.ensemble, Extrapolation(8, 10, 2))
    (usual,) = promises(unbounded_scores().members, unbounded_scores().ensemble, Extrapolation(8, 10, 2))
    assert promise.repaired_holds
    assert promise.bound.log10 == pytest.approx(usual.bound.log10 + 384)
    assert "repaired 10^388.3 (holds)" in str(promise)


def test_mixing_is_the_largest_ratio_of_late_and_immediate_steps() -> None:
    chain = markov_chain(Alphabet(("a", "b")), {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.4, "b": 0.6}})
    lengths = Extrapolation(8, 14, 2)
    matrix = np.array([[0.9, 0.1], [0.4, 0.6]])
    expected = max((np.linalg.matrix_power(matrix, n) / matrix).max() for n in (3, 5, 7))
    assert float(mixing(chain, lengths)) == pytest.approx(expected)
    assert mixing(Independent((Fraction(1, 2), Fraction(1, 2))), lengths) == 1
    swapping = markov_chain(Alphabet(("a", "b")), {"a": {"b": 1}, "b": {"a": 0.5, "b": 0.5}})
    assert mixing(swapping, lengths) == math.inf
    with pytest.raises(SparsityBoundError, match="stationary"):
        mixing(markov_chain(Alphabet(("a", "b")), {"a": {"b": 1}, "b": {"a": 1}}, start={"a": 1}), lengths)


def test_the_report_and_the_promises_tell_the_same_story() -> None:
    instance = random_instance(3, chain=False)
    lengths = instance.lengths
    report = length_generalization(instance.members, instance.ensemble, lengths.training, lengths.test)
    found = promises(instance.members, instance.ensemble, lengths)
    assert tuple(promise.name for promise in found) == report.minimisers
    assert max(promise.measured for promise in found) == report.epsilon
    assert all(promise.bound.printed[0].theorem.endswith("as printed") for promise in found)
    assert "holds" in str(found[0])
    assert instance.ensemble.alphabet == ALPHABET


def _log10(value: Fraction | float) -> float:
    return math.log10(value) if value else -math.inf
