"""`Size`: the model that a task is trained with, and how fast and how long (Huang et al., Tables 4 to 7)."""

from __future__ import annotations

from typing import Any

from lengthwise.runs.settings import Natural, Positive, PositiveReal, Settings


class Size(Settings):
    """Layers, heads and width of a GPT-2, its learning rate and the step limit."""

    layers: Positive
    heads: Natural
    """0 for a model that sees the current symbol alone."""
    width: Positive
    rate: PositiveReal
    steps: Positive
    warm_up: Natural = 0
    every_seed: bool = False
    """Whether seeds count that did not reach 100 % as well, as for the largest model of the paper."""

    @property
    def complexity(self) -> tuple[int, int, int]:
        """What makes a model simpler than another: fewer layers, then fewer heads, then a smaller width (App. E.3)."""
        return self.layers, self.heads, self.width

    def settings(self, position: str) -> dict[str, Any]:
        """The settings of a run that it decides, for learned positions or none."""
        return {
            "model": {
                "layers": self.layers,
                "heads": self.heads,
                "width": self.width,
                "hidden": 4 * self.width,
                "position": position,
            },
            "optimizer": {"learning_rate": self._rates(), "warmup": self.warm_up},
            "stopping": {"steps": self.steps},
        }

    def _rates(self) -> dict[str, Any]:
        return {**dict.fromkeys(("embedding", "hidden", "readout", "bias", "phi"), self.rate), "scaling": "plain"}

    def __str__(self) -> str:
        return f"{self.layers}/{self.heads}/{self.width}"
