"""Position ids of batches: folded, joined and padded, and as a scheme trains with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from lengthwise.errors import LengthwiseError
from lengthwise.nn import Decoder, fold, joined
from lengthwise.nn.batches import padded, placed_for_training
from lengthwise.tasks.task import Batch
from tests.nn.oracle import config


def batch(length: int, words: int = 3, seed: int = 0, coupled: bool = True) -> Batch:
    rng = np.random.default_rng(seed)
    tokens, targets = rng.integers(0, 3, (2, words, length))
    ids = rng.integers(0, 5, (words, length + 1))
    plain = Batch(tokens, targets, rng.random((words, length)) < 0.5)
    return replace(plain, positions=ids[:, :-1], next_positions=ids[:, 1:]) if coupled else plain


def test_folding_keeps_the_ids_that_come_next() -> None:
    parts = [batch(4, seed=seed) for seed in (0, 1)]
    folded = fold(parts)
    assert folded.next_positions is not None
    for seed, part in enumerate(parts):
        assert part.next_positions is not None
        assert torch.equal(folded.next_positions[seed], torch.from_numpy(part.next_positions))
    assert fold([batch(4, coupled=False)]).next_positions is None


def test_joining_keeps_them_from_the_shortest_words_on() -> None:
    long, short = batch(5), batch(2, seed=1)
    whole = joined([long, short])
    assert whole.next_positions is not None
    assert long.next_positions is not None
    assert short.next_positions is not None
    assert np.array_equal(whole.next_positions[:3, :2], short.next_positions)
    assert not whole.next_positions[:3, 2:].any()
    assert np.array_equal(whole.next_positions[3:], long.next_positions)
    assert padded(batch(2, coupled=False), 4).next_positions is None


@pytest.mark.parametrize(("done", "together"), [("folded", fold), ("joined", joined)])
def test_all_batches_have_them_or_none(done: str, together: object) -> None:
    assert callable(together)
    with pytest.raises(LengthwiseError, match=f"all batches that are {done} have ids that come next or none has"):
        together([batch(4), replace(batch(4), next_positions=None)])


def test_ids_that_come_next_are_shifted_with_those_of_the_word() -> None:
    positions = Decoder(config("one layer", "predictive"), [0]).positions
    given = batch(6, words=200)
    assert given.positions is not None
    assert given.next_positions is not None
    found = placed_for_training(given, positions, np.random.default_rng(0))
    assert found.positions is not None
    assert found.next_positions is not None
    assert np.array_equal(found.positions[:, 1:], found.next_positions[:, :-1])
    for before, after in ((given.positions, found.positions), (given.next_positions, found.next_positions)):
        assert np.array_equal(before == 0, after == 0)
    assert found.next_positions.max() == 12
    largest = np.maximum(found.positions.max(1), found.next_positions.max(1))
    before = np.maximum(given.positions.max(1), given.next_positions.max(1))
    assert set((largest - before)[before == 4].tolist()) == set(range(9))


def test_plain_words_are_placed_as_their_scheme_shifts_them() -> None:
    scheme, words = Decoder(config("one layer", "learned"), [0, 1]).positions, batch(5, coupled=False)
    shifted = scheme.training_places(5, 3, np.random.default_rng(1))
    assert shifted is not None
    found = placed_for_training(words, scheme, np.random.default_rng(1))
    assert found.positions is not None
    assert found.positions.tolist() == shifted.tolist()
    assert found.tokens is words.tokens


def test_nothing_changes_for_schemes_that_leave_ids_alone() -> None:
    for scheme in ("none", "rope", "alibi"):
        positions = Decoder(config("one layer", scheme), [0]).positions
        plain, coupled = batch(5, coupled=False), batch(5)
        assert placed_for_training(plain, positions, np.random.default_rng(0)) is plain
        found = placed_for_training(coupled, positions, np.random.default_rng(0))
        for name in ("positions", "next_positions"):
            assert np.array_equal(getattr(found, name), getattr(coupled, name))
