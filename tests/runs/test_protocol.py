"""Settings of Huang et al., E.3: bins of test lengths, words of independent lengths, warm-up, cut gradients."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise import tasks
from lengthwise.errors import LengthwiseError
from lengthwise.nn import Decoder, WordSupply
from lengthwise.runs.config import RunConfig, bins
from lengthwise.runs.grid import merged
from lengthwise.runs.training.evaluate import evaluate
from lengthwise.runs.training.feeds import FilledFeed, feed
from lengthwise.runs.training.questions import TokenQuestions, questions
from lengthwise.runs.training.streams import TRAINING, stream
from lengthwise.runs.training.train import _rate_factor, require_trainable, train_run

SMALL: dict[str, Any] = {
    "task": "task:copy-repeat",
    "train_length": 5,
    "test_lengths": [5, 9],
    "model": {"width": 8, "hidden": 8, "position": "learned", "layers": 2},
    "optimizer": {"batch": 16, "lengths": "independent"},
    "stopping": {"steps": 6, "check_every": 3, "loss": "none"},
    "evaluation": {"words": 30, "bins": True},
}


def small(**changes: Any) -> RunConfig:
    return RunConfig(**merged(SMALL, changes))


def prepared(config: RunConfig) -> tuple[Decoder, TokenQuestions]:
    model = Decoder(config.decoder(), config.seeds)
    asked = questions(config, config.get_task(), model, torch.device("cpu"))
    assert isinstance(asked, TokenQuestions)
    return model, asked


def test_bins_cover_all_lengths_from_the_shortest_on_without_overlap() -> None:
    assert bins(1, 50, (50, 100, 150)) == {50: range(1, 51), 100: range(51, 101), 150: range(101, 151)}
    assert bins(1, 50, (80, 90)) == {80: range(51, 81), 90: range(81, 91)}


@pytest.mark.parametrize("task", ["task:copy-repeat", "task:binary-majority-interleave", "(aa)*"])
def test_words_of_a_bin_have_all_its_lengths_in_equal_parts(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = small(task=task, train_length=6, test_lengths=[6, 12])
    model, asked = prepared(config)
    met: dict[int, int] = {}

    def scores(model: Decoder, length: int, words: int, rng: np.random.Generator) -> Any:
        met[length] = met.get(length, 0) + words
        return TokenQuestions.scores(asked, model, length, words, rng)

    monkeypatch.setattr(asked, "scores", scores)
    evaluate(config, config.get_task(), model, asked)
    possible = [length for length in range(1, 13) if task != "(aa)*" or length % 2 == 0]
    if "interleave" in task:
        possible = [length for length in possible if length % 3 == 0]
    assert list(met) == possible
    for end, within in bins(1, 6, (6, 12)).items():
        inside = [met[length] for length in possible if length in within]
        assert len(set(inside)) == 1, end
        assert sum(inside) >= 30, end


def test_a_bin_without_words_is_refused() -> None:
    with pytest.raises(LengthwiseError, match="has no words of 6 to 7 symbols"):
        small(task="a|aa|aaa|aaaa|aaaaa|aaaaaaaa", test_lengths=[5, 7])


def test_the_loss_of_words_that_are_padded_is_that_of_every_word_alone() -> None:
    config = small(dtype="float64", seeds=[3, 4])
    torch.set_default_dtype(torch.float64)
    try:
        model = Decoder(config.decoder(), config.seeds, torch.float64)
        asked = questions(config, config.get_task(), model, torch.device("cpu"))
        batches = feed(config, asked, model)
        assert isinstance(batches, FilledFeed)
        found = batches.losses(model).tolist()
        for place, seed in enumerate(config.seeds):
            supply = WordSupply(config.get_task(), range(1, 6), 16, stream(seed, TRAINING), model.positions)
            batch = supply.batch()
            total, scored = 0.0, 0
            for word in range(16):
                length = int(np.flatnonzero(batch.mask[word])[-1]) + 1
                assert batch.positions is not None
                outputs = model(
                    torch.from_numpy(batch.tokens[[word], :length]), torch.from_numpy(batch.positions[[word], :length])
                )[place, 0].detach()
                logs = outputs.log_softmax(-1)
                for at in np.flatnonzero(batch.mask[word]):
                    total -= float(logs[at, batch.targets[word, at]])
                    scored += 1
            assert found[place] == pytest.approx(total / scored, abs=1e-12)
    finally:
        torch.set_default_dtype(torch.float32)


def test_lengths_that_are_independent_are_all_met_in_a_batch_of_many_words() -> None:
    config = small(optimizer={"batch": 400})
    model, asked = prepared(config)
    drawn = feed(config, asked, model)
    assert isinstance(drawn, FilledFeed)
    batch = drawn._supplies[0].batch()
    lengths = (batch.mask.sum(1) - 1).tolist()  # an answer is as long as its question, and EOS is asked for
    assert set(lengths) == {1, 2, 3, 4, 5}
    assert max(lengths.count(length) for length in range(1, 6)) < 130  # 80 are expected


@pytest.mark.parametrize("where_asked", [True, False])
def test_accuracies_do_not_depend_on_where_outputs_are_computed(where_asked: bool) -> None:
    # There is only one question, "may it end here?", so that an untrained model is sometimes right.
    config = small(task="majority", parameters={"start": True}, seeds=range(9))
    model, _ = prepared(config)
    both = [TokenQuestions(config.get_task(), torch.device("cpu"), where) for where in (where_asked, not where_asked)]
    with torch.no_grad():
        first, second = (each.scores(model, 2, 200, np.random.default_rng(0)) for each in both)
    assert first.accuracies == second.accuracies
    assert len(set(first.accuracies or ())) > 2
    assert first.losses == pytest.approx(second.losses, rel=1e-5)


def test_learning_rates_rise_while_warming_up_and_then_fall_in_a_line() -> None:
    config = small(optimizer={"schedule": "linear", "warmup": 4}, stopping={"steps": 12})
    factors = [_rate_factor(config, step) for step in range(12)]
    assert factors == [0, 0.25, 0.5, 0.75, 1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8]
    constant = small(optimizer={"warmup": 2}, stopping={"steps": 4})
    assert [_rate_factor(constant, step) for step in range(4)] == [0, 0.5, 1, 1]


def test_cut_gradients_change_what_is_learned_only_where_they_were_too_long(tmp_path: Path) -> None:
    weights = {}
    for limit in ("none", 1e6, 1e-3):
        config = small(optimizer={"max_grad_norm": limit}, stopping={"steps": 3})
        weights[limit] = train_run(config, tmp_path).model()["embedding"]
    assert (weights["none"] == weights[1e6]).all()
    assert not (weights["none"] == weights[1e-3]).all()


def test_models_that_would_see_what_words_are_padded_with_are_refused() -> None:
    require_trainable(small())
    for model in ({"causal": False}, {"log_scaling": "length"}):
        with pytest.raises(LengthwiseError, match="padded"):
            require_trainable(small(model=model))


@pytest.mark.parametrize(
    ("scheme", "parameters", "adds_vectors"),
    [
        ("learned", {}, True),
        ("none", {}, False),
        ("rope", {}, False),
        ("pose", {"inner": "learned"}, True),
        ("pose", {"inner": "rope"}, False),
    ],
)
def test_a_penalty_on_the_products_of_positions_is_refused_where_there_are_no_vectors(
    scheme: str, parameters: dict[str, str], adds_vectors: bool
) -> None:
    model = {"position": scheme, "position_parameters": parameters}
    require_trainable(small(model=model))
    with nullcontext() if adds_vectors else pytest.raises(LengthwiseError, match=r"position_penalty .* leave that out"):
        require_trainable(small(model=model, optimizer={"position_penalty": 1.0}))


def test_a_regression_has_no_independent_lengths() -> None:
    with pytest.raises(LengthwiseError, match="read at the last position"):
        small(task="simple-task", model={"position": "none"})
    assert tasks.get("simple-task").loss == "regression"


@pytest.mark.parametrize("length", [5, 6, 7, 10, 12, 49])
def test_an_accuracy_is_1_exactly_where_all_words_are_right(length: int) -> None:
    # Every word of a* has the same sets of next symbols, which a bias alone can give.
    config = small(task="a*", train_length=length, test_lengths=[length], model={"biases": "all"})
    model, asked = prepared(config)
    with torch.no_grad():
        model.get_parameter("unembedding_bias").fill_(100.0)
    assert [result.accuracy for result in evaluate(config, config.get_task(), model, asked)] == [1.0]
