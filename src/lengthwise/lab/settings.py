"""The groups of a run's settings: frozen, with the papers' values as defaults, unknown names refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, field_validator, model_validator

Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
PositiveReal = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(gt=0, le=1)]
Plain = Annotated[Mapping[str, Any], AfterValidator(lambda given: MappingProxyType(dict(given))), PlainSerializer(dict)]
"""Named values that cannot be changed."""


class Settings(BaseModel):
    """A group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.model_dump_json())


def _rebuilt(kind: type[Settings], text: str) -> Settings:
    """Settings from their JSON, in another process."""
    return kind(**json.loads(text))


class ModelSettings(Settings):
    """The transformer."""

    width: Positive = 16
    hidden: Natural = 256
    layers: Positive = 1
    heads: Positive = 1


class OptimizerSettings(Settings):
    """Adam on fresh batches."""

    learning_rate: PositiveReal = 1e-2
    batch: Positive = 1024
    """Words in a batch."""
    lengths_per_batch: Positive = 1
    """How many lengths, uniform up to the training length, are drawn for a batch: 1 gives all its words the same, as
    many as there are words each its own."""

    @model_validator(mode="after")
    def _shares_out(self) -> Self:
        if self.batch % self.lengths_per_batch:
            raise ValueError(f"{self.batch} words of a batch cannot be shared out to {self.lengths_per_batch} lengths")
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
    """For a periodic task, test at T, …, T + period - 1 in equal parts: its loss depends on the residue of T."""
    seed: Natural = 0
    """Of the test words, which are the same for all models."""
