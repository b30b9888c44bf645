"""Situations: what they say about words is checked on all short words, by naive evaluation."""

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.bounds.certified.situation_list import enumerate_situations
from lengthwise.bounds.certified.situations import Situation, compositions
from lengthwise.limit import LimitTransformer, ModelError
from lengthwise.limit.constructions import mod_p_task, simple_task
from lengthwise.limit.evaluation import naive
from tests.bounds import stand_in_oracle as oracle

SHAPES = list(itertools.product((2, 3), (1, 2, 3), (0, 1, 2)))
"""Symbols, period, window."""


def random_models(heads: int = 1) -> Iterator[LimitTransformer]:
    for seed, (symbols, period, window) in enumerate(SHAPES):
        rng = np.random.default_rng(seed)
        yield oracle.random_model(rng, symbols=symbols, period=period, window=window, heads=heads)


def tokens(situation: Situation, counts: npt.NDArray[np.int64]) -> oracle.Word:
    return tuple(situation.word(counts).to_tokens().tolist())


def some_counts(situation: Situation, rows: int, most: int) -> npt.NDArray[np.int64]:
    counts, _ = situation.counts_within(rows)
    return np.random.default_rng(0).permutation(counts)[:most]


def output(model: LimitTransformer, word: oracle.Word) -> tuple[float, ...]:
    return tuple((np.round(naive.outputs(model, np.array(word))[-1], 9) + 0.0).tolist())


@pytest.mark.parametrize("heads", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_output_of_a_word_is_the_situations_map_at_its_shares(heads: int) -> None:
    checked = 0
    for model in random_models(heads):
        for situation in enumerate_situations([model]):
            for counts in some_counts(situation, rows=3, most=5):
                expected = naive.outputs(model, np.array(tokens(situation, counts)))[-1]
                for each in situation.maps:
                    np.testing.assert_allclose(each(situation.shares(counts[None]))[0], expected, atol=1e-12)
                    checked += 1
    assert checked > 200


def test_words_of_a_situation_have_suffix_length_modulo_the_period_and_largest_logits_in_common() -> None:
    several = 0
    for model in random_models():
        for situation in enumerate_situations([model], sensitivity=1.0):
            views = [oracle.view([model], tokens(situation, each)) for each in some_counts(situation, rows=3, most=4)]
            assert len({view.situation for view in views}) == 1
            several += len(views) > 1
    assert several > 30


@pytest.mark.parametrize("heads", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_word_has_the_output_of_a_word_that_some_situation_lists(heads: int) -> None:
    for model in random_models(heads):
        for length in range(model.window + model.period + 1, 5 if model.alphabet.id_count == 3 else 6):
            expected = {output(model, word) for word in oracle.words(model.alphabet.id_count, length)}
            listed = set()
            for situation in enumerate_situations([model]):
                if length % model.period == situation.residue:
                    rows = situation.rows_within(length)
                    counts, needed = situation.counts_within(rows)
                    fitting = counts[needed == rows] if situation.tight else counts
                    listed |= {output(model, tokens(situation, each)) for each in fitting}
            assert listed == expected


def test_no_shorter_word_of_the_situation_has_the_same_counts() -> None:
    def counted(word: oracle.Word, situation: Situation) -> list[int]:
        prefix = [(symbol, at % situation.period) for at, symbol in enumerate(word, 1)][: -len(situation.suffix)]
        return [prefix.count(kind) for kind in situation.kinds]

    for model in random_models():
        for situation in enumerate_situations([model], sensitivity=1.0)[::3]:
            for counts in some_counts(situation, rows=2, most=2):
                word = tokens(situation, counts)
                assert counted(word, situation) == counts.tolist()
                own = oracle.view([model], word)
                for other in oracle.same_ending([model], word, len(word)):
                    if len(other) % model.period == situation.residue and counted(other, situation) == counts.tolist():
                        assert oracle.view([model], other).situation != own.situation


def test_simple_task_attends_to_zeros_and_ones_or_else_to_nothing_but_twos() -> None:
    both = ((0, 0), (1, 0))
    found = {(each.suffix, each.kinds) for each in enumerate_situations([simple_task(2.0).model])}
    assert found == {((0,), both), ((1,), both), ((2,), both), ((2,), ((2, 0),))}


def test_each_attended_key_of_mod_p_task_takes_a_whole_period() -> None:
    for situation in enumerate_situations([mod_p_task(5, 2).model]):
        assert situation.kinds == ((0, 2), (1, 2))
        shorter, longer = (situation.word(np.array([3, ones])).length for ones in (4, 9))
        assert longer - shorter == 25


def test_types_that_no_output_tells_apart_count_as_one_unless_attention_itself_is_to_be_kept() -> None:
    model = simple_task(2.0).model
    value = model.layers[0].heads[0].value.copy()
    value[:, 1] = value[:, 0]
    blind = oracle.with_head(model, value=value)
    assert {len(each.kinds) for each in enumerate_situations([blind])} == {1}
    assert {len(each.kinds) for each in enumerate_situations([blind], sensitivity=1.0)} == {1, 2}


def test_a_window_with_too_many_suffixes_is_refused() -> None:
    model = oracle.with_head(simple_task(2.0).model, phi=np.ones(13))
    with pytest.raises(ModelError, match="a window of 12 over 3 symbols makes 1594323 situations, too many"):
        enumerate_situations([model])


@pytest.mark.parametrize(("total", "parts"), [(0, 1), (5, 1), (4, 2), (6, 3), (3, 4)])
def test_compositions_are_all_ways_to_split_a_number(total: int, parts: int) -> None:
    expected = {each for each in itertools.product(range(total + 1), repeat=parts) if sum(each) == total}
    found = [tuple(row) for row in compositions(total, parts).tolist()]
    assert set(found) == expected
    assert len(found) == len(expected)
