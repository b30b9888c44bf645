"""Modules of anybody, trained beside our decoder: by the rules of PyTorch and a seed at a time."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.nn import FoldedAdam, Rates, groups
from lengthwise.nn.architectures import SeededModel, names, register_model
from lengthwise.nn.config import DecoderConfig

OWN = """
import torch
from torch import nn


class Small(nn.Module):
    def __init__(self, vocabulary, outputs, width: int = 4, drop: float = 0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.cells = nn.GRU(width, width, batch_first=True)
        self.drop = nn.Dropout(drop)
        self.norm = nn.BatchNorm1d(width)
        self.readout = nn.Linear(width, outputs)

    def forward(self, tokens, positions):
        hidden = self.drop(self.cells(self.embedding(tokens))[0])
        return self.readout(self.norm(hidden.transpose(1, 2)).transpose(1, 2))


class Ahead(nn.Module):
    def __init__(self, vocabulary, outputs, context):
        super().__init__()
        self.positions = nn.Embedding(context + 1, outputs)

    def forward(self, tokens, positions):
        return self.positions(positions)


class Tied(nn.Module):
    def __init__(self, vocabulary, outputs):
        super().__init__()
        self.embedding = nn.Embedding(max(vocabulary, outputs), 3)
        self.readout = nn.Linear(3, max(vocabulary, outputs), bias=False)
        self.readout.weight = self.embedding.weight
        self.outputs = outputs

    def forward(self, tokens):
        return self.readout(self.embedding(tokens))[..., : self.outputs]


class Flat(nn.Module):
    def __init__(self, vocabulary, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs))

    def forward(self, tokens):
        return self.weight


class Empty(nn.Module):
    def __init__(self, vocabulary, outputs):
        super().__init__()


class Needs(Empty):
    def __init__(self, vocabulary, outputs, depth):
        super().__init__(vocabulary, outputs)


class Listed(Empty):
    def __init__(self, vocabulary, outputs, sizes=(1, 2)):
        super().__init__(vocabulary, outputs)


class Broken(Empty):
    def __init__(self, vocabulary, outputs):
        raise ValueError("no such thing")


def number(vocabulary, outputs):
    return 3


small = Flat(1, 1)
"""
SIZES = DecoderConfig(2, 3, layers=0, read="all")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def config(architecture: str = "own.py:Small", seeds: Any = 1, **changes: Any) -> lw.RunConfig:
    settings: dict[str, Any] = {
        "task": "(ab)*", "train_length": 6, "test_lengths": [6, 10], "seeds": seeds, "model": architecture,
        "optimizer": {"batch": 8, "parts": 2}, "stopping": {"steps": 6}, "evaluation": {"words": 20}, **changes,
    }  # fmt: skip
    return lw.RunConfig(**settings)


def train(asked: lw.RunConfig, store: Path) -> lw.Run:
    return lw.train(asked, store=store, engine="serial", show=False).runs[0]


def test_training_gives_the_weights_that_pytorch_gives(own: Path) -> None:
    model = SeededModel("own.py:Small", {"width": 4, "drop": 0.0}, SIZES, [7], torch.float64)
    alone = model.module().double()
    ours = FoldedAdam(groups(model, Rates.plain(1e-2)))
    theirs = torch.optim.Adam(alone.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(0)
    for _ in range(8):
        tokens = torch.randint(2, (5, 7), generator=generator)
        wanted = torch.randint(2, (5, 7, 3), generator=generator).double()
        ours.zero_grad()
        F.binary_cross_entropy_with_logits(model(tokens)[0], wanted).backward()  # type: ignore[no-untyped-call]
        ours.step()
        theirs.zero_grad()
        F.binary_cross_entropy_with_logits(alone(tokens, None), wanted).backward()  # type: ignore[no-untyped-call]
        theirs.step()
    for (name, one), other in zip(model.module().state_dict().items(), alone.state_dict().values(), strict=True):
        torch.testing.assert_close(one.double(), other.double(), rtol=1e-6, atol=1e-7, msg=name)


def test_a_seed_is_the_same_alone_and_beside_others(own: Path) -> None:
    tokens = torch.tensor([[0, 1, 1], [1, 0, 0]])

    def steps(model: SeededModel) -> dict[str, Tensor]:
        optimizer = FoldedAdam(groups(model, Rates.plain(1e-2)))
        for _ in range(3):
            optimizer.zero_grad()
            model(tokens).square().sum().backward()
            optimizer.step()
        return dict(model.state_dict())

    parameters = {"width": 4, "drop": 0.5}
    together, alone = (steps(SeededModel("own.py:Small", parameters, SIZES, seeds)) for seeds in ([3, 4, 5], [4]))
    for name, weight in alone.items():
        assert torch.equal(together[name][1], weight[0]), name
    other = together["module/readout/weight"]
    assert not torch.equal(other[0], other[1])


def test_dropout_is_for_training_alone_and_goes_on_after_a_seed_has_left(own: Path) -> None:
    tokens = torch.tensor([[0, 1, 1, 0]] * 4)
    model = SeededModel("own.py:Small", {"width": 4, "drop": 0.5}, SIZES, [0, 1])
    with torch.no_grad():
        assert torch.equal(model(tokens), model(tokens))
    first, second = model(tokens)[1], model(tokens)[1]
    assert not torch.equal(first, second)
    whole, rest = model, model.subset([1])
    assert torch.equal(whole(tokens)[1], rest(tokens)[0])


def test_weights_that_are_one_stay_one(own: Path) -> None:
    model = SeededModel("own.py:Tied", {}, SIZES, [0, 1])
    assert sorted(name for name, _ in model.named_parameters()) == ["module/embedding/weight"]
    tokens = torch.tensor([[0, 1]])
    weight = model.module(1).get_parameter("embedding.weight")
    torch.testing.assert_close(model(tokens)[1], (weight[tokens] @ weight.T)[..., :3])


def test_a_run_of_an_own_model_is_kept_predicts_and_is_scored(own: Path) -> None:
    run = train(config(seeds=[1]), own / "store")
    again = lw.load(run.directory.path, seed=1)
    assert isinstance(again, lw.Run)
    word = np.array([[0, 1, 0, 1]])
    with torch.no_grad():
        assert isinstance(again.models, SeededModel)
        direct = again.models.module().eval()(torch.from_numpy(word), None)
        assert torch.equal(again.model(torch.from_numpy(word))[0], direct)
    said = again.predict("abab").next
    assert said is not None
    assert [{"ab"[place] for place in range(2) if row[place]} for row in (direct[0] > 0).tolist()] == [*map(set, said)]
    results = {(each["seed"], each["test_length"]): each["accuracy"] for each in run.results}
    assert lw.evaluate(again, None, [6, 10], words=20).results[1].accuracy == results[1, 10]


def test_a_run_has_an_id_of_its_own_for_every_source_and_parameter(own: Path) -> None:
    first, wide = config(), config(model={"architecture": "own.py:Small", "architecture_parameters": {"width": "5"}})
    assert first.model.architecture_parameters["width"] == 4
    assert wide.model.architecture_parameters["width"] == 5
    (own / "own.py").write_text(OWN.replace("bias=False", "bias=True"), encoding="utf-8")
    changed = config()
    assert len({first.id, wide.id, changed.id, config(model="lstm").id, config(model={}).id}) == 5
    assert config(model={"architecture": "decoder"}).id == config(model={}).id


def test_models_are_not_loaded_with_code_that_has_changed(own: Path) -> None:
    run = train(config(), own / "store")
    (own / "own.py").write_text(OWN + "\n", encoding="utf-8")
    with pytest.raises(lw.LengthwiseError, match=r"the file of own\.py:Small has changed: this run is about sha256:"):
        lw.Run(run.directory.path).predict("ab")


def test_the_context_is_the_longest_input_of_the_tests(own: Path) -> None:
    assert config("own.py:Ahead").model.architecture_parameters["context"] == 10
    assert [each["words"] for each in train(config("own.py:Ahead"), own / "store").results] == [20, 20]


REFUSED = {
    "own.py:Flat": "own.py:Flat returned the shape (3,) for 1 words of 2 tokens; it must be (1, 2, 3)",
    "own.py:Empty": "own.py:Empty has no weights to train",
    "own.py:Needs": "own.py:Needs needs the parameter 'depth'",
    "own.py:Listed": "the parameter 'sizes' of own.py:Listed is of type tuple",
    "own.py:Broken": "raised ValueError: no such thing",
    "own.py:number": "own.py:number made a int; it must make a torch.nn.Module",
    "own.py:small": "is of type Flat; what is trained is a class",
    "own.py:nothing": "has no 'nothing'",
    "lsmt": "there is no model 'lsmt'; nearest: lstm",
    "no_such.module:Name": "the module no_such.module cannot be imported",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_trained_is_refused_in_a_sentence(own: Path, name: str) -> None:
    with pytest.raises(lw.LengthwiseError) as problem:
        train(config(name), own / "store")
    assert REFUSED[name] in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model": {"architecture": "lstm", "width": 8}}, "set as in model.architecture_parameters.width"),
        ({"model": {"architecture": "lstm", "architecture_parameters": {"deep": 1}}}, "lstm has no parameter 'deep'"),
        ({"optimizer": {"lengths": "independent"}}, 'optimizer.lengths = "independent" is for our decoder'),
        ({"optimizer": {"position_penalty": 1.0}}, "optimizer.position_penalty is about"),
    ],
)
def test_settings_of_the_decoder_are_refused_for_others(own: Path, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(lw.LengthwiseError) as problem:
        train(config("lstm", **changes), own / "store")
    assert sentence in str(problem.value)


def test_a_name_is_registered_once_and_is_not_the_decoders() -> None:
    class One(nn.Module):
        pass

    class Other(nn.Module):
        pass

    register_model("test-own-models")(One)
    register_model("test-own-models")(One)
    assert {"test-own-models", "decoder", "lstm"} <= set(names())
    with pytest.raises(lw.LengthwiseError, match="two models are called 'test-own-models'"):
        register_model("test-own-models")(Other)
    with pytest.raises(lw.LengthwiseError, match="two models are called 'decoder'"):
        register_model("decoder")(Other)


def test_other_models_learn_at_one_rate_unless_it_is_given(own: Path) -> None:
    assert config("lstm").optimizer.learning_rate.hidden == 1e-3
    assert config("lstm", optimizer={"learning_rate": 0.5}).optimizer.learning_rate.hidden == 0.5
    assert config(model={}).optimizer.learning_rate.hidden == 1e-2
