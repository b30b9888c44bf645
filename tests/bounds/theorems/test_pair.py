"""What two models share, what is refused and why, and the printed margins, norms and residuals that fail."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.theorems.pair import Pair, checked_epsilon
from lengthwise.bounds.theorems.simulation import stand_in
from lengthwise.bounds.theorems.worst_case import worst_case
from lengthwise.errors import LengthwiseError
from lengthwise.limit import Hardmax, Head, Huang, IzzoFinite, Layer, LimitTransformer, ModelError
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.evaluate import last_output
from lengthwise.limit.quantities.constants import one_layer_constants
from lengthwise.limit.quantities.margins import logit_margin, printed_logit_margin
from tests.bounds.attention_instances import averaging_model, random_one_head


def test_a_pair_has_the_larger_window_the_common_period_and_the_later_hardmax_length() -> None:
    f = averaging_model("ab", {("a", -1): 0.5}, "a", period=4, phi=(0.0, 1.0))
    g = averaging_model("ab", {}, "b", period=6, phi=(0.0, 0.0, 2.0))
    pair = Pair.of(f, g, bits=3)
    assert (pair.window, pair.period, pair.symbols, pair.types) == (2, 12, 2, 24)
    assert (logit_margin(f), logit_margin(g)) == (0.5, 2.0)
    assert (pair.hardmax_exponent, pair.hardmax_length) == (6.0, 64)
    assert pair.sensitivities == (1.0, 1.0)
    assert pair.sensitivity == 2.0


def test_from_the_hardmax_length_on_finite_precision_is_hardmax_in_both() -> None:
    rng = np.random.default_rng(0)
    compared, soft_before = 0, 0
    for _ in range(60):
        symbols, bits = int(rng.integers(1, 4)), int(rng.integers(1, 3))
        f, g = (random_one_head(rng, symbols, int(rng.integers(1, 4)), int(rng.integers(0, 3))) for _ in range(2))
        length = Pair.of(f, g, bits).hardmax_length
        assert length is not None
        for model in (f, g):
            for at in (length, length + 1, 2 * length, length // 2):
                word = rng.integers(0, symbols, at)
                if not at or at > 300:
                    continue
                hard, soft = (naive.outputs(model.with_regime(r), word)[-1] for r in (Hardmax(), IzzoFinite(bits)))
                if at < length:
                    soft_before += bool(np.abs(hard - soft).max() > 1e-3)
                    continue
                np.testing.assert_allclose(soft, hard, rtol=0, atol=1e-12)
                compared += 1
    assert compared > 250
    assert soft_before > 20, "otherwise nothing would depend on the length"


def test_no_finite_margin_means_a_hardmax_at_every_length() -> None:
    uniform = averaging_model("ab", {}, "a")
    pair = Pair.of(uniform, uniform, bits=20)
    assert (logit_margin(uniform), pair.hardmax_exponent, pair.hardmax_length) == (math.inf, 0.0, 1)
    for word in ("a", "ab", "abb"):
        ids = uniform.tokens(word)
        soft, hard = (naive.outputs(uniform.with_regime(regime), ids)[-1] for regime in (IzzoFinite(20), Hardmax()))
        np.testing.assert_allclose(soft, hard, rtol=0, atol=1e-15)


def test_a_hardmax_length_too_long_to_write_out_makes_every_word_its_own_stand_in() -> None:
    narrow = averaging_model("ab", {("a", -1): 2.0**-20}, "a")
    pair = Pair.of(narrow, narrow, bits=10)
    assert (pair.hardmax_length, pair.hardmax_exponent) == (None, 10 * 2.0**20)
    assert not pair.is_hard_at(10**9)
    simulation = stand_in(narrow, narrow, "ab" * 1000, resolution=8, ratio=4, bits=10)
    assert (simulation.case, simulation.length, simulation.promised) == ("short", 2000, (0.0, 0.0))


def test_the_precision_is_common_to_both_models() -> None:
    def model(regime: Huang | IzzoFinite | Hardmax) -> LimitTransformer:
        return averaging_model("ab", {("a", -1): 1.0}, "a", regime=regime)

    assert Pair.of(model(IzzoFinite(4)), model(IzzoFinite(4))).bits == 4
    assert Pair.of(model(IzzoFinite(4)), model(Hardmax())).bits == 4
    assert Pair.of(model(IzzoFinite(4)), model(IzzoFinite(5)), bits=6).hardmax_length == 64
    hard = Pair.of(model(Hardmax()), model(Hardmax()))
    assert (hard.bits, hard.hardmax_length) == (None, 1)
    for first, second in ((IzzoFinite(4), IzzoFinite(5)), (IzzoFinite(4), Huang(4)), (Huang(4), Huang(4))):
        with pytest.raises(ModelError, match="say for how many bits: the precision is common to f and g"):
            Pair.of(model(first), model(second))
    with pytest.raises(LengthwiseError, match="a whole number of bits from 0 to 1000, got -1"):
        Pair.of(model(Hardmax()), model(Hardmax()), bits=-1)


# ---------------------------------------------------------------------------------------------------- refusals

PLAIN = averaging_model("ab", {}, "a")


def with_layer(layer: Layer) -> LimitTransformer:
    return replace(PLAIN, layers=(layer,))


def heaviside_model() -> LimitTransformer:
    """1 if at least half of the symbols are a."""
    width = PLAIN.width
    hidden, output = np.zeros((1, width)), np.zeros((width, 1))
    hidden[0, -1], output[-1, 0] = 1.0, 1.0
    head = PLAIN.layers[0].heads[0]
    layer = Layer((head,), hidden, np.array([-0.5]), output, np.array([True]))
    return with_layer(layer)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda: replace(PLAIN, layers=PLAIN.layers * 2), "models with one layer, and g has 2; two layers are what"),
        (lambda: replace(PLAIN, layers=()), "models with one layer, and g has 0"),
        (lambda: with_layer(Layer.attention_only(PLAIN.layers[0].heads * 2, PLAIN.width)), "for one head, and g has 2"),
        (lambda: with_layer(Layer.attention_only([], PLAIN.width)), "for one head, and g has 0"),
        (heaviside_model, "g has Heaviside units, which jump"),
        (
            lambda: replace(PLAIN, has_start=True, embedding=np.zeros((3, PLAIN.width))),
            "words without a start symbol, and g reads one",
        ),
        (lambda: averaging_model("cd", {}, "c"), "f reads {a, b} and g reads {c, d}: models are compared"),
        (
            lambda: replace(PLAIN, unembedding=np.eye(PLAIN.width)[:2], outputs=("x", "y")),
            "f has 1 outputs and g has 2: their difference is not defined",
        ),
        (lambda: replace(PLAIN, unembedding=1e308 * np.ones((1, PLAIN.width))), "too large: its constant Λ"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_the_theorem_does_not_cover_is_refused_with_the_reason(
    change: Callable[[], LimitTransformer], reason: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(reason)):
        Pair.of(PLAIN, change(), bits=4)


@pytest.mark.parametrize("epsilon", [0.0, -0.1, math.nan, math.inf])
def test_an_accepted_error_is_a_positive_number(epsilon: float) -> None:
    with pytest.raises(
        LengthwiseError, match="epsilon is the error that is accepted on long inputs, a positive number"
    ):
        checked_epsilon(epsilon)
    with pytest.raises(LengthwiseError, match="positive number"):
        worst_case(PLAIN, PLAIN, epsilon)


# --------------------------------------------------------------------------- what was printed, and where it fails


def test_the_printed_margin_forgets_far_keys_and_ours_does_not() -> None:
    """ERR-B1, first failure: φ[0] = 0.1, equal contents; as printed, attention is a hardmax from length 1 on."""
    model = averaging_model("ab", {}, "a", phi=(0.1,))
    assert (printed_logit_margin(model), logit_margin(model)) == (math.inf, 0.1)
    assert Pair.of(model, model, bits=1).hardmax_length == 1024
    for length, agree in ((4, False), (100, False), (1023, False), (1024, True)):
        word = model.tokens("a" * (length - 1) + "b")
        soft, hard = (last_output(model.with_regime(regime), word)[0] for regime in (IzzoFinite(1), Hardmax()))
        assert hard == 0.0
        assert (soft < 1e-12) == agree
    at_four = naive.outputs(model.with_regime(IzzoFinite(10)), model.tokens("aaab"))[-1, 0]
    assert at_four == pytest.approx(3 * 0.87 / (1 + 3 * 0.87), abs=1e-3), "each other key weighs 0.87"


def test_the_printed_margin_forgets_other_residues_and_ours_does_not() -> None:
    """ERR-B1, second failure: logit 1 for keys at even positions, 0 at odd ones, no φ."""
    model = averaging_model("ab", {("", 0): 1.0}, "a", period=2)
    assert (printed_logit_margin(model), logit_margin(model)) == (math.inf, 1.0)
    assert Pair.of(model, model, bits=10).hardmax_length == 1024
    for length, agree in ((3, False), (512, False), (1023, False), (1024, True)):
        word = model.tokens(("ab" * length)[:length])  # a at the odd positions, which a hardmax ignores
        soft, hard = (last_output(model.with_regime(regime), word)[0] for regime in (IzzoFinite(10), Hardmax()))
        assert hard == 0.0
        assert (soft < 1e-12) == agree


def test_the_printed_bound_on_outputs_fails_and_ours_holds() -> None:
    """ERR-B2: with A = 0, B = 10, b = 1 the output is 10, and M_f as printed is 1."""
    zero, one = np.zeros((1, 1)), np.ones((1, 1))
    layer = Layer((Head(zero, zero),), zero, np.ones(1), 10 * one, np.zeros(1, dtype=bool))
    model = LimitTransformer(Alphabet(("a",)), zero, zero, (layer,), one, ("x",))
    constants = one_layer_constants(model)
    printed = constants.mlp_lipschitz * (constants.largest_input + constants.largest_value + 1.0)
    assert printed == 1.0
    assert naive.outputs(model, np.zeros(2, dtype=np.int64))[-1, 0] == 10.0 == constants.largest_output


def test_equal_last_symbols_are_not_enough_without_equal_residues() -> None:
    """ERR-B3: the printed residual lacks p_T. With V = 0 nothing is attended, and Lemma A.2 promises equal outputs."""
    positions = np.array([[0.0], [1.0]])
    layer = Layer.attention_only([Head(np.zeros((1, 1)), np.zeros((1, 1)))], 1)
    model = LimitTransformer(Alphabet(("a",)), np.zeros((1, 1)), positions, (layer,), np.ones((1, 1)), ("x",))
    outputs = [naive.outputs(model, np.zeros(length, dtype=np.int64))[-1, 0] for length in range(1, 8)]
    assert one_layer_constants(model).attention_sensitivity == 0.0
    assert outputs == [1, 0, 1, 0, 1, 0, 1], "equal for T ≡ N modulo Δ only"
    simulation = stand_in(model, model, np.zeros(1001, dtype=np.int64), resolution=8, ratio=4, bits=4)
    assert simulation.length < 1001
    assert simulation.length % 2 == 1
    assert simulation.measured == (0.0, 0.0)


@pytest.mark.parametrize("resolution", [100, 1000, 10_000])
def test_no_resolution_brings_a_step_closer(resolution: int) -> None:
    """ERR-B4: exactly half of a word is a; in a stand-in of odd length it is not, and the output jumps by 1."""
    half = replace(PLAIN, regime=Hardmax())
    word = "ab" * (5 * resolution)
    simulation = stand_in(half, half, word, resolution=resolution, ratio=4)
    assert simulation.case == "B1"
    assert max(simulation.measured) <= simulation.promised[0]
    tokens = simulation.counts.to_tokens()
    step = replace(heaviside_model(), regime=Hardmax())
    outputs = [last_output(step, each)[0] for each in (step.tokens(word), tokens)]
    assert abs(outputs[0] - outputs[1]) == pytest.approx(1.0, abs=1e-2)
