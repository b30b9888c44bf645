"""Which words share a situation decides which models are in the class, and so whether the theorem is true."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.certified.length import certified
from lengthwise.limit.evaluation.regimes import Hardmax
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from tests.bounds import stand_in_oracle as oracle

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "certified-length.md"
LONGEST = 5
Outputs = Callable[[oracle.Word], float]


def one_head(key_query: np.ndarray, value: np.ndarray, phi: list[float]) -> LimitTransformer:
    """Over {a, b}, with one-hot inputs, no units, and the sum of what was read as its output."""
    nothing = np.zeros((0, 2))
    layer = Layer((Head(key_query, value, np.array(phi)),), nothing, np.zeros(0), nothing.T, np.zeros(0, dtype=bool))
    return LimitTransformer(
        Alphabet(("a", "b")), np.eye(2), np.zeros((1, 2)), (layer,), np.ones((1, 2)), ("sum",), regime=Hardmax()
    )


def words() -> list[oracle.Word]:
    return [word for length in range(1, LONGEST + 1) for word in itertools.product(range(2), repeat=length)]


def in_class(f: LimitTransformer, g: Outputs, sensitivity: float, own_up_to: int) -> bool:
    """Whether g changes by at most s per part of the attention that is moved, within each situation of f.

    Words of at most so many symbols are situations of their own.
    """
    views = {word: oracle.view([f], word) for word in words()}
    for first, second in itertools.combinations(views, 2):
        mine, theirs = views[first], views[second]
        apart = min(len(first), len(second)) <= own_up_to
        if not apart and mine.situation == theirs.situation:
            moved = oracle._moved(mine.shares[0], theirs.shares[0])
            if abs(g(first) - g(second)) > sensitivity * moved + 1e-9:
                return False
    return True


def test_a_word_of_as_many_symbols_as_a_window_has_shares_its_situation_with_longer_ones() -> None:
    """If it were a situation of its own, a model that leaves f at all other words would be in the class."""
    f = one_head(np.zeros((2, 2)), np.eye(2), [2.0])
    assert f.window == 0
    found = certified(f, 0.1, sensitivity=1.0)
    assert (found.length, found.exact) == (1, True)

    def same(word: oracle.Word) -> float:
        return float(oracle.view([f], word).outputs[0][0])

    def leaves(word: oracle.Word) -> float:
        return same(word) + (1000.0 if len(word) > 1 else 0.0)

    assert all(leaves(word) == same(word) for word in words() if len(word) <= found.length)
    assert max(abs(leaves(word) - same(word)) for word in words()) > 2 * 0.1
    assert in_class(f, leaves, 1.0, own_up_to=f.window + 1)  # the theorem would be false
    assert not in_class(f, leaves, 1.0, own_up_to=f.window)  # the class that is meant
    assert in_class(f, same, 1.0, own_up_to=f.window)
    assert "if it has fewer than that, *x* itself is its situation" in PAGE.read_text(encoding="utf-8")


def test_words_of_at_most_a_window_and_a_period_have_no_shorter_stand_in_but_others_as_long() -> None:
    f = replace(one_head(np.zeros((2, 2)), np.zeros((2, 2)), [0.0]), positions=np.zeros((3, 2)))
    assert (f.window, f.period) == (0, 3)
    assert certified(f, 0.1).length == 3
    for length in (1, 2, 3):
        for word in itertools.product(range(2), repeat=length):
            assert not oracle.has_stand_in_below([f], word, length, 0.1)
    assert oracle.view([f], (0, 1)).situation == oracle.view([f], (1, 1)).situation


def test_logits_that_are_equal_one_by_one_but_not_all_together_are_refused() -> None:
    """The hardmax attends to logits within 1e-9 of the largest; three that are 0.8e-9 apart are no such set."""
    step = 0.8e-9
    key_query = np.array([[step, step], [0.0, 0.0]])
    assert certified(one_head(key_query, np.eye(2), [0.0]), 0.4).exact
    with pytest.raises(ModelError, match="differ by little more than 1e-09"):
        certified(one_head(key_query, np.eye(2), [0.0, 2 * step]), 0.4)
