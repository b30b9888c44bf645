"""What is generated is what a test of the model finds right, position ids included."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
import torch

from lengthwise.nn import Decoder, DecoderConfig, InputError
from lengthwise.nn.generation import generate
from lengthwise.nn.positions import PositionError
from lengthwise.runs.training.questions import TokenQuestions
from lengthwise.tasks.task import Batch, Task

PROMPT = [2, 0, 1]
STEPS = 4
READ = len(PROMPT) + STEPS - 1
SCHEMES: dict[str, tuple[str, dict[str, Any]]] = {
    "rope": ("rope", {}),
    "learned": ("learned", {"context": 20}),
    "pose": ("pose", {"context": 20}),
    "interpolation of rope": ("interpolation", {"context": 3, "base": 3.0}),
    "interpolation of learned": ("interpolation", {"context": 3, "inner": "learned"}),
    "randomized, even": ("randomized", {"context": 20, "at_test": "even"}),
    "randomized, first": ("randomized", {"context": 20, "at_test": "first"}),
}
OTHERS = ("interpolation of rope", "randomized, even")
"""Those that test with other ids than 1, 2, 3, …; and that of learned vectors, which has none for 4, 5, 6."""


def model_with(position: str, parameters: dict[str, Any]) -> Decoder:
    """Six seeds with large weights, so that they say different things at different positions."""
    setting = DecoderConfig(
        3, 3, width=8, layers=2, heads=2, hidden=8, read="all", position=position, position_parameters=parameters
    )
    model = Decoder(setting, range(6), torch.float64)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape, generator=generator, dtype=weight.dtype))
    return model


@dataclass
class Continuations:
    """A task: words, of which everything behind the prompt is to be said."""

    words: npt.NDArray[np.int64]
    loss = "next-token"

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        mask = np.tile(np.arange(length) >= len(PROMPT) - 1, (batch, 1))
        return Batch(self.words[:, :-1], self.words[:, 1:], mask)


def shares_that_are_right(model: Decoder, words: npt.NDArray[np.int64]) -> list[float]:
    """By the test that every run ends with; a number for each seed."""
    asked = TokenQuestions(cast(Task, Continuations(words)), torch.device("cpu"))
    with torch.no_grad():
        found = asked.scores(model, READ, len(words), np.random.default_rng(0)).accuracies
    assert found is not None
    return found


@pytest.mark.parametrize("name", SCHEMES)
def test_of_all_continuations_the_one_that_a_test_finds_right_is_generated(name: str) -> None:
    model = model_with(*SCHEMES[name])
    every = np.array([[*PROMPT, *end] for end in product(range(3), repeat=STEPS)])
    assert shares_that_are_right(model, every) == pytest.approx([1 / len(every)] * 6)
    found = generate(model, torch.tensor([PROMPT]), STEPS)
    for seed in range(6):
        assert shares_that_are_right(model.subset([seed]), found.tokens[seed].numpy()) == [1.0]


@pytest.mark.parametrize("name", sorted({*SCHEMES} - {"interpolation of learned"}))
def test_only_schemes_that_test_with_other_ids_generate_other_words_than_by_counting(name: str) -> None:
    model, prompt = model_with(*SCHEMES[name]), torch.tensor([PROMPT])
    counted = generate(model, prompt, STEPS, torch.arange(1, READ + 1))
    assert torch.equal(counted.tokens, generate(model, prompt, STEPS).tokens) == (name not in OTHERS)


def test_ids_that_are_drawn_in_tests_must_be_given() -> None:
    model, prompt = model_with("randomized", {"context": 20}), torch.tensor([PROMPT])
    with pytest.raises(InputError, match="the position scheme 'randomized' draws position ids at random when a model"):
        generate(model, prompt, STEPS)
    drawn = torch.tensor([[1, 4, 5, 11, 12, 19]])
    expected = prompt.expand(6, 1, -1)
    for length in range(len(PROMPT), READ + 1):
        said = model(expected, drawn[:, :length])[:, :, -1].argmax(-1, keepdim=True)
        expected = torch.cat([expected, said], dim=2)
    assert torch.equal(generate(model, prompt, STEPS, drawn).tokens, expected)


def test_ids_that_a_task_gives_are_not_counted_instead() -> None:
    with pytest.raises(PositionError, match="the position scheme 'coupled' takes the position ids of a task"):
        generate(model_with("coupled", {"context": 20}), torch.tensor([PROMPT]), STEPS)


def test_more_symbols_than_positions_are_refused_before_the_first_is_written() -> None:
    model = model_with("randomized", {"context": 5, "at_test": "even"})
    with pytest.raises(PositionError, match="inputs of length 6 do not fit into a context of 5 positions"):
        generate(model, torch.tensor([PROMPT]), STEPS)
    assert generate(model, torch.tensor([PROMPT]), 3).tokens.shape == (6, 1, 6)


def test_no_more_symbols_are_the_prompt_and_fewer_than_none_are_refused() -> None:
    for position, parameters in SCHEMES.values():
        model = model_with(position, parameters)
        assert generate(model, torch.tensor([PROMPT]), 0).tokens.tolist() == [[PROMPT]] * 6
    with pytest.raises(InputError, match=r"^-3 more symbols cannot be written; give 0 or more$"):
        generate(model, torch.tensor([PROMPT]), -3)
