"""What is trained and what comes of it: trials with a sample, examples of them, and trials with fresh batches.

`Cell` is everything that decides the outcomes of the trials at one context T and one sample size m. The defaults are
those of Edelman et al., appendix C.1: a layer of minGPT (width 64, 16 heads, 256 hidden units, layer norms, gradients
of norm 1 at most), Adam at 10⁻³ with weight decay 10⁻⁴, the whole sample as one batch, 1000 steps, and a holdout
sample of 10⁴ every 10 steps. What is different: there is no dropout (theirs is 0.1), which would make every vector of
every string another one in every step; and weights decay apart from the gradient, as in today's minGPT.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import field_validator, model_validator

from lengthwise.experiments.kept import Number, Result
from lengthwise.experiments.probes.function import HiddenFunction, ProbeError, function_of
from lengthwise.runs.settings import Decay, Hashed, Natural, Positive, PositiveReal, Rate, Settings

if TYPE_CHECKING:
    from lengthwise.nn.config import DecoderConfig

Ending = Literal["success", "steps", "diverged"]


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


class Probe(Hashed):
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

    hashed_with: ClassVar = {"format": 1, "kind": "Cell"}
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

    @property
    def where(self) -> str:
        """Which cell it is, in a few words."""
        return f"{self.function}, T = {self.context}, m = {self.samples}"

    def _entropy(self, trial: int) -> list[int]:
        return [*super()._entropy(trial), self.samples]


class Example(Cell):
    """A cell with a few trials that are there to be looked at."""

    hashed_with: ClassVar = {"format": 1, "kind": "Example"}
    trials: Positive = 3


class Online(Probe):
    """Trials with fresh batches; the defaults are those of the paper's Figure 3."""

    hashed_with: ClassVar = {"format": 1, "kind": "Online"}
    function: str = "parity-3"
    trials: Positive = 10
    batch: Positive = 2048
    steps: Positive = 10_000
    every: Positive = 10
    """Steps between the losses that are kept."""
    stop: PositiveReal | None = 1e-2
    """A loss below which nothing more is going to happen; None trains to the last step."""
    patience: Positive = 3


@dataclass(frozen=True)
class Outcome:
    """How one trial ended."""

    trial: int
    places: tuple[int, ...]
    """Where the bits were that it had to find."""
    ending: Ending
    """`success`: the accuracy on the holdout sample was high enough; `steps`: it never was; `diverged`: nor can be."""
    step: int
    """After so many steps."""
    loss: Number
    """On the sample, when it was last looked at; NaN if it diverged."""

    @property
    def success(self) -> bool:
        """Whether the function was found."""
        return self.ending == "success"


@dataclass(frozen=True)
class Outcomes(Result):
    """A cell with the outcomes of its trials, in their order."""

    cell: Cell
    trials: tuple[Outcome, ...]

    @property
    def successes(self) -> tuple[bool, ...]:
        """Of each trial."""
        return tuple(trial.success for trial in self.trials)

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        return f"{self.cell.where}: {sum(self.successes)} of {len(self.trials)} trials succeed"


@dataclass(frozen=True)
class TrainingCurve:
    """One trial at every look, from step 0 on; a number is NaN where the model had none."""

    trial: int
    places: tuple[int, ...]
    steps: tuple[int, ...]
    losses: tuple[Number, ...]
    """On the sample."""
    holdout_losses: tuple[Number, ...]
    holdout_accuracies: tuple[Number, ...]


@dataclass(frozen=True)
class Examples(Result):
    """An example with the curves of its trials, in their order."""

    cell: Example
    curves: tuple[TrainingCurve, ...]

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        best = ", ".join(f"{max(curve.holdout_accuracies):.3f}" for curve in self.curves)
        return f"{self.cell.where}: best accuracies of the examples {best}"


@dataclass(frozen=True)
class Curve:
    """The losses of one trial on fresh batches, each before the step that learns from it."""

    trial: int
    places: tuple[int, ...]
    every: int
    """Losses are kept every so many steps, from step 0 on."""
    losses: tuple[Number, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """At which there is a loss."""
        return tuple(range(0, self.every * len(self.losses), self.every))


@dataclass(frozen=True)
class Curves(Result):
    """The loss curves of all trials."""

    cell: Online
    curves: tuple[Curve, ...]

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        last = ", ".join(f"{curve.losses[-1]:.2g}" for curve in self.curves)
        return f"{self.cell.function}, T = {self.cell.context}: last losses {last}"
