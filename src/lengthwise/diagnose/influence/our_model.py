"""Our decoders as models of text: hidden tokens get −∞ in every attention, as the future does.

Tokens have the position ids with which the scheme tests an input of their number, whichever of them are hidden.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.text_model import Bools, Ints, byte_shown, bytes_of, checked
from lengthwise.nn import seedwise
from lengthwise.nn.generation import places_in_tests
from lengthwise.nn.inputs import InputError
from lengthwise.nn.model import Decoder
from lengthwise.nn.positions import PositionError
from lengthwise.runs.text.cell import VOCABULARY
from lengthwise.runs.text.training import load_trained
from lengthwise.runs.training.one_thread import one_thread


class MaskedDecoder(Decoder):
    """A decoder with one seed whose next call does not see some tokens."""

    hidden: Tensor | None = None
    """Which ones, (inputs, length); None for none."""

    @classmethod
    def of(cls, model: Decoder) -> MaskedDecoder:
        """A copy of a model that is read behind the last token."""
        if not model.config.causal or model.config.outputs != model.config.vocabulary:
            raise DiagnosisError("influence is measured on causal models that predict the next of their own symbols")
        if model.seed_count != 1:
            raise DiagnosisError(f"influence is measured on one seed, and this model has {model.seed_count}")
        copy = cls(replace(model.config, read="last"), model.seeds, model.embedding.dtype)
        copy.load_state_dict(model.state_dict())
        copy.requires_grad_(False)
        return copy

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor, phi: Tensor | None, causal: bool) -> Tensor:
        """As ever, but for the hidden tokens: they are seen by nobody but themselves.

        Without that exception the first token, if hidden, would average nothing at all.
        """
        if self.hidden is None:
            return seedwise.attend(queries, keys, values, phi, causal)
        length = keys.shape[-2]
        unseen = self.hidden[None, :, None, None, :]
        if causal:
            itself = torch.eye(length, dtype=torch.bool, device=keys.device)
            future = torch.ones(length, length, dtype=torch.bool, device=keys.device).triu(1)
            unseen = (unseen & ~itself) | future
        added = torch.zeros(unseen.shape, dtype=queries.dtype, device=keys.device).masked_fill_(unseen, -math.inf)
        # Not a sum where φ is −∞ as well: both are the same number, and stay it.
        return seedwise.attend(queries, keys, values, added if phi is None else phi + added, False)


class OurTextModel:
    """A decoder whose symbols are bytes, or other tokens that are given as numbers."""

    at_once = 64
    longest = None

    def __init__(self, model: Decoder) -> None:
        self.model = MaskedDecoder.of(model)
        try:
            places_in_tests(model, 1, 1)
        except InputError:
            raise DiagnosisError(
                f"influence compares losses at the same positions, and the scheme {model.config.position!r} draws them "
                "anew for every input; have it test without chance, as 'randomized' does with at_test = 'even'"
            ) from None
        except PositionError:
            raise DiagnosisError(
                f"the scheme {model.config.position!r} takes position ids of a task, and a text has none; influence is "
                "measured on models that place texts by themselves"
            ) from None
        self.vocabulary = model.config.vocabulary

    def outputs(self, tokens: Ints, hidden: Bools) -> npt.NDArray[np.float32]:
        """Logits of the next token (inputs, vocabulary)."""
        checked(self, tokens, hidden)
        with torch.no_grad(), one_thread():
            self.model.hidden = torch.from_numpy(hidden) if hidden.any() else None
            places = places_in_tests(self.model, tokens.shape[1], len(tokens))
            found: npt.NDArray[np.float32] = self.model(torch.from_numpy(tokens), places)[0].numpy()
        return found

    def encode(self, text: bytes) -> Ints:
        """The bytes of a text, if these are the tokens."""
        if self.vocabulary != VOCABULARY:
            raise DiagnosisError(f"a text is read byte by byte, and this model has {self.vocabulary} symbols, not 256")
        return bytes_of(text)

    def decode(self, token: int) -> str:
        """The byte."""
        return byte_shown(token)


def load_ours(directory: Path) -> OurTextModel:
    """The model of text in a directory that `lengthwise reproduce` trained it in."""
    return OurTextModel(load_trained(directory)[1])
