"""Accuracy by position and words with errors, as they are kept in the results of a run."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from lengthwise.nn.model import Decoder
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.run_directory import Result
from lengthwise.runs.training.evaluate import evaluate
from lengthwise.runs.training.questions import TokenQuestions
from lengthwise.runs.training.scoring import PARTS, ErrorExample, Predictions, Tally, first_examples
from lengthwise.runs.training.streams import TESTING, stream
from lengthwise.tasks.request import lengths

CONFIGS = {
    "next-set": RunConfig(
        task="d2", parameters={"start": True}, train_length=8, test_lengths=[8, 16, 24], seeds=2,
        model={"width": 8, "heads": 1, "layers": 1, "hidden": 8}, optimizer={"lengths": "independent", "batch": 8},
        evaluation={"bins": True, "words": 30},
    ),
    "next-token": RunConfig(
        task="task:sort", parameters={"symbols": 20}, train_length=4, test_lengths=[4, 6], seeds=2,
        model={"width": 8, "heads": 1, "layers": 1, "hidden": 8}, optimizer={"lengths": "per-batch", "batch": 8},
        evaluation={"bins": True, "words": 20},
    ),
}  # fmt: skip


def by_hand(config: RunConfig, model: Decoder, length: int, place: int) -> tuple[list[bool], dict[int, list[bool]]]:
    """Whether each word is right, and each prediction by its position, computed word by word."""
    task = config.get_task()
    before = [each for each in config.test_lengths if each < length]
    bin_of = [each for each in lengths(task, length) if not before or each > before[-1]]
    words: list[bool] = []
    positions: dict[int, list[bool]] = {}
    for each in bin_of:
        share = -(-config.evaluation.words // len(bin_of))
        batch = task.sample(each, share, stream(config.evaluation.seed, TESTING, each))
        for row in range(share):
            outputs = model(torch.from_numpy(batch.tokens[row : row + 1]))[place, 0].detach().numpy()
            right = []
            for at in np.flatnonzero(batch.mask[row]):
                if task.loss == "next-set":
                    good = bool(((outputs[at] > 0) == batch.targets[row, at]).all())
                else:
                    good = int(outputs[at].argmax()) == int(batch.targets[row, at])
                right.append(good)
                positions.setdefault(int(at), []).append(good)
            words.append(all(right))
    return words, positions


@pytest.mark.parametrize("name", CONFIGS)
def test_results_have_the_accuracy_of_single_predictions_and_of_positions(name: str) -> None:
    config = CONFIGS[name]
    task = config.get_task()
    model = Decoder(config.decoder(), config.seeds)
    where_asked = config.optimizer.lengths == "independent"
    found = evaluate(config, task, model, TokenQuestions(task, torch.device("cpu"), where_asked))
    for result in found:
        words, positions = by_hand(config, model, result.test_length, config.seeds.index(result.seed))
        assert result.words == len(words)
        assert result.accuracy == pytest.approx(sum(words) / len(words))
        every = [each for found in positions.values() for each in found]
        assert result.position_accuracy == pytest.approx(sum(every) / len(every))
        begin = 0
        for part in result.by_position:
            inside = [good for at, goods in positions.items() if begin <= at <= part.last for good in goods]
            assert (part.right, part.scored) == (sum(inside), len(inside))
            begin = part.last + 1
        assert sum(part.scored for part in result.by_position) == len(every)
        assert len(result.by_position) <= PARTS


@pytest.mark.parametrize("name", CONFIGS)
def test_the_example_is_wrong_where_it_says_and_is_of_the_shortest_length_beyond_training(name: str) -> None:
    config = CONFIGS[name]
    task = config.get_task()
    model = Decoder(config.decoder(), config.seeds)
    found = evaluate(config, task, model, TokenQuestions(task, torch.device("cpu")))
    for seed in config.seeds:
        examples = [each for each in found if each.seed == seed and each.error is not None]
        failing = [each for each in found if each.seed == seed and each.test_length > config.train_length]
        failing = [each for each in failing if (each.accuracy or 0) < 1]
        assert [each.test_length for each in examples] == [min(each.test_length for each in failing)]
        error = examples[0].error
        assert error is not None
        outputs = model(torch.tensor([error.tokens]))[config.seeds.index(seed), 0]
        for place, expected, predicted in zip(error.wrong, error.expected, error.predicted, strict=True):
            assert expected != predicted
            said = (outputs[place] > 0).nonzero().flatten().tolist()
            assert list(predicted) == (said if task.loss == "next-set" else [int(outputs[place].argmax())])


def test_results_survive_being_written_and_those_of_earlier_versions_are_read() -> None:
    example = ErrorExample((2, 0, 1), (1, 2), ((0, 1), ()), ((), (1,)))
    tally = Tally()
    tally.add(
        Predictions(
            np.array([[2, 0, 1]]), np.array([[False, True, True]]), np.array([[False, True, True]]),
            np.array([[[True, False, True]]]), np.array([[0, 1, 1]]), np.array([[[0, 2, 1]]]),
        ),
        0,
    )  # fmt: skip
    result = Result(1, 8, 0.5, 0.25, 64, tally.accuracy, tally.ranges(), example)
    assert tally.accuracy == 0.5
    assert tally.example == ErrorExample((2, 0, 1), (1,), ((1,),), ((2,),))
    assert Result.from_json(json.loads(json.dumps(dataclasses.asdict(result)))) == result
    old = Result.from_json({"seed": 0, "test_length": 8, "loss": None, "accuracy": 0.5, "words": 3})
    assert (old.position_accuracy, old.by_position, old.error) == (None, (), None)


def test_only_lengths_beyond_training_have_examples() -> None:
    wrong = Tally(example=ErrorExample((0,), (0,), ((0,),), ((1,),)))
    assert first_examples([(8, wrong), (16, Tally()), (24, wrong), (32, wrong)], 8) == {24: wrong.example}
    assert first_examples([(8, wrong)], 8) == {}
