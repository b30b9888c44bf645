"""`Cell`: everything that decides the outcomes of the trials at one context T and one sample size m.

The defaults are those of Edelman et al., appendix C.1: a layer of minGPT (width 64, 16 heads, 256 hidden units, layer
norms, gradients of norm 1 at most), Adam at 10⁻³ with weight decay 10⁻⁴, the whole sample as one batch, 1000 steps, and
a holdout sample of 10⁴ every 10 steps. What is different: there is no dropout (theirs is 0.1), which would make every
vector of every string another one in every step; and weights decay apart from the gradient, as in today's minGPT.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import field_validator, model_validator

from lengthwise.experiments.probes.function import HiddenFunction, ProbeError, function_of
from lengthwise.runs.settings import Decay, Natural, Positive, PositiveReal, Rate, Settings

if TYPE_CHECKING:
    from lengthwise.nn.config import DecoderConfig

FORMAT = 1
"""Counts up if outcomes of one and the same cell come to mean something else."""


class ProbeModel(Settings):
    """The transformer and how it is trained."""

    width: Positive = 64
    heads: Positive = 16
    hidden: Natural = 256
    activation: Literal["relu", "gelu", "gelu-tanh"] = "gelu"
    layer_norm: bool = True
    rate: PositiveReal = 1e-3
    betas: tuple[Decay, Decay] = (0.9, 0.999)
    weight_decay: Rate = 1e-4
    longest_gradient: PositiveReal | None = 1.0

    @model_validator(mode="after")
    def _heads_divide(self) -> ProbeModel:
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads do not divide the width {self.width} evenly")
        return self

    def decoder(self, context: int) -> DecoderConfig:
        """The model for strings of so many bits, with [CLS] behind them."""
        from lengthwise.nn.config import DecoderConfig

        return DecoderConfig(
            vocabulary=3,
            outputs=2,
            width=self.width,
            heads=self.heads,
            output_matrix=True,
            hidden=self.hidden,
            activation=self.activation,
            layer_norm=self.layer_norm,
            biases="all",
            position="learned",
            position_parameters={"context": context + 1},
            attention_scale="root",
            initialisation="gpt2",
        )


class Probe(Settings):
    """What trials with a sample and trials with fresh batches have in common."""

    function: str = "and-3"
    """A name, a formula or a table (`function`)."""
    context: Positive
    """T: how many bits a string has."""
    seed: Natural = 0
    """Trials of another seed have other data and other weights."""
    model: ProbeModel = ProbeModel()

    @field_validator("function")
    @classmethod
    def _known(cls, text: str) -> str:
        function_of(text)
        return text

    @model_validator(mode="after")
    def _fits(self) -> Probe:
        wanted = self.hidden_function.sparsity
        if wanted > self.context:
            raise ProbeError(f"{self.function} is a function of {wanted} bits, but strings have {self.context}")
        return self

    @property
    def hidden_function(self) -> HiddenFunction:
        """The function whose places are hidden."""
        return function_of(self.function)

    @property
    def id(self) -> str:
        """The hash of all this; a finished cell is known by it."""
        text = json.dumps(
            {"format": FORMAT, "kind": type(self).__name__, **self.model_dump(mode="json")}, sort_keys=True
        )
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def stream(self, trial: int, *purpose: int) -> np.random.Generator:
        """Random numbers for a trial and a purpose, which depend on no other trial."""
        return np.random.default_rng(np.random.SeedSequence(self._entropy(trial), spawn_key=purpose))

    def weights_seed(self, trial: int) -> int:
        """Where the weights of a trial start."""
        return int(np.random.SeedSequence(self._entropy(trial)).generate_state(1, np.uint64)[0])

    def _entropy(self, trial: int) -> list[int]:
        return [self.seed, self.context, trial]


class Cell(Probe):
    """Trials with one sample each."""

    samples: Positive
    """m: how many labelled strings a trial is trained on."""
    trials: Positive = 50
    labels: Literal["as-drawn", "balanced"] = "as-drawn"
    """Strings are uniform, as in the paper; or uniform given their label, and each label is as likely as the other."""
    steps: Positive = 1000
    check_every: Positive = 10
    """Steps between looks at the holdout sample."""
    holdout: Positive = 10_000
    accuracy: Decay = 0.99
    """A trial succeeds if its accuracy on the holdout sample is ever greater than this."""

    def _entropy(self, trial: int) -> list[int]:
        return [*super()._entropy(trial), self.samples]
