from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

from lengthwise.runs.text import CorpusSettings, TextError, collect, load_trained, read_trained, train, training
from lengthwise.runs.text.checkpoint import CHECKPOINT, steps_done
from lengthwise.runs.text.corpus import Corpus
from lengthwise.runs.text.training import batch, started
from tests.runs.text.conftest import small_cell


class KilledError(Exception):
    pass


@pytest.fixture
def corpus(packages: Path) -> Corpus:
    return collect(CorpusSettings(validation=0.3))


def weights(directory: Path) -> dict[str, np.ndarray]:
    return dict(load((directory / "model.safetensors").read_bytes()))


@pytest.mark.parametrize("at", [(1,), (5,), (2, 6)])
def test_a_killed_training_goes_on_and_gives_the_same_numbers(
    at: tuple[int, ...], corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(small_cell(), corpus, tmp_path / "whole")
    monkeypatch.setattr(training, "KEEP_SECONDS", 0.0)
    done: list[int] = []

    def killed(step: int) -> None:
        done.append(step)
        if step in at and done.count(step) == 1:
            raise KilledError

    for _ in at:
        with pytest.raises(KilledError):
            train(small_cell(), corpus, tmp_path / "killed", killed)
    resumed = train(small_cell(), corpus, tmp_path / "killed", killed)
    # The step of a kill has no checkpoint yet, and is the only one that is done again.
    assert done == sorted([*range(1, 9), *at])
    assert resumed.curve == whole.curve
    before, after = weights(tmp_path / "whole"), weights(tmp_path / "killed")
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert not (tmp_path / "killed" / CHECKPOINT).exists()


def test_ctrl_c_keeps_every_step(corpus: Corpus, tmp_path: Path) -> None:
    def interrupted(step: int) -> None:
        if step == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_cell(), corpus, tmp_path, interrupted)
    assert steps_done(tmp_path) == 4


def test_a_finished_model_is_not_trained_again(corpus: Corpus, tmp_path: Path) -> None:
    first = train(small_cell(), corpus, tmp_path)
    assert train(small_cell(), corpus, tmp_path, lambda step: pytest.fail("trained again")) == first
    assert read_trained(tmp_path) == first
    trained, model = load_trained(tmp_path)
    assert trained == first
    assert {name: weight.numpy().tobytes() for name, weight in model.state_dict().items()} == {
        name: weight.tobytes() for name, weight in weights(tmp_path).items()
    }


def test_training_makes_the_loss_smaller(corpus: Corpus, tmp_path: Path) -> None:
    found = train(small_cell(steps=60, batch=16), corpus, tmp_path)
    assert found.curve[0][1] == pytest.approx(math.log(256), abs=0.2)
    assert found.curve[-1][1] < 4


def test_position_ids_skip_in_the_last_steps_only(corpus: Corpus) -> None:
    cell = small_cell(batch=200)
    model, _ = started(cell)
    for step in range(5):
        assert batch(cell, corpus, model, step)[2] is None
    for step in range(5, 8):
        _, _, places = batch(cell, corpus, model, step)
        assert places is not None
        steps = places[0].diff(dim=1)
        assert (steps >= 1).all()
        assert ((steps > 1).sum(dim=1) <= 1).all()
        assert (int(places.min()), int(places.max())) == (1, 16)


def test_what_is_read_is_followed_by_what_is_predicted(corpus: Corpus) -> None:
    cell = small_cell()
    model, _ = started(cell)
    tokens, targets, _ = batch(cell, corpus, model, 2)
    text = corpus.training.tobytes()
    for before, after in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert before[1:] == after[:-1]
        assert bytes([*before, after[-1]]) in text
    again, _, _ = batch(cell, corpus, model, 2)
    assert (again == tokens).all()
    assert (batch(cell, corpus, model, 3)[0] != tokens).any()


def test_learning_rates_rise_in_a_line_and_fall_along_a_cosine_to_a_tenth() -> None:
    cell = small_cell(steps=110, warm_up=10, rate=1.0, pose_steps=0)
    assert [cell.rate_at(step) for step in (0, 4, 9)] == pytest.approx([0.1, 0.5, 1.0])
    assert cell.rate_at(10) == pytest.approx(1.0)
    assert cell.rate_at(60) == pytest.approx(0.55)
    assert cell.rate_at(110) == pytest.approx(0.1)


def test_both_models_start_with_the_same_weights() -> None:
    short, long = (started(each)[0].state_dict() for each in (small_cell(), small_cell(context=16, pose_steps=0)))
    assert short.keys() == long.keys()
    assert all((short[name] == long[name]).all() for name in short)


def test_a_checkpoint_of_another_text_is_refused(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(step: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_cell(), corpus, tmp_path, interrupted)
    other = Corpus(corpus.training[:-1], corpus.validation, corpus.origins)
    with pytest.raises(TextError, match="another training"):
        train(small_cell(), other, tmp_path)
    (tmp_path / CHECKPOINT).write_bytes(b"damaged")
    with pytest.raises(TextError, match="cannot be read"):
        train(small_cell(), corpus, tmp_path)


def test_weights_that_have_changed_are_not_used(corpus: Corpus, tmp_path: Path) -> None:
    train(small_cell(steps=3), corpus, tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(TextError, match="has changed"):
        load_trained(tmp_path)


def test_two_processes_do_not_train_in_one_directory(corpus: Corpus, tmp_path: Path) -> None:
    def second(step: int) -> None:
        train(small_cell(), corpus, tmp_path)

    with pytest.raises(TextError, match="another process"):
        train(small_cell(), corpus, tmp_path, second)
