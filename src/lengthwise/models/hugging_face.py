"""Directories in the layout of Hugging Face as answerers: safetensors only, nothing downloaded, no code of theirs run.

A GPT-2 is read by our own decoder (`nn.loading.gpt2`), which needs no other package; other causal language models need
transformers. A tokenizer in the directory tells the tokens of symbols, unless a table does.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from lengthwise.diagnose.influence.hugging_face import SETTINGS, TOKENIZER
from lengthwise.diagnose.influence.plain_directory import require_plain
from lengthwise.errors import LengthwiseError
from lengthwise.models.answering import ModelError
from lengthwise.models.tokens import Format, Tokenize
from lengthwise.models.torch_models import TorchModel
from lengthwise.nn.loading.gpt2 import load_gpt2

GPT2 = "gpt2"


class _OurDecoder(nn.Module):
    """A decoder of one seed as a module from tokens to logits."""

    def __init__(self, decoder: nn.Module) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(self, tokens: Tensor) -> Any:
        """Logits (words, length, vocabulary)."""
        return self.decoder(tokens)[0]


def hugging_face_model(directory: Path, wanted: Format) -> TorchModel:
    """Load the model of a directory.

    Args:
        directory: A directory that `save_pretrained` wrote.
        wanted: How words reach the model.

    Returns:
        The model.

    Raises:
        LengthwiseError: There is none, it is damaged, or it would need code or pickles of others.

    """
    settings = _settings(directory)
    require_plain(directory)
    has_tokenizer = any((directory / name).is_file() for name in TOKENIZER)
    if settings.get("model_type") == GPT2 and not (has_tokenizer and wanted.tokens is None):
        decoder = load_gpt2(directory)
        # Position vectors that are all 0 are left out in our decoder, which then reads more than the checkpoint does.
        limit = settings.get("n_positions", settings.get("max_position_embeddings"))
        context = limit if isinstance(limit, int) else decoder.config.position_parameters.get("context")
        title = f"GPT-2 in {directory.name}"
        return TorchModel(_OurDecoder(decoder), title, wanted, decoder.config.vocabulary, context)
    from lengthwise.diagnose.influence.hugging_face import load_hugging_face

    found = load_hugging_face(directory)
    title = f"{type(found.model).__name__} in {directory.name}"
    tokenize = None if found.tokenizer is None or wanted.tokens is not None else _single_token(found.tokenizer)
    return TorchModel(found.model, title, wanted, found.vocabulary, found.longest, tokenize)


def _single_token(tokenizer: Any) -> Tokenize:
    """The token of a symbol that is one token, and not the unknown one."""

    def tokenize(symbol: str) -> int | None:
        ids = tokenizer(symbol, add_special_tokens=False)["input_ids"]
        return int(ids[0]) if len(ids) == 1 and ids[0] != tokenizer.unk_token_id else None

    return tokenize


def _settings(directory: Path) -> dict[str, Any]:
    try:
        found = json.loads((directory / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ModelError(f"{directory / SETTINGS} cannot be read: {' '.join(str(problem).split())}") from None
    if not isinstance(found, dict):
        raise ModelError(f"{directory / SETTINGS} has no settings by name")
    return found


def load_weights(module: nn.Module, path: Path, title: str) -> None:
    """Load the weights of a module from a safetensors file.

    Args:
        module: The module.
        path: The file.
        title: What messages call the module.

    Raises:
        ModelError: The file cannot be read, or its tensors are not those of the module.

    """
    from safetensors.torch import load_file

    try:
        module.load_state_dict(load_file(path))
    except LengthwiseError:
        raise
    except Exception as problem:
        reason = " ".join(str(problem).split())
        raise ModelError(f"{path} does not hold the weights of {title}: {reason[:300]}") from None
