"""Predictive position coupling: the second head, its loss, and generation that feeds symbol and id back."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, InputError, LossError, groups, position_head
from lengthwise.nn.batches import FoldedBatch, fold, placed_for_training
from lengthwise.nn.generation import generate
from lengthwise.nn.position_head import outputs
from lengthwise.nn.positions import PositionError
from lengthwise.tasks.task import Batch
from tests.nn.oracle import SHAPES, by_definition, config, random_tokens, randomised

LETTERS, SEP = 3, 3


def reversal(words: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Batch:
    """x SEP y, y being x from its end on, with the ids 1, …, n, 0, n, …, 1 (Golowich et al., section 2.1)."""
    batch, length = words.shape
    whole = np.concatenate([words, np.full((batch, 1), SEP), words[:, ::-1]], axis=1)
    ids = np.tile([*range(1, length + 1), 0, *range(length, 0, -1)], (batch, 1))
    mask = np.zeros((batch, 2 * length), dtype=bool)
    mask[:, length:] = True
    return Batch(whole[:, :-1], whole[:, 1:], mask, positions=ids[:, :-1], next_positions=ids[:, 1:])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_second_head_reads_the_stream_that_outputs_are_read_from(shape: str) -> None:
    """As the unembedding of a model without it that is alike in all else."""
    model = randomised(config(shape, "predictive"))
    plain = config(shape, "coupled", outputs=13, tied=False)
    twin = Decoder(plain, [0, 1], torch.float64)
    weights = {name: w for name, w in model.state_dict().items() if "unembedding" not in name and ".head." not in name}
    weights["unembedding"] = model.state_dict()["positions.head.next"]
    if plain.biases == "all":
        zero = torch.zeros(2, 13, dtype=torch.float64)
        weights["unembedding_bias"] = model.state_dict().get("positions.head.next_bias", zero)
    if model.config.tied:
        weights["embedding"] = weights["embedding"][:, :3]
    twin.load_state_dict(weights)
    tokens = random_tokens(2, 2, 5)
    places = torch.from_numpy(np.random.default_rng(1).integers(0, 13, (2, 2, 5)))
    symbols, ids = outputs(model, tokens, places)
    assert torch.equal(symbols, model(tokens, places))
    for seed, row in ((0, 1), (1, 0)):
        expected = by_definition(twin, seed, tokens[seed, row].tolist(), places[seed, row].tolist())
        np.testing.assert_allclose(ids[seed, row].detach().numpy(), expected, rtol=0, atol=1e-9)


def test_the_loss_is_the_sum_of_the_mean_entropies_of_symbols_and_ids() -> None:
    rng = np.random.default_rng(0)
    symbols, ids = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 4, 7))
    targets, following = rng.integers(0, 5, (2, 3, 4)), rng.integers(0, 7, (2, 3, 4))
    mask = rng.random((2, 3, 4)) < 0.6
    as_tensors = [torch.from_numpy(each) for each in (targets, following, mask)]
    found = position_head.losses((torch.from_numpy(symbols), torch.from_numpy(ids)), *as_tensors)
    for seed in range(2):
        terms = [
            log(sum(exp(z) for z in said[seed, word, place])) - said[seed, word, place, wanted[seed, word, place]]
            for said, wanted in ((symbols, targets), (ids, following))
            for word in range(3) for place in range(4) if mask[seed, word, place]
        ]  # fmt: skip
        assert float(found[seed]) == pytest.approx(sum(terms) / mask[seed].sum())


def test_a_word_is_right_if_all_its_symbols_and_ids_are() -> None:
    targets, following = torch.tensor([[[1, 0, 2]] * 4]), torch.tensor([[[2, 1, 0]] * 4])
    said, ids = targets.clone(), following.clone()
    said[0, 1, 2], ids[0, 2, 1], said[0, 3, 0] = 0, 2, 2
    answers = torch.tensor([[[False, True, True]] * 4])
    both = tuple(torch.nn.functional.one_hot(each, 3).double() for each in (said, ids))
    found = position_head.right((both[0], both[1]), targets, following, answers, answers)
    assert found.tolist() == [[True, False, False, True]]


def test_exactly_one_continuation_is_right_at_every_step_and_it_is_generated() -> None:
    """All symbols and ids that can follow are tried, each with its own beginning given."""
    setting = DecoderConfig(
        2, 2, width=4, layers=2, hidden=4, read="all", position="predictive", position_parameters={"context": 2}
    )
    model = Decoder(setting, range(6), torch.float64)
    prompt, places = torch.tensor([[0, 1, 1]]), torch.tensor([[0, 2, 1]])
    tried = [
        (list(symbols), list(ids)) for symbols in product(range(2), repeat=3) for ids in product(range(3), repeat=3)
    ]
    tokens, follow = (torch.tensor([each[k] for each in tried]) for k in (0, 1))
    whole, ids = (
        torch.cat([start.expand(len(tried), 3), end], dim=1).expand(6, -1, -1)
        for start, end in ((prompt, tokens), (places, follow))
    )
    answers = torch.tensor([False, False, True, True, True]).expand(6, len(tried), 5)
    said = outputs(model, whole[:, :, :-1], ids[:, :, :-1])
    right = position_head.right(said, whole[:, :, 1:], ids[:, :, 1:], answers, answers)
    assert right.sum(1).tolist() == [1] * 6
    found = generate(model, prompt, 3, places)
    assert found.places is not None
    assert torch.equal(found.tokens[:, 0], whole[right])
    assert torch.equal(found.places[:, 0], ids[right])
    assert len({tuple(row) for row in found.places[:, 0].tolist()}) > 1


def batch_of_reversals(model: Decoder, length: int, rngs: list[np.random.Generator]) -> FoldedBatch:
    drawn = [reversal(rng.integers(0, LETTERS, (24, length))) for rng in rngs]
    return fold([placed_for_training(each, model.positions, rng) for each, rng in zip(drawn, rngs, strict=True)])


def trained(seeds: list[int], steps: int) -> tuple[Decoder, torch.Tensor]:
    """A small model of reversal, and its last losses; every seed draws its own words, of lengths all have in common."""
    setting = DecoderConfig(
        4, 4, width=16, layers=2, heads=2, hidden=32, read="all",
        position="predictive", position_parameters={"context": 6}, embedding_scale=0.5,
    )  # fmt: skip
    model = Decoder(setting, seeds)
    optimizer = FoldedAdam(groups(model))
    rngs, common = [np.random.default_rng(seed) for seed in seeds], np.random.default_rng(0)
    for _ in range(steps):
        batch = batch_of_reversals(model, int(common.integers(1, 5)), rngs)
        assert batch.positions is not None
        optimizer.zero_grad()
        found = position_head.losses(
            outputs(model, batch.tokens, batch.positions), batch.targets, batch.next_positions, batch.mask
        )
        torch.autograd.backward(found.sum())
        optimizer.step()
    return model, found.detach()


def test_a_trained_model_generates_the_words_that_it_gets_right_given_their_beginning() -> None:
    model, _ = trained([0, 1], 200)
    words = np.array(list(product(range(LETTERS), repeat=4)))
    batch = fold([reversal(words)] * 2)
    assert batch.positions is not None
    assert batch.next_positions is not None
    said = outputs(model, batch.tokens, batch.positions)
    right = position_head.right(said, batch.targets, batch.next_positions, batch.mask, batch.answers)
    found = generate(model, batch.tokens[:, :, :5], 4, batch.positions[:, :, :5])
    assert found.places is not None
    symbols, ids = found.tokens[:, :, 1:] == batch.targets, found.places[:, :, 1:] == batch.next_positions
    same = (symbols & ids).all(-1)
    assert torch.equal(same, right)
    assert right.double().mean(1).min() > 0.3  # of 81 words; few enough steps that not all are


def test_a_seed_of_predictive_coupling_has_the_same_bits_alone_and_folded() -> None:
    model, losses = trained([0, 1, 2], 3)
    for place in range(3):
        alone, own = trained([place], 3)
        assert torch.equal(losses[place], own[0])
        for name, weight in alone.state_dict().items():
            assert torch.equal(model.state_dict()[name][place], weight[0]), name


def test_one_seed_generates_what_it_generates_beside_others() -> None:
    model = randomised(config("narrow heads", "predictive", outputs=3), seeds=3)
    tokens, places = random_tokens(3, 4, 5), random_tokens(3, 4, 5, symbols=13, seed=1)
    together = generate(model, tokens, 6, places)
    for seed in range(3):
        alone = generate(model.subset([seed]), tokens[[seed]], 6, places[[seed]])
        assert torch.equal(alone.tokens[0], together.tokens[seed])
        assert together.places is not None
        assert alone.places is not None
        assert torch.equal(alone.places[0], together.places[seed])
    assert torch.equal(together.tokens[:, :, :5], tokens)


@pytest.mark.parametrize("scheme", ["learned", "rope", "none"])
def test_a_model_without_the_second_head_counts_or_is_told_the_ids(scheme: str) -> None:
    model = randomised(config("narrow heads", scheme, outputs=3))
    tokens = random_tokens(2, 3, 4)
    for places in (None, torch.tensor([3, 2, 9, 4, 4, 12, 1])):
        expected = tokens
        for length in range(4, 8):
            said = model(expected, None if places is None else places[:length])[:, :, -1].argmax(-1, keepdim=True)
            expected = torch.cat([expected, said], dim=2)
        found = generate(model, tokens, 4, places)
        assert torch.equal(found.tokens, expected)
        assert found.places is None


def test_what_cannot_be_generated_or_scored_gets_a_sentence() -> None:
    model, plain = (randomised(config("one layer", scheme, outputs=3)) for scheme in ("predictive", "learned"))
    tokens = random_tokens(2, 4)
    with pytest.raises(InputError, match="a model that predicts position ids needs those of the prompt"):
        generate(model, tokens, 2)
    with pytest.raises(InputError, match="for prompts of 4 symbols and 2 more, 4 position ids are needed, not 5"):
        generate(model, tokens, 2, torch.arange(5))
    with pytest.raises(InputError, match="for prompts of 4 symbols and 2 more, 5 position ids are needed, not 4"):
        generate(plain, tokens, 2, torch.arange(1, 5))
    with pytest.raises(InputError, match="a model with the positions 'learned' does not predict position ids"):
        outputs(plain, tokens, torch.arange(1, 5))
    with pytest.raises(PositionError, match="this position scheme does not predict position ids"):
        plain.positions.next_ids(torch.zeros(2, 6))
    said = outputs(model, tokens, torch.arange(4))
    targets, mask = torch.zeros(2, 2, 4, dtype=torch.int64), torch.ones(2, 2, 4, dtype=torch.bool)
    with pytest.raises(LossError, match="a model needs a task that says which come next"):
        position_head.losses(said, targets, None, mask)
    with pytest.raises(LossError, match="position ids from 0 to 13 cannot be scored by a head for the ids 0 to 12"):
        position_head.losses(said, targets, targets + 13 * (torch.arange(4) == 2), mask)
