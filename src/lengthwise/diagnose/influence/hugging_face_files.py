"""Models of Hugging Face in a local directory; nothing is downloaded, and no code or pickle is run.

Weights that a directory lacks, or has in other shapes than its settings say, would be drawn at random, with a warning
at most, and what is then measured is not the model. Such directories are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.hugging_face import HuggingFaceModel

SETTINGS = "config.json"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model")
"""Files of which a directory has one if it says how text becomes tokens."""


def load_hugging_face(directory: Path) -> HuggingFaceModel:
    """The model in a directory that `save_pretrained` wrote, as safetensors."""
    if not (directory / SETTINGS).is_file():
        raise DiagnosisError(f"{directory} is no model of Hugging Face: it has no {SETTINGS}")
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError:
        raise DiagnosisError(
            "models of Hugging Face need transformers; install it with pip install 'transformers>=5'"
        ) from None
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _silence():
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
