"""Norms that are read from state dicts: those of our decoders and of torch's encoders."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.bounds.capacity import CapacityError, from_decoder, from_encoder, residual
from lengthwise.nn import Decoder
from tests.bounds.capacity.decoders import CONFIGS, PLAIN, Arrays, arrays, drawn, spectral


@pytest.mark.parametrize(("kind", "scale"), [("head", 1 / 5), ("root", 1 / math.sqrt(5)), ("one", 1.0)])
def test_norms_of_a_decoder_are_those_of_its_matrices(kind: Any, scale: float) -> None:
    config = replace(PLAIN, heads=2, attention_scale=kind, layers=1)
    model = drawn(config, 3)
    state = arrays(model)
    norms = from_decoder(state, config.as_json())
    query, key, value = (state[f"layers.0.{name}"][0] for name in ("query", "key", "value"))
    for head in range(2):
        rows = slice(5 * head, 5 * head + 5)
        joined = scale * query[rows].T @ key[rows]
        found = norms.blocks[0].heads[head]
        assert found.query_key.spectral == pytest.approx(spectral(joined))
        assert found.query_key.largest == pytest.approx(np.sqrt((joined**2).sum(axis=1)).max())
        assert found.value.spectral == pytest.approx(spectral(value[rows]))
    assert norms.input_norm == pytest.approx(np.sqrt((state["embedding"][0] ** 2).sum(axis=1)).max())
    assert norms.readout.largest == pytest.approx(np.sqrt((state["unembedding"][0] ** 2).sum(axis=1)).max())


def test_heads_that_are_mixed_have_their_constants_and_the_first_has_those_of_the_mixing() -> None:
    config = replace(CONFIGS["mixed heads"], layers=1)
    state = arrays(drawn(config, 6))
    read = {name.removeprefix("layers.0."): weight[0] for name, weight in state.items()}
    blocks = from_decoder(state, config.as_json()).blocks
    for head, found in enumerate(blocks[0].heads):
        rows = slice(3 * head, 3 * head + 3)
        mix = read["mix"][:, rows]
        constant = mix @ read["value_bias"][rows] + (read["mix_bias"] if head == 0 else 0)
        values = np.column_stack([mix @ read["value"][rows], constant])
        assert found.value.spectral == pytest.approx(spectral(values))
        queries, keys = (np.column_stack([read[n][rows], read[f"{n}_bias"][rows]]) for n in ("query", "key"))
        assert found.query_key.spectral == pytest.approx(spectral(queries.T @ keys / 3))
        assert found.query_key.outputs == 7
        assert found.query_key.has_constant


def test_what_is_added_to_scores_by_distance_is_a_part_of_its_own() -> None:
    config = CONFIGS["positions"]
    state = arrays(drawn(config, 7))
    norms = from_decoder(state, config.as_json())
    for layer, block in enumerate(norms.blocks):
        expected = math.sqrt(float((state[f"positions.relative.phi_{layer}"][0, 0] ** 2).sum()))
        assert block.heads[0].bias == pytest.approx(expected)
        part = next(p for p in residual(norms).parts if p.name == f"layer {layer + 1} bias")
        assert float(part.size) == pytest.approx(2 * expected)


def test_gains_of_a_layer_norm_are_part_of_the_map_behind_it() -> None:
    config = CONFIGS["layer norm"]
    state = arrays(drawn(config, 8))
    read = {name.removeprefix("layers.0."): weight[0] for name, weight in state.items()}
    norms = from_decoder(state, config.as_json())
    gain, shift = read["mlp_norm.gain"], read["mlp_norm.gain_bias"]
    hidden = np.column_stack([read["hidden"] * gain, read["hidden"] @ shift + read["hidden_bias"]])
    assert norms.blocks[0].hidden is not None
    assert norms.blocks[0].hidden.spectral == pytest.approx(spectral(hidden))
    assert (norms.normalisation, norms.final_norm) == ("before", True)


def test_trained_positions_are_paid_for_with_the_length_of_the_context() -> None:
    """A table of N vectors of norm 1 has columns of norm about √(N/d): the paper's remark on trained positions."""
    leading = []
    for context in (10, 1000):
        config = replace(PLAIN, position="learned", position_parameters={"context": context}, layers=1)
        model = drawn(config, 0)
        state = arrays(model)
        state["positions.vectors"] = np.ones_like(state["positions.vectors"]) / math.sqrt(5)
        part = next(p for p in residual(from_decoder(state, config.as_json())).parts if p.name == "embedding 2")
        leading.append(float((part.size / part.weight) ** 2))
    assert leading[1] > 10 * leading[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_one_seed_of_several_is_read(seed: int) -> None:
    model = Decoder(PLAIN, [0, 1, 2])
    alone = model.subset([seed])
    assert from_decoder(arrays(model), PLAIN.as_json(), seed) == from_decoder(arrays(alone), PLAIN.as_json())
    with pytest.raises(CapacityError, match="no seed number 3"):
        from_decoder(arrays(model), PLAIN.as_json(), 3)


# ----------------------------------------------------------------------------------------------------------- encoders


def encoder(norm_first: bool, final: bool, seed: int) -> torch.nn.TransformerEncoder:
    torch.manual_seed(seed)
    layer = torch.nn.TransformerEncoderLayer(
        6, 2, 8, dropout=0.0, batch_first=True, norm_first=norm_first, dtype=torch.float64
    )
    last = torch.nn.LayerNorm(6, dtype=torch.float64) if final else None
    model = torch.nn.TransformerEncoder(layer, 2, norm=last, enable_nested_tensor=False)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn(weight.shape, dtype=torch.float64))
    return model


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("final", [False, True])
def test_encoders_of_torch_keep_within_the_class_of_their_norms(norm_first: bool, final: bool) -> None:
    tokens = torch.randn(20, 5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    size = float(tokens.norm(dim=-1).max())
    readout = torch.ones(6, dtype=torch.float64) / math.sqrt(6)
    for seed in range(3):
        model = encoder(norm_first, final, seed)
        norms = from_encoder(arrays(model), 2, input_norm=size, norm_first=norm_first)
        found = residual(norms)
        with torch.no_grad():
            before = model(tokens) @ readout
            assert 0 < float(before.abs().max()) <= float(found.largest)
            for name in ("layers.0.linear1.weight", "layers.1.linear2.weight", "layers.0.self_attn.out_proj.weight"):
                weight = model.get_parameter(name)
                weight.mul_(1 + 1e-5)
                moved = float((model(tokens) @ readout - before).abs().max())
                weight.div_(1 + 1e-5)
                label = {"linear1": "hidden", "linear2": "output"}.get(name.split(".")[2], "value")
                layer = f"layer {int(name.split('.')[1]) + 1}"
                chosen = [p for p in found.parts if p.name.startswith(layer) and p.name.endswith(label)]
                assert chosen
                assert 0 < moved <= sum(2e-5 * float(p.weight * p.radius) for p in chosen)


def test_encoder_layers_are_read_in_their_order() -> None:
    state = arrays(encoder(True, False, 0))
    twelve = {
        name.replace("layers.0", f"layers.{number}"): (1 + number) * weight if "linear1.weight" in name else weight
        for number in range(12)
        for name, weight in state.items()
        if name.startswith("layers.0")
    }
    blocks = from_encoder(twelve, 2, norm_first=True).blocks
    sizes = [block.hidden.spectral for block in blocks if block.hidden is not None]
    assert len(sizes) == 12
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": "rope"}, "'rope' are not known"),
        ({"log_scaling": "length"}, "logarithm of the length"),
        ({"activation": "gelu-tanh"}, "slope of 'gelu-tanh' is not known"),
        ({"tied": True}, "embeds and unembeds with one matrix"),
        ({"layers": 3}, "no weight 'layers.2.query'"),
    ],
)
def test_decoders_that_the_bound_is_not_about_are_refused(change: dict[str, Any], message: str) -> None:
    model = drawn(PLAIN, 0)
    with pytest.raises(CapacityError, match=message):
        from_decoder(arrays(model), {**PLAIN.as_json(), **change})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda state: from_encoder({"a": np.eye(2)}, 2), "not the weights of a torch.nn.TransformerEncoder"),
        (lambda state: from_encoder(state, 4), "4 heads do not divide a width of 6"),
        (lambda state: from_encoder(state, 2, activation="tanh"), "relu, gelu"),
        (lambda state: from_encoder({k: v for k, v in state.items() if "norm1" not in k}, 2), "norm1"),
    ],
)
def test_state_dicts_that_are_something_else_are_refused(wrong: Callable[[Arrays], object], message: str) -> None:
    with pytest.raises(CapacityError, match=message):
        wrong(arrays(encoder(False, False, 0)))
