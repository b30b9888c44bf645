"""Models as files: safetensors with the facts about the model as metadata.

The tensors are named after the fields: `embedding`, `positions`, `unembedding`, and for layer l and head h (from 0)
`layers.l.hidden`, `.bias`, `.output`, `.heaviside`, `layers.l.heads.h.key_query`, `.value`, `.phi`. A file appears
complete or not at all.
"""

from __future__ import annotations

import json
import os
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.limit.file_facts import Facts, facts_of, parsed
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.transformers.transformer import Transformer
from lengthwise.output import sorted_header, write_bytes

LIMIT = "lengthwise limit transformer 1"
ORDINARY = "lengthwise transformer 1"
"""What files say they hold; the number changes when older readers could misread newer files."""

Tensors = dict[str, npt.NDArray[Any]]
Model = TypeVar("Model", LimitTransformer, Transformer)


def save(model: LimitTransformer | Transformer, path: str | os.PathLike[str]) -> None:
    """Write a model to a safetensors file.

    Args:
        model: The model.
        path: The file; `-` is standard output.

    Example:
        >>> import pathlib, tempfile
        >>> from lengthwise import crasp, limit
        >>> directory = tempfile.TemporaryDirectory()
        >>> save(limit.from_crasp(crasp.load("dyck1")), pathlib.Path(directory.name, "model.safetensors"))
        >>> sorted(each.name for each in pathlib.Path(directory.name).iterdir())
        ['model.safetensors']
        >>> directory.cleanup()

    """
    tensors: Tensors = {
        "embedding": model.embedding,
        "positions": model.positions,
        "unembedding": model.unembedding,
        **layer_tensors(model.layers),
    }
    write(path, tensors, LIMIT if isinstance(model, LimitTransformer) else ORDINARY, facts_of(model))


def load(path: str | os.PathLike[str]) -> LimitTransformer:
    """Read a Limit Transformer back; anything else gets a sentence that says what is wrong with it.

    Its certificate is kept if the seal fits what the file holds; a file with edited weights or facts has none.

    Args:
        path: A safetensors file.

    Returns:
        The model.

    Example:
        >>> import pathlib, tempfile
        >>> from lengthwise import crasp, limit
        >>> directory = tempfile.TemporaryDirectory()
        >>> save(limit.from_crasp(crasp.load("dyck1")), pathlib.Path(directory.name, "model.safetensors"))
        >>> load(pathlib.Path(directory.name, "model.safetensors")).accepts("()")
        True
        >>> directory.cleanup()

    """
    return _made(LimitTransformer, path, LIMIT, "a Limit Transformer")


def load_transformer(path: str | os.PathLike[str]) -> Transformer:
    """Read an ordinary transformer back.

    Args:
        path: A safetensors file.

    Returns:
        The model.

    Example:
        >>> import pathlib, tempfile
        >>> from lengthwise import crasp, limit
        >>> directory = tempfile.TemporaryDirectory()
        >>> made = limit.to_transformer(limit.from_crasp(crasp.load("dyck1")), 20)
        >>> save(made, pathlib.Path(directory.name, "model.safetensors"))
        >>> load_transformer(pathlib.Path(directory.name, "model.safetensors")).accepts("()")
        True
        >>> directory.cleanup()

    """
    return _made(Transformer, path, ORDINARY, "an ordinary transformer")


def claimed_length(path: str | os.PathLike[str]) -> int | None:
    """The certified length that a model file claims in its header, which nobody has to believe."""
    with safe_open(os.fspath(path), framework="numpy") as file:
        claimed = parsed((file.metadata() or {}).get("facts", "")).get("certified_length")
    return claimed if type(claimed) is int else None


def _made(model: type[Model], path: str | os.PathLike[str], kind: str, what: str) -> Model:
    tensors, found = read(path, kind, what)
    try:
        facts = Facts.checked(found)
        return model(
            alphabet=Alphabet(facts.alphabet, facts.alphabet_is_open),
            embedding=tensors["embedding"],
            positions=tensors["positions"],
            layers=layers_from(tensors, list(facts.heads)),
            unembedding=tensors["unembedding"],
            outputs=facts.outputs,
            has_start=facts.has_start,
            regime=facts.regime,  # type: ignore[arg-type]  # ordinary transformers refuse regimes other than huang
            certificate=facts.certificate,
            title=facts.title,
        )
    except KeyError as problem:
        raise ModelError(f"{path}: the file is damaged: the tensor {problem} is missing") from None
    except (LengthwiseError, TypeError, ValueError) as problem:
        raise ModelError(f"{path}: {problem}") from None


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
    write_bytes(path, sorted_header(content))


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
        names = list(file.keys())
        for name in names:
            _require_dtype(path, name, file.get_slice(name).get_dtype())
        tensors = {name: file.get_tensor(name) for name in names}
    for name, tensor in tensors.items():
        if name.endswith(".heaviside") and (tensor > 1).any():
            raise ModelError(f"{path}: the file is damaged: {name} marks units with 0 or 1, got {int(tensor.max())}")
    try:
        return tensors, parsed(facts)
    except ModelError as problem:
        raise ModelError(f"{path}: {problem}") from None


def _require_dtype(path: str | os.PathLike[str], name: str, found: str) -> None:
    """Weights are float64 and flags bytes; the same bytes under another name would be other numbers."""
    wanted = "U8" if name.endswith(".heaviside") else "F64"
    if found != wanted:
        raise ModelError(f"{path}: the tensor {name} is of type {found}, and models are read in {wanted} only")
