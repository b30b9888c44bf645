"""Causal language models of Hugging Face.

Tokens are hidden by the `attention_mask` of the model. Position ids are given as well: some models would otherwise
count only what is not hidden, and move everything behind it. A model that takes no position ids is refused, and so is
one that sees tokens which come later or are hidden (`sight`).
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.sight import require_no_sight
from lengthwise.diagnose.influence.text_model import Bools, Ints, byte_shown, bytes_of, checked
from lengthwise.runs.training.one_thread import one_thread

BYTES = 256


class HuggingFaceModel:
    """A model with its tokenizer; without one, tokens are bytes."""

    def __init__(self, model: Any, tokenizer: Any = None) -> None:
        wanted, name = inspect.signature(model.forward).parameters, type(model).__name__
        if "position_ids" not in wanted or "attention_mask" not in wanted:
            raise DiagnosisError(
                f"{name} takes no position ids, so that tokens behind a hidden one might move; influence is not "
                "measured on it"
            )
        self.model, self.tokenizer = model.eval(), tokenizer
        self.vocabulary = int(model.config.vocab_size)
        limit = getattr(model.config, "max_position_embeddings", None)
        self.longest = int(limit) if isinstance(limit, int) else None
        # Logits at all positions of a large vocabulary are a lot of memory.
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in wanted else {}
        self.at_once = 32 if self._last_only else 4
        require_no_sight(self._logits, self.vocabulary, self.longest, name)

    def outputs(self, tokens: Ints, hidden: Bools) -> npt.NDArray[np.float32]:
        """Logits of the next token (inputs, vocabulary)."""
        checked(self, tokens, hidden)
        return self._logits(tokens, hidden, **self._last_only)[:, -1]

    def _logits(self, tokens: Ints, hidden: Bools, **kept: int) -> npt.NDArray[np.float32]:
        """Logits (inputs, length, vocabulary), or those of the last positions."""
        places = torch.arange(tokens.shape[1]).expand(len(tokens), -1)
        with torch.no_grad(), one_thread():
            outputs = self.model(
                input_ids=torch.from_numpy(tokens),
                attention_mask=torch.from_numpy(~hidden).long(),
                position_ids=places,
                use_cache=False,
                **kept,
            )
        found: npt.NDArray[np.float32] = outputs.logits.float().numpy()
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
