"""Small models of text for the tests of influence, ours and Hugging Face's, with weights that are far from zero."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

os.environ["HF_HUB_OFFLINE"] = "1"  # before it is imported: nothing is to be fetched

from transformers import BertConfig, GPT2Config, GPT2LMHeadModel

from lengthwise.nn import Decoder, DecoderConfig

SYMBOLS = 7
WINDOW, RECENT = 10, 4
"""L̄ and L."""
POSITIONS: dict[str, dict[str, Any]] = {
    "rope": {},
    "none": {},
    "learned": {"context": 30},
    "alibi": {},
    "relative": {"window": 3},
    "pose": {"context": 30},
    "interpolation": {"context": 6},
    "randomized": {"context": 30, "at_test": "even"},
}


def decoder(position: str = "rope", layers: int = 2, dtype: torch.dtype = torch.float64, **changes: Any) -> Decoder:
    """A decoder whose weights are all random."""
    settings: dict[str, Any] = {
        "width": 8, "heads": 2, "hidden": 12, "output_matrix": True, "layer_norm": True, "biases": "all", "read": "all",
        "attention_scale": "root", "position": position, "position_parameters": POSITIONS.get(position, {}), **changes,
    }  # fmt: skip
    model = Decoder(DecoderConfig(SYMBOLS, SYMBOLS, layers=layers, **settings), [0], dtype)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.7 * torch.randn(weight.shape, generator=generator, dtype=weight.dtype))
    return model


def hugging_face(vocabulary: int = SYMBOLS, positions: int = 30) -> Any:
    """A GPT-2 with random weights."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = GPT2Config(
            vocab_size=vocabulary, n_positions=positions, n_embd=8, n_layer=2, n_head=2, bos_token_id=None,
            eos_token_id=None,
        )  # fmt: skip
        model = GPT2LMHeadModel(config)
        with torch.no_grad():
            for weight in model.parameters():
                weight += 0.5 * torch.randn_like(weight)
    return model.eval()


def saved_hugging_face(directory: Path, **changes: Any) -> Path:
    hugging_face(**changes).save_pretrained(directory)
    return directory


def bert(kind: type[Any], is_decoder: bool) -> Any:
    """BERT, whose tokens see those behind them unless it is told to be a decoder; some class of transformers."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=SYMBOLS, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
            max_position_embeddings=30, is_decoder=is_decoder,
        )  # fmt: skip
        return kind(config).eval()


def windows(count: int = 3, length: int = WINDOW, symbols: int = SYMBOLS) -> npt.NDArray[np.int64]:
    return np.random.default_rng(5).integers(0, symbols, (count, length))
