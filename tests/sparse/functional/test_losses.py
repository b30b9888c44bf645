"""Exact losses against a sum over all words, sampled ones against exact ones, and risk minimisation over a class."""

from fractions import Fraction
from importlib import import_module
from itertools import combinations, product

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles import (
    Ensemble,
    independent,
    largest_entry,
    markov_chain,
    placed_shapes,
    sum_of_entries,
)
from lengthwise.sparse.ensembles.laws import Number, Places
from lengthwise.sparse.functional import (
    FunctionKey,
    HypothesisError,
    Key,
    ShapeKey,
    SparseAttention,
    TokenKey,
    ValueTable,
    attention_class,
    exact_loss,
    from_samples,
    length_generalization,
    output_law,
    sampled_losses,
    training_lengths,
)

AB = Alphabet(("a", "b", "c"))


def by_listing(hypothesis: SparseAttention, ensemble: Ensemble, length: int) -> Fraction:
    """The mean loss over all words, one set after the other, in fractions."""
    total, k = Fraction(0), hypothesis.sparsity
    for outcome in ensemble.outcomes(length):
        sets = list(combinations(range(1, length + 1), k))
        tuples = [tuple(outcome.tokens[place - 1] for place in places) for places in sets]
        weights = [hypothesis.key.weight(places, tokens) for places, tokens in zip(sets, tuples, strict=True)]
        if not any(weights):
            weights = [Fraction(1)] * len(sets)
        entries: list[Fraction] = []
        whole = sum(weights, Fraction(0))
        for d in range(hypothesis.value.dimension):
            parts = (w * hypothesis.value.value(t)[d] for w, t in zip(weights, tuples, strict=True))
            entries.append(abs(sum(parts, Fraction(0)) / whole - outcome.label[d]))
        total += outcome.mass * (sum(entries, Fraction(0)) if ensemble.norm is sum_of_entries else max(entries))
    return total


@pytest.mark.parametrize("seed", range(8))
def test_the_exact_loss_is_the_sum_over_all_words(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = ["".join(pair) for pair in product("abc", repeat=2)]
    shapes: dict[Places, Number] = {(0, 1): 1}
    if seed % 2:
        shapes = {(0, 1): Fraction(1, 3), (0, 3): Fraction(2, 3)}
    rows = {"a": {"a": 0.2, "b": 0.8}, "b": {"a": 0.5, "b": 0.5}, "c": {"b": 1.0}}
    background = markov_chain(AB, rows) if seed % 3 == 0 else independent(AB, {"a": 0.25, "b": 0.75})
    ensemble = Ensemble.of(
        AB,
        background,
        placed_shapes(shapes),
        {"cc": 0.5, "ca": 0.25, "ab": 0.25},
        {"cc": [0, 0.25], "ca": [1, 0.25], "ab": [0.5, 0]},
        sum_of_entries if seed == 4 else largest_entry,
    )
    value = ValueTable.of(AB, 2, {word: rng.integers(0, 5, 2).tolist() for word in words}, default=[0, 0])
    picked = {word: Fraction(int(rng.integers(0, 4)), int(rng.integers(1, 4))) for word in words if rng.random() < 0.6}
    picked["cc"] = Fraction(1)
    keys: list[Key] = [
        ShapeKey.of(AB, {(0, 1): picked, (0, 2): {"ab": 2}}),
        TokenKey.of(AB, picked, locality=2),
        TokenKey.of(AB, {"cc": 1}),
        FunctionKey(2, lambda places, tokens: places[0] % 2 * tokens[1], reach=2),
    ]
    hypothesis = SparseAttention(AB, keys[seed % 4], value)
    assert exact_loss(hypothesis, ensemble, 5) == by_listing(hypothesis, ensemble, 5)


def test_scores_that_are_no_logarithms_of_fractions_have_exact_losses_up_to_one_rounding() -> None:
    ensemble = Ensemble.of(AB, {"a": 1}, placed_shapes({(0,): 1}), {"b": 1}, {"b": 1})
    hypothesis = SparseAttention(AB, TokenKey(3, 1, {(0,): -0.3, (1,): 1.7}), ValueTable.of(AB, 1, {"b": 1}))
    assert float(exact_loss(hypothesis, ensemble, 4)) == pytest.approx(3 / (3 + np.exp(2.0)))
    with pytest.raises(HypothesisError, match="too large for exact losses"):
        exact_loss(SparseAttention(AB, TokenKey(3, 1, {(1,): 1e5}), hypothesis.value), ensemble, 4)


def test_sampled_losses_are_near_the_exact_ones() -> None:
    ensemble = Ensemble.of(
        AB, {"a": 0.5, "b": 0.5}, placed_shapes({(0, 1): 1}), {"cc": 0.5, "cb": 0.5}, {"cc": 0, "cb": 1}
    )
    value = ValueTable.of(AB, 2, {"cb": 1, "ab": 1})
    members = attention_class(
        AB,
        {"c": TokenKey.of(AB, {"cc": 1, "cb": 1}, 1), "any": TokenKey.of(AB, {"cc": 3, "cb": 1, "ab": 1}, 2)},
        {"g": value},
    )
    for name, found in sampled_losses(members, ensemble, 7, 4_000, np.random.default_rng(0)).items():
        assert abs(found.mean - float(exact_loss(members[name], ensemble, 7))) <= 5 * found.error + 1e-12


def test_training_lengths_begin_at_half_the_longest_rounded_up() -> None:
    assert list(training_lengths(8)) == [4, 5, 6, 7, 8]
    assert list(training_lengths(7)) == [4, 5, 6, 7]


def test_the_report_is_about_the_worst_of_all_minimisers() -> None:
    """Definition 3.1: risk minimisation may return any of them."""
    ensemble = Ensemble.of(AB, {"a": 1}, placed_shapes({(0, 1): 1}), {"cc": 1}, {"cc": 1})

    def late(places: tuple[int, ...], tokens: tuple[int, ...]) -> int:
        return int(tokens == (2, 2) or places[-1] > 6)

    keys: dict[str, Key] = {
        "right": TokenKey.of(AB, {"cc": 1}),
        "wrong later": FunctionKey(2, late),
        "always wrong": TokenKey.of(AB, {"ac": 1, "ca": 1, "aa": 1}),
    }
    members = attention_class(AB, keys, {"g": ValueTable.of(AB, 2, {"cc": 1})})
    report = length_generalization(members, ensemble, 6, 9)
    assert report.minimisers == ("right", "wrong later")
    assert report.worst == "wrong later"
    assert report.luckiest == 0 < report.epsilon == report.losses[9]["wrong later"] < 1
    assert report.delta == 0
    assert report.risks["always wrong"] == 1
    assert "ε ≥ 0.9" in str(report)


def test_the_mean_over_training_lengths_decides_not_the_longest_one() -> None:
    """One key is right at length 4 and wrong at 2 and 3, the other wrong at 4 only; the mean prefers the latter."""
    ensemble = Ensemble.of(AB, {"a": 1}, placed_shapes({(0,): 1}), {"c": 1}, {"c": 1})
    short = SparseAttention(
        AB, FunctionKey(1, lambda places, tokens: int(tokens != (2,))), ValueTable.of(AB, 1, {"c": 1})
    )
    losses = {2: {"x": 1, "y": 0}, 3: {"x": 1, "y": 0}, 4: {"x": 0, "y": 1}, 9: {"x": 0, "y": 1}}
    report = length_generalization(
        {"x": short, "y": short}, ensemble, 4, 9, losses=lambda members, ensemble, length: dict(losses[length])
    )
    assert report.minimisers == ("y",)
    assert report.risks == {"x": Fraction(2, 3), "y": Fraction(1, 3)}
    assert report.epsilon == 1


def test_samples_lead_to_the_same_minimiser_where_the_difference_is_large() -> None:
    ensemble = Ensemble.of(AB, {"a": 0.5, "b": 0.5}, placed_shapes({(0, 1): 1}), {"cc": 1}, {"cc": 1})
    keys = {"right": TokenKey.of(AB, {"cc": 1}, 1), "wrong": TokenKey.of(AB, {"ab": 1, "cc": 1}, 1)}
    members = attention_class(AB, keys, {"g": ValueTable.of(AB, 2, {"cc": 1})})
    report = length_generalization(members, ensemble, 8, 200, losses=from_samples(300, seed=1))
    assert report.minimisers == ("right",)
    assert report.losses[200]["wrong"] > 0.5


def test_words_that_differ_in_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("lengthwise.sparse.functional.losses"), "MOST_STATES", 500)
    ensemble = Ensemble.of(AB, {"a": 0.5, "b": 0.5}, placed_shapes({(0,): 1}), {"c": 1}, {"c": 1})
    nothing = SparseAttention(AB, FunctionKey(1, lambda *_: 0, reach=0), ValueTable.of(AB, 1, {}))
    assert exact_loss(nothing, ensemble, 8) == 1
    with pytest.raises(HypothesisError, match="estimate from samples"):
        exact_loss(nothing, ensemble, 12)


# ------------------------------------------------------------------------------------------- what fits an ensemble


def one_letter(labels: dict[str, list[Number]]) -> Ensemble:
    """One of the letters with a label, anywhere among a."""
    shares = dict.fromkeys(labels, Fraction(1, len(labels)))
    return Ensemble.of(AB, {"a": 1}, placed_shapes({(0,): 1}), shares, labels)


def reader(alphabet: Alphabet, values: dict[str, list[Number]]) -> SparseAttention:
    """Looks at the letters with values, and reads them."""
    zero: list[Number] = [0] * len(next(iter(values.values())))
    key = TokenKey.of(alphabet, dict.fromkeys(values, 1))
    return SparseAttention(alphabet, key, ValueTable.of(alphabet, 1, values, zero))


@pytest.mark.parametrize(
    ("hypothesis", "sentence"),
    [
        (reader(Alphabet(("c", "b", "a")), {"b": [0, 1], "c": [1, 0]}), r"reads \{c, b, a\}.*draws from \{a, b, c\}"),
        (reader(AB, {"b": [0], "c": [1]}), "dimension 1, but the labels of the ensemble dimension 2"),
        (reader(AB, {"b": [0, 1, 0], "c": [1, 0, 0]}), "dimension 3, but the labels of the ensemble dimension 2"),
    ],
    ids=["another alphabet", "fewer entries", "more entries"],
)
def test_exact_and_sampled_losses_refuse_the_same_hypotheses_in_the_same_words(
    hypothesis: SparseAttention, sentence: str
) -> None:
    ensemble = one_letter({"b": [0, 1], "c": [1, 0]})
    said = []
    with pytest.raises(HypothesisError, match=sentence) as caught:
        exact_loss(hypothesis, ensemble, 5)
    said.append(str(caught.value))
    with pytest.raises(HypothesisError, match=sentence) as caught:
        output_law(hypothesis, ensemble, 5, (1,), (1,))
    said.append(str(caught.value))
    with pytest.raises(HypothesisError, match=sentence) as caught:
        sampled_losses({"h": hypothesis}, ensemble, 5, 10, np.random.default_rng(0))
    said.append(str(caught.value))
    assert len(set(said)) == 1


@pytest.mark.parametrize("count", [-1, 0, 1])
def test_one_sample_is_too_few_for_a_standard_error(count: int) -> None:
    ensemble, member = one_letter({"b": [0], "c": [1]}), reader(AB, {"b": [0], "c": [1]})
    with pytest.raises(HypothesisError, match="at least 2 samples"):
        sampled_losses({"h": member}, ensemble, 5, count, np.random.default_rng(0))


def test_a_set_of_another_size_than_the_planted_one_is_never_taken_for_it() -> None:
    """The function is positive on the planted pair, but sets of one token all have the weight 0: the plain mean."""
    ensemble = Ensemble.of(AB, {"a": 1}, placed_shapes({(0, 1): 1}), {"cc": 1}, {"cc": 1})
    key = FunctionKey(1, lambda places, tokens: int(sum(tokens) > 2), reach=1)
    hypothesis = SparseAttention(AB, key, ValueTable.of(AB, 1, {"c": 1}))
    assert exact_loss(hypothesis, ensemble, 8) == Fraction(6, 8)


@pytest.mark.parametrize("weights", [(Fraction(1, 2), Fraction(3, 2)), (Fraction(1, 3), Fraction(1))])
def test_a_denominator_that_is_none_of_the_weights_is_refused(weights: tuple[Fraction, Fraction]) -> None:
    ensemble, value = one_letter({"b": [0], "c": [1]}), ValueTable.of(AB, 1, {"c": 1})

    def weigh(places: Places, tokens: tuple[int, ...]) -> Fraction:
        return weights[tokens == (1,)]

    right = exact_loss(SparseAttention(AB, FunctionKey(1, weigh, denominator=6), value), ensemble, 3)
    assert right == exact_loss(SparseAttention(AB, FunctionKey(1, weigh), value), ensemble, 3)
    with pytest.raises(HypothesisError, match="no multiples of 1/1"):
        exact_loss(SparseAttention(AB, FunctionKey(1, weigh, denominator=1), value), ensemble, 3)
    with pytest.raises(HypothesisError, match="denominator is 1 or more"):
        FunctionKey(1, weigh, denominator=0)


# ---------------------------------------------------------------------------------------------------- what is a tie


def test_samples_find_the_ties_that_only_rounding_breaks() -> None:
    """Every token has the value 1/10, so every key has the loss 0; weighted sums of floats miss it by 10⁻¹⁷."""
    ensemble = Ensemble.of(AB, {"a": 0.5, "b": 0.5}, placed_shapes({(0,): 1}), {"c": 1}, {"c": 0.1})
    keys = {"one": TokenKey.of(AB, {"c": 1}), "all": TokenKey.of(AB, {"a": 1, "b": 3, "c": 1})}
    members = attention_class(AB, keys, {"g": ValueTable.of(AB, 1, {"a": 0.1, "b": 0.1, "c": 0.1})})
    assert length_generalization(members, ensemble, 6, 12).minimisers == ("one", "all")
    sampled = length_generalization(members, ensemble, 6, 12, losses=from_samples(200, 0))
    assert 0 < max(map(float, sampled.risks.values())) < 1e-16  # not a tie of the numbers
    assert sampled.minimisers == ("one", "all")


@pytest.mark.parametrize("seed", range(10))
def test_samples_do_not_decide_between_hypotheses_of_equal_risk(seed: int) -> None:
    """One is wrong on b and one on c, which are equally likely; the second is always wrong beyond L = 6."""
    ensemble = one_letter({"b": [0], "c": [1]})

    def late(places: Places, tokens: tuple[int, ...]) -> int:
        return int(tokens == (1,) or places[-1] > 6)

    members = {
        "wrong on b": reader(AB, {"b": [1], "c": [1]}),
        "wrong on c, later on all": SparseAttention(AB, FunctionKey(1, late), ValueTable.of(AB, 1, {"c": 0})),
    }
    exact = length_generalization(members, ensemble, 6, 12)
    assert exact.risks["wrong on b"] == exact.risks["wrong on c, later on all"] == Fraction(1, 2)
    sampled = length_generalization(members, ensemble, 6, 12, losses=from_samples(101, seed))
    assert sampled.minimisers == exact.minimisers
    assert sampled.epsilon == max(sampled.losses[12].values())


def test_samples_tell_a_small_difference_on_every_word_from_the_noise_of_both() -> None:
    """0.01 more on every word: less than the standard error of each risk, about 0.02, but never a tie."""
    ensemble = one_letter({"b": [0], "c": [1]})
    members = {"better": reader(AB, {"b": [0], "c": [0]}), "worse": reader(AB, {"b": [0.01], "c": [-0.01]})}
    for seed in range(10):
        report = length_generalization(members, ensemble, 6, 12, losses=from_samples(100, seed))
        assert report.minimisers == ("better",)


def test_floats_tie_up_to_rounding_and_fractions_only_if_they_are_equal() -> None:
    ensemble, member = one_letter({"b": [0], "c": [1]}), reader(AB, {"b": [0], "c": [1]})
    members = {"x": member, "y": member}

    def ties(x: Fraction | float, y: Fraction | float) -> tuple[str, ...]:
        return length_generalization(members, ensemble, 4, 9, losses=lambda *_: {"x": x, "y": y}).minimisers

    assert ties(0.1 + 0.2, 0.3) == ("x", "y")
    assert ties(0.3 + 1e-9, 0.3) == ("y",)
    assert ties(Fraction(3, 10) + Fraction(1, 10**18), Fraction(3, 10)) == ("y",)
