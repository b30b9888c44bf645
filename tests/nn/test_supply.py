"""Batches of words of several lengths: padded, joined, and supplied with lengths of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise import tasks
from lengthwise.errors import LengthwiseError
from lengthwise.nn import Decoder, DecoderConfig, WordSupply, asked, fold, joined, losses
from lengthwise.nn.batches import padded
from lengthwise.tasks.task import Batch

COPY = tasks.get("task:copy-unique", symbols=9)


def batches(*lengths: int, words: int = 3) -> list[Batch]:
    rng = np.random.default_rng(0)
    drawn = [COPY.sample(length, words, rng) for length in lengths]
    return [
        replace(each, positions=np.arange(1, each.tokens.shape[1] + 1) + rng.integers(0, 4, (words, 1)))
        for each in drawn
    ]


def test_a_model_says_the_same_about_words_that_are_joined() -> None:
    parts = batches(5, 1, 3)
    model = Decoder(DecoderConfig.gpt2(len(COPY.alphabet), 8, 2, 2, context=30), [0], torch.float64)
    together = fold([joined(parts)])
    outputs = asked.outputs(model, together.tokens, together.mask, together.positions)
    found = losses("next-token", outputs, together.targets, together.mask)
    torch.testing.assert_close(
        found, losses("next-token", model(together.tokens, together.positions), together.targets, together.mask)
    )
    scored, total = 0, 0.0
    for part in map(fold, ([each] for each in parts)):
        count = int(part.mask.sum())
        alone = losses("next-token", model(part.tokens, part.positions), part.targets, part.mask)
        scored, total = scored + count, total + count * float(alone.detach())
    assert float(found.detach()) == pytest.approx(total / scored, abs=1e-12)


def test_words_come_from_the_shortest_on_and_nothing_is_scored_behind_them() -> None:
    whole = joined(batches(4, 2))
    assert whole.tokens.shape == (6, 10)
    assert whole.positions is not None
    assert whole.mask.sum(1).tolist() == [3] * 3 + [5] * 3
    assert not whole.mask[:3, 6:].any()
    assert (whole.positions[:3, 6:] == whole.positions[:3, 5:6]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "there are no batches to be joined"),
        ([*batches(2), replace(batches(3)[0], positions=None)], "either all batches that are joined have position ids"),
        ([Batch(np.zeros((2, 3), int), np.zeros((2, 1)), np.zeros((2, 3), bool))] * 2, "regression is at the last"),
    ],
)
def test_what_cannot_be_joined_gets_a_sentence(given: list[Any], message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        joined(given)


def test_words_are_not_made_shorter() -> None:
    with pytest.raises(LengthwiseError, match="words of 10 symbols cannot be padded to 9"):
        padded(batches(4)[0], 9)


def test_supplied_words_have_uniform_lengths_of_their_own_and_offsets_that_fit() -> None:
    model = Decoder(DecoderConfig.gpt2(len(COPY.alphabet), 8, 1, 1, context=20), [0])
    supply = WordSupply(COPY, range(1, 10), 50, np.random.default_rng(0), model.positions)
    lengths: Counter[int] = Counter()
    offsets: Counter[int] = Counter()
    for _ in range(100):
        batch = supply.batch()
        assert batch.positions is not None
        own = batch.mask.sum(1) - 1
        assert (np.diff(own) >= 0).all()
        assert batch.tokens.shape == (50, 2 * own[-1] + 2)
        answers = [row[scored].tolist() for row, scored in zip(batch.targets, batch.mask, strict=True)]
        questions = [row[1 : length + 1].tolist() for row, length in zip(batch.tokens, own, strict=True)]
        assert all(said[:-1] == asked for said, asked in zip(answers, questions, strict=True))
        lengths.update(own.tolist())
        offsets.update((batch.positions[:, 0] - 1)[own == 7].tolist())
    assert all(abs(lengths[length] - 5000 / 9) < 5 * (5000 / 9) ** 0.5 for length in range(1, 10))
    assert sorted(offsets) == list(range(5))  # a context of 20, inputs of 16
