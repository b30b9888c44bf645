"""A one-layer model says the same on a word and on its counts, and the attended types are those found key by key."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.bounds.theorems.count_evaluation import Counts, attended_types, column_sizes, evaluate_counts, lay_out
from lengthwise.errors import WordError
from lengthwise.limit import LimitTransformer, ModelError
from lengthwise.limit.constructions import mod_p_task, simple_task
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.evaluate import last_output
from lengthwise.limit.evaluation.regimes import Regime
from tests.bounds.attention_instances import Integers, Mask, random_one_head
from tests.limit.models import REGIMES, models, random_tokens

# ------------------------------------------------------------------------------------------- the forward pass


@pytest.mark.parametrize("regime", REGIMES, ids=str)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_counts_give_the_output_of_the_definition_in_every_regime(regime: Regime, data: st.DataObject) -> None:
    """Any number of heads, Heaviside units, start symbols: all of that is left to the last position alone."""
    model = data.draw(models(regime=regime, layers=1))
    tokens = random_tokens(model, data.draw(st.integers(1, 25)), data.draw(st.integers(0, 10**6)))
    finer, wider = data.draw(st.sampled_from((1, 2, 3))), data.draw(st.integers(0, 3))
    counts = Counts.from_tokens(tokens, len(model.embedding), model.period * finer, model.window + wider)
    assert counts.length == len(tokens)
    expected = naive.outputs(model, tokens)[-1]
    np.testing.assert_allclose(evaluate_counts(model, counts), expected, rtol=0, atol=1e-9)


def test_counts_give_the_output_of_the_evaluator_on_a_word_of_a_hundred_thousand_symbols() -> None:
    for seed, regime in enumerate(REGIMES):
        model = random_one_head(np.random.default_rng(seed), symbols=3, period=4, window=2, regime=regime)
        tokens = random_tokens(model, 100_000, seed)
        counts = Counts.from_tokens(tokens, 3, 4, 2)
        np.testing.assert_allclose(evaluate_counts(model, counts), last_output(model, tokens), rtol=0, atol=1e-9)


def test_simple_task_is_a_sine_on_a_thousand_million_symbols() -> None:
    construction = simple_task(3.0)
    zeros, ones, twos = 312_345_678, 87_654_321, 599_999_999
    counts = Counts(np.array([[zeros], [ones], [twos]]), np.array([0, 1])[:1])
    quotient = (zeros + 1 - ones) / (zeros + 1 + ones)
    [found] = evaluate_counts(construction.model, counts)
    assert found == pytest.approx(np.sin(3.0 * quotient), abs=3.0**2 * (2 / 64) ** 2 / 8 + 1e-12)


def test_mod_p_task_is_a_share_on_a_thousand_million_symbols() -> None:
    block = np.array([0, 1, 1, 0, 1, 0, 1])
    counts = Counts.from_repeated(block, 10**9 // 7, symbols=2, period=5)
    chosen = [Fraction(int(block[(place - 1) % 7])) for place in range(3, 36, 5)]  # 35 positions are a full cycle
    [found] = evaluate_counts(mod_p_task(5, 3).model, counts)
    assert found == pytest.approx(float(sum(chosen) / len(chosen)), abs=1e-8)


# ------------------------------------------------------------------------------------------------------ counts


@given(st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(1, 9), st.integers(1, 6), st.integers(0, 4))
def test_a_repeated_word_has_the_counts_of_the_word_written_out(
    block: list[int], times: int, period: int, window: int
) -> None:
    repeated = Counts.from_repeated(np.array(block), times, 3, period, window)
    written = Counts.from_tokens(np.array(block * times), 3, period, window)
    assert repeated.prefix.tolist() == written.prefix.tolist()
    assert repeated.suffix.tolist() == written.suffix.tolist()


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40), st.integers(1, 6), st.integers(0, 4))
def test_a_word_laid_out_from_counts_has_these_counts(word: list[int], period: int, window: int) -> None:
    counts = Counts.from_tokens(np.array(word), 3, period, window)
    again = counts.to_tokens()
    assert len(again) == len(word)
    assert again[-window - 1 :].tolist() == word[-window - 1 :]
    for residue in range(period):
        places = [place for place in range(len(word) - window - 1) if (place + 1) % period == residue]
        assert sorted(again[places].tolist()) == sorted(word[place] for place in places)


@given(st.integers(0, 60), st.integers(1, 9))
def test_column_sizes_count_the_positions_of_each_residue(length: int, period: int) -> None:
    expected = [sum(place % period == residue for place in range(1, length + 1)) for residue in range(period)]
    assert column_sizes(length, period) == expected


def test_the_first_position_has_residue_one() -> None:
    prefix = np.array([[0, 2], [1, 0]])
    assert lay_out(prefix, np.array([1])).tolist() == [0, 1, 0, 1]


def test_the_counts_of_no_word_are_refused_with_the_sizes_that_a_word_has() -> None:
    with pytest.raises(WordError, match=r"no word has these counts: 3 positions have \[1, 2\] of the residues 0..1"):
        Counts(np.array([[2, 1]]), np.array([0]))
    with pytest.raises(WordError, match="counts are not negative"):
        Counts(np.array([[2], [-1]]), np.array([0]))
    with pytest.raises(WordError, match="ids from 0 to 1"):
        Counts(np.array([[2], [1]]), np.array([2]))
    with pytest.raises(WordError, match="the last symbol of the word"):
        Counts.from_tokens(np.array([], dtype=np.int64), 2)
    with pytest.raises(WordError, match="symbol ids from 0 to 1"):
        Counts.from_tokens(np.array([0, 2]), 2)
    with pytest.raises(WordError, match="taken at least once"):
        Counts.from_repeated(np.array([0]), 0, 2)
    with pytest.raises(WordError, match="counts are an integer array"):
        Counts(np.array([[0.5]]), np.array([0]))


def test_counts_that_tell_too_little_apart_are_refused() -> None:
    model = random_one_head(np.random.default_rng(8), symbols=2, period=3, window=2)
    assert model.window > 0
    tokens = np.zeros(20, dtype=np.int64)
    with pytest.raises(ModelError, match="needs a multiple of 3"):
        evaluate_counts(model, Counts.from_tokens(tokens, 2, 2, 2))
    with pytest.raises(ModelError, match=f"needs the last {model.window + 1}"):
        evaluate_counts(model, Counts.from_tokens(tokens, 2, 3, 0))
    with pytest.raises(ModelError, match="those of 3 symbols, and the model reads 2"):
        evaluate_counts(model, Counts.from_tokens(tokens, 3, 3, 2))
    deep = LimitTransformer(
        model.alphabet, model.embedding, model.positions, model.layers * 2, model.unembedding, model.outputs
    )
    with pytest.raises(ModelError, match="one layer, and this one has 2"):
        evaluate_counts(deep, Counts.from_tokens(tokens, 2, 3, 2))


# ----------------------------------------------------------------------------------------------- attended sets


def attended_by_hand(model: LimitTransformer, word: Integers, period: int, window: int) -> tuple[Mask, int]:
    """The types beyond the window with maximal logit, and how many last symbols have it: exact, key by key."""
    head = model.layers[0].heads[0]

    def vector(place: int) -> list[Fraction]:
        symbol, encoding = model.embedding[word[place - 1]], model.positions[place % model.period]
        return [
            Fraction(left) + Fraction(right) for left, right in zip(symbol.tolist(), encoding.tolist(), strict=True)
        ]

    matrix = [[Fraction(value) for value in row] for row in head.key_query.tolist()]
    query = vector(len(word))
    received = [sum(a * b for a, b in zip(row, query, strict=True)) for row in matrix]
    logits = {}
    for place in range(1, len(word) + 1):
        distance = len(word) - place
        phi = Fraction(head.phi[distance]) if distance < len(head.phi) else Fraction(0)
        logits[place] = sum((a * b for a, b in zip(vector(place), received, strict=True)), start=phi)
    largest = max(logits.values())
    mask, near = np.zeros((len(model.embedding), period), dtype=bool), 0
    for place, logit in logits.items():
        if logit == largest and place <= len(word) - window - 1:
            mask[word[place - 1], place % period] = True
        elif logit == largest:
            near += 1
    return mask, near


def test_attended_types_are_those_found_key_by_key() -> None:
    rng = np.random.default_rng(4)
    nothing, everything, some = 0, 0, 0
    for _ in range(150):
        symbols, period, window = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(0, 4))
        model = random_one_head(rng, symbols, period, window)
        finer = period * int(rng.integers(1, 3))
        word = rng.integers(0, symbols, int(rng.integers(1, 25)))
        expected, near = attended_by_hand(model, word, finer, window)
        counts = Counts.from_tokens(word, symbols, finer, window)
        found = attended_types(model, counts)
        assert found.tolist() == expected.tolist()
        nothing += not found.any() and near > 0
        everything += bool(found.any() and (found == (counts.prefix > 0)).all())
        some += bool(found.any() and near and not (found == (counts.prefix > 0)).all())
    assert min(nothing, everything, some) > 10
