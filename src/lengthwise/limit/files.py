"""Models as files: safetensors with the facts about the model as metadata.

The tensors are named after the fields: `embedding`, `positions`, `unembedding`, and for layer l and head h (from 0)
`layers.l.hidden`, `.bias`, `.output`, `.heaviside`, `layers.l.heads.h.key_query`, `.value`, `.phi`. A file appears
complete or not at all.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from lengthwise.alphabet import Alphabet
from lengthwise.limit import regimes
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.transformer import Transformer
from lengthwise.output import write_bytes

LIMIT = "lengthwise limit transformer 1"
ORDINARY = "lengthwise transformer 1"
"""What files say they hold; the number changes when older readers could misread newer files."""

Tensors = dict[str, npt.NDArray[Any]]


def save(model: LimitTransformer | Transformer, path: str | os.PathLike[str]) -> None:
    """Write a model to a safetensors file."""
    facts = {
        "alphabet": list(model.alphabet.symbols),
        "alphabet_is_open": model.alphabet.is_open,
        "outputs": list(model.outputs),
        "has_start": model.has_start,
        "regime": str(model.regime),
        "certified_length": model.certified_length,
        "title": model.title,
        "heads": [len(layer.heads) for layer in model.layers],
    }
    tensors: Tensors = {
        "embedding": model.embedding,
        "positions": model.positions,
        "unembedding": model.unembedding,
        **layer_tensors(model.layers),
    }
    write(path, tensors, LIMIT if isinstance(model, LimitTransformer) else ORDINARY, facts)


def load(path: str | os.PathLike[str]) -> LimitTransformer:
    """Read a Limit Transformer back; anything else gets a sentence that says what is wrong with it."""
    return LimitTransformer(**_fields(path, LIMIT, "a Limit Transformer"))


def load_transformer(path: str | os.PathLike[str]) -> Transformer:
    """Read an ordinary transformer back."""
    fields = _fields(path, ORDINARY, "an ordinary transformer")
    return Transformer(**fields)


def _fields(path: str | os.PathLike[str], kind: str, what: str) -> dict[str, Any]:
    tensors, facts = read(path, kind, what)
    try:
        return {
            "alphabet": Alphabet(tuple(facts["alphabet"]), bool(facts["alphabet_is_open"])),
            "embedding": tensors["embedding"],
            "positions": tensors["positions"],
            "layers": layers_from(tensors, facts["heads"]),
            "unembedding": tensors["unembedding"],
            "outputs": tuple(facts["outputs"]),
            "has_start": bool(facts["has_start"]),
            "regime": regimes.parse(facts["regime"]),
            "certified_length": facts["certified_length"],
            "title": str(facts["title"]),
        }
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ModelError(f"{path}: the file is damaged: {problem!r} is missing or malformed") from None


def layer_tensors(layers: tuple[Layer, ...]) -> Tensors:
    """The tensors of all layers under their names."""
    tensors: Tensors = {}
    for number, layer in enumerate(layers):
        prefix = f"layers.{number}"
        tensors[f"{prefix}.hidden"], tensors[f"{prefix}.bias"] = layer.hidden, layer.bias
        tensors[f"{prefix}.output"] = layer.output
        tensors[f"{prefix}.heaviside"] = layer.heaviside.astype(np.uint8)
        for place, head in enumerate(layer.heads):
            tensors[f"{prefix}.heads.{place}.key_query"] = head.key_query
            tensors[f"{prefix}.heads.{place}.value"] = head.value
            tensors[f"{prefix}.heads.{place}.phi"] = head.phi
    return tensors


def layers_from(tensors: Tensors, heads: list[int]) -> tuple[Layer, ...]:
    """Layers from named tensors; `heads` says how many heads each has."""
    return tuple(
        Layer(
            tuple(
                Head(*(tensors[f"layers.{number}.heads.{place}.{part}"] for part in ("key_query", "value", "phi")))
                for place in range(count)
            ),
            *(tensors[f"layers.{number}.{part}"] for part in ("hidden", "bias", "output", "heaviside")),
        )
        for number, count in enumerate(heads)
    )


def write(path: str | os.PathLike[str], tensors: Tensors, kind: str, facts: dict[str, Any]) -> None:
    """Write tensors and facts so that the file is there complete or not at all."""
    metadata = {"format": kind, "facts": json.dumps(facts, ensure_ascii=False)}
    content = to_bytes({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, metadata)
    write_bytes(path, content)


def kind_of(path: str | os.PathLike[str]) -> str:
    """The format a safetensors file declares; empty for one that declares none."""
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            return str((file.metadata() or {}).get("format", ""))
    except FileNotFoundError:
        raise ModelError(f"the file {path} does not exist") from None
    except (SafetensorError, OSError) as problem:
        raise ModelError(f"{path} is not a safetensors file, or only a part of one: {problem}") from None


def read(path: str | os.PathLike[str], kind: str, what: str) -> tuple[Tensors, dict[str, Any]]:
    """Tensors and facts of a file of a given kind."""
    if (found := kind_of(path)) != kind:
        hint = f"it says {found!r}" if found else "it does not say what it holds"
        raise ModelError(f"{path} does not hold {what}: {hint}")
    with safe_open(os.fspath(path), framework="numpy") as file:
        facts = (file.metadata() or {}).get("facts", "")
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dictionary
    try:
        parsed = json.loads(facts)
    except json.JSONDecodeError:
        raise ModelError(f"{path}: the file is damaged: its facts cannot be read") from None
    if not isinstance(parsed, dict):
        raise ModelError(f"{path}: the file is damaged: its facts cannot be read")
    return tensors, parsed
