"""What a study is asked: the subject, and which lengths, schemes, seeds and models, in how much time."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.study.protocol import SEEDS, Rung, rung_of
from lengthwise.study.schemes import Scheme, read_positions
from lengthwise.study.subject import Studied

MINUTES = 5.0
DIGITS = 16
"""Of the hash that a plan is kept under."""


@dataclass(frozen=True)
class Request:
    """A question about a subject.

    Attributes:
        subject: What is studied.
        target_length: L, the length at which models should work; None for three times the longest training length.
        train_lengths: The training lengths to compare; None for 40, and shorter ones as far as there is time.
        schemes: The position schemes to compare; None for those that suit the task.
        seeds: Models for each setting.
        minutes: The most time that training may take, by estimate, on the cores that the engine uses.
        device: `cpu`, `cuda` or `auto`.
        model: The only model to train; None for the ladder.

    """

    subject: Studied
    target_length: int | None = None
    train_lengths: tuple[int, ...] | None = None
    schemes: tuple[Scheme, ...] | None = None
    seeds: int = SEEDS
    minutes: float = MINUTES
    device: str = "cpu"
    model: Rung | None = None

    @classmethod
    def of(
        cls,
        subject: Studied,
        minutes: float = MINUTES,
        seeds: int = SEEDS,
        *,
        target_length: int | None = None,
        train_lengths: Sequence[int] | None = None,
        positions: str | Sequence[str] | None = None,
        model: str | None = None,
        device: str = "cpu",
    ) -> Request:
        """Check what is asked.

        Raises:
            LengthwiseError: An option has no such value.

        """
        if not 0 < minutes < math.inf:
            raise LengthwiseError(f"the minutes of a study are a positive number, not {minutes}")
        if seeds < SEEDS:
            raise LengthwiseError(f"a study shows its spread over at least {SEEDS} seeds; {seeds} are too few")
        if target_length is not None and target_length < 2:
            raise LengthwiseError(f"a target length is a whole number from 2 on, not {target_length}")
        if device not in ("cpu", "cuda", "auto"):
            raise LengthwiseError(f"a device is cpu, cuda or auto, not {device!r}")
        if train_lengths is not None and not train_lengths:
            raise LengthwiseError("give at least one training length, such as 10,20,40")
        return cls(
            subject,
            target_length,
            None if train_lengths is None else tuple(sorted(set(train_lengths), reverse=True)),
            None if positions is None else read_positions(positions),
            seeds,
            float(minutes),
            device,
            None if model is None else rung_of(model),
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "target_length": self.target_length,
            "train_lengths": None if self.train_lengths is None else list(self.train_lengths),
            "positions": None if self.schemes is None else [scheme.given for scheme in self.schemes],
            "seeds": self.seeds,
            "minutes": self.minutes,
            "device": self.device,
            "model": None if self.model is None else f"{self.model}@{self.model.rate:g}",
        }

    @property
    def digest(self) -> str:
        """A hash of the request and of the task it is about: what a plan is kept under."""
        task = self.subject.task
        told = {"task": task.name, "parameters": dict(task.parameters), **self.as_json()}
        text = json.dumps(told, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]

    def options(self) -> list[str]:
        """The options of the command line that say the same."""
        found: list[str] = []
        if self.train_lengths is not None:
            found += ["--train-lengths", ",".join(map(str, sorted(self.train_lengths)))]
        if self.target_length is not None:
            found += ["--target-length", str(self.target_length)]
        if self.schemes is not None:
            found += ["--positions", ",".join(scheme.given for scheme in self.schemes)]
        if self.model is not None:
            found += ["--model", f"{self.model}@{self.model.rate:g}"]
        if self.device != "cpu":
            found += ["--device", self.device]
        return [*found, "--minutes", f"{self.minutes:g}", "--seeds", str(self.seeds)]
