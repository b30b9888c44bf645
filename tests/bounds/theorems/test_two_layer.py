"""Theorem 5.2: every step of its chain on random models, the printed steps that fail, and measured errors.

The bound itself exceeds every measured error by many orders of magnitude, so that comparing the two shows nothing. What
is tested is the chain with *measured* errors of the sampled averages in place of Lemma 5.3's.
"""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.theorems.subsample import kept_range, log_size_share, log_slope_share, log_sum, subsample
from lengthwise.bounds.theorems.two_layer import best_stand_in, log_printed_complexity, measured_slope, two_layer
from lengthwise.bounds.theorems.two_layer_chain import Sizes, subsample_errors
from lengthwise.errors import LengthwiseError
from lengthwise.limit import Hardmax, Head, IzzoInfinite, Layer, LimitTransformer, ModelError
from lengthwise.limit.constructions import k_gram
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.evaluate import last_output
from lengthwise.limit.quantities.constants import two_layer_constants
from tests.limit.quantities.test_constants import random_two_layer, relu_layer

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ROUNDING = 1 + 1e-9


def mild_two_layer(rng: np.random.Generator) -> LimitTransformer:
    """Two layers with small weights, for which the chain is not astronomic."""
    symbols, width, window = int(rng.integers(2, 4)), int(rng.integers(1, 4)), int(rng.integers(0, 4))

    def matrix(size: float) -> Floats:
        drawn = rng.normal(size=(width, width))
        return np.asarray(size * drawn / np.linalg.norm(drawn, 2))

    heads = [
        Head(
            matrix(float(10.0 ** rng.uniform(-2, 0))),
            matrix(float(10.0 ** rng.uniform(-1, 0.5))),
            rng.choice([0.0, 0.5, 1.0, 1.5, 2.0, 3.0], window + 1),
        )
        for _ in range(rng.integers(1, 3))
    ]
    size = float(10.0 ** rng.uniform(-1.5, 0))
    second = relu_layer(rng, [Head(matrix(float(rng.choice([0.0, 0.01, 0.3]))), matrix(1.0))], width, size)
    embedding = rng.normal(size=(symbols, width))
    embedding /= np.linalg.norm(embedding, axis=1, keepdims=True)
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])),
        embedding,
        np.zeros((1, width)),
        (relu_layer(rng, heads, width, size), second),
        rng.normal(size=(1, width)),
        ("x",),
        regime=IzzoInfinite(),
    )


def first_layer(model: LimitTransformer, word: Ids, at: Floats | None = None) -> Floats:
    """Layer 1 as a function q(window, histogram, i) at every position, with i from `at` in place of the position."""
    places = np.arange(1.0, len(word) + 1)
    index = places if at is None else at
    symbols, layer = model.embedding, model.layers[0]
    histograms = np.cumsum(np.eye(len(symbols))[word], axis=0) / places[:, None]
    total = symbols[word].copy()
    for head in layer.heads:
        content = np.exp(symbols @ head.key_query @ symbols.T)[:, word].T
        weights = index[:, None] * histograms * content
        for distance in range(min(len(head.phi), len(word))):
            queries = np.arange(distance, len(word))
            keys = word[queries - distance]
            weights[queries, keys] += (index[queries] ** head.phi[distance] - 1) * content[queries, keys]
        total = total + weights @ symbols @ head.value.T / weights.sum(axis=1, keepdims=True)
    return np.asarray(total + np.maximum(total @ layer.hidden.T + layer.bias, 0.0) @ layer.output.T)


def sample_means(model: LimitTransformer, word: Ids, limit: float, query: Floats) -> tuple[Floats, float, Floats]:
    """The averages of Lemma 5.3: of e_x, p1 and p2 over the positions of a word, with i = `limit` everywhere."""
    stream = first_layer(model, word, np.full(len(word), limit))
    weight = np.exp(stream @ model.layers[1].heads[0].key_query @ query)
    histogram = np.bincount(word, minlength=len(model.embedding)) / len(word)
    return histogram, float(weight.mean()), np.asarray((weight[:, None] * stream).mean(axis=0))


def scales(sizes: Sizes) -> tuple[float, float]:
    """s1 = e0 max(1, k2 G L) and s2 = e0 max(G, L(1 + k2 G²))."""
    e0, size, slope = math.exp(sizes.log_weight), sizes.activation, math.exp(sizes.log_slope)
    return (
        e0 * max(1.0, sizes.logits * size * slope),
        e0 * max(size, slope * (1 + sizes.logits * size**2)),
    )


# ----------------------------------------------------------------------------------------------- the chain


def test_the_first_layer_of_these_tests_is_that_of_the_forward_pass() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        model = mild_two_layer(rng)
        word = rng.integers(0, len(model.alphabet), int(rng.integers(1, 30)))
        np.testing.assert_allclose(first_layer(model, word), naive.residual_streams(model, word)[1], atol=1e-10)


@pytest.mark.parametrize("cases", [100, pytest.param(1500, marks=pytest.mark.slow)])
def test_each_step_from_sampled_averages_to_the_output_holds(cases: int) -> None:
    """With the measured error of the averages, e_Q, e1, e2 and the output stay below what the chain allows."""
    rng = np.random.default_rng(1)
    worst = dict.fromkeys(("query", "denominator", "numerator", "output"), 0.0)
    for _ in range(cases):
        model = mild_two_layer(rng)
        sizes, window, symbols = Sizes.of(model), model.window, len(model.alphabet)
        n = int(rng.integers(8, 60))
        length = n * int(rng.integers(2, 6))
        word = rng.integers(0, symbols, length)
        if rng.random() < 0.5:
            word = np.sort(word)
        short = word[subsample(length, n, window, rng)]
        streams = [first_layer(model, each) for each in (word, short)]
        query = streams[0][-1]
        (h1, a1, b1), (h2, a2, b2) = (sample_means(model, each, float(length), query) for each in (word, short))
        one, two = scales(sizes)
        sample = max(float(np.linalg.norm(h1 - h2)), abs(a1 - a2) / one, float(np.linalg.norm(b1 - b2)) / two)
        key_query = model.layers[1].heads[0].key_query
        weights = [np.exp(stream @ key_query @ stream[-1]) for stream in streams]
        values = [(w[:, None] * stream).mean(axis=0) for w, stream in zip(weights, streams, strict=True)]
        outputs = [naive.outputs(model, each)[-1] for each in (word, short)]
        found = {
            "query": float(np.linalg.norm(streams[0][-1] - streams[1][-1])),
            "denominator": abs(float(weights[0].mean() - weights[1].mean())),
            "numerator": float(np.linalg.norm(values[0] - values[1])),
            "output": float(np.linalg.norm(outputs[0] - outputs[1])),
        }
        log_sample = math.log(sample) if sample else -math.inf
        allowed = subsample_errors(sizes, log_sample, math.log(len(short)), math.log(length), window)
        for name, error in found.items():
            ratio = math.exp(math.log(error) - getattr(allowed, name)) if error > 1e-12 else 0.0
            assert ratio <= ROUNDING, name
            worst[name] = max(worst[name], ratio)
    assert worst["query"] > (0.3 if cases > 1000 else 0.05)
    assert worst["output"] > (0.1 if cases > 1000 else 0.005), "the chain is loose by 8, not by orders of magnitude"


@pytest.mark.parametrize("cases", [100, pytest.param(1500, marks=pytest.mark.slow)])
def test_weights_and_weighted_values_are_bounded_and_lipschitz_with_the_scales_of_the_chain(cases: int) -> None:
    """ERR-E4: s1 bounds p1 and its slope in the histogram, s2 those of p2."""
    rng = np.random.default_rng(2)
    worst = [0.0, 0.0]
    for _ in range(cases):
        model = mild_two_layer(rng)
        sizes, symbols, window = Sizes.of(model), len(model.alphabet), model.window
        # Two words of one length with equal ends: the windows agree, the histograms do not.
        first, second = rng.integers(0, symbols, (2, 30))
        second[29 - window :] = first[29 - window :]
        at = np.full(30, float(10.0 ** rng.uniform(1.5, 4)))
        query = first_layer(model, first)[-1]
        ones, twos = [], []
        for word in (first, second):
            stream = first_layer(model, word, at)[-1]
            weight = float(np.exp(stream @ model.layers[1].heads[0].key_query @ query))
            ones.append(weight)
            twos.append(weight * stream)
        moved = float(np.linalg.norm(np.bincount(first, minlength=3) - np.bincount(second, minlength=3))) / 30
        for number, (pair, scale) in enumerate(zip((ones, twos), scales(sizes), strict=True)):
            worst[number] = max(worst[number], float(np.linalg.norm(pair[0])) / scale)
            if moved:
                worst[number] = max(worst[number], float(np.linalg.norm(np.subtract(*pair))) / moved / scale)
    assert max(worst) <= ROUNDING
    assert min(worst) > 0.3


def test_positions_settle_on_average_as_fast_as_the_chain_says() -> None:
    for margin in (0.05, 0.2, 1 / 3, 0.5, 1.0, 2.0):
        powers = np.arange(1.0, 100_001) ** -margin
        means = np.cumsum(powers) / np.arange(1, 100_001)
        allowed = 1.5 * np.arange(1.0, 100_001) ** -min(margin, 1 / 3)
        assert (means <= allowed * ROUNDING).all()


def late_switch(window: int, value: float) -> LimitTransformer:
    """A symbol b attends to an a at the start while the position is small, later to itself; their values are ±value."""
    embedding = np.array([[1.0, 0.0], [-1.0, 0.0]])
    phi = np.zeros(window + 1)
    phi[0], phi[-1] = 3.0, 1e-9
    head = Head(np.array([[-10.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [value, 0.0]]), phi)
    silent = Head(np.zeros((2, 2)), np.eye(2))
    layers = (Layer.attention_only([head], 2), Layer.attention_only([silent], 2))
    return LimitTransformer(
        Alphabet(("a", "b")), embedding, np.zeros((1, 2)), layers, np.eye(2), ("x", "y"), regime=IzzoInfinite()
    )


def test_the_first_positions_cost_up_to_two_weighted_values_each() -> None:
    """The notes charge 2(τ+1) e0 G/n_z for the first τ positions of x and z; 2τ e0 G (1/|x| + 1/|z|) can be needed.

    Word abbb…: layer 1 at the positions 2..τ is about +v, and q(w, μ, T) there about -v.
    """
    window, value, n = 40, 1000.0, 5 * 10**8
    model = late_switch(window, value)
    sizes = Sizes.of(model)
    word = np.ones(window, dtype=np.int64)
    word[0] = 0
    length = 2.0 * n
    moved = np.linalg.norm(first_layer(model, word) - first_layer(model, word, np.full(window, length)), axis=1)
    cost = float(moved.sum()) * (1 / length + 1 / n)  # k2 = 0, so all weights are 1, and z has n symbols
    shortest = n - kept_range(n, window)
    assert cost > 2 * (window + 1) * sizes.activation / shortest
    assert cost <= 2 * (window + 1) * sizes.activation * (1 / length + 1 / shortest)


def test_positions_within_the_window_do_not_settle_at_the_stated_rate() -> None:
    """ERR-B8: φ = (0.9, 0, 0, 0, 0, 10). Up to position 5 the offset with φ = 10 does not exist: γ = 9 is no rate."""
    base = late_switch(5, 1.0)
    head = Head(np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.9, 0, 0, 0, 0, 10.0]))
    model = replace(base, layers=(Layer.attention_only([head], 2), base.layers[1]))
    constants = two_layer_constants(model)
    word = np.array([0, 1, 1, 1, 1, 1, 0, 1])
    drift = np.linalg.norm(first_layer(model, word) - first_layer(model, word, np.full(8, 1e6)), axis=1)
    promised = constants.length_sensitivity * np.arange(1.0, 9) ** -constants.positional_margin
    assert constants.positional_margin == 9.0
    assert drift[4] > 500 * promised[4]
    assert (drift[6:] <= promised[6:]).all()


# ------------------------------------------------------------------------------------------ what is printed


def without_logits(factor: float = 1.0) -> LimitTransformer:
    """k2 = 0: layer 2 averages uniformly what an MLP of norm `factor` in layer 1 makes of the symbols."""
    width = 2
    one = np.array([[1.0, 0.0]])
    mlp = Layer(
        (Head(np.zeros((width, width)), 0.1 * np.eye(width)),),
        one,
        np.zeros(1),
        factor * one.T,
        np.zeros(1, dtype=bool),
    )
    mean = Layer.attention_only([Head(np.zeros((width, width)), np.eye(width))], width)
    return LimitTransformer(
        Alphabet(("a", "b")), np.eye(2), np.zeros((1, 2)), (mlp, mean), np.eye(2), ("x", "y"), regime=IzzoInfinite()
    )


def test_without_logits_in_layer_two_the_printed_constants_vanish_and_the_error_does_not() -> None:
    """ERR-E4: printed M_f = e0 k2 G² L is 0 for k2 = 0, though p1 = 1; the printed error has the same factor."""
    model, rng = without_logits(), np.random.default_rng(3)
    sizes = Sizes.of(model)
    printed = math.exp(sizes.log_weight) * sizes.logits * sizes.activation**2 * math.exp(sizes.log_slope)
    assert printed == 0.0
    assert scales(sizes)[0] == 1.0
    word = np.arange(4000) // 2000
    short = word[subsample(4000, 100, 0, rng)]
    assert float(np.linalg.norm(last_output(model, word) - last_output(model, short))) > 0.01


def test_without_logits_in_layer_two_the_printed_complexity_does_not_know_the_first_mlp() -> None:
    """ERR-E4: C(f) loses β1 when k2 = 0. The error grows with the MLP, so no constant can repair it."""
    rng = np.random.default_rng(4)
    word = np.arange(4000) // 2000
    short = word[subsample(4000, 100, 0, rng)]
    errors, printed, ours = [], [], []
    for factor in (1.0, 1e3, 1e6):
        model = without_logits(factor)
        errors.append(float(np.linalg.norm(last_output(model, word) - last_output(model, short))))
        printed.append(log_printed_complexity(model, 1.0))
        ours.append(two_layer(model, model, 0.1).terms["log10_complexity_f"])
    assert printed[0] == printed[1] == printed[2]
    assert errors[2] > 1e5 * errors[0]
    assert ours[2] > ours[0] + 5


def test_printed_constants_of_the_first_layer_that_are_exceeded() -> None:
    """ERR-B5: H_f as printed lacks ||V||, G_f as printed lacks the bias."""
    base = late_switch(1, 1000.0)
    head = Head(np.zeros((2, 2)), np.array([[0.0, 0.0], [1000.0, 0.0]]), np.array([0.0, 2.0]))
    model = replace(base, layers=(Layer.attention_only([head], 2), base.layers[1]))
    constants, word = two_layer_constants(model), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    drift = np.linalg.norm(first_layer(model, word) - first_layer(model, word, np.full(8, 1e9)), axis=1)[-1]
    printed = (model.window**2 + 1) * 8.0**-constants.positional_margin
    assert drift > 50 * printed
    assert drift <= constants.length_sensitivity * 8.0**-constants.positional_margin
    biased = Layer(
        (Head(np.zeros((2, 2)), np.zeros((2, 2))),),
        np.zeros((1, 2)),
        np.full(1, 9.0),
        np.ones((2, 1)),
        np.zeros(1, bool),
    )
    model = replace(base, layers=(biased, base.layers[1]))
    size = float(np.linalg.norm(first_layer(model, word), axis=1).max())
    assert size > 10 * 1.0, "β1 (1 + Σ v) = 1 as printed"
    assert size <= two_layer_constants(model).largest_activation


def test_where_every_phi_is_one_the_printed_bound_is_undefined_and_ours_is_not() -> None:
    """ERR-B6."""
    base = late_switch(1, 1.0)
    head = Head(np.zeros((2, 2)), np.eye(2), np.ones(2))
    model = replace(base, layers=(Layer.attention_only([head], 2), base.layers[1]))
    bound = two_layer(model, model, 0.1)
    assert bound.printed == ()
    assert "ERR-B6" in bound.assumptions[-1]
    assert math.isfinite(bound.log10)


def test_subsampling_destroys_residues_so_positional_encodings_are_refused() -> None:
    """ERR-B7: the share of a's at even positions, on abab…; no n makes the error small, since every run shifts them."""
    width = 3
    corner = np.array([[1.0, 0.0, 1.0]])
    both = Layer(
        (Head(np.zeros((width, width)), np.zeros((width, width))),),
        corner,
        np.full(1, -1.0),
        np.array([[0.0], [1.0], [0.0]]),
        np.zeros(1, dtype=bool),
    )
    average = Layer.attention_only([Head(np.zeros((width, width)), np.eye(width))], width)
    model = LimitTransformer(
        Alphabet(("a", "b")),
        np.array([[1.0, 0, 0], [0, 0, 0]]),
        np.array([[0, 0, 1.0], [0, 0, 0]]),
        (both, average),
        np.array([[0.0, 1.0, 0.0]]),
        ("x",),
        regime=IzzoInfinite(),
    )
    word = np.arange(40_000) % 2
    wanted, rng = last_output(model, word), np.random.default_rng(5)
    for n in (100, 1000, 10_000):
        errors = [abs(float((last_output(model, word[subsample(40_000, n, 0, rng)]) - wanted)[0])) for _ in range(20)]
        assert np.mean(errors) > 0.2
    with pytest.raises(ModelError, match="without positional encodings"):
        two_layer(model, model, 0.1)


# ------------------------------------------------------------------------------------------------- the bound


def test_at_the_stated_length_the_errors_add_up_to_epsilon_and_not_before() -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        f = mild_two_layer(rng)
        g = next(model for model in iter(lambda: mild_two_layer(rng), None) if len(model.alphabet) == len(f.alphabet))
        epsilon = float(10.0 ** rng.uniform(-3, 0))
        bound = two_layer(f, g, epsilon)
        window = max(f.window, g.window)
        totals = []
        for log_n in (bound.terms["log10_n"] * math.log(10) + shift for shift in (1e-9, -0.1)):
            n_z = log_n + math.log1p(-2 * math.exp(-log_n / 3) - (window + 1) * math.exp(-log_n))
            sample = math.log(3 * math.sqrt(5)) + log_sum(log_size_share(log_n, window), log_slope_share(log_n, window))
            errors = [
                subsample_errors(Sizes.of(model), sample, n_z, log_n + math.log(2), window).output for model in (f, g)
            ]
            totals.append(math.exp(log_sum(*errors)))
        assert totals[0] <= epsilon * (1 + 1e-6) < totals[1] * (1 + 2e-6)
        assert bound.log10 == pytest.approx(bound.terms["log10_n"] + math.log10(2), abs=1e-6)


def test_the_bound_grows_with_the_stated_power_of_one_over_epsilon() -> None:
    for model, power in ((k_gram(1, "ab", 2.0, 2.0).model, 3.0), (k_gram(1, "ab", 2.0, 1.2).model, 5.0)):
        rough, fine = (two_layer(model, model, epsilon) for epsilon in (1e-60, 1e-80))
        assert (fine.log10 - rough.log10) / 20 == pytest.approx(power, rel=0.01)
        assert (fine.printed[0].log10 - rough.printed[0].log10) / 20 == pytest.approx(power, rel=1e-6)
        assert not fine.printed[0].explicit


def test_a_model_with_little_attention_has_a_bound_that_can_be_written_down() -> None:
    base = without_logits()
    nothing = Layer.attention_only([], 2)
    quiet = Layer.attention_only([Head(np.zeros((2, 2)), 0.1 * np.eye(2))], 2)
    model = replace(base, layers=(nothing, quiet))
    bound = two_layer(model, model, 0.5)
    assert isinstance(bound.value, int)
    assert 10**3 < bound.value < 10**8
    mute = replace(model, unembedding=np.zeros((2, 2)))
    silent = two_layer(mute, mute, 0.5)
    assert isinstance(silent.value, int)
    assert silent.value < 100


def test_logarithms_of_the_constants_are_those_of_the_constants() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        model = random_two_layer(rng)
        constants, sizes = two_layer_constants(model), Sizes.of(model)
        assert math.exp(sizes.log_slope) == pytest.approx(constants.histogram_sensitivity)
        assert math.exp(sizes.log_drift) == pytest.approx(constants.length_sensitivity)
    layer = Layer.attention_only([Head(1000 * np.eye(2), np.eye(2))], 2)
    huge = replace(without_logits(), layers=(layer, layer))
    assert two_layer_constants(huge).histogram_sensitivity == math.inf
    assert 1e3 < two_layer(huge, huge, 0.1).log10 < 1e5


# ------------------------------------------------------------------------------------------- measured errors


def test_more_tries_find_a_better_stand_in() -> None:
    model, other = k_gram(1, "ab", 2.0, 2.0).model, k_gram(1, "ab", 1.0, 3.0).model
    word = np.random.default_rng(8).integers(0, 2, 400)
    found = [best_stand_in(model, other, word, 40, tries, np.random.default_rng(9)) for tries in (1, 10, 50)]
    sums = [sum(each.errors) for each in found]
    assert sums[2] <= sums[1] < sums[0]
    for each in found:
        np.testing.assert_array_equal(each.tokens, word[each.places])
        np.testing.assert_array_equal(each.tokens[-2:], word[-2:])
        assert abs(len(each.tokens) - 40) <= kept_range(40, 1)
        for error, one in zip(each.errors, (model, other), strict=True):
            wanted = np.linalg.norm(naive.outputs(one, word)[-1] - naive.outputs(one, each.tokens)[-1])
            assert error == pytest.approx(float(wanted), abs=1e-10)


def test_a_word_that_is_short_already_stands_in_for_itself() -> None:
    model = k_gram(1, "ab", 2.0, 2.0).model
    found = best_stand_in(model, model, "abba", 1000, 1, np.random.default_rng(0))
    assert found.tokens.tolist() == [0, 1, 1, 0]
    assert found.errors == (0.0, 0.0)


def block_word(symbols: int, length: int, blocks: int) -> Ids:
    return np.arange(length) * blocks // length % symbols


def test_the_slope_and_its_interval_are_those_of_the_errors() -> None:
    model = k_gram(1, "ab", 1.0, 2.0).model
    lengths = (20, 80, 320)
    found = measured_slope(model, [block_word(2, 2000, 2), block_word(2, 1500, 3)], lengths, samples=10, seed=1)
    assert found.slope == pytest.approx(np.polyfit(np.log(lengths), np.log(found.errors), 1)[0])
    assert found.low < found.slope < found.high < 0
    assert found == measured_slope(model, [block_word(2, 2000, 2), block_word(2, 1500, 3)], lengths, samples=10, seed=1)


@pytest.mark.slow
def test_the_rate_is_attained_on_blocks_and_exceeded_on_independent_symbols() -> None:
    """Slopes of k-gram estimators in log n: about -1/3 on two blocks and about -1/2 on independent symbols."""
    lengths, size = (60, 240, 960, 3840, 15_360), 300_000
    rng = np.random.default_rng(10)
    for context, symbols, beta in ((1, "ab", 1.0), (1, "abc", 2.0), (2, "ab", 1.0)):
        model = k_gram(context, symbols, beta, 2.0).model
        blocks = measured_slope(model, [block_word(len(symbols), size, 2)], lengths, samples=60, seed=2)
        mixed = measured_slope(model, [rng.integers(0, len(symbols), size)], lengths, samples=25, seed=3)
        assert -0.45 < blocks.slope < -0.30
        assert blocks.low < -1 / 3
        assert -0.6 < mixed.slope < -0.42
        assert mixed.high < blocks.low


# -------------------------------------------------------------------------------------------------- refusals


def test_what_the_theorem_does_not_cover_is_refused_with_a_reason() -> None:
    model = without_logits()
    first, second = model.layers
    zero = np.zeros((2, 2))
    step = replace(first, heaviside=np.ones(1, dtype=bool))
    refused = {
        "those of two layers, and this model has 1": replace(model, layers=(first,)),
        "Heaviside units are not Lipschitz": replace(model, layers=(step, second)),
        "in the regime izzo_infinite": model.with_regime(Hardmax()),
        "without positional encodings": replace(model, positions=np.ones((1, 2))),
        "embeddings of norm at most 1, and the largest is 3": replace(model, embedding=3 * model.embedding),
        "need φ >= 0": replace(model, layers=(Layer.attention_only([Head(zero, zero, np.array([-1.0]))], 2), second)),
        "second layer without φ": replace(
            model, layers=(first, Layer.attention_only([Head(zero, zero, np.ones(1))], 2))
        ),
        "without a start symbol": replace(model, has_start=True, embedding=np.eye(3, 2)),
    }
    for reason, each in refused.items():
        for call in (
            lambda each=each: two_layer(each, each, 0.1),
            lambda each=each: best_stand_in(each, each, "ab" * 50, 10, 1, np.random.default_rng(0)),
            lambda each=each: measured_slope(each, ["ab" * 50], [10, 20]),
        ):
            with pytest.raises(ModelError, match=reason):
                call()
    with pytest.raises(LengthwiseError, match="positive number; got 0"):
        two_layer(model, model, 0)
    with pytest.raises(ModelError, match="one alphabet and as many outputs"):
        two_layer(model, k_gram(1, "abc", 1.0, 2.0).model, 0.1)
    with pytest.raises(LengthwiseError, match="at least one try, got 0"):
        best_stand_in(model, model, "ab" * 50, 10, 0, np.random.default_rng(0))
    with pytest.raises(LengthwiseError, match="two different lengths"):
        measured_slope(model, ["ab" * 50], [10, 10])
    with pytest.raises(LengthwiseError, match="zeros have no slope"):
        measured_slope(model, ["a" * 100], [10, 20])
    with pytest.raises(LengthwiseError, match="at least 2n positions"):
        measured_slope(model, ["ab" * 50], [10, 60])
