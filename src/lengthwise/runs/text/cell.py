"""`TextCell`: everything that decides a trained model of text, apart from what files a machine has.

ĥ_short is trained on windows of L bytes, in its last steps with the position ids of PoSE up to L̄; ĥ_long on windows of
L̄ bytes with the ids 1, 2, 3, … (Golowich et al., section 5.3 and appendix F). The defaults are those of a small model
of bytes. What the paper does not say is taken from OLMo, with which its models were trained: no biases, gradients of
norm 1 at most, β₂ = 0.95, and rates that end at a tenth of the highest.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import model_validator

from lengthwise.runs.settings import Decay, Natural, Positive, PositiveReal, Rate, Settings
from lengthwise.runs.text.corpus import CorpusSettings

if TYPE_CHECKING:
    from lengthwise.nn.config import DecoderConfig

FORMAT = 1
"""Counts up if results of one and the same cell come to mean something else."""
VOCABULARY = 256
"""Bytes."""
WINDOWS, PLACES = range(2)
"""What a stream of random numbers is for."""

Name = Literal["short", "long"]


class TextModelSettings(Settings):
    """The transformer."""

    width: Positive = 128
    layers: Positive = 4
    heads: Positive = 4
    hidden: Positive = 512
    activation: Literal["relu", "gelu", "gelu-tanh"] = "gelu"

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.width % (2 * self.heads):
            raise ValueError(f"{self.heads} heads do not divide the width {self.width} into even parts")
        return self


class TextCell(Settings):
    """A model and its training."""

    context: Positive
    """L: how many bytes are read at once in training."""
    longest: Positive
    """L̄: the largest position id in training; that of PoSE, if there is any."""
    pose_steps: Natural = 0
    """So many of the last steps have the position ids of PoSE."""
    corpus: CorpusSettings = CorpusSettings()
    model: TextModelSettings = TextModelSettings()
    batch: Positive = 64
    """Windows in a step."""
    steps: Positive = 6000
    warm_up: Natural = 300
    """Steps in which the learning rate rises; behind them it falls along half a cosine."""
    rate: PositiveReal = 1e-3
    last_rate: Rate = 0.1
    """What the learning rate ends at, in parts of the highest."""
    betas: tuple[Decay, Decay] = (0.9, 0.95)
    longest_gradient: PositiveReal = 1.0
    seed: Natural = 0

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.context > self.longest:
            raise ValueError(f"a context of {self.context} is longer than the longest, {self.longest}")
        if self.pose_steps > self.steps:
            raise ValueError(f"{self.pose_steps} of {self.steps} steps cannot have the ids of PoSE")
        return self

    @property
    def id(self) -> str:
        """The hash of all this; a trained model is known by it."""
        text = json.dumps({"format": FORMAT, "kind": "text", **self.model_dump(mode="json")}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def told(self) -> str:
        """Which cell it is, in a few words."""
        return f"the model trained on {self.context} bytes at once, seed {self.seed}"

    def decoder(self) -> DecoderConfig:
        """The model; PoSE has no weights of its own, and tested windows have the ids 1, 2, 3, … with it."""
        from lengthwise.nn.config import DecoderConfig

        positions: dict[str, Any] = {"position": "rope"}
        if self.pose_steps:
            positions = {"position": "pose", "position_parameters": {"context": self.longest, "chunks": 2}}
        return DecoderConfig(
            vocabulary=VOCABULARY,
            outputs=VOCABULARY,
            output_matrix=True,
            layer_norm=True,
            biases="none",
            read="all",
            attention_scale="root",
            initialisation="gpt2",
            **self.model.model_dump(),
            **positions,
        )

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        way = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.rate * (self.last_rate + (1 - self.last_rate) * (1 + math.cos(math.pi * way)) / 2)

    def has_pose(self, step: int) -> bool:
        """Whether a step, counted from 0, has the position ids of PoSE."""
        return step >= self.steps - self.pose_steps

    def stream(self, step: int, purpose: int) -> np.random.Generator:
        """Random numbers of a step: they depend on no other, so that training can go on from any."""
        return np.random.default_rng(np.random.SeedSequence([self.seed, self.context], spawn_key=(purpose, step)))
