"""Our models of text read tokens at the positions that they are tested at, or are refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence import OurTextModel, base_losses
from lengthwise.runs.training.questions import TokenQuestions
from lengthwise.tasks.task import Batch, Task
from tests.diagnose.text_models import POSITIONS, RECENT, decoder, windows


@dataclass
class LastTokens:
    """A task: the last token of each of some windows."""

    windows: npt.NDArray[np.int64]
    loss = "next-token"

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
        mask = np.zeros((batch, length), dtype=np.bool_)
        mask[:, -1] = True
        return Batch(self.windows[:, :-1], self.windows[:, 1:], mask)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("position", POSITIONS)
def test_with_nothing_hidden_losses_are_those_of_a_test_of_the_model(position: str, dtype: torch.dtype) -> None:
    model, given = decoder(position, dtype=dtype), windows(5)
    _, long = base_losses(OurTextModel(model), given, RECENT)
    asked = TokenQuestions(cast(Task, LastTokens(given)), torch.device("cpu"))
    with torch.no_grad():
        scores = asked.scores(model, given.shape[1] - 1, len(given), np.random.default_rng(0))
    assert long.mean() == pytest.approx(scores.losses[0], abs=1e-6 if dtype == torch.float32 else 1e-12)


@pytest.mark.parametrize(
    ("position", "parameters", "told"),
    [
        ("randomized", {"context": 30}, "the scheme 'randomized' draws them anew for every input"),
        ("randomized", {"context": 30, "inner": "rope"}, "the scheme 'randomized' draws them anew for every input"),
        ("coupled", {"context": 30}, "the scheme 'coupled' takes position ids of a task, and a text has none"),
        ("predictive", {"context": 30}, "the scheme 'predictive' takes position ids of a task, and a text has none"),
    ],
)
def test_positions_that_a_text_does_not_decide_are_refused(
    position: str, parameters: dict[str, Any], told: str
) -> None:
    with pytest.raises(DiagnosisError, match=told):
        OurTextModel(decoder(position, position_parameters=parameters))
