"""The GPT-2 of Hugging Face and ours: the same logits, and the same weights after a step."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

os.environ["HF_HUB_OFFLINE"] = "1"  # before it is imported: nothing is to be fetched

from transformers import GPT2Config, GPT2LMHeadModel

from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, GPT2Error, Rates, asked, groups, losses
from lengthwise.nn.loading.gpt2 import from_gpt2, load_gpt2, to_gpt2
from tests.nn.oracle import random_tokens

SIZES = [(1, 1, 16), (2, 1, 64), (4, 4, 128)]
"""Layers, heads and widths of Huang et al., Tables 4 to 7."""
SYMBOLS, CONTEXT, BATCH, LENGTH = 11, 20, 5, 9


def hugging_face(layers: int, heads: int, width: int, **changes: Any) -> Any:
    """A GPT-2 with random weights, biases and gains included."""
    settings = {
        "vocab_size": SYMBOLS, "n_positions": CONTEXT, "n_embd": width, "n_layer": layers, "n_head": heads,
        "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "bos_token_id": None, "eos_token_id": None, **changes,
    }  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = GPT2LMHeadModel(GPT2Config(**settings))
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.2 * torch.randn(weight.shape, generator=generator)
    return model


def without_positions(model: Any) -> Any:
    model.transformer.wpe.weight.requires_grad_(False).zero_()
    return model


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_logits_are_the_same_at_all_positions_and_offsets(size: tuple[int, int, int], positions: bool) -> None:
    theirs = hugging_face(*size) if positions else without_positions(hugging_face(*size))
    ours, tokens = from_gpt2(theirs.state_dict(), size[1]), random_tokens(BATCH, LENGTH, symbols=SYMBOLS)
    assert ours.config.position == ("learned" if positions else "none")
    offsets = torch.tensor([0, 1, 4, 7, CONTEXT - LENGTH]).unsqueeze(1)
    for places in (torch.arange(LENGTH).expand(BATCH, -1), torch.arange(LENGTH) + offsets):
        with torch.no_grad():
            expected = theirs(tokens, position_ids=places).logits
            torch.testing.assert_close(ours(tokens, places.unsqueeze(0) + 1)[0], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_a_step_of_adamw_gives_the_same_weights(size: tuple[int, int, int], positions: bool) -> None:
    theirs = (hugging_face(*size) if positions else without_positions(hugging_face(*size))).double()
    tokens, targets = (random_tokens(BATCH, LENGTH, symbols=SYMBOLS, seed=seed) for seed in (0, 1))
    places, scored = torch.arange(LENGTH).expand(BATCH, -1) + 3, random_tokens(BATCH, LENGTH, symbols=2) == 1
    ours = [from_gpt2(theirs.state_dict(), size[1]) for _ in range(2)]
    reference = torch.optim.AdamW([w for w in theirs.parameters() if w.requires_grad], lr=1e-3, weight_decay=0.01)
    logits = theirs(tokens, position_ids=places).logits
    torch.autograd.backward(torch.nn.functional.cross_entropy(logits[scored], targets[scored]))
    reference.step()

    def everywhere(model: Decoder) -> Any:
        return model(tokens, places.unsqueeze(0) + 1)

    def where_asked(model: Decoder) -> Any:
        return asked.outputs(model, tokens, scored, places.unsqueeze(0) + 1)

    ways: list[Callable[[Decoder], Any]] = [everywhere, where_asked]
    for model, outputs in zip(ours, ways, strict=True):
        optimizer = FoldedAdam(groups(model, Rates.plain(1e-3)), weight_decay=0.01)
        torch.autograd.backward(losses("next-token", outputs(model), targets[None], scored[None]).sum())
        optimizer.step()
        found = to_gpt2(model, context=CONTEXT)
        for name, weight in theirs.state_dict().items():
            torch.testing.assert_close(found[name], weight, rtol=0, atol=1e-9, msg=f"{outputs.__name__}: {name}")


def test_long_gradients_are_shortened_and_biases_do_not_decay_as_in_a_trainer() -> None:
    theirs = hugging_face(2, 1, 64).double()
    tokens, targets = (random_tokens(BATCH, LENGTH, symbols=SYMBOLS, seed=seed) for seed in (0, 1))
    ours = from_gpt2(theirs.state_dict(), 1)
    decaying = [name for name, _ in theirs.named_parameters() if "bias" not in name and "ln_" not in name]
    named = dict(theirs.named_parameters())
    reference = torch.optim.AdamW(
        [
            {"params": [named[name] for name in decaying], "weight_decay": 0.1},
            {"params": [weight for name, weight in named.items() if name not in decaying], "weight_decay": 0.0},
        ],
        lr=1e-2,
    )
    optimizer = FoldedAdam(groups(ours, Rates.plain(1e-2, "matrices")), weight_decay=0.1, max_grad_norm=0.5)
    for _ in range(3):
        reference.zero_grad()
        logits = theirs(tokens).logits.flatten(0, 1)
        torch.autograd.backward(torch.nn.functional.cross_entropy(logits, targets.flatten()))
        assert float(torch.nn.utils.clip_grad_norm_(theirs.parameters(), 0.5)) > 0.5
        reference.step()
        optimizer.zero_grad()
        torch.autograd.backward(losses("next-token", ours(tokens), targets[None]).sum())
        optimizer.step()
    found = to_gpt2(ours)
    for name, weight in theirs.state_dict().items():
        torch.testing.assert_close(found[name], weight, rtol=0, atol=1e-8, msg=name)


def test_weights_come_back_as_they_were(tmp_path: Path) -> None:
    theirs = hugging_face(2, 2, 8)
    theirs.save_pretrained(tmp_path)
    for decoder in (load_gpt2(tmp_path), load_gpt2(tmp_path / "model.safetensors", heads=2)):
        back = to_gpt2(decoder)
        assert set(back) == set(theirs.state_dict())
        assert all(torch.equal(back[name], weight) for name, weight in theirs.state_dict().items())


def test_an_unembedding_of_its_own_is_kept() -> None:
    theirs = hugging_face(1, 2, 8, tie_word_embeddings=False, activation_function="gelu", n_inner=12)
    assert not torch.equal(theirs.lm_head.weight, theirs.transformer.wte.weight)
    ours, tokens = from_gpt2(theirs.state_dict(), 2, "gelu"), random_tokens(BATCH, LENGTH, symbols=SYMBOLS)
    with torch.no_grad():
        torch.testing.assert_close(ours(tokens)[0], theirs(tokens).logits, rtol=0, atol=1e-5)
        assert torch.equal(to_gpt2(ours)["lm_head.weight"], theirs.lm_head.weight)


def test_our_own_start_has_the_deviations_of_theirs() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        theirs = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=40, n_embd=64, n_layer=3, n_head=2))
    ours = to_gpt2(Decoder(DecoderConfig.gpt2(40, 64, 3, 2, context=40), [5]))
    for name, weight in theirs.state_dict().items():
        assert float(ours[name].mean()) == pytest.approx(float(weight.mean()), abs=2e-3), name
        assert float(ours[name].std()) == pytest.approx(float(weight.std()), rel=0.1, abs=1e-9), name


def test_what_is_no_gpt2_gets_a_sentence(tmp_path: Path) -> None:
    state = to_gpt2(Decoder(DecoderConfig.gpt2(3, 4, 1, 2), [0]), context=7)
    assert state["transformer.wpe.weight"].shape == (7, 4)
    missing = {name: weight for name, weight in state.items() if "c_attn.bias" not in name}
    with pytest.raises(GPT2Error, match=r"not the weights of a GPT-2: there is no h\.0\.attn\.c_attn\.bias"):
        from_gpt2(missing, 2)
    with pytest.raises(GPT2Error, match="does not exist"):
        load_gpt2(tmp_path / "nothing.safetensors", heads=1)
    save_file(state, tmp_path / "model.safetensors")
    with pytest.raises(GPT2Error, match="does not say how many heads the model has"):
        load_gpt2(tmp_path / "model.safetensors")
    for settings, message in (
        ({"n_head": 2, "layer_norm_epsilon": 1e-6}, "layer_norm_epsilon is 1e-06, and our models only have 1e-05"),
        ({"activation_function": "silu"}, "the activation 'silu' is none of gelu_new, "),
        ([], "has no settings by name"),
    ):
        (tmp_path / "config.json").write_text(json.dumps(settings))
        with pytest.raises(GPT2Error, match=message):
            load_gpt2(tmp_path)
    (tmp_path / "model.safetensors").write_text("{}")
    with pytest.raises(GPT2Error, match="is no safetensors file"):
        load_gpt2(tmp_path / "model.safetensors", heads=2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layer_norm": False}, "this model is no GPT-2: layer_norm is False, not True"),
        ({"position": "rope"}, "GPT-2 has learned positions or none, not 'rope'"),
        ({"heads": (1, 2)}, "all layers of a GPT-2 have the same numbers of heads"),
        ({"head_width": 4}, "the heads of a GPT-2 are together as wide as the model"),
        ({}, "a model without positions has as many position vectors as it is given; give context"),
    ],
)
def test_a_model_that_cannot_be_a_gpt2_is_refused(changes: dict[str, Any], message: str) -> None:
    settings = {"heads": 2, **changes}
    model = Decoder(DecoderConfig.gpt2(3, 4, 2, settings.pop("heads"), **settings), [0])
    with pytest.raises(GPT2Error, match=message):
        to_gpt2(model)
