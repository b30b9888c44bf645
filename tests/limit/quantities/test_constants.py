"""The constants of the theorems bound what models do, and refuse models that the theorems do not cover."""

import re
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.limit import Hardmax, Head, Huang, IzzoFinite, IzzoInfinite, Layer, LimitTransformer, ModelError, Regime
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.quantities.constants import one_layer_constants, two_layer_constants

Ids = npt.NDArray[np.int64]
ROUNDING = 1 + 1e-9


def relu_layer(rng: np.random.Generator, heads: list[Head], width: int, size: float) -> Layer:
    units = int(rng.integers(0, 4))
    hidden, output = size * rng.normal(size=(units, width)), size * rng.normal(size=(width, units))
    return Layer(tuple(heads), hidden, size * rng.normal(size=units), output, np.zeros(units, dtype=bool))


def random_one_layer(rng: np.random.Generator) -> LimitTransformer:
    symbols, period, width = rng.integers(1, 4, 3)
    size = 10.0 ** rng.uniform(-1, 0.5)
    head = Head(rng.normal(size=(width, width)), size * rng.normal(size=(width, width)), rng.normal(size=2))
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])),
        rng.normal(size=(symbols, width)),
        rng.normal(size=(period, width)),
        (relu_layer(rng, [head], width, size),),
        rng.normal(size=(2, width)),
        ("x", "y"),
    )


def random_two_layer(rng: np.random.Generator) -> LimitTransformer:
    """Layer 2 is a head without φ; layer 1 has 1 or 2 heads with φ >= 0, often equal to each other or to 1."""
    symbols, width, window = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
    size = 10.0 ** rng.uniform(-1.5, 0.3)
    heads = [
        Head(
            size * rng.normal(size=(width, width)),
            rng.normal(size=(width, width)),
            rng.choice([0.0, 0.5, 1.0, 1.0, 1.5, 2.0], window + 1),
        )
        for _ in range(rng.integers(1, 3))
    ]
    embedding = rng.normal(size=(symbols, width))
    embedding /= np.maximum(np.linalg.norm(embedding, axis=1, keepdims=True), 1.0)
    second = Layer.attention_only([Head(rng.normal(size=(width, width)), rng.normal(size=(width, width)))], width)
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])),
        embedding,
        np.zeros((1, width)),
        (relu_layer(rng, heads, width, size), second),
        rng.normal(size=(1, width)),
        ("x",),
        regime=IzzoInfinite(),
    )


# ---------------------------------------------------------------------------------------------- one layer


def test_no_output_of_a_one_layer_model_exceeds_its_bound() -> None:
    rng = np.random.default_rng(11)
    worst = 0.0
    regimes: list[Regime] = [Huang(6), IzzoFinite(4), IzzoInfinite(), Hardmax()]
    for turn in range(400):
        model = random_one_layer(rng).with_regime(regimes[turn % 4])
        bound = one_layer_constants(model).largest_output
        found = naive.outputs(model, rng.integers(0, len(model.alphabet), int(rng.integers(1, 30))))
        worst = max(worst, float(np.linalg.norm(found, axis=1).max()) / bound)
    assert 0.7 < worst <= ROUNDING


def test_the_printed_bound_on_outputs_is_exceeded_tenfold() -> None:
    """ERR-B2: A = 0, B = 10, b = 1 and no other input."""
    zero, one = np.zeros((1, 1)), np.ones((1, 1))
    layer = Layer((Head(zero, zero),), zero, np.ones(1), 10 * one, np.zeros(1, dtype=bool))
    model = LimitTransformer(Alphabet(("a",)), zero, zero, (layer,), one, ("x",))
    constants = one_layer_constants(model)
    assert naive.outputs(model, np.zeros(3, dtype=np.int64)).tolist() == [[10.0]] * 3
    assert constants.printed_sensitivity == 1.0, "the printed M_f is the same expression"
    assert constants.largest_output == 10.0


def attention_shares(model: LimitTransformer, tokens: Ids) -> tuple[Floats, Floats]:
    """The weights of the last query summed by type, and what the model says there."""
    length, head = len(tokens), model.layers[0].heads[0]
    shares = np.zeros((len(model.alphabet), model.period))
    stream = model.embedding[tokens] + model.positions[np.arange(1, length + 1) % model.period]
    logits = [
        float(stream[place] @ head.key_query @ stream[-1])
        + np.log(length) * (head.phi[length - 1 - place] if length - 1 - place < len(head.phi) else 0.0)
        for place in range(length)
    ]
    weights = np.exp(np.array(logits) - max(logits))
    for place, weight in enumerate(weights / weights.sum()):
        shares[tokens[place], (place + 1) % model.period] += weight
    return shares, naive.outputs(model, tokens)[-1]


def test_outputs_move_with_attention_at_most_at_the_stated_speed() -> None:
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(300):
        model = random_one_layer(rng).with_regime(IzzoInfinite())
        constants = one_layer_constants(model)
        length = int(rng.integers(2, 12))
        first, second = rng.integers(0, len(model.alphabet), (2, length))
        second = np.concatenate([rng.integers(0, len(model.alphabet), model.period * rng.integers(0, 3)), second])
        second[-1] = first[-1]
        (shares, output), (other_shares, other_output) = (attention_shares(model, each) for each in (first, second))
        moved = float(np.abs(shares - other_shares).sum())
        allowed = constants.attention_sensitivity * moved
        difference = float(np.linalg.norm(output - other_output))
        assert difference <= allowed * ROUNDING + 1e-12
        if moved > 1e-3:
            worst = max(worst, difference / allowed)
    assert worst > 0.7


# --------------------------------------------------------------------------------------------- two layers


def first_layer(model: LimitTransformer, window: Ids, histogram: Floats, position: int) -> Floats:
    """The output q(w, μ, i) of layer 1, from the definition of its weights; `window` ends with the query's symbol."""
    layer, symbols = model.layers[0], model.embedding
    query = symbols[window[-1]]
    total = query.copy()
    for head in layer.heads:
        content = np.exp(symbols @ head.key_query @ query)
        weights = position * histogram * content
        for distance, symbol in enumerate(window[::-1]):
            phi = head.phi[distance] if distance < len(head.phi) else 0.0
            weights[symbol] += (float(position) ** phi - 1) * content[symbol]
        total = total + head.value @ (weights @ symbols) / weights.sum()
    return np.asarray(total + layer.output @ np.maximum(layer.hidden @ total + layer.bias, 0.0))


def test_the_first_layer_is_a_function_of_window_histogram_and_position() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        model = random_two_layer(rng)
        tokens = rng.integers(0, len(model.alphabet), 20)
        histogram = np.bincount(tokens, minlength=len(model.alphabet)) / 20
        expected = naive.residual_streams(model, tokens)[1][-1]
        window = tokens[20 - model.window - 1 :]
        np.testing.assert_allclose(first_layer(model, window, histogram, 20), expected, rtol=0, atol=1e-10)


def test_the_first_layer_is_bounded_and_moves_as_slowly_as_its_constants_say() -> None:
    rng = np.random.default_rng(13)
    worst = {"size": 0.0, "histogram": 0.0, "length": 0.0}
    for _ in range(800):
        model = random_two_layer(rng)
        constants = two_layer_constants(model)
        symbols, window = len(model.alphabet), max(head.window for head in model.layers[0].heads)
        word = rng.integers(0, symbols, window + 1)
        histogram, other = rng.dirichlet(np.full(symbols, 0.5), 2)
        early, late = np.sort(window + 1 + np.floor(10.0 ** rng.uniform(0, 4, 2)).astype(int))
        here = first_layer(model, word, histogram, int(early))
        worst["size"] = max(worst["size"], float(np.linalg.norm(here)) / constants.largest_activation)
        moved = float(np.linalg.norm(histogram - other))
        if moved > 1e-6:
            speed = float(np.linalg.norm(here - first_layer(model, word, other, int(early)))) / moved
            worst["histogram"] = max(worst["histogram"], speed / constants.histogram_sensitivity)
        drift = float(np.linalg.norm(here - first_layer(model, word, histogram, int(late))))
        promised = constants.length_sensitivity * float(early) ** -constants.positional_margin
        worst["length"] = max(worst["length"], drift / promised)
    assert 0.5 < worst["size"] <= ROUNDING
    assert 0.1 < worst["histogram"] <= ROUNDING
    assert 0.03 < worst["length"] <= ROUNDING


def test_with_every_phi_equal_to_one_the_first_layer_settles_like_one_over_the_position() -> None:
    """ERR-B6: the rate 1 is the true one, neither infinite nor smaller."""
    head = Head(np.zeros((2, 2)), np.eye(2), np.ones(2))
    layers = (Layer.attention_only([head], 2), Layer.attention_only([Head(np.zeros((2, 2)), np.zeros((2, 2)))], 2))
    model = LimitTransformer(
        Alphabet(("a", "b")), np.eye(2), np.zeros((1, 2)), layers, np.eye(2), ("x", "y"), regime=IzzoInfinite()
    )
    word, histogram = np.array([0, 0]), np.array([0.25, 0.75])
    limit = first_layer(model, word, histogram, 10**9)
    drift = [
        place * float(np.linalg.norm(first_layer(model, word, histogram, place) - limit))
        for place in (100, 1000, 10_000)
    ]
    assert drift[0] == pytest.approx(drift[1], rel=0.05)
    assert drift[1] == pytest.approx(drift[2], rel=0.05)
    assert drift[0] > 0.1
    assert two_layer_constants(model).positional_margin == 1.0


# --------------------------------------------------------------------------------------------- refusals


def test_models_outside_the_hypotheses_are_refused_with_a_reason() -> None:
    rng = np.random.default_rng(1)
    one, two = random_one_layer(rng), random_two_layer(rng)
    width = two.width
    step = Layer((), np.zeros((1, width)), np.zeros(1), np.zeros((width, 1)), np.ones(1, dtype=bool))
    first, second = two.layers
    negative = Head(np.zeros((width, width)), np.zeros((width, width)), np.array([-1.0]))
    local = Head(np.zeros((width, width)), np.zeros((width, width)), np.array([1.0]))
    refused_as_one = {
        "this model has 2": replace(two),
        "Heaviside units are not Lipschitz": replace(two, layers=(step,)),
        "proved for one head, and this model has 2": replace(two, layers=(replace(first, heads=first.heads[:1] * 2),)),
    }
    refused_as_two = {
        "this model has 1": one,
        "Heaviside units are not Lipschitz": replace(two, layers=(first, step)),
        "the regime izzo_infinite, and this model's is hardmax": two.with_regime(Hardmax()),
        "without positional encodings, and this model has some (p ≠ 0)": replace(two, positions=np.ones((1, width))),
        "norm at most 1, and the largest is": replace(two, embedding=9 * two.embedding),
        "φ >= 0, and a head of layer 1": replace(two, layers=(Layer.attention_only([negative], width), second)),
        "one head in layer 2": replace(two, layers=(first, Layer.attention_only([local, local], width))),
        "a second layer without φ": replace(two, layers=(first, Layer.attention_only([local], width))),
    }
    for reason, model in refused_as_one.items():
        with pytest.raises(ModelError, match=re.escape(reason)):
            one_layer_constants(model)
    for reason, model in refused_as_two.items():
        with pytest.raises(ModelError, match=re.escape(reason)):
            two_layer_constants(model)


def test_a_first_layer_with_huge_logits_has_infinite_constants_and_no_overflow() -> None:
    two = random_two_layer(np.random.default_rng(1))
    head = Head(1000 * np.eye(two.width), np.eye(two.width))
    constants = two_layer_constants(replace(two, layers=(Layer.attention_only([head], two.width), two.layers[1])))
    assert constants.length_sensitivity == np.inf
    assert constants.largest_activation == 2.0
