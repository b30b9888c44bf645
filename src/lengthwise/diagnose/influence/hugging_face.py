"""Causal language models of Hugging Face in a local directory; nothing is downloaded, and no code or pickle is run.

Tokens are hidden by the `attention_mask` of the model. Position ids are given as well: some models would otherwise
count only what is not hidden, and move everything behind it. A model that takes no position ids is refused.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.text_model import Bools, Ints, byte_shown, bytes_of, checked
from lengthwise.lab.one_thread import one_thread

SETTINGS = "config.json"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model")
"""Files of which a directory has one if it says how text becomes tokens."""
BYTES = 256


class HuggingFaceModel:
    """A model with its tokenizer; without one, tokens are bytes."""

    def __init__(self, model: Any, tokenizer: Any = None) -> None:
        wanted = inspect.signature(model.forward).parameters
        if "position_ids" not in wanted or "attention_mask" not in wanted:
            raise DiagnosisError(
                f"{type(model).__name__} takes no position ids, so that tokens behind a hidden one might move; "
                "influence is not measured on it"
            )
        self.model, self.tokenizer = model.eval(), tokenizer
        self.vocabulary = int(model.config.vocab_size)
        limit = getattr(model.config, "max_position_embeddings", None)
        self.longest = int(limit) if isinstance(limit, int) else None
        # Logits at all positions of a large vocabulary are a lot of memory.
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in wanted else {}
        self.at_once = 32 if self._last_only else 4

    def outputs(self, tokens: Ints, hidden: Bools) -> npt.NDArray[np.float32]:
        """Logits of the next token (inputs, vocabulary)."""
        checked(self, tokens, hidden)
        places = torch.arange(tokens.shape[1]).expand(len(tokens), -1)
        with torch.no_grad(), one_thread():
            outputs = self.model(
                input_ids=torch.from_numpy(tokens),
                attention_mask=torch.from_numpy(~hidden).long(),
                position_ids=places,
                use_cache=False,
                **self._last_only,
            )
        found: npt.NDArray[np.float32] = outputs.logits[:, -1].float().numpy()
        return found

    def encode(self, text: bytes) -> Ints:
        """The tokens of a text, none added; bytes if there is no tokenizer."""
        if self.tokenizer is None:
            if self.vocabulary != BYTES:
                raise DiagnosisError(
                    f"the model has no tokenizer, and its {self.vocabulary} tokens are not bytes; add its tokenizer"
                )
            return bytes_of(text)
        ids = self.tokenizer(text.decode("utf-8", errors="replace"), add_special_tokens=False)["input_ids"]
        return np.array(ids, dtype=np.int64)

    def decode(self, token: int) -> str:
        """What a token stands for."""
        if self.tokenizer is None:
            return byte_shown(token)
        return repr(str(self.tokenizer.decode([token])))[1:-1]


def load_hugging_face(directory: Path) -> HuggingFaceModel:
    """The model in a directory that `save_pretrained` wrote, as safetensors."""
    if not (directory / SETTINGS).is_file():
        raise DiagnosisError(f"{directory} is no model of Hugging Face: it has no {SETTINGS}")
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging
    except ImportError:
        raise DiagnosisError(
            "models of Hugging Face need transformers; install it with pip install 'transformers>=5'"
        ) from None
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    logging.disable_progress_bar()
    try:
        # Eager: there, a hidden token has a weight of exactly 0, whatever other implementations do.
        model = AutoModelForCausalLM.from_pretrained(
            directory, use_safetensors=True, dtype=torch.float32, attn_implementation="eager", **local
        )
        has_tokenizer = any((directory / name).is_file() for name in TOKENIZER)
        tokenizer = AutoTokenizer.from_pretrained(directory, **local) if has_tokenizer else None
    except (OSError, ValueError, KeyError, ImportError) as problem:
        reason = " ".join(str(problem).split())
        raise DiagnosisError(f"{directory} has no causal language model that can be loaded: {reason}") from None
    finally:
        logging.enable_progress_bar()
    return HuggingFaceModel(model, tokenizer)
