"""Weights of a Hugging Face GPT-2 as a decoder, and back: the same logits at every position.

Huang et al., App. E.3, train `GPT2LMHeadModel` without dropout; NoPE is the same with position vectors that are zero.
GPT-2 keeps queries, keys and values in one matrix, and matrices as (in, out); ours are (out, in). Its position ids
count from 0, ours from 1. Files are safetensors; of a directory, `config.json` says what weights alone do not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn.config import Activation, DecoderConfig
from lengthwise.nn.model import Decoder

WEIGHTS, SETTINGS = "model.safetensors", "config.json"
ACTIVATIONS: Mapping[str, Activation] = {
    "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "gelu": "gelu", "relu": "relu",
}  # fmt: skip
"""What Hugging Face calls activations."""
EXPECTED = {
    "layer_norm_epsilon": 1e-5, "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}  # fmt: skip
"""Settings that have this one value in our models, which is the default of Hugging Face."""
PREFIX = "transformer."


class GPT2Error(LengthwiseError):
    """Weights that are no GPT-2, or a model that cannot be one."""


def load_gpt2(path: str | os.PathLike[str], heads: int | None = None) -> Decoder:
    """The decoder of a GPT-2 on disk; nothing is downloaded.

    It is a directory that `save_pretrained` wrote, or a safetensors file, which does not say how many heads there are.

    Args:
        path: A directory that `save_pretrained` wrote, or a safetensors file.
        heads: The heads of each layer, if the file does not say it.

    Returns:
        The decoder, with one seed.

    Raises:
        GPT2Error: There is no GPT-2, or one with parts that our models do not have.

    Example:
        >>> load_gpt2("directory-of-gpt2")  # doctest: +SKIP

    """
    place = Path(path)
    file, settings = (place / WEIGHTS, _settings(place / SETTINGS)) if place.is_dir() else (place, {})
    for name, value in EXPECTED.items():
        if settings.get(name, value) != value:
            raise GPT2Error(f"{place}: {name} is {settings[name]!r}, and our models only have {value!r}")
    called = settings.get("activation_function", "gelu_new")
    if not isinstance(called, str) or called not in ACTIVATIONS:
        raise GPT2Error(f"{place}: the activation {called!r} is none of {', '.join(ACTIVATIONS)}")
    heads = settings.get("n_head", 12) if heads is None and settings else heads
    if heads is None:
        raise GPT2Error(f"{file} does not say how many heads the model has; give heads")
    try:
        state = load_file(file)
    except FileNotFoundError:
        raise GPT2Error(f"{file} does not exist") from None
    except (SafetensorError, OSError) as problem:
        raise GPT2Error(f"{file} is no safetensors file: {problem}") from None
    try:
        return from_gpt2(state, heads, ACTIVATIONS[called])
    except LengthwiseError:
        raise
    except (RuntimeError, IndexError, TypeError, ValueError) as problem:
        reason = " ".join(str(problem).split())
        raise GPT2Error(f"{file} does not hold the weights of a GPT-2: {reason[:300]}") from None


def from_gpt2(state: Mapping[str, Tensor], heads: int, activation: Activation = "gelu-tanh") -> Decoder:
    """The decoder, with one seed, of a state dict of `GPT2LMHeadModel` or `GPT2Model`.

    Position vectors that are all zero, or left out, mean a model without positions.

    Args:
        state: The state dict of a `GPT2LMHeadModel` or a `GPT2Model`.
        heads: The heads of each layer.
        activation: The activation of the MLP.

    Returns:
        The decoder, with one seed.

    Raises:
        GPT2Error: These are not the weights of a GPT-2.

    Example:
        >>> config = DecoderConfig.gpt2(5, 8, 1, 2, context=16)
        >>> model = Decoder(config, seeds=[0])
        >>> from_gpt2(to_gpt2(model), heads=2).config.layers
        1

    """
    source = {name.removeprefix(PREFIX): weight for name, weight in state.items()}
    embedding, vectors = _found(source, "wte.weight"), source.get("wpe.weight")
    layers = 1 + max((int(name.split(".")[1]) for name in source if name.startswith("h.")), default=-1)
    readout = source.get("lm_head.weight", embedding)
    config = DecoderConfig.gpt2(
        len(embedding), embedding.shape[1], layers, heads,
        context=len(vectors) if vectors is not None and bool(vectors.any()) else None,
        hidden=tuple(_found(source, f"h.{number}.mlp.c_fc.weight").shape[1] for number in range(layers)),
        activation=activation, tied=torch.equal(readout, embedding),
    )  # fmt: skip
    weights = {"embedding": embedding}
    if config.position == "learned" and vectors is not None:
        weights["positions.vectors"] = vectors
    if not config.tied:
        weights |= {"unembedding": readout, "unembedding_bias": readout.new_zeros(len(readout))}
    weights |= _norm(source, "ln_f", "final_norm")
    for number in range(layers):
        weights |= _layer(source, f"h.{number}.", f"layers.{number}.")
    model = Decoder(config, [0], embedding.dtype)
    model.load_state_dict({name: weight.detach().unsqueeze(0) for name, weight in weights.items()})
    return model


def to_gpt2(model: Decoder, place: int = 0, context: int | None = None) -> dict[str, Tensor]:
    """The state dict of a `GPT2LMHeadModel` with the weights of one seed, given by its place.

    For a model without positions, `context` says how many position vectors, all zero, there are to be.

    Args:
        model: A decoder of the shape of GPT-2.
        place: The place of the seed.
        context: For a model without positions: how many position vectors, all zero, there are to be.

    Returns:
        The weights by the names of GPT-2.

    Raises:
        GPT2Error: The model has a part that GPT-2 does not have, or `context` is missing.

    Example:
        >>> model = Decoder(DecoderConfig.gpt2(5, 8, 1, 2, context=16), seeds=[0])
        >>> to_gpt2(model)["transformer.wte.weight"].shape
        torch.Size([5, 8])

    """
    _require_gpt2(model.config)
    weights = {name: weight.detach()[place] for name, weight in model.state_dict().items()}
    embedding = weights["embedding"]
    readout = embedding if model.config.tied else weights["unembedding"]
    if not model.config.tied and bool(weights["unembedding_bias"].any()):
        raise GPT2Error("GPT-2 has no bias in its unembedding, and this model has one")
    vectors = weights.get("positions.vectors")
    if vectors is None:
        if context is None:
            raise GPT2Error("a model without positions has as many position vectors as it is given; give context")
        vectors = embedding.new_zeros(context, model.config.width)
    state = {f"{PREFIX}wte.weight": embedding, f"{PREFIX}wpe.weight": vectors, "lm_head.weight": readout}
    for number in range(model.config.layers):
        theirs, ours = f"{PREFIX}h.{number}.", f"layers.{number}."
        state |= _norm_back(weights, f"{ours}attention_norm", f"{theirs}ln_1")
        state |= _norm_back(weights, f"{ours}mlp_norm", f"{theirs}ln_2")
        three = [f"{ours}{name}" for name in ("query", "key", "value")]
        state[f"{theirs}attn.c_attn.weight"] = torch.cat([weights[name] for name in three]).T
        state[f"{theirs}attn.c_attn.bias"] = torch.cat([weights[f"{name}_bias"] for name in three])
        for name, called in _MATRICES.items():
            state[f"{theirs}{name}.weight"] = weights[f"{ours}{called}"].T
            state[f"{theirs}{name}.bias"] = weights[f"{ours}{called}_bias"]
    state |= _norm_back(weights, "final_norm", f"{PREFIX}ln_f")
    return {name: weight.clone(memory_format=torch.contiguous_format) for name, weight in state.items()}


_MATRICES = {"attn.c_proj": "mix", "mlp.c_fc": "hidden", "mlp.c_proj": "output"}


def _layer(source: Mapping[str, Tensor], theirs: str, ours: str) -> dict[str, Tensor]:
    """The weights of a layer under our names."""
    weights = _norm(source, f"{theirs}ln_1", f"{ours}attention_norm") | _norm(
        source, f"{theirs}ln_2", f"{ours}mlp_norm"
    )
    matrix, bias = _found(source, f"{theirs}attn.c_attn.weight"), _found(source, f"{theirs}attn.c_attn.bias")
    for name, part, shift in zip(("query", "key", "value"), matrix.T.chunk(3), bias.chunk(3), strict=True):
        weights |= {f"{ours}{name}": part, f"{ours}{name}_bias": shift}
    for called, name in _MATRICES.items():
        weights[f"{ours}{name}"] = _found(source, f"{theirs}{called}.weight").T
        weights[f"{ours}{name}_bias"] = _found(source, f"{theirs}{called}.bias")
    return weights


def _norm(source: Mapping[str, Tensor], theirs: str, ours: str) -> dict[str, Tensor]:
    return {f"{ours}.gain": _found(source, f"{theirs}.weight"), f"{ours}.gain_bias": _found(source, f"{theirs}.bias")}


def _norm_back(weights: Mapping[str, Tensor], ours: str, theirs: str) -> dict[str, Tensor]:
    return {f"{theirs}.weight": weights[f"{ours}.gain"], f"{theirs}.bias": weights[f"{ours}.gain_bias"]}


def _found(source: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in source:
        raise GPT2Error(f"these are not the weights of a GPT-2: there is no {name}")
    return source[name]


def _settings(file: Path) -> dict[str, Any]:
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise GPT2Error(f"{file} cannot be read: {problem}") from None
    if not isinstance(settings, dict):
        raise GPT2Error(f"{file} has no settings by name")
    return settings


def _require_gpt2(config: DecoderConfig) -> None:
    """Refuse a model that is not built like GPT-2."""
    for name, value in (
        ("output_matrix", True), ("layer_norm", True), ("biases", "all"), ("attention_scale", "root"),
        ("log_scaling", "none"), ("causal", True), ("read", "all"),
    ):  # fmt: skip
        if getattr(config, name) != value:
            raise GPT2Error(f"this model is no GPT-2: {name} is {getattr(config, name)!r}, not {value!r}")
    if config.position not in ("learned", "none"):
        raise GPT2Error(f"GPT-2 has learned positions or none, not {config.position!r}")
    heads, hidden = set(config.heads_by_layer), set(config.hidden_by_layer)
    if len(heads) > 1 or len(hidden) > 1 or 0 in heads | hidden:
        raise GPT2Error("all layers of a GPT-2 have the same numbers of heads and of hidden units, and these are not 0")
    if any(config.key_width(number) * config.heads_by_layer[number] != config.width for number in range(config.layers)):
        raise GPT2Error("the heads of a GPT-2 are together as wide as the model")
