"""The groups of a run's settings: frozen, with the papers' values as defaults, unknown names refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    field_validator,
    model_validator,
)

Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
PositiveReal = Annotated[float, Field(gt=0)]
Rate = Annotated[float, Field(ge=0)]
Decay = Annotated[float, Field(ge=0, lt=1)]
Share = Annotated[float, Field(gt=0, le=1)]


class Values(Mapping[str, Any]):
    """Values by name that cannot be changed."""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        self._values = dict(given or {})

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


Parameters = Annotated[Mapping[str, Any], AfterValidator(Values), PlainSerializer(dict)]


def renamed(default: Any, *, old: str) -> Any:
    """A setting that had another name, which kept configs have and from which the ids of runs are still made."""
    return Field(default, serialization_alias=old)


class Settings(BaseModel):
    """A group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    @model_validator(mode="before")
    @classmethod
    def _present_names(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        names = {field.serialization_alias: name for name, field in cls.model_fields.items()}
        return {key if (name := names.get(key, key)) in given else name: value for key, value in given.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.model_dump_json())


def _rebuilt(kind: type[Settings], text: str) -> Settings:
    """Settings from their JSON, in another process."""
    return kind(**json.loads(text))


class Hashed(Settings):
    """Settings whose result is known by their hash."""

    hashed_with: ClassVar[Mapping[str, Any]]
    """What goes into the hash beside the settings: the `kind`, and a `format` that counts up if results of one and the
    same settings come to mean something else."""

    @property
    def id(self) -> str:
        """The hash of all settings."""
        text = json.dumps({**self.hashed_with, **self.model_dump(mode="json")}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class ModelSettings(Settings):
    """The transformer: the keys of `lengthwise.nn.DecoderConfig` that the task does not decide, and their defaults."""

    width: Positive = 16
    layers: Natural = 1
    heads: Natural | tuple[Natural, ...] = 1
    head_width: Natural = 0
    output_matrix: bool = False
    hidden: Natural | tuple[Natural, ...] = 256
    activation: Literal["relu", "gelu", "gelu-tanh"] = "relu"
    layer_norm: bool = False
    biases: Literal["none", "hidden", "all"] = "hidden"
    position: str = "none"
    position_parameters: Parameters = Values()
    """The period of periodic positions and the context of learned ones come from the task and the test lengths."""
    log_scaling: Literal["none", "length", "suffix"] = "none"
    attention_scale: Literal["head", "root", "one"] = "head"
    embedding_scale: PositiveReal = 1.0
    initialisation: Literal["mup", "gpt2"] = "mup"
    tied: bool = False
    causal: bool = True
    architecture: str = "decoder"
    """Our decoder, which the other settings are about, or another model: a registered name, `mine.py:Class` or
    `package.module:Class`."""
    architecture_parameters: Parameters = Values()
    """The parameters of another model; a digest of its source is among them."""


class RateSettings(Settings):
    """Learning rates η by what weights do (`lengthwise.nn.Rates`); those of matrices are divided by the width.

    A number stands for the same plain rate for all weights.
    """

    embedding: Rate = 1e-2
    hidden: Rate = 1e-2
    readout: Rate = 1e-2
    bias: Rate = 1e-2
    phi: Rate = 1e-2
    scaling: Literal["mup", "plain"] = "mup"
    """Whether rates of matrices are divided by the width, as in µP, or none is."""
    decaying: Literal["all", "matrices"] = "all"
    """What weight decay is for: all weights, or all but biases, gains and φ."""

    @model_validator(mode="before")
    @classmethod
    def _one_for_all(cls, given: Any) -> Any:
        if isinstance(given, bool) or not isinstance(given, int | float):
            return given
        return {**dict.fromkeys(("embedding", "hidden", "readout", "bias", "phi"), given), "scaling": "plain"}


class OptimizerSettings(Settings):
    """Adam on fresh batches."""

    learning_rate: RateSettings = renamed(RateSettings(), old="rates")
    betas: tuple[Decay, Decay] = (0.9, 0.999)
    batch: Positive = 1024
    """Words in a batch."""
    lengths: Literal["per-word", "per-batch", "independent"] = "per-word"
    """Whether the words of a batch have different lengths, uniform up to the training length, or all the same. Lengths
    that are `independent` are drawn for every word by itself, and words are padded to the longest of the batch."""
    parts: Positive = 8
    """How many lengths there are in a batch of whole words; counts can have as many as there are words."""
    inputs: Literal["auto", "tokens"] = "auto"
    """What a model is shown: `auto` the counts of symbols where they tell it all, which is quicker, else words."""
    schedule: Literal["constant", "linear"] = "constant"
    """Learning rate schedule after the warmup: constant, or linear decay to 0 at the step limit."""
    decay_steps: Positive | None = None
    """The step at which linear decay reaches 0, if that is not the step limit; "none" for the step limit."""
    warmup: Natural = renamed(0, old="warm_up")
    """Steps of linear warmup from 0."""
    max_grad_norm: PositiveReal | None = renamed(None, old="longest_gradient")
    """The norm to which the gradient of each seed is clipped; "none" for no clipping."""
    weight_decay: Rate = 0.0
    """At every step weights lose this part of themselves, times their learning rate (AdamW)."""
    position_penalty: Rate = 0.0
    """How much attention between positions as such costs: the weight of term (8) of Huang et al., Definition 5."""
    penalty_of: Literal["logits", "vectors"] = "logits"
    """What that term is about: what positions add to logits, or the products of their vectors, as it is printed."""

    @field_validator("max_grad_norm", "decay_steps", mode="before")
    @classmethod
    def _none_in_words(cls, given: Any) -> Any:
        return None if given == "none" else given

    @model_validator(mode="after")
    def _shares_out(self) -> Self:
        if self.lengths == "per-word" and self.batch % self.parts:
            raise ValueError(f"the {self.batch} words of a batch do not make {self.parts} equal parts")
        return self


class StoppingSettings(Settings):
    """When a seed has been trained enough: whichever comes first."""

    steps: Natural = 20_000
    """The step limit."""
    loss: PositiveReal | None = 1e-5
    """The training loss at which a seed stops; "none" for no such limit."""
    rule: Literal["first-batch", "moving-average"] = "first-batch"
    """Whose loss that is: a batch's, as in the papers (a lucky one will do), or an average of batches."""
    window: Positive = 100
    """Batches in the moving average."""
    accuracy: Share | None = None
    """The accuracy on words of training lengths at which a seed stops."""
    check_every: Positive = 200
    """Steps between two looks at the accuracy, and between two lines of the metrics."""

    @field_validator("loss", "accuracy", mode="before")
    @classmethod
    def _none_in_words(cls, given: Any) -> Any:
        return None if given == "none" else given


class EvaluationSettings(Settings):
    """How a trained model is tested."""

    words: Positive = 4096
    """Words at each test length."""
    batch: Positive = 1024
    """The most words that are evaluated at once."""
    residues: bool = True
    """For a periodic task, test at T, …, T + period - 1 in equal parts: its loss depends on the residue of T. For an
    accepting program at T and T + 1."""
    bins: bool = False
    """A test length stands for all lengths above the one before it, in equal parts: 50, 100, 150 for the bins up to 50,
    51 to 100 and 101 to 150 (Huang et al., section 5). The first bin is that of training if it ends at N."""
    seed: Natural = 0
    """Of the test words, which are the same for all models."""
    parameters: Parameters = Values()
    """Parameters of the task that are others in tests than in training, such as how many symbols matter."""
