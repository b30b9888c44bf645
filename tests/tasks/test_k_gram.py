"""The in-context k-gram task: targets and the whole distribution of words against the definition."""

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions import k_gram
from lengthwise.tasks import KGramTask
from lengthwise.tasks import k_gram as module
from tests.tasks.definitions import all_words, followers, k_gram_chances, planted, shares
from tests.tasks.statistics import assert_drawn_from

SIZES = [(1, 2), (1, 8), (2, 3), (3, 2), (4, 2)]


@pytest.mark.parametrize(("context", "symbols"), SIZES)
def test_the_target_is_the_share_of_each_follower_and_the_query_always_occurred(context: int, symbols: int) -> None:
    task = KGramTask(context, symbols)
    for length in (task.min_length, task.min_length + 1, 30):
        batch = task.sample(length, 100, np.random.default_rng(length))
        for word, target in zip(batch.tokens.tolist(), batch.targets.tolist(), strict=True):
            wanted = shares(tuple(word), context, symbols)
            assert wanted is not None
            assert target == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("length", "context", "symbols"), [(2, 1, 3), (5, 1, 2), (4, 1, 3), (4, 2, 2), (6, 2, 2)])
def test_words_are_those_of_random_chains_with_the_query_planted(length: int, context: int, symbols: int) -> None:
    batch = KGramTask(context, symbols).sample(length, 40_000, np.random.default_rng(21))
    assert_drawn_from(k_gram_chances(length, context, symbols), map(tuple, batch.tokens.tolist()))


def test_large_transition_tensors_are_drawn_in_groups_with_the_same_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = KGramTask(2, 2)
    monkeypatch.setattr(module, "MOST_TRANSITIONS", 8 * 3000)
    batch = task.sample(6, 40_000, np.random.default_rng(22))
    assert_drawn_from(k_gram_chances(6, 2, 2), map(tuple, batch.tokens.tolist()))


def test_targets_of_given_words_are_undefined_where_the_query_did_not_occur() -> None:
    for length in (1, 2, 3, 5):
        words = list(all_words(2, length))
        found = KGramTask(2, 2).targets(np.array(words))
        for word, target in zip(words, found.tolist(), strict=True):
            wanted = shares(word, 2, 2) if length > 2 else None
            assert np.isnan(target).all() if wanted is None else target == pytest.approx(wanted)


def test_planting_over_the_query_as_the_paper_writes_it_can_leave_the_query_without_an_occurrence() -> None:
    word = (0, 0, 0, 0, 0, 1)
    over = planted(word, 2, end=len(word) - 1)  # the paper draws this end from [k, T - 1]
    assert over == (0, 0, 0, 0, 1, 1)
    assert followers(over, 2) == []
    assert all(followers(planted(word, 2, end), 2) for end in range(2, len(word) - 1))


def test_targets_are_those_of_the_construction() -> None:
    for context, symbols in SIZES:
        task, construction = KGramTask(context, symbols), k_gram(context, map(str, range(symbols)), 5.0, 2.0)
        batch = task.sample(20, 20, np.random.default_rng(3))
        for word, target in zip(batch.tokens, batch.targets, strict=True):
            wanted = construction.target(word)
            assert wanted is not None
            assert target.tolist() == pytest.approx(wanted.tolist(), abs=1e-12)


def test_parameters_that_make_no_sense_are_refused() -> None:
    for context, symbols in [(0, 3), (1, 1)]:
        with pytest.raises(LengthwiseError, match=f"got {context} and {symbols}"):
            KGramTask(context, symbols)
    for context, symbols in [(11, 4), (10**9, 2), (1, 10**9)]:
        with pytest.raises(LengthwiseError, match="fewer symbols or a shorter context"):
            KGramTask(context, symbols)
