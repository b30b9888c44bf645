"""Models from elsewhere: directories of Hugging Face, other tokens, and what is refused in one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

import lengthwise as lw
from lengthwise.nn import Decoder, DecoderConfig
from lengthwise.nn.loading.gpt2 import to_gpt2
from tests.e2e.command import lengthwise

BOS, EOS, UNKNOWN = "<bos>", "<eos>", "<unk>"
TABLE = {"<bos>": 0, "b": 1, "<eos>": 2, "a": 3, "<pad>": 4}


def ab_star_gpt2(directory: Path, table: dict[str, int], context: int = 40) -> Path:
    """A GPT-2 without layers: what it says follows from the last token alone, and is right for (ab)*."""
    config = GPT2Config(
        vocab_size=len(table), n_embd=len(table) + 1, n_layer=0, n_head=1, n_positions=context,
        tie_word_embeddings=False,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    after = {"a": {"b"}, "b": {"a", "<eos>"}, "<bos>": {"a", "<eos>"}}
    with torch.no_grad():
        model.transformer.wpe.weight.zero_()
        model.transformer.wte.weight.zero_()
        model.lm_head.weight.fill_(0.0)
        for symbol, token in table.items():
            model.transformer.wte.weight[token, token] = 9.0
            for name, other in table.items():
                model.lm_head.weight[other, token] = 1.0 if name in after.get(symbol, ()) else -1.0
    model.save_pretrained(directory)
    return directory


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return ab_star_gpt2(tmp_path / "checkpoint", TABLE)


def score(model: object, *lengths: int, **settings: Any) -> list[tuple[float | None, float | None]]:
    found = lw.evaluate(model, "(ab)*", lengths, words=10, **settings)
    return [(each.accuracy, each.position_accuracy) for each in found.results]


def test_a_table_says_which_tokens_of_a_checkpoint_are_the_symbols(checkpoint: Path, tmp_path: Path) -> None:
    named = {"start_token": "<bos>", "end_token": "<eos>"}
    assert score(checkpoint, 4, 12, tokens=TABLE, **named) == [(1.0, 1.0), (1.0, 1.0)]
    swapped = {**TABLE, "a": TABLE["b"], "b": TABLE["a"]}
    assert score(checkpoint, 4, tokens=swapped, **named) == [(0.0, 0.0)]
    (tmp_path / "table.json").write_text(json.dumps(TABLE), encoding="utf-8")
    assert score(checkpoint, 4, tokens=tmp_path / "table.json", end_token=2) == [(1.0, 1.0)]
    assert score(ab_star_gpt2(tmp_path / "ours", {"a": 0, "b": 1, "<eos>": 2}), 4) == [(1.0, 1.0)]


def test_a_threshold_reads_next_symbols_from_probabilities(checkpoint: Path) -> None:
    named = {"tokens": TABLE, "end_token": "<eos>"}
    assert score(checkpoint, 4, threshold=0.1, **named) == [(1.0, 1.0)]
    # After b, two tokens have a share of at most one half each.
    assert score(checkpoint, 4, threshold=0.51, **named) == [(0.0, 0.5)]


def test_words_longer_than_the_context_are_refused_at_their_length_alone(checkpoint: Path) -> None:
    found = lw.evaluate(checkpoint, "(ab)*", [38, 40, 42], words=4, tokens=TABLE, start_token=BOS, end_token=EOS)
    assert [each.accuracy for each in found.results] == [1.0, None, None]
    assert found.results[1].problem == (
        "GPT-2 in checkpoint reads up to 40 tokens, and a word of 40 symbols has 41 here; leave this length out"
    )


def test_a_decoder_of_ours_and_its_checkpoint_score_alike(tmp_path: Path) -> None:
    config = DecoderConfig.gpt2(3, 8, 1, 2, context=16)
    decoder = Decoder(config, seeds=[5])
    with torch.no_grad():
        for weight in decoder.parameters():
            weight.mul_(20)
    theirs = GPT2LMHeadModel(GPT2Config(vocab_size=3, n_embd=8, n_layer=1, n_head=2, n_positions=16))
    theirs.load_state_dict(to_gpt2(decoder), strict=False)
    theirs.save_pretrained(tmp_path)

    class Ours(nn.Module):
        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return decoder(tokens)[0]  # type: ignore[no-any-return]

    models: list[object] = [tmp_path, Ours(), theirs]
    one, two, three = (lw.evaluate(each, "(a|b)*a", [6, 15], words=50).results for each in models)
    assert one == two == three
    assert 0 < (one[0].position_accuracy or 0) < 1


def test_other_causal_models_are_read_by_transformers(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=3, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2,
            max_position_embeddings=10, initializer_range=1.0,
        )
    )  # fmt: skip
    model.save_pretrained(tmp_path)
    found, as_object = (lw.evaluate(each, "(a|b)*a", [8], words=20).results for each in (tmp_path, model))
    assert found == as_object
    with pytest.raises(lw.LengthwiseError, match="reads up to 10 tokens"):
        lw.evaluate(tmp_path, "(a|b)*a", [11], words=20)


def test_a_tokenizer_tells_the_tokens_of_symbols(checkpoint: Path) -> None:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({BOS: 0, "b": 1, EOS: 2, "a": 3, UNKNOWN: 4}, unk_token=UNKNOWN))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token=UNKNOWN).save_pretrained(checkpoint)
    assert score(checkpoint, 4, start_token=BOS, end_token=EOS) == [(1.0, 1.0)]
    with pytest.raises(lw.LengthwiseError, match="has no single token for 'c'"):
        lw.evaluate(checkpoint, "(abc)*", [3], words=2, end_token=EOS)
    with pytest.raises(lw.LengthwiseError, match="the end of a word"):
        score(checkpoint, 4)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "has 5 tokens, and (ab)* has 3 symbols and ends; say which tokens they are by a table of tokens"),
        ({"tokens": {"a": 0}}, "the table of tokens has no single token for 'b'"),
        ({"tokens": {"a": 0, "b": 0, "EOS": 1}}, "'a' and 'b' have the same token 0"),
        ({"tokens": {"a": 0, "b": 9, "EOS": 1}}, "has 5 tokens, and (ab)* needs token 9"),
        ({"tokens": {"a": 0, "b": -1}}, "gives 'b' the token -1"),
        ({"tokens": "missing.json"}, "missing.json cannot be read"),
        ({"tokens": TABLE, "end_token": "stop"}, "no single token for the end of a word ('stop')"),
        ({"threshold": 2.0}, "between 0 and 1, not 2.0"),
    ],
)
def test_tokens_that_do_not_fit_are_refused_in_a_sentence(
    checkpoint: Path, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(lw.LengthwiseError) as problem:
        score(checkpoint, 4, **settings)
    assert sentence in str(problem.value)
    assert "\n" not in str(problem.value)


MINE = """
import torch
from torch import nn


class Wide(nn.Module):
    def forward(self, tokens):
        return torch.zeros(*tokens.shape, 7)


class Nan(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.outputs = outputs

    def forward(self, tokens, positions):
        found = torch.zeros(*tokens.shape, self.outputs)
        found[positions > 6] = float("nan")
        return found


class Needs(nn.Module):
    def __init__(self, depth):
        super().__init__()


class Flat(nn.Module):
    def forward(self, tokens):
        return torch.zeros(3)


class Ids(nn.Module):
    def forward(self, tokens):
        return tokens


class Learned(nn.Module):
    def __init__(self, vocabulary, outputs):
        super().__init__()
        self.out = nn.Embedding(vocabulary, outputs)

    def forward(self, tokens):
        return self.out(tokens)


def strange(symbols):
    return {"z"}


def text(symbols):
    return "ab"


def nothing(symbols):
    pass


def broken(symbols):
    return 1 / 0


def right(symbols):
    return {"a", "end"} if symbols[-1] == "b" else {"b"}


seven = 7
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return tmp_path


REFUSED = {
    "Wide": "Wide returns 7 numbers at a position, and (ab)* has 3",
    "Needs": "Needs needs the argument 'depth'",
    "Flat": "Flat returned outputs of the shape (3,)",
    "Ids": "must be logits, a tensor of floats",
    "strange": "strange(['a']) returned 'z', which is no symbol of (ab)*; it has a b",
    "text": "it must return the set of next symbols",
    "nothing": "nothing(['a']) returned None",
    "broken": "mine.py:59: broken(['a']) raised ZeroDivisionError",
    "seven": "seven is of type int, which is no model",
    "missing": "has no 'missing'",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_model_is_refused_in_a_sentence(mine: Path, name: str) -> None:
    with pytest.raises(lw.LengthwiseError) as problem:
        lw.evaluate(f"{mine}/mine.py:{name}", "(ab)*", [4], words=3)
    assert REFUSED[name] in str(problem.value)
    assert "\n" not in str(problem.value)


def test_nan_is_refused_where_it_comes_out(mine: Path) -> None:
    found = lw.evaluate(f"{mine}/mine.py:Nan", "(ab)*", [6, 8], words=3)
    assert found.results[0].accuracy == 0.0
    assert found.results[1].problem == "Nan returned NaN, which is no logit; its weights may have diverged"


def test_weights_of_a_class_come_from_a_file(mine: Path) -> None:
    save_file({"out.weight": torch.tensor([[-1.0, 1, -1], [1, -1, 1]])}, mine / "good.safetensors")
    save_file({"other": torch.zeros(2)}, mine / "bad.safetensors")
    model = f"{mine}/mine.py:Learned"
    assert score(model, 4, weights=mine / "good.safetensors") == [(1.0, 1.0)]
    with pytest.raises(lw.LengthwiseError, match="does not hold the weights of Learned"):
        score(model, 4, weights=mine / "bad.safetensors")


def test_a_module_of_a_package_is_found_by_its_dotted_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dotted_22").mkdir()
    (tmp_path / "dotted_22" / "models.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert score("dotted_22.models:right", 4) == [(1.0, 1.0)]
    with pytest.raises(lw.LengthwiseError, match=r"the module dotted_22\.none cannot be imported"):
        score("dotted_22.none:right", 4)


def test_the_command_prints_scores_as_json(mine: Path) -> None:
    asked = ("evaluate", "mine.py:right", "--task", "(ab)*", "--lengths", "50,100", "--words", "20", "--json")
    found = json.loads(lengthwise(*asked, cwd=mine).stdout)
    assert (found["model"], found["task"], found["schema"]) == ("mine.py:right", "(ab)*", 1)
    assert [{name: each[name] for name in ("length", "words", "accuracy", "position_accuracy")}
            for each in found["results"]] == [
        {"length": length, "words": 20, "accuracy": 1.0, "position_accuracy": 1.0} for length in (50, 100)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--task", "(ab)*", "--lengths", "5"), "(ab)* has no words of length 5; 4 is the nearest that it has"),
        (("--task", "(ab)*", "--lengths", "x"), "--lengths takes numbers with commas between"),
        (("--task", "(ab)*", "--lengths", "1000000000"), "1000 words of 1000000000 symbols would take about"),
        (("--task", "(ab)*", "--lengths", "4", "--tokens", "no.json"), "no.json cannot be read: No such file"),
        (("--lengths", "4"), "say on which task the model is scored"),
        (("--task", "(ab)*"), "say at which lengths"),
        (("--task", "(ab)*", "--lengths", "4", "--words", "0"), "0 words are too few"),
    ],
)
def test_the_command_refuses_in_a_sentence(mine: Path, options: tuple[str, ...], sentence: str) -> None:
    found = lengthwise("evaluate", "mine.py:right", *options, cwd=mine)
    assert sentence in found.stderr
    assert found.returncode == 2
