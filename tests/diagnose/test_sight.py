"""A model is tried before it is measured: does it see the future, or what is hidden?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from transformers import BertLMHeadModel, RecurrentGemmaConfig, RecurrentGemmaForCausalLM

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence import HuggingFaceModel
from lengthwise.diagnose.influence.hugging_face import require_no_sight
from tests.diagnose.text_models import SYMBOLS, bert, hugging_face

Tokens = npt.NDArray[np.int64]
Hidden = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float32]


def sums(tokens: Tokens, hidden: Hidden) -> Numbers:
    """Of the tokens up to each that are not hidden, and their negatives."""
    found = np.where(hidden, 0, tokens).cumsum(axis=1)
    return np.stack([found, -found], axis=2).astype(np.float32)


def sums_of_one_more(tokens: Tokens, hidden: Hidden) -> Numbers:
    return np.roll(sums(tokens, hidden), -1, axis=1)


def sums_of_all(tokens: Tokens, hidden: Hidden) -> Numbers:
    return sums(tokens, np.zeros_like(hidden))


@pytest.mark.parametrize("longest", [None, 2, 3, 100])
def test_sums_of_what_is_shown_so_far_are_neither_of_the_future_nor_of_what_is_hidden(longest: int | None) -> None:
    require_no_sight(sums, 7, longest, "a sum")
    with pytest.raises(DiagnosisError, match=r"^a sum is not causal"):
        require_no_sight(sums_of_one_more, 7, longest, "a sum")
    with pytest.raises(DiagnosisError, match=r"^a sum sees tokens that its attention mask hides"):
        require_no_sight(sums_of_all, 7, longest, "a sum")


def test_a_difference_by_rounding_is_not_sight() -> None:
    def apart_by(share: float, tokens: Tokens, hidden: Hidden) -> Numbers:
        return sums(tokens, hidden) * np.linspace(1, 1 + share, len(tokens), dtype=np.float32)[:, None, None]

    require_no_sight(partial(apart_by, 1e-6), 7, None, "a sum")
    with pytest.raises(DiagnosisError, match="not causal"):
        require_no_sight(partial(apart_by, 1e-3), 7, None, "a sum")


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_an_encoder_is_found_out_whether_its_weights_are_small_or_large(scale: float) -> None:
    model = bert(BertLMHeadModel, is_decoder=False)
    with torch.no_grad():
        for weight in model.parameters():
            weight *= scale
    with pytest.raises(DiagnosisError, match="BertLMHeadModel is not causal"):
        HuggingFaceModel(model)
    HuggingFaceModel(bert(BertLMHeadModel, is_decoder=True))
    HuggingFaceModel(hugging_face())


def test_a_recurrent_model_passes_hidden_tokens_on_and_is_refused() -> None:
    settings: dict[str, Any] = {
        "vocab_size": SYMBOLS, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 16, "lru_width": 8, "attention_window_size": 8,
        "block_types": ["recurrent", "attention"], "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = RecurrentGemmaForCausalLM(RecurrentGemmaConfig(**settings))
    with pytest.raises(DiagnosisError, match="RecurrentGemmaForCausalLM sees tokens that its attention mask hides"):
        HuggingFaceModel(model)


def test_a_model_without_position_ids_is_refused() -> None:
    class Bloom:
        def forward(self, input_ids: object, attention_mask: object) -> None:
            raise NotImplementedError

    with pytest.raises(DiagnosisError, match="takes no position ids"):
        HuggingFaceModel(Bloom())
