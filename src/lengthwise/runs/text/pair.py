"""`TextPair`: ĥ_short and ĥ_long, trained on the same text, and how they are compared.

| directory of a store | what it holds |
|---|---|
| `corpus-…` | the text (`kept_corpus`) |
| the id of a cell | a model (`training`) |
| the id of a pair | what was measured on both, part by part |
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import field_validator, model_validator

from lengthwise.runs.settings import Natural, Positive, Settings
from lengthwise.runs.text.cell import FORMAT, Name, TextCell
from lengthwise.runs.text.corpus import Corpus, TextError, kept_corpus
from lengthwise.runs.text.training import Trained, read_trained, train

NAMES: tuple[Name, ...] = ("short", "long")
EXAMPLES, WINDOWS, LOOKS = range(3)
"""What a stream of random numbers is for."""


class TextPair(Settings):
    """Two models and the windows they are tested on."""

    short: TextCell
    long: TextCell
    tokens: tuple[Positive, ...] = (5,)
    """k: how many influential tokens there are. The first is the one that is drawn and judged."""
    examples: Positive = 400
    """Windows of L̄ bytes, of which the last is predicted."""
    windows: Positive = 1024
    """Windows of L̄ + 1 bytes for the perplexities."""
    looks: Positive = 4
    """Bytes of each of these that are also predicted from the last L bytes alone."""
    seed: Natural = 0
    """Of the windows; the same for all pairs that have the same text."""

    @field_validator("tokens")
    @classmethod
    def _some(cls, tokens: tuple[int, ...]) -> tuple[int, ...]:
        if not tokens or len(set(tokens)) < len(tokens):
            raise ValueError("there is one number of influential tokens or more, each once")
        return tokens

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.short.corpus != self.long.corpus:
            raise ValueError("both models are trained on the same text")
        if self.short.longest != self.long.context or self.long.longest != self.long.context:
            raise ValueError("the long model is trained on as many bytes as the ids of the short one reach to")
        if self.window % self.recent or self.window < self.recent + 2:
            raise ValueError(f"the context of the short model, {self.recent}, divides that of the long, {self.window}")
        far = self.window - self.recent - 1
        if max(self.tokens) > far:
            raise ValueError(f"there are {far} far tokens, not {max(self.tokens)}")
        return self

    @property
    def recent(self) -> int:
        """L."""
        return self.short.context

    @property
    def window(self) -> int:
        """L̄."""
        return self.short.longest

    @property
    def cells(self) -> dict[Name, TextCell]:
        """Both models by name."""
        return {"short": self.short, "long": self.long}

    @property
    def id(self) -> str:
        """The hash of all this; what was measured is known by it."""
        text = json.dumps({"format": FORMAT, "kind": "text-pair", **self.model_dump(mode="json")}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def stream(self, purpose: int) -> np.random.Generator:
        """Random numbers for a purpose."""
        return np.random.default_rng(np.random.SeedSequence([self.seed], spawn_key=(purpose,)))


def train_cell(store: Path, cell: TextCell) -> Trained:
    """The trained model of a cell in a store."""
    return train(cell, kept_corpus(store, cell.corpus), store / cell.id)


def trained_pair(store: Path, pair: TextPair) -> dict[Name, Trained] | None:
    """Both trained models; None if one is missing."""
    found: dict[Name, Trained] = {}
    for name, cell in pair.cells.items():
        trained = read_trained(store / cell.id)
        if trained is None:
            return None
        if trained.cell != cell:
            raise TextError(f"{store / cell.id} has another model than its name says; delete it")
        found[name] = trained
    if found["short"].corpus != found["long"].corpus:
        raise TextError(f"the models {pair.short.id} and {pair.long.id} of {store} were trained on different texts")
    return found


def corpus_of(store: Path, pair: TextPair, trained: dict[Name, Trained]) -> Corpus:
    """The text that both models were trained on."""
    corpus = kept_corpus(store, pair.short.corpus)
    if corpus.digest != trained["short"].corpus:
        raise TextError(f"the text in {store} is not the one that the model {pair.short.id} was trained on")
    return corpus
