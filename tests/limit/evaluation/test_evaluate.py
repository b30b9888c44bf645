"""The evaluator users get against the definition (`naive`), exact fractions, and facts worked out by hand."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.alphabet import Alphabet
from lengthwise.errors import WordError
from lengthwise.limit.evaluation import attention, evaluate, naive
from lengthwise.limit.evaluation.key_classes import KeyClasses, Totals
from lengthwise.limit.evaluation.regimes import Floats, Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from tests.limit.models import REGIMES, models, random_model, random_tokens

by_regime = pytest.mark.parametrize("regime", REGIMES, ids=str)
seeds = st.integers(0, 2**32 - 1)


@contextmanager
def sizes(
    piece: int = 1 << 12, few: int = 64, block: int = 64, short: int = 64, cached: int = 1 << 14
) -> Iterator[None]:
    """The evaluator's sizes changed: what is large for it then takes only a short word."""
    changed: dict[str, Any] = {"FEW": few, "BLOCK": block, "SHORT": short, "CACHED": cached, "PAIRS": 50 * block}
    with patch.object(evaluate, "PIECE", piece), patch.multiple(attention, **changed):
        yield


all_sizes = st.builds(
    sizes,
    piece=st.sampled_from((3, 16, 1000)),
    few=st.sampled_from((0, 64, 1000)),
    block=st.sampled_from((2, 64)),
    short=st.sampled_from((0, 64)),
    cached=st.sampled_from((1, 1000)),
)


def assert_close(found: Floats, expected: Floats, tolerance: float = 1e-12) -> None:
    assert found.shape == expected.shape
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert float(np.abs(found - expected).max(initial=0.0)) <= tolerance * scale


def one_head(head: Head, embedding: list[list[float]], regime: Regime, has_start: bool = False) -> LimitTransformer:
    """A model that is one head on embeddings; its outputs are the coordinates of the stream."""
    width = len(embedding[0])
    return LimitTransformer(
        alphabet=Alphabet(tuple("abcdefgh"[: len(embedding) - has_start])),
        embedding=np.array(embedding),
        positions=np.zeros((1, width)),
        layers=(Layer.attention_only([head], width),),
        unembedding=np.eye(width),
        outputs=tuple(map(str, range(width))),
        has_start=has_start,
        regime=regime,
    )


# ------------------------------------------------------------------------------------------ against the definition


@by_regime
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_stored_value_agrees_with_the_definition(regime: Regime, data: st.DataObject) -> None:
    model = data.draw(models(regime))
    tokens = random_tokens(model, data.draw(st.integers(0, 70)), data.draw(seeds))
    with data.draw(all_sizes):
        found = evaluate.residual_streams(model, tokens)
    expected = naive.residual_streams(model, tokens)
    assert len(found) == len(expected)
    for stream, other in zip(found, expected, strict=True):
        assert_close(stream, other)


@by_regime
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_outputs_and_the_last_output_agree_with_the_definition(regime: Regime, data: st.DataObject) -> None:
    model = data.draw(models(regime))
    tokens = random_tokens(model, data.draw(st.integers(1, 70)), data.draw(seeds))
    with data.draw(all_sizes):
        everywhere, last = evaluate.outputs(model, tokens), evaluate.last_output(model, tokens)
    expected = naive.outputs(model, tokens)
    assert_close(everywhere, expected)
    assert_close(last, expected[-1])


@by_regime
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_a_batch_agrees_with_its_words_one_by_one(regime: Regime, data: st.DataObject) -> None:
    model = data.draw(models(regime))
    rng = np.random.default_rng(data.draw(seeds))
    ids = rng.integers(0, model.alphabet.id_count, (data.draw(st.integers(0, 6)), data.draw(st.integers(1, 40))))
    lengths = rng.integers(0 if model.has_start else 1, ids.shape[1] + 1, len(ids))
    with data.draw(all_sizes):
        whole, ragged = evaluate.last_outputs_batch(model, ids), evaluate.last_outputs_batch(model, ids, lengths)
    for row, word in enumerate(ids):
        assert_close(whole[row], naive.outputs(model, model.tokens(word))[-1])
        assert_close(ragged[row], naive.outputs(model, model.tokens(word[: lengths[row]]))[-1])


@by_regime
@pytest.mark.parametrize("quiet", [0, 2])
def test_a_word_of_a_thousand_symbols_agrees_with_the_definition_at_the_usual_sizes(regime: Regime, quiet: int) -> None:
    model = random_model(7, regime=regime, layers=2, window=3, width=6, quiet=quiet)
    tokens = random_tokens(model, 1000)
    expected = naive.outputs(model, tokens)
    assert_close(evaluate.outputs(model, tokens), expected)
    assert_close(evaluate.last_output(model, tokens), expected[-1])
    batch = np.stack([tokens, tokens[::-1]])
    assert_close(evaluate.last_outputs_batch(model, batch)[0], expected[-1])


@by_regime
def test_many_key_classes_cost_time_but_change_nothing(regime: Regime) -> None:
    model = random_model(3, regime=regime, quiet=2, symbols=4, period=3)
    tokens = random_tokens(model, 400)
    with sizes(piece=100):
        few = evaluate.outputs(model, tokens)
    with sizes(piece=100, few=0, block=7):
        assert_close(evaluate.outputs(model, tokens), few)


@by_regime
def test_a_first_layer_with_more_types_than_fit_its_table_agrees_with_the_definition(regime: Regime) -> None:
    model = random_model(4, regime=regime, symbols=8, period=17, window=6, layers=1)
    tokens = random_tokens(model, 500)
    assert_close(evaluate.outputs(model, tokens), naive.outputs(model, tokens))


# ------------------------------------------------------------------------------------------------ exact fractions


class UndecidedError(Exception):
    """Exact numbers at a place where floating point could round either way."""


def exact_weights(
    regime: Regime, logits: list[tuple[Fraction, Fraction]], position: int, length: int
) -> list[Fraction]:
    """Weights from pairs of content and φ, in cases where they are rational."""
    sums = [content + phi for content, phi in logits]
    match regime:
        case Huang(0, shift):
            if any(logit.denominator == 2 for logit in sums):
                raise UndecidedError
            whole = [round(logit) for logit in sums]
            top = max(whole) if shift else 0
            return [Fraction(round(Fraction(length) ** (logit - top))) for logit in whole]
        case IzzoFinite(bits):
            steps = [logit - max(sums) for logit in sums]
            powers = [Fraction(length) ** int(step) for step in steps]
            assert all(step.denominator == 1 for step in steps)
            return [power if power > Fraction(1, 2**bits) else Fraction(0) for power in powers]
        case IzzoInfinite():
            assert all(content == 0 and phi.denominator == 1 for content, phi in logits)
            return [Fraction(position) ** int(phi) for _, phi in logits]
        case Hardmax():
            return [Fraction(int(logit == max(sums))) for logit in sums]
    raise AssertionError(regime)


Vector = list[Fraction]


def exact_stream(model: LimitTransformer, tokens: npt.NDArray[np.int64]) -> list[Vector]:
    """The last residual stream by loops over fractions."""

    def vector(values: Floats) -> Vector:
        return [Fraction(float(value)) for value in values]

    def times(matrix: Floats, column: Vector) -> Vector:
        return [sum((a * b for a, b in zip(vector(row), column, strict=True)), Fraction(0)) for row in matrix]

    def plus(*columns: Vector) -> Vector:
        return [sum(parts, Fraction(0)) for parts in zip(*columns, strict=True)]

    stream = [
        plus(vector(model.embedding[token]), vector(model.positions[position % model.period]))
        for position, token in enumerate(tokens.tolist(), start=1)
    ]
    for layer in model.layers:
        middle = []
        for i, query in enumerate(stream):
            parts = [query]
            for head in layer.heads:
                asked, values = times(head.key_query, query), [times(head.value, key) for key in stream[: i + 1]]
                content = [
                    sum((a * b for a, b in zip(key, asked, strict=True)), Fraction(0)) for key in stream[: i + 1]
                ]
                phi = [Fraction(float(head.phi[i - j])) if i - j < len(head.phi) else Fraction(0) for j in range(i + 1)]
                weight = exact_weights(model.regime, list(zip(content, phi, strict=True)), i + 1, len(tokens))
                total = sum(weight, Fraction(0)) or Fraction(1)
                parts += [[w / total * v for v in value] for w, value in zip(weight, values, strict=True)]
            middle.append(plus(*parts))
        stream = []
        for column in middle:
            before = plus(times(layer.hidden, column), vector(layer.bias))
            after = [
                Fraction(int(z >= 0)) if step else max(z, Fraction(0))
                for z, step in zip(before, layer.heaviside.tolist(), strict=True)
            ]
            stream.append(plus(column, times(layer.output, after)))
    return stream


@pytest.mark.parametrize(
    ("regime", "layers", "without_content"),
    [
        (Huang(0), 2, False),
        (Huang(0, shift=True), 2, False),
        (Hardmax(), 2, False),
        (IzzoFinite(4), 1, False),
        (IzzoInfinite(), 2, True),
    ],
    ids=str,
)
@pytest.mark.parametrize("length", [1, 5, 7])
def test_values_agree_with_exact_fractions_where_these_exist(
    regime: Regime, layers: int, without_content: bool, length: int
) -> None:
    decided = 0
    for seed in range(8):
        model = random_model(seed, regime=regime, layers=layers, width=3, whole_numbers=True)
        if without_content:
            blind = [
                Layer(
                    tuple(Head(np.zeros((3, 3)), head.value, head.phi) for head in layer.heads),
                    layer.hidden,
                    layer.bias,
                    layer.output,
                    layer.heaviside,
                )
                for layer in model.layers
            ]
            model = LimitTransformer(
                model.alphabet,
                model.embedding,
                model.positions,
                tuple(blind),
                model.unembedding,
                model.outputs,
                regime=regime,
            )
        tokens = random_tokens(model, length, seed)
        try:
            exact = exact_stream(model, tokens)
        except UndecidedError:
            continue
        decided += 1
        expected = np.array([[float(value) for value in column] for column in exact])
        for piece in (2, 100):
            with sizes(piece=piece, short=0):
                assert_close(evaluate.residual_streams(model, tokens)[-1], expected)
    assert decided >= 3


@pytest.mark.parametrize("length", [1000, 3 * 4096 + 5])
def test_a_uniform_head_divides_an_exact_count_by_the_position(length: int) -> None:
    counting = np.array([[0.0, 0.0], [1.0, 0.0]])
    model = one_head(Head(np.zeros((2, 2)), counting), [[1.0, 0.0], [0.0, 0.0]], Huang(8))
    tokens = random_tokens(model, length)
    expected = np.cumsum(tokens == 0) / np.arange(1, length + 1)
    assert np.array_equal(evaluate.outputs(model, tokens)[:, 1], expected)
    assert evaluate.last_output(model, tokens)[1] == expected[-1]


def test_averages_over_many_pieces_keep_their_digits() -> None:
    values = [0.1, 1 / 3, -0.7]
    model = one_head(Head(np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 0.0]])), [[v, 0.0] for v in values], Huang(8))
    tokens = random_tokens(model, 100_000)
    with sizes(piece=500):
        found = evaluate.outputs(model, tokens)[:, 1]
    counts = [np.cumsum(tokens == symbol) for symbol in range(3)]
    for place in (99, 12_345, 99_999):
        total = sum(Fraction(v) * int(count[place]) for v, count in zip(values, counts, strict=True))
        assert abs(found[place] - float(total / (place + 1))) < 1e-14


def test_sums_carried_over_ten_thousand_pieces_are_rounded_once() -> None:
    totals = Totals(values=1, classes=2)
    for _ in range(10_000):
        totals.add_sums(np.array([1, 0]), np.array([[0.1, 0.0]]))
    assert totals.counts.tolist() == [10_000, 0]
    assert totals.sums.tolist() == [[float(10_000 * Fraction(0.1)), 0.0]]


def test_a_heaviside_unit_is_on_at_zero() -> None:
    step = Layer((), np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.ones(1, dtype=bool))
    numbers = np.array([[0.0], [-1e-300], [2.0], [-0.0]])
    model = LimitTransformer(Alphabet(tuple("abcd")), numbers, np.zeros((1, 1)), (step,), np.ones((1, 1)), ("accept",))
    assert model("abcd")[:, 0].tolist() == [1.0, -1e-300, 3.0, 1.0]


# ------------------------------------------------------------------------------------------------------- regimes


def two_logits(low: float, regime: Regime) -> LimitTransformer:
    """A head that sees a with logit 0 and b with logit `low`, and averages 1[b]."""
    key_query = np.zeros((3, 3))
    key_query[1, 2] = low
    value = np.zeros((3, 3))
    value[0, 1] = 1.0
    return one_head(Head(key_query, value), [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0]], regime)


@pytest.mark.parametrize("bits", [2, 3, 5, 7])
def test_a_weight_of_exactly_two_to_the_minus_bits_vanishes_in_izzos_finite_regime(bits: int) -> None:
    model = two_logits(-1.0, IzzoFinite(bits))
    length = 2**bits
    at_the_threshold = np.array([0] * (length - 1) + [1])
    assert evaluate.last_output(model, at_the_threshold)[0] == 0
    assert (evaluate.outputs(model, at_the_threshold)[:, 0] == 0).all()
    above = at_the_threshold[1:]  # one symbol less: the weight is 1 / (length - 1)
    assert evaluate.last_output(model, above)[0] == pytest.approx(1 / (length - 1) / (length - 2 + 1 / (length - 1)))


@pytest.mark.parametrize("short", [0, 64])
def test_a_head_adds_nothing_where_all_of_huangs_weights_round_to_zero(short: int) -> None:
    model = two_logits(-4.0, Huang(8))
    with sizes(short=short):
        only_b = evaluate.outputs(model, np.ones(40, dtype=np.int64))
        with_a = evaluate.outputs(model, np.array([1] * 20 + [0] + [1] * 19))
        shifted = evaluate.outputs(model.with_regime(Huang(8, shift=True)), np.ones(40, dtype=np.int64))
    assert (only_b[:, 0] == 0).all()
    assert (with_a[:, 0] == 0).all()
    assert (shifted[:, 0] == 1).all()


def test_only_izzos_infinite_regime_gives_prefixes_the_outputs_they_have_inside_a_longer_word() -> None:
    model = random_model(1, regime=IzzoInfinite(), layers=2)
    tokens = random_tokens(model, 90)
    whole = evaluate.outputs(model, tokens)
    prefixes = np.array([evaluate.last_output(model, tokens[:end]) for end in range(1, 91)])
    assert_close(prefixes, whole)
    other = model.with_regime(Huang(8))
    whole = evaluate.outputs(other, tokens)
    prefixes = np.array([evaluate.last_output(other, tokens[:end]) for end in range(1, 91)])
    assert np.abs(prefixes - whole).max() > 1e-3
    assert_close(prefixes[-1], whole[-1])


def test_a_logit_of_thousands_neither_overflows_nor_drowns_the_average() -> None:
    for regime in (Huang(8), Huang(8, shift=True), IzzoFinite(8), IzzoInfinite(), Hardmax()):
        found = evaluate.outputs(two_logits(5000.0, regime), np.array([0, 1, 0, 0] * 30))
        assert np.array_equal(found[:, 0], [0.0] + [1.0] * 119)


# ------------------------------------------------------------------------------------------------------- memory


def peak_of_last_output(model: LimitTransformer, length: int) -> int:
    tokens = random_tokens(model, length).astype(np.uint8)
    tracemalloc.start()
    try:
        evaluate.last_output(model, tokens)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("layers", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_the_last_output_of_two_hundred_thousand_symbols_takes_no_more_memory_than_of_twenty_thousand(
    layers: int,
) -> None:
    model = random_model(2, regime=Huang(8), layers=layers, quiet=2, width=8, period=3, has_start=True)
    short, long = peak_of_last_output(model, 20_000), peak_of_last_output(model, 200_000)
    assert long < 1.1 * short + 50_000
    assert long < 8 * 200_000 * model.width / 2


# -------------------------------------------------------------------------------------------------- key classes


def test_keys_that_differ_by_rounding_errors_are_one_class_and_others_are_not() -> None:
    classes = KeyClasses(2)
    exact = np.array([[1.0, 0.0, 0.3, 1.0], [0.5, 0.0, 2.0, 0.5 + 1e-13]])
    ones = np.ones(4)
    assert classes.identify(exact, ones).tolist() == [0, 1, 2, 3]
    assert classes.identify(exact + 2.0**-52, ones)[:2].tolist() == [0, 1]
    assert classes.identify(exact[:, ::-1].copy(), ones).tolist() == [3, 2, 1, 0]
    assert len(classes) <= 6


def test_a_small_key_is_not_rounded_to_the_precision_of_a_large_one() -> None:
    classes = KeyClasses(1)
    keys = np.array([[1e12, 1e-3, 1.0000001e-3]])
    assert classes.identify(keys, np.abs(keys[0])).tolist() == [0, 1, 2]


def test_different_keys_stay_apart_even_if_their_signatures_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(5, regime=IzzoFinite(8), quiet=2, has_start=True)
    tokens = random_tokens(model, 150)
    built = KeyClasses.__init__

    def without_mixture(classes: KeyClasses, features: int) -> None:
        built(classes, features)
        classes._mixture = np.zeros(features)

    monkeypatch.setattr(KeyClasses, "__init__", without_mixture)
    with sizes(piece=40):
        assert_close(evaluate.outputs(model, tokens), naive.outputs(model, tokens))


# -------------------------------------------------------------------------------------------------------- inputs


def test_the_empty_word_has_an_output_only_if_there_is_a_start_symbol() -> None:
    with_start = random_model(0, regime=Huang(8), has_start=True)
    without = random_model(0, regime=Huang(8))
    empty = np.zeros((2, 0), dtype=np.int64)
    alone = naive.outputs(with_start, np.array([3]))[0]
    assert_close(evaluate.last_outputs_batch(with_start, empty), np.stack([alone, alone]))
    assert_close(with_start.last(""), alone)
    refused: list[Callable[[], object]] = [
        lambda: evaluate.last_outputs_batch(without, empty),
        lambda: evaluate.last_outputs_batch(without, np.zeros((2, 3), dtype=np.int64), np.array([3, 0])),
        lambda: without.last(""),
        lambda: without(""),
    ]
    for ask in refused:
        with pytest.raises(ModelError, match="a model without start symbol has no output on the empty word"):
            ask()
    with pytest.raises(ModelError, match="reads at least its start symbol"):
        evaluate.last_output(with_start, np.zeros(0, dtype=np.int64))


@pytest.mark.parametrize(
    ("ids", "lengths", "message"),
    [
        (np.zeros(3, dtype=int), None, "shape"),
        (np.zeros((2, 3)), None, "integer array"),
        (np.full((2, 3), 3), None, "id 3 is not a symbol id"),
        (np.full((2, 3), -1), None, "id -1 is not a symbol id"),
        (np.zeros((2, 3), dtype=int), np.array([1]), "2 integers"),
        (np.zeros((2, 3), dtype=int), np.array([1, 4]), "between 0 and 3"),
        (np.zeros((2, 3), dtype=int), np.array([-1, 2]), "between 0 and 3"),
    ],
)
def test_a_malformed_batch_is_refused(
    ids: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64] | None, message: str
) -> None:
    with pytest.raises(WordError, match=message):
        evaluate.last_outputs_batch(random_model(0, regime=Huang(8), has_start=True), ids, lengths)


def test_what_lies_behind_the_end_of_a_ragged_row_is_not_looked_at() -> None:
    model = random_model(0, regime=Huang(8))
    ids = np.array([[0, 1, 99, -5]])
    assert_close(evaluate.last_outputs_batch(model, ids, np.array([2]))[0], naive.outputs(model, np.array([0, 1]))[-1])


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint64])
def test_tokens_may_be_integers_of_any_type(dtype: type[np.integer[Any]]) -> None:
    model = random_model(0, regime=IzzoFinite(8), layers=1)
    tokens = random_tokens(model, 80)
    found = evaluate.outputs(model, tokens.astype(dtype)), evaluate.last_output(model, tokens.astype(dtype))
    assert_close(found[0], naive.outputs(model, tokens))
    assert_close(found[1], found[0][-1])


@pytest.mark.parametrize("tokens", [np.array([[0, 1]]), np.array([0.0, 1.0]), np.array([0, 4]), np.array([-1, 0])])
def test_tokens_that_the_model_cannot_read_are_refused(tokens: npt.NDArray[np.int64]) -> None:
    model = random_model(0, regime=Huang(8), has_start=True)
    for ask in (evaluate.outputs, evaluate.last_output, evaluate.residual_streams):
        with pytest.raises(WordError):
            ask(model, tokens)
