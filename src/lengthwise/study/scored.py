"""Models that are not trained here, scored in a study on the words of its task, beside those that are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.tasks.request import lengths

if TYPE_CHECKING:
    from lengthwise.models import Answerer, Format, LengthScore
    from lengthwise.study.lengths import Lengths
    from lengthwise.tasks.task import Task

WORDS = 1000
"""How many words of each length."""


@dataclass(frozen=True)
class ScoredModel:
    """A model with its scores."""

    model: str
    """As it was given."""
    title: str
    """What it is."""
    results: tuple[LengthScore, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {"model": self.model, "title": self.title, "results": [each.as_json() for each in self.results]}

    @property
    def sentence(self) -> str:
        """The scores in a line."""
        told = (
            f"{each.accuracy:.1%} at {each.length}"
            if each.accuracy is not None
            else f"refused at {each.length}"
            if each.problem is not None
            else f"loss {each.loss:.3g} at {each.length}"
            for each in self.results
        )
        problems = dict.fromkeys(each.problem for each in self.results if each.problem is not None)
        return f"{self.model} ({self.title}): {', '.join(told)}" + "".join(f"; {problem}" for problem in problems)


def read_models(given: Sequence[object], task: Task, form: Format | None) -> list[tuple[str, Answerer]]:
    """The models that are scored, before anything is trained.

    Args:
        given: What `lengthwise evaluate` takes.
        task: The task.
        form: How words reach those from elsewhere.

    Returns:
        Each as it was given, with the model.

    Raises:
        LengthwiseError: There is no such model, or it does not fit the task.

    """
    from lengthwise.models import read_model

    found = []
    for each in given:
        model = read_model(each, task, form)
        model.require_fits(task)
        found.append((each if isinstance(each, str) else model.title, model))
    return found


def score_models(models: Sequence[tuple[str, Answerer]], task: Task, tested: Lengths) -> tuple[ScoredModel, ...]:
    """Score models at the training length and the test lengths of a study, or the nearest that the task has below.

    Args:
        models: What `read_models` gives.
        task: The task.
        tested: The lengths of the study.

    Returns:
        The models with their scores.

    """
    from lengthwise.models import score

    wanted = sorted({max(tested.train), *tested.near, *tested.far})
    asked = sorted({found[-1] for length in wanted if (found := lengths(task, length))})
    if not asked:
        raise LengthwiseError(f"{task.name} has no words to score models on")
    return tuple(ScoredModel(name, model.title, tuple(score(model, task, asked, WORDS))) for name, model in models)
