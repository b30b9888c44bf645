"""Margins decide from which length on attention is a uniform average; the printed ones promise it too early."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.limit import Hardmax, Head, Huang, IzzoFinite, Layer, LimitTransformer, ModelError
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.quantities.margins import (
    hardmax_exponent,
    hardmax_length,
    logit_margin,
    positional_margin,
    printed_logit_margin,
    printed_positional_margin,
)


def one_layer(
    embedding: Floats, positions: Floats, key_query: Floats, phi: Floats, *, has_start: bool = False
) -> LimitTransformer:
    """A head that averages one coordinate of a key and writes it to another; no MLP."""
    width = embedding.shape[1]
    value = np.zeros((width, width))
    value[-1, 0] = 1.0
    symbols = tuple("abcd"[: len(embedding) - has_start])
    return LimitTransformer(
        Alphabet(symbols),
        embedding,
        positions,
        (Layer.attention_only([Head(key_query, value, phi)], width),),
        np.eye(width)[-1:],
        ("value",),
        has_start=has_start,
        regime=IzzoFinite(4),
    )


def random_model(rng: np.random.Generator) -> LimitTransformer:
    """Types are told apart by one-hot vectors, so logits are whatever half-integers the matrix lists."""
    symbols, period, window = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
    width = symbols + period + 1
    positions = np.zeros((period, width))
    positions[:, symbols : symbols + period] = np.eye(period)
    matrix = rng.integers(-3, 4, (width, width)) / 2 * (rng.random((width, width)) < 0.4)
    phi = rng.integers(-2, 5, window + 1) / 2
    return one_layer(np.eye(symbols, width), positions, matrix, phi, has_start=False)


def last_output(model: LimitTransformer, tokens: Floats) -> float:
    return float(naive.outputs(model, tokens.astype(np.int64))[-1, 0])


# ------------------------------------------------------------------------------------------------ the law


def test_from_the_hardmax_length_on_finite_precision_is_hardmax_at_every_position() -> None:
    rng = np.random.default_rng(7)
    compared, different_before = 0, 0
    for _ in range(300):
        model = random_model(rng)
        bits = int(rng.integers(1, 4))
        start = hardmax_length(model, bits)
        if start > 200:
            continue
        symbols = len(model.alphabet)
        for length in (start, start + 1, 2 * start + 3):
            tokens = rng.integers(0, symbols, length)
            soft = naive.outputs(model.with_regime(IzzoFinite(bits)), tokens)
            hard = naive.outputs(model.with_regime(Hardmax()), tokens)
            np.testing.assert_allclose(soft, hard, rtol=0, atol=1e-12)
            compared += length > 3
        tokens = rng.integers(0, symbols, max(start // 2, 2))
        soft = naive.outputs(model.with_regime(IzzoFinite(bits)), tokens)
        different_before += bool(np.abs(soft - naive.outputs(model.with_regime(Hardmax()), tokens)).max() > 1e-3)
    assert compared > 300
    assert different_before > 50, "the law would say nothing if attention were a hardmax at all lengths"


def test_one_symbol_less_than_the_hardmax_length_may_be_too_short() -> None:
    model = one_layer(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros((2, 2)), np.array([0.5]))
    assert hardmax_length(model, 4) == 256
    for length, agrees in ((255, False), (256, True)):
        tokens = np.zeros(length)
        soft, hard = (last_output(model.with_regime(regime), tokens) for regime in (IzzoFinite(4), Hardmax()))
        assert (abs(soft - hard) < 1e-12) == agrees


def test_the_margin_is_the_least_difference_found_by_trying_all_words() -> None:
    rng = np.random.default_rng(3)
    finite = 0
    for _ in range(40):
        model = random_model(rng)
        head, period, symbols = model.layers[0].heads[0], model.period, len(model.alphabet)
        window = head.window
        # All pairs of keys of one query: near enough to see φ or not, at every residue.
        places = range(1, period + window + 2 + period)
        gaps = set()
        for query_place in places[-period:]:
            for query in range(symbols):
                logits = set()
                for place, key in product(range(1, query_place + 1), range(symbols)):
                    distance = query_place - place
                    left = model.embedding[key] + model.positions[place % period]
                    right = model.embedding[query] + model.positions[query_place % period]
                    phi = head.phi[distance] if distance < len(head.phi) else 0.0
                    logits.add(float(left @ head.key_query @ right + phi))
                gaps |= {abs(a - b) for a in logits for b in logits if abs(a - b) > 1e-9}
        assert logit_margin(model) <= min(gaps, default=math.inf)
        # The definition admits any symbol at distance 0, where only the query itself can stand.
        finite += logit_margin(model) == min(gaps, default=math.inf) < math.inf
    assert finite > 25


def test_a_key_one_place_before_a_query_has_the_residue_before() -> None:
    """Queries of residue 0 give keys of residue 0, 1, 2 the logits 0, 30, 10; φ[1] = 19.5 lifts residue 2 to 29.5."""
    positions = np.eye(3, 4)
    key_query = np.zeros((4, 4))
    key_query[1, 0], key_query[2, 0] = 30.0, 10.0
    model = one_layer(np.zeros((1, 4)), positions, key_query, np.array([0.0, 19.5]))
    assert logit_margin(model) == 0.5
    assert hardmax_length(model, 3) == 64


# ------------------------------------------------------------------------------------------ what was printed


def test_the_printed_margin_forgets_keys_beyond_the_window() -> None:
    """ERR-B1, first failure: one symbol, φ[0] = 0.1 and nothing else."""
    model = one_layer(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), np.zeros((2, 2)), np.array([0.1]))
    assert printed_logit_margin(model) == math.inf
    assert logit_margin(model) == 0.1
    # The printed margin promises a hardmax from length 1 on; at length 4 the other keys weigh 0.87 each.
    others = 4.0**-0.1
    assert others == pytest.approx(0.87, abs=0.001)
    # Make the last position's value visible: residue 0 has 1, the others 0.
    marked = one_layer(
        np.array([[0.0, 0.0]]), np.array([[1.0, 0.0], *[[0.0, 0.0]] * 3]), np.zeros((2, 2)), np.array([0.1])
    )
    assert printed_logit_margin(marked) == math.inf
    soft = last_output(marked.with_regime(IzzoFinite(10)), np.zeros(4))
    assert soft == pytest.approx(1 / (1 + 3 * others))
    assert last_output(marked.with_regime(Hardmax()), np.zeros(4)) == 1.0
    assert hardmax_exponent(marked, 10) == pytest.approx(100)


def test_the_printed_margin_forgets_keys_of_other_residues() -> None:
    """ERR-B1, second failure: content 1 for keys of residue 0 and 0 for residue 1, no φ."""
    key_query = np.zeros((3, 3))
    key_query[0, 1] = 1.0  # the key's first coordinate against the constant
    positions = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    model = one_layer(np.array([[0.0, 1.0, 0.0]]), positions, key_query, np.array([0.0]))
    assert printed_logit_margin(model) == math.inf
    assert logit_margin(model) == 1.0
    soft = last_output(model.with_regime(IzzoFinite(10)), np.zeros(3))
    hard = last_output(model.with_regime(Hardmax()), np.zeros(3))
    assert hard == 1.0
    assert soft == pytest.approx(3 / 5), "two keys of weight 1 against one of weight 3"


def test_the_positional_margin_is_defined_when_every_phi_is_one() -> None:
    """ERR-B6: the printed set is {1} then; weights still hold a term i^0, so the gap is 1."""
    model = one_layer(np.eye(2, 3), np.zeros((1, 3)), np.zeros((3, 3)), np.ones(3))
    assert printed_positional_margin(model) is None
    assert positional_margin(model) == 1.0


@pytest.mark.parametrize(
    ("phi", "margin"),
    [
        ([0.0], 1.0),
        ([0.0, 3.0], 2.0),
        ([0.25, 0.5], 0.5),
        ([1.0, 1.5, 1.5], 0.5),
        ([-4.0, -2.0], 1.0),
        ([1.0, 0.9], 0.1),
    ],
)
def test_the_positional_margin_is_the_gap_below_the_largest_exponent(phi: list[float], margin: float) -> None:
    model = one_layer(np.eye(2, 3), np.zeros((1, 3)), np.zeros((3, 3)), np.array(phi))
    assert positional_margin(model) == pytest.approx(margin, rel=1e-12)


def test_the_positional_margin_is_that_of_the_worst_head_in_the_first_layer() -> None:
    heads = [Head(np.zeros((3, 3)), np.zeros((3, 3)), np.array([0.0, phi])) for phi in (4.0, 1.5, 3.0)]
    model = one_layer(np.eye(2, 3), np.zeros((1, 3)), np.zeros((3, 3)), np.zeros(1))
    layers = (Layer.attention_only(heads, 3), Layer.attention_only([], 3))
    deep = LimitTransformer(model.alphabet, model.embedding, model.positions, layers, np.eye(3)[:1], ("value",))
    assert positional_margin(deep) == 0.5
    with pytest.raises(ModelError, match="one-layer model, and this one has 2 layers"):
        logit_margin(deep)


# ------------------------------------------------------------------------------------------------ numbers


def test_decimal_weights_that_are_meant_to_be_equal_are() -> None:
    key_query = np.zeros((3, 3))
    key_query[0, :2], key_query[1, :2] = 0.1 + 0.2, 0.3
    assert logit_margin(one_layer(np.eye(2, 3), np.zeros((1, 3)), key_query, np.zeros(1))) == math.inf


def test_lengths_that_are_no_powers_of_two_are_rounded_up() -> None:
    model = one_layer(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), np.zeros((2, 2)), np.array([3.0]))
    assert [hardmax_length(model, bits) for bits in (0, 1, 2, 3, 4, 5)] == [1, 2, 2, 2, 3, 4]
    # ⌈2^(1000/3)⌉ is the integer whose cube lies just above 2^1000.
    length = hardmax_length(model, 1000)
    assert (length - 1) ** 3 < 2**1000 <= length**3


def test_a_length_too_long_to_write_out_is_given_by_its_logarithm() -> None:
    tiny = float(Fraction(1, 2**30))
    model = one_layer(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), np.zeros((2, 2)), np.array([tiny]))
    assert hardmax_exponent(model, 4) == 2.0**32
    with pytest.raises(ModelError, match=r"2\^4\.29497e\+09, too long to write out"):
        hardmax_length(model, 4)


def test_the_precision_is_that_of_the_regime_or_has_to_be_said() -> None:
    model = one_layer(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), np.zeros((2, 2)), np.array([1.0]))
    assert hardmax_length(model) == 16
    with pytest.raises(ModelError, match="say for how many bits"):
        hardmax_length(model.with_regime(Huang(4)))


def test_a_start_symbol_counts_only_where_it_can_stand() -> None:
    # Logit 5 between the start symbol and residue 0, where it never is; everything else is 0.
    embedding = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    positions = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    key_query = np.zeros((4, 4))
    key_query[2, 1] = 5.0  # queried by the start symbol alone, whose only key is itself
    model = one_layer(embedding, positions, key_query, np.zeros(1), has_start=True)
    assert logit_margin(model) == math.inf
