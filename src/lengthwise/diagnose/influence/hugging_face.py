"""Causal language models of Hugging Face, from a local directory: nothing is downloaded, no code or pickle is run.

Tokens are hidden by the `attention_mask` of the model. Position ids are given as well: some models would otherwise
count only what is not hidden, and move everything behind it. A model that takes no position ids is refused, and so is
one that sees tokens which come later or are hidden. Whether it does is not asked of its name or its settings, but
tried: two inputs that differ in one token only have the same logits wherever that token is out of sight.

Weights that a directory lacks, or has in other shapes than its settings say, would be drawn at random, with a warning
at most, and what is then measured is not the model. Such directories are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.plain_directory import require_plain, require_size
from lengthwise.diagnose.influence.text_model import Bools, Ints, byte_shown, bytes_of, checked
from lengthwise.runs.training.one_thread import one_thread

Logits: TypeAlias = Callable[[Ints, Bools], npt.NDArray[np.float32]]
"""From tokens (inputs, length), some of which are hidden, to numbers (inputs, length, vocabulary)."""

LENGTH = 8
"""Tokens of an input that is tried; few, as a token is the less noticed the more there are."""
ROUNDING = 1e-5
"""How far logits may be apart, in parts of the largest. Experts of a mixture round differently with other tokens beside
them, by 1e-8; an encoder with weights of 0.02 is apart by 1e-3."""


def require_no_sight(logits: Logits, vocabulary: int, longest: int | None, name: str) -> None:
    """Refuse a model that sees the future or what is hidden, or whose numbers are none; `name` is what it is called."""
    length = LENGTH if longest is None else min(LENGTH, longest)
    if vocabulary < 2 or length < 2:
        return
    shown = np.zeros(length, dtype=np.bool_)
    if not _alike(logits, vocabulary, shown, length - 1, slice(0, -1), name):
        raise DiagnosisError(
            f"{name} is not causal: another last token changes what it says before that one; influence is measured on "
            "models that predict the next token from those before it"
        )
    hidden = np.arange(length) == length // 2 - 1
    if not _alike(logits, vocabulary, hidden, length // 2 - 1, slice(-1, None), name):
        raise DiagnosisError(
            f"{name} sees tokens that its attention mask hides; influence cannot be measured on it by hiding them"
        )


def _alike(logits: Logits, vocabulary: int, hidden: Bools, changed: int, read: slice, name: str) -> bool:
    """Whether the logits that are read are the same with another token at the place `changed`."""
    tokens = np.random.default_rng(0).integers(0, vocabulary, len(hidden)).repeat(2).reshape(-1, 2).T.copy()
    tokens[1, changed] = (tokens[1, changed] + 1) % vocabulary
    found = logits(tokens, np.stack([hidden, hidden]))[:, read]
    if not np.isfinite(found).all():
        raise DiagnosisError(f"{name} does not give finite numbers; its weights may be damaged")
    return bool(np.abs(found[0] - found[1]).max() <= ROUNDING * np.abs(found).max())


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


SETTINGS = "config.json"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model")
"""Files of which a directory has one if it says how text becomes tokens."""


def load_hugging_face(directory: Path) -> HuggingFaceModel:
    """The model in a directory that `save_pretrained` wrote, as safetensors."""
    if not (directory / SETTINGS).is_file():
        raise DiagnosisError(f"{directory} is no model of Hugging Face: it has no {SETTINGS}")
    shapes = require_plain(directory)
    try:
        from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
    except ImportError:
        raise DiagnosisError(
            "models of Hugging Face need transformers; install it with pip install 'transformers>=5'"
        ) from None
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _silence():
            settings = AutoConfig.from_pretrained(directory, **local)
            with torch.device("meta"):  # shapes without numbers
                shaped = AutoModelForCausalLM.from_config(settings, trust_remote_code=False)
            require_size(directory, sum(each.numel() for each in (*shaped.parameters(), *shaped.buffers())), shapes)
            # Eager: there, a hidden token has a weight of exactly 0, whatever other implementations do. Tensors of
            # other shapes are ignored there and refused here, where they are named.
            model, info = AutoModelForCausalLM.from_pretrained(
                directory,
                use_safetensors=True,
                dtype=torch.float32,
                attn_implementation="eager",
                output_loading_info=True,
                ignore_mismatched_sizes=True,
                **local,
            )
            _require_all_weights(directory, info)
            has_tokenizer = any((directory / name).is_file() for name in TOKENIZER)
            tokenizer = AutoTokenizer.from_pretrained(directory, **local) if has_tokenizer else None
            return HuggingFaceModel(model, tokenizer)
    except DiagnosisError:
        raise
    except Exception as problem:  # there is no end to what damaged files make other libraries raise
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise DiagnosisError(f"{directory} has no causal language model that can be loaded: {reason}") from None


def _require_all_weights(directory: Path, info: Mapping[str, Any]) -> None:
    """Refuse a model some of whose weights are not those of the directory; tied ones are, if one of them is there."""
    if missing := sorted(info["missing_keys"]):
        raise DiagnosisError(
            f"{directory} lacks {len(missing)} of the tensors of its model, such as {missing[0]}, which would be drawn "
            "at random; save the whole model, with the head that predicts tokens"
        )
    if mismatched := sorted(info["mismatched_keys"]):
        name, there, wanted = mismatched[0]
        raise DiagnosisError(
            f"{directory} has {name} in the shape {tuple(there)}, and its {SETTINGS} wants {tuple(wanted)}; one of "
            "them is of another model"
        )


@contextmanager
def _silence() -> Iterator[None]:
    """No progress bars and no warnings of transformers for a while: what matters of them is said in a sentence."""
    from transformers.utils import logging

    loudness, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(loudness)
        if bars:
            logging.enable_progress_bar()
