"""How models are trained on tasks with numbers as answers: as in Izzo et al., section 6 and Appendix C.

- *Counts* (SimpleTask, ModPTask, and tasks of one's own): one layer of width 16, batches of 1,024 words, until the loss
  is below 10⁻⁵. Models without positions or with periodic ones are trained on counts; other schemes read whole words,
  in smaller batches.
- *k-gram*: two layers, the first with as many heads as there are symbols of context.
"""

from __future__ import annotations

from typing import Any

from lengthwise.study.schemes import Scheme
from lengthwise.tasks import KGramTask
from lengthwise.tasks.task import Task, is_counted

STEPS = 20_000
"""The step limit of the paper."""
WORDS = 2048
"""Words at each test length."""
ON_WORDS: dict[str, Any] = {
    "batch": 64,
    "lengths": "per-batch",
    "schedule": "linear",
    "learning_rate": {"hidden": 3e-2},
}
"""How schemes are trained that need whole words."""


def regression_schemes(task: Task) -> tuple[str, ...]:
    """The position schemes that are compared on a task with numbers unless others are asked for."""
    if isinstance(task, KGramTask):
        return ("none", f"relative:{task.context}")
    return ("none", "periodic") if is_counted(task) and task.period > 1 else ("none", "learned")


def regression_settings(task: Task, scheme: Scheme, parameters: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run, but for lengths, seeds and the step limit."""
    model: dict[str, Any] = {"position": scheme.position}
    if parameters:
        model["position_parameters"] = parameters
    evaluation = {"words": WORDS}
    if isinstance(task, KGramTask):
        model |= {"layers": 2, "heads": [task.context, 1], "width": 32, "hidden": [0, 64]}
        if scheme.position == "relative":
            model["log_scaling"] = "suffix"
        optimizer = {"batch": 64, "lengths": "per-batch", "learning_rate": {"hidden": 3e-2, "readout": 3e-2}}
        return {"model": model, "optimizer": optimizer, "evaluation": evaluation}
    on_counts = is_counted(task) and scheme.position in ("none", "periodic")
    if on_counts:
        return {"model": model, "optimizer": {}, "evaluation": evaluation}
    # A learning rate that falls to 0 is for all steps of the limit.
    return {"model": model, "optimizer": ON_WORDS, "stopping": {"loss": "none"}, "evaluation": evaluation}
