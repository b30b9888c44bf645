"""Batches that are drawn many at a time from one stream of random numbers, and can be put back where they were."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

Drawn = TypeVar("Drawn")


class DrawnAhead(ABC, Generic[Drawn]):
    """A stream of batches.

    Its state is that of the random numbers before the batches in stock were drawn, and how many of these were taken; so
    it is small, and the stock is drawn again.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._ahead: list[Drawn] = []
        self._before: Any = None
        self._taken = 0

    def batch(self) -> Drawn:
        """A new batch."""
        if not self._ahead:
            self._draw()
        self._taken += 1
        return self._ahead.pop()

    def state(self) -> dict[str, Any]:
        """Where the stream is, as plain data."""
        if not self._ahead:
            return {"random": self._rng.bit_generator.state, "taken": 0}
        return {"random": self._before, "taken": self._taken}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go to where a stream was."""
        self._rng.bit_generator.state = state["random"]
        self._ahead = []
        if state["taken"]:
            self._draw()
            for _ in range(state["taken"]):
                self.batch()

    def _draw(self) -> None:
        self._before, self._taken = self._rng.bit_generator.state, 0
        self._ahead = self._drawn()

    @abstractmethod
    def _drawn(self) -> list[Drawn]:
        """New batches; the last is taken first."""
