"""Theorem 12 for real: Bob gets the very activations of the whole model, from a message whose bits are counted."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.limit import Hardmax, Head, Huang, IzzoFinite, IzzoInfinite, Layer, LimitTransformer, ModelError, Regime
from lengthwise.limit.constructions import induction_head, k_gram, mod_p_task
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import exponents, rounded, weights
from lengthwise.limit.protocol import Alice, Precision, bits_against_length, exchange, single_party
from lengthwise.limit.protocol.exchange import Reader, Writer

Ids = npt.NDArray[np.int64]
Exact = list[list[Fraction]]


def random_model(rng: np.random.Generator, regime: Regime, *, grid: float = 8.0) -> LimitTransformer:
    """One or two layers of one or two heads, weights on a grid, ReLU and Heaviside units, maybe a start symbol."""
    symbols, period, width, start = 2, int(rng.integers(1, 3)), 3, bool(rng.integers(0, 2))

    def some(*shape: int) -> npt.NDArray[np.float64]:
        return np.asarray(np.rint(grid * rng.normal(size=shape) * 0.6) / grid)

    layers = tuple(
        Layer(
            tuple(
                Head(some(width, width) * rng.integers(0, 2), some(width, width), some(int(rng.integers(1, 4))))
                for _ in range(rng.integers(1, 3))
            ),
            some(2, width),
            some(2),
            some(width, 2),
            rng.random(2) < 0.3,
        )
        for _ in range(rng.integers(1, 3))
    )
    return LimitTransformer(
        Alphabet(tuple("ab")),
        some(symbols + start, width),
        some(period, width),
        layers,
        some(1, width),
        ("x",),
        has_start=start,
        regime=regime,
    )


# ------------------------------------------------------------------------------------------------ an oracle


def to_grid(value: Fraction, bits: int) -> Fraction:
    return Fraction(round(value * 2**bits), 2**bits)


def exact(matrix: npt.NDArray[np.float64]) -> Exact:
    return [[Fraction(entry) for entry in row] for row in matrix.tolist()]


def applied(matrix: Exact, vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


def read_off_the_definition(model: LimitTransformer, tokens: Ids, precision: Precision) -> list[Exact]:
    """The rounded model with one weight for each pair of positions, in rational numbers; no memory, no cells."""
    bits, length = precision.activation_bits, precision.length
    table, encodings = exact(model.embedding), exact(model.positions)
    stream = [
        [to_grid(a + b, bits) for a, b in zip(table[token], encodings[place % model.period], strict=True)]
        for place, token in enumerate(tokens.tolist(), start=1)
    ]
    streams = [stream]
    for layer in model.layers:
        after: Exact = []
        for query_place, query in enumerate(stream, start=1):
            middle = list(query)
            for head in layer.heads:
                logits, values = [], []
                for key_place, key in enumerate(stream[:query_place], start=1):
                    image = applied(exact(head.key_query.T), key)
                    content = sum(
                        (to_grid(a, precision.key_bits) * b for a, b in zip(image, query, strict=True)), Fraction(0)
                    )
                    far = query_place - key_place
                    phi = float(head.phi[far]) if far < len(head.phi) else 0.0
                    parts = (np.array([float(content)]), np.array([phi]), np.array([float(query_place)]))
                    logits.append(float(exponents(model.regime, *parts, length)[0]))
                    values.append([to_grid(entry, bits) for entry in applied(exact(head.value), key)])
                largest = np.array([max(logits)])
                weight = [Fraction(float(weights(model.regime, np.array([x]), largest)[0])) for x in logits]
                if any(weight):
                    for place in range(model.width):
                        total = sum((w * v[place] for w, v in zip(weight, values, strict=True)), Fraction(0))
                        middle[place] += to_grid(total / sum(weight), bits)
            units = [
                (Fraction(int(z + b >= 0)) if step else max(z + b, Fraction(0)))
                for z, b, step in zip(
                    applied(exact(layer.hidden), middle),
                    map(Fraction, layer.bias.tolist()),
                    layer.heaviside,
                    strict=True,
                )
            ]
            added = applied(exact(layer.output), units)
            after.append([old + to_grid(new, bits) for old, new in zip(middle, added, strict=True)])
        stream = after
        streams.append(stream)
    return streams


# ---------------------------------------------------------------------------------------------- correctness


@pytest.mark.parametrize("regime", [Huang(6), Huang(3, shift=True), IzzoFinite(5), IzzoInfinite(), Hardmax()], ids=str)
def test_bob_gets_the_activations_of_the_rounded_model_bit_for_bit(regime: Regime) -> None:
    rng = np.random.default_rng(17)
    for _ in range(8):
        model = random_model(rng, regime)
        word = rng.integers(0, 2, int(rng.integers(3, 16)))
        run = exchange(model, word, factor=2.0, key_bits=4)
        wanted = read_off_the_definition(model, model.tokens(word), run.precision)
        unit = Fraction(1, 2**run.precision.activation_bits)
        for found, expected in zip(run.activations, wanted, strict=True):
            assert [[entry * unit for entry in vector] for vector in found] == expected[run.half :]


def test_bob_agrees_with_one_party_that_knows_the_whole_word_at_lengths_beyond_the_oracle() -> None:
    rng = np.random.default_rng(23)
    models = [random_model(rng, Huang(6)) for _ in range(4)]
    models += [induction_head(Alphabet(tuple("ab"))).model, mod_p_task(3, 1).model.with_regime(Huang(8))]
    for model in models:
        word = rng.integers(0, 2, 200)
        run = exchange(model, word)
        assert run.activations == [stream[run.half :] for stream in single_party(model, word)]


def test_rounding_changes_little_where_no_logit_is_at_a_boundary() -> None:
    """The rounded model is an approximation of the given one, not just any function with a short protocol."""
    alphabet = Alphabet(tuple("ab"))
    rng = np.random.default_rng(1)
    for model in (induction_head(alphabet).model, mod_p_task(4, 2).model, k_gram(2, alphabet, 3.0, 4.0).model):
        word = rng.integers(0, 2, 120)
        exact_streams = naive.residual_streams(model, model.tokens(word))
        found = single_party(model, word, factor=3.0, key_bits=20)
        bits = Precision.of(len(model.tokens(word)), 3.0, 20).activation_bits
        for got, wanted in zip(found, exact_streams, strict=True):
            np.testing.assert_allclose(np.array(got) / 2.0**bits, wanted, rtol=0, atol=2.0 ** (4 - bits) + 1e-4)


def test_the_message_says_all_it_needs_and_nothing_is_left_over() -> None:
    writer = Writer()
    writer.number("n", 1)
    writer.number("n", 300)
    writer.vectors("v", [(0, -1), (5, -128)])
    writer.vectors("v", [(), ()])
    writer.plain("c", 6, 3)
    transcript = writer.transcript()
    reader = Reader(transcript.payload)
    assert (reader.number(), reader.number()) == (1, 300)
    assert reader.vectors(2, 2) == [(0, -1), (5, -128)]
    assert reader.vectors(2, 0) == [(), ()]
    assert reader.plain(3) == 6
    assert reader.place == transcript.bits
    assert transcript.by_content == {"n": 1 + 17, "v": 7 + 4 * 8, "c": 3}


# ----------------------------------------------------------------------------------------------------- cost


def test_a_uniform_head_costs_a_constant_number_of_bits_for_each_doubling() -> None:
    """Where the number of cells does not grow, log N is plainly visible, and soon cheaper than the input."""
    value = np.zeros((3, 3))
    value[2, 1] = 1.0
    layer = Layer.attention_only([Head(np.zeros((3, 3)), value)], 3)
    model = LimitTransformer(
        Alphabet(("a", "b")), np.eye(2, 3), np.zeros((1, 3)), (layer,), np.eye(3)[2:], ("share",), regime=Huang(8)
    )
    costs = bits_against_length(model, ["ab" * 2**power for power in range(2, 12)])
    assert [cost.half for cost in costs] == [2**power for power in range(2, 12)]
    assert {cost.cells for cost in costs} == {1}
    steps = {later.bits - earlier.bits for earlier, later in pairwise(costs[4:])}
    assert steps <= {4, 6}, "one for the count, three for the sum, and now and then two for its width"
    assert [cost.pays for cost in costs] == [False] * 4 + [True] * 6
    assert costs[-1].bits < costs[-1].input_bits / 30


def test_with_several_cells_the_message_beats_the_input_only_at_several_hundred_symbols() -> None:
    rng = np.random.default_rng(3)
    model = induction_head(Alphabet(tuple("ab"))).model
    costs = bits_against_length(model, [rng.integers(0, 2, 2 * half - 1) for half in (4, 16, 64, 256, 512, 1024)])
    assert [cost.pays for cost in costs] == [False] * 4 + [True] * 2
    assert [cost.cells for cost in costs] == [5] * 6, (
        "layer 1: the last key and the others; layer 2: a, b or neither before"
    )
    per_log = [cost.bits_per_log for cost in costs[1:]]
    assert per_log == sorted(per_log, reverse=True), "bits / log2(2N) levels off from above"
    assert per_log[0] < 1.3 * per_log[-1]


def test_the_account_of_a_transcript_adds_up() -> None:
    model = induction_head(Alphabet(tuple("ab"))).model
    run = exchange(model, "abba" * 10)
    assert sum(run.transcript.account.values()) == sum(run.transcript.by_content.values()) == run.transcript.bits
    assert set(run.transcript.by_content) == {"cells", "keys", "counts", "values"}
    assert {(layer, head) for layer, head, _ in run.transcript.account} == {(1, 1), (2, 1)}


def test_an_input_needs_two_halves() -> None:
    with pytest.raises(ModelError, match="two halves, and the model reads 1"):
        exchange(mod_p_task(2, 0).model, "1")


# ------------------------------------------------------------------------------------------ what was printed


def test_the_printed_index_of_cells_forgets_what_bob_needs() -> None:
    """ERR-G10: with max(N - j, N - τ) the last positions share a cell, but Bob's output depends on their order."""
    model = induction_head(Alphabet(tuple("ab"))).model
    window, half = model.layers[0].heads[0].window, 11
    first, second = "aabbaabbab", "aabbaabbba"

    def printed_cells(word: str) -> Counter[tuple[int, int]]:
        # All keys of layer 1 are zero, so a cell is an index alone; count the symbols in each.
        tokens = model.tokens(word).tolist()
        return Counter((max(half - place, half - window), token) for place, token in enumerate(tokens, start=1))

    assert printed_cells(first) == printed_cells(second)
    outputs = [exchange(model, word + "a" * 11) for word in (first, second)]
    assert [run.half for run in outputs] == [half, half]
    assert outputs[0].activations[1][0] != outputs[1].activations[1][0]
    assert outputs[0].transcript.payload != outputs[1].transcript.payload


def test_exact_activations_take_more_bits_than_the_input() -> None:
    """ERR-G11: a uniform head over 1/(j + 1), itself the output of a uniform head, has 113 bits at N = 80."""
    sizes = {}
    for half in (40, 80, 160):
        total = sum((Fraction(1, place + 1) for place in range(1, half + 1)), Fraction(0))
        sizes[half] = total.denominator.bit_length()
    assert sizes[80] == 113
    assert all(size > 1.2 * half for half, size in sizes.items())
    # The model that does this: share of the start symbol, then its average; rounded, it takes a few dozen bits.
    start, mean = np.zeros((3, 3)), np.zeros((3, 3))
    start[1, 0], mean[2, 1] = 1.0, 1.0
    layers = tuple(Layer.attention_only([Head(np.zeros((3, 3)), value)], 3) for value in (start, mean))
    model = LimitTransformer(
        Alphabet(("a",)),
        np.array([[0.0] * 3, [1.0, 0, 0]]),
        np.zeros((1, 3)),
        layers,
        np.eye(3),
        ("s", "m", "t"),
        True,
    )
    word = "a" * 159
    spent = exchange(model, word).transcript.account
    harmonic = sum(1 / place for place in range(1, 81)) / 80
    found = single_party(model, word, factor=4.0)[-1][79][2] / 2.0 ** Precision.of(160, 4.0).activation_bits
    assert naive.residual_streams(model, model.tokens("a" * 79))[-1][-1][2] == pytest.approx(harmonic)
    assert found == pytest.approx(harmonic, abs=1e-6)
    assert spent[2, 1, "values"] < 40


def test_rounding_a_key_first_may_flip_a_logit_at_any_precision() -> None:
    """ERR-G12: for every p' there is a key for which round(key · query) and round(round'(key) · query) differ."""
    for key_bits in range(4, 30):
        key, query = 0.5 + 2.0 ** -(key_bits + 2), 1.0
        direct = float(rounded(np.array([key * query]), 0)[0])
        via_rounded_key = float(rounded(rounded(np.array([key]), key_bits) * query, 0)[0])
        assert (direct, via_rounded_key) == (1.0, 0.0)


def test_cells_may_double_with_every_coordinate() -> None:
    """ERR-G13: a key of d bits, such as which symbols occur recently, has 2^d values, so bits are not linear in d."""
    found = []
    for context in (1, 2, 3, 4):
        model = k_gram(context, Alphabet(tuple("ab")), 1.0, 12.0).model
        word = np.random.default_rng(0).integers(0, 2, 400)
        precision = Precision.of(400, key_bits=2)
        spent = Alice(model, model.tokens(word)[:200], precision).message()
        first_layer = sum(min(head.window, 200) + 1 for head in model.layers[0].heads)
        found.append(spent.cells - first_layer)
    assert all(count >= 2**context for context, count in enumerate(found, start=1))
    assert math.log2(found[-1] / found[0]) > 2
