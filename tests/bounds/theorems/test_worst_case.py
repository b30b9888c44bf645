"""The repaired training length: its numbers, its growth, the promise it stands for, and the printed forms that fail."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.theorems.count_evaluation import Counts, evaluate_counts
from lengthwise.bounds.theorems.pair import Pair
from lengthwise.bounds.theorems.simulation import simulate
from lengthwise.bounds.theorems.worst_case import (
    promised_distance,
    resolution_and_ratio,
    stand_in_length,
    workshop_sensitivity,
    worst_case,
    worst_case_formula,
)
from lengthwise.errors import LengthwiseError
from lengthwise.limit import Hardmax, Layer, LimitTransformer
from lengthwise.limit.constructions import simple_task
from lengthwise.limit.evaluation.evaluate import last_output
from lengthwise.limit.quantities.constants import one_layer_constants
from tests.bounds.attention_instances import averaging_model, random_one_head, random_prefix

# ------------------------------------------------------------------------------------------------------ numbers


def test_the_length_of_a_small_case_is_the_one_worked_out_by_hand() -> None:
    """Λ = 1, D = 3, τ = 0, ε = 1/8: K = 2 · 12 · 8 = 192, R = 160, and 192 · 160 + 192 + 5 + 1 symbols."""
    bound = worst_case_formula(1 / 8, 1.0, symbols=3)
    assert (bound.terms["resolution"], bound.terms["dominance_ratio"], bound.terms["types"]) == (192, 160, 3)
    assert bound.value == 30_918
    assert bound.explicit
    assert worst_case_formula(1 / 8, 1.0, symbols=3, hardmax_length=10**6).value == 10**6 + 2


def test_the_bound_of_two_models_names_all_its_terms() -> None:
    model = simple_task(2.0).model
    bound = worst_case(model, model, 0.1)
    sensitivity = 2 * one_layer_constants(model).attention_sensitivity
    assert bound.terms == {
        "epsilon": 0.1,
        "sensitivity": sensitivity,
        "symbols": 3,
        "period": 1,
        "window": 0,
        "types": 3,
        "resolution": math.ceil(2 * sensitivity * 12 / 0.1),
        "dominance_ratio": math.ceil(20 * sensitivity / 0.1),
        "hardmax_length": 2,
        "hardmax_exponent": 1.0,
    }
    assert [form.terms["window"] for form in bound.printed] == [0, 0, 1, 1]
    assert not any(printed.explicit for printed in bound.printed)
    assert bound.as_json()["terms"]["hardmax_length"] == 2
    assert any("ε_train + ε on every word" in assumption for assumption in bound.assumptions)


@given(
    st.floats(1e-6, 10),
    st.floats(0, 1e6),
    st.integers(1, 100),
    st.integers(0, 50),
)
def test_resolution_and_ratio_keep_the_promise_and_the_proof_s_conditions(
    epsilon: float, sensitivity: float, types: int, window: int
) -> None:
    resolution, ratio = resolution_and_ratio(epsilon, sensitivity, types, window)
    assert resolution >= max(8, 2 * types)
    assert ratio >= 4
    exact = Fraction(2 * types + 4 * (window + 1) + 2, resolution) + Fraction(10, ratio)
    assert Fraction(sensitivity) * exact <= Fraction(epsilon)
    assert promised_distance(resolution, ratio, types, window) == pytest.approx(float(exact))


def test_models_that_ignore_attention_need_no_more_than_the_least_resolution() -> None:
    assert worst_case_formula(0.1, 0.0, symbols=2, period=3, window=1).value == 3 * (12 * 4 + 12 + 5) + 2


def test_a_narrow_margin_makes_a_length_that_is_known_by_its_logarithm() -> None:
    model = averaging_model("ab", {("a", -1): 2.0**-20}, "a")
    bound = worst_case(model, model, 0.1, bits=10)
    assert bound.value is None
    assert bound.log10 == pytest.approx(10 * 2**20 * math.log10(2))
    assert bound.shown == "10^3156528.3"
    assert bound.as_json()["terms"]["hardmax_length"] is None
    middling = worst_case(averaging_model("ab", {("a", -1): 2.0**-8}, "a"), model.with_regime(Hardmax()), 0.1, bits=0)
    assert middling.terms["hardmax_length"] == 1


def test_plain_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="at least one symbol, a period of at least 1"):
        worst_case_formula(0.1, 1.0, symbols=0)
    with pytest.raises(LengthwiseError, match="positive number; got 0"):
        worst_case_formula(0, 1.0, symbols=2)


# ------------------------------------------------------------------------------------------------------- growth


def slope(values: list[float], bounds: list[Bound]) -> float:
    return (bounds[-1].log10 - bounds[0].log10) / (math.log10(values[-1]) - math.log10(values[0]))


def test_the_length_grows_quadratically_in_the_period_and_linearly_in_alphabet_and_window() -> None:
    """Δ(|Σ|Δ + τ)Λ²/ε² against the printed Δ⁷|Σ|⁶τ²L²/ε² and τΔL²/ε²: exponents far out."""
    powers = [10.0**5, 10.0**6]
    cases = {
        "period": ([worst_case_formula(1e-3, 1.0, 2, int(value), 1) for value in powers], 2, 7, 1),
        "symbols": ([worst_case_formula(1e-3, 1.0, int(value), 1, 1) for value in powers], 1, 6, 0),
        "window": ([worst_case_formula(1e-3, 1.0, 2, 1, int(value)) for value in powers], 1, 2, 1),
        "precision": ([worst_case_formula(1 / value, 1.0, 2, 1, 1) for value in powers], 2, 2, 2),
        "sensitivity": ([worst_case_formula(1e-3, value, 2, 1, 1) for value in powers], 2, 2, 2),
    }
    for name, (bounds, ours, printed, workshop) in cases.items():
        assert slope(powers, bounds) == pytest.approx(ours, abs=1e-3), name
        assert slope(powers, [bound.printed[0] for bound in bounds]) == pytest.approx(printed, abs=1e-9), name
        assert slope(powers, [bound.printed[1] for bound in bounds]) == pytest.approx(workshop, abs=1e-9), name


def test_the_printed_power_of_the_alphabet_and_period_is_unnecessary() -> None:
    """ERR-C3: on the same constants the printed length is longer already for a handful of symbols and residues."""
    bound = worst_case_formula(0.01, 1.0, symbols=5, period=5, window=3)
    assert bound.printed[0].log10 - bound.log10 > 5


# ------------------------------------------------------------------------------------------------- the theorem


def differences(pair: Pair, word: Counts) -> float:
    first, second = (evaluate_counts(model.with_regime(Hardmax()), word) for model in (pair.first, pair.second))
    return float(np.linalg.norm(first - second))


def theorem_holds(rng: np.random.Generator, rounds: int) -> tuple[int, float]:
    """How many words of up to 10^9 symbols were longer than the bound, and the most that ε was used up."""
    longer, worst = 0, 0.0
    while longer < rounds:
        symbols, window = int(rng.integers(2, 4)), int(rng.integers(0, 3))
        tight = bool(rng.random() < 0.7)
        f, g = (random_one_head(rng, symbols, int(rng.integers(1, 3)), window, tight=tight) for _ in range(2))
        pair = Pair.of(f, g, bits=int(rng.integers(1, 8)))
        epsilon = pair.sensitivity * 10.0 ** rng.uniform(-2, -0.5)
        bound = worst_case(f, g, epsilon, pair.bits).value
        assert isinstance(bound, int)
        scales = resolution_and_ratio(epsilon, pair.sensitivity, pair.types, pair.window)
        for _ in range(8):
            length = int(10.0 ** rng.uniform(6, 9))
            prefix = random_prefix(rng, symbols, pair.period, length)
            word = Counts(prefix, rng.integers(0, symbols, pair.window + 1))
            short = simulate(pair, word, *scales).counts
            assert short.length <= bound
            extra = differences(pair, word) - differences(pair, short)
            assert extra <= epsilon
            longer += word.length > bound
            worst = max(worst, extra / epsilon)
    return longer, worst


def test_on_long_words_models_differ_by_at_most_epsilon_more_than_on_short_ones() -> None:
    _, worst = theorem_holds(np.random.default_rng(1), 120)
    assert worst > 0.01, "some of ε is used"


@pytest.mark.slow
def test_on_many_long_words_models_differ_by_at_most_epsilon_more_than_on_short_ones() -> None:
    _, worst = theorem_holds(np.random.default_rng(2), 1200)
    assert worst > 0.03


# --------------------------------------------------------------------------- what was printed, and where it fails


def bump(cutoff: int, phi: tuple[float, ...] = (0.0,), scale: float = 1.0) -> LimitTransformer:
    """A tent over the share of a, 1 at 1/(2 cutoff) and 0 from 1/cutoff on; `scale` moves weight from B to U."""
    base = averaging_model("ab", {}, "a", phi=phi)
    width = base.width
    hidden, output = np.zeros((3, width)), np.zeros((width, 3))
    hidden[:, width - 1] = 1.0
    output[width - 2] = np.array([2.0, -4.0, 2.0]) * cutoff * scale
    bias = -np.array([0.0, 0.5, 1.0]) / cutoff
    embedding = np.array(base.embedding)
    embedding[:, width - 2] = 0.0  # logits are equal, so no constant is needed to make them
    layer = Layer(base.layers[0].heads, hidden, bias, output, np.zeros(3, dtype=bool))
    unembedding = np.eye(width)[[width - 2]] / scale
    return replace(base, embedding=embedding, layers=(layer,), unembedding=unembedding)


def zero_like(model: LimitTransformer) -> LimitTransformer:
    return replace(model, unembedding=0.0 * model.unembedding)


@pytest.mark.parametrize("constant", [1, 8, 24])
def test_without_a_window_the_printed_length_is_too_short_for_every_constant(constant: int) -> None:
    """ERR-C4: for τ = 0 it is O(2^(p/γ)) = O(1), whatever ε and the weights are."""
    model = bump(constant)
    nothing = zero_like(model)
    bound = worst_case(model, nothing, 0.5, bits=8)
    assert [printed.value for printed in bound.printed[:2]] == [1.0, 1.0]
    # Equal on every word of up to `constant` symbols: by counts, since the order does not matter.
    for length in range(1, constant + 1):
        for marked in range(length + 1):
            word = model.tokens("a" * marked + "b" * (length - marked))
            assert abs(last_output(model, word)[0]) < 1e-12
    long = model.tokens("a" + "b" * (2 * constant - 1))
    assert last_output(model, long)[0] == pytest.approx(1.0), "and 1 on a word twice as long"
    assert isinstance(bound.value, int)
    assert bound.value > 2 * constant
    assert bound.printed[2].value is not None
    assert bound.printed[2].value > 2 * constant, "with τ + 1 for τ it is long enough here"


@pytest.mark.parametrize("constant", [1, 8, 24])
def test_the_workshop_length_forgets_the_unembedding(constant: int) -> None:
    """ERR-C5: moving weight from B to U changes no output but makes its L, and so its length, as small as one likes."""
    phi = (0.0, -8.0)  # every key but the one before the last is attended
    model, moved = bump(constant, phi), bump(constant, phi, scale=1e-6)
    bound = worst_case(moved, zero_like(moved), 0.5, bits=8)
    assert bound.terms["window"] == 1
    assert workshop_sensitivity(moved) == pytest.approx(1e-6 * workshop_sensitivity(model))
    assert bound.printed[1].value == 2.0, "2^(p/γ), with nothing left of the other part"
    for length in range(1, constant + 1):
        for marked in range(length + 1):
            word = moved.tokens("a" * marked + "b" * (length - marked))
            assert abs(last_output(moved, word)[0]) < 1e-6
    long = moved.tokens("a" + "b" * (2 * constant))
    assert last_output(moved, long)[0] == pytest.approx(1.0)
    assert isinstance(bound.value, int)
    assert bound.value >= worst_case(model, zero_like(model), 0.5, bits=8).value  # type: ignore[operator]
    attention_only = averaging_model("ab", {}, "a")
    assert workshop_sensitivity(attention_only) == 0.0, "and it is 0 without an MLP"


def test_the_printed_length_uses_the_printed_margin() -> None:
    """ERR-B1 again: 2^(p/γ) is 1 as printed and 2^100 in truth."""
    model = averaging_model("ab", {}, "a", phi=(0.125,))
    bound = worst_case(model, model, 0.1, bits=10)
    assert bound.printed[0].terms["log10_hardmax_length"] == 0.0
    assert bound.value == 2**80 + 2


def test_no_stand_in_is_longer_than_stated_and_some_are_that_long() -> None:
    assert stand_in_length(8, 4, 1, 0, 1) == 46
    assert stand_in_length(8, 4, 3, 2, 1000) == 1006
