"""How the models of a study are trained: one recipe for each position scheme and kind of task.

- *Counts* (SimpleTask, ModPTask): the one-layer models of Izzo et al., section 6, with their settings. Periodic
  positions where the task has a period; where it has none, absolute positions are learned on whole words.
- *k-gram*: their two-layer model with relative positions, as in the quick preset of their Figure 4, and the same model
  without positions for comparison.
- *Languages and programs*, and whatever else there is: one small model for all, on words behind a start symbol.

The small model has no layer norms, and as many layers as the shallowest known program for the task counts deep:
majority compares two counts and gets one layer. Where there is no program, as for PARITY, it has two. Learning rates
fall to 0 at the last step. Where a program looks at positions modulo some Δ, periodic positions are compared as well:
they are what the theory's ideal learner would come to, while learned vectors are only right as far as they were trained
together.

This was chosen from about 60 settings, most of them tried on one task and two or three seeds, so differences between
near ones are within the spread. Test words up to 8N were looked at for that choice, mostly with the seeds 1000 to 1002.
The seeds 0 to 2, which studies have, were looked at for earlier models that were given up, not for this one before it
was chosen. So the following, of the seeds 1000 to 1002 and 2,000 steps (majority 3,000), is no independent
confirmation.

- (a|b)*b(a|b)* without positions, N = 16: all right on all words up to 8N;
- majority without positions, N = 16: all right on all words up to 8N of even length, but on only 56 to 74 % at every
  prefix as well. The usual kind of model, with two layers, layer norms, GELU and smaller learning rates, had 90 to 100
  %, and 87 to 95 % with the seeds 0 to 2 and 3,088 steps: that decided against it;
- PARITY, N = 4: learned by two of three seeds without positions and by all with learned ones, right on 3 to 26 % of the
  words at 2N and on none at 8N. With one layer it was not learned;
- (aa)* with periodic positions, N = 16: all right up to 8N. With learned ones: learned by all, right up to 2N by some
  and beyond by none, with and without layer norms, scaled logits, weight decay, and the penalty on attention between
  positions, and also at N = 32 and 64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.crasp import Program
from lengthwise.regular import decide
from lengthwise.tasks import AcceptanceTask, KGramTask, LanguageTask, ProgramTask, StartedTask
from lengthwise.tasks.task import CountedTask, Task

SCHEMES = {"nope": "NoPE", "ape": "APE", "periodic": "periodic positions", "relative": "relative positions"}
"""The position schemes that there are recipes for, and what they are called."""

SMALL_MODEL: dict[str, Any] = {
    "heads": 1,
    "width": 32,
    "hidden": 64,
    "biases": "all",
    "embedding_scale": 0.1,
}
"""The model for languages and programs, but for its layers."""
LAYERS = 2
"""Those of a model for which there is no program."""
MOST_LAYERS = 4
SMALL_OPTIMIZER: dict[str, Any] = {"batch": 64, "lengths": "per-batch", "schedule": "linear", "rates": {"hidden": 3e-2}}
FOR_ALL_STEPS: dict[str, Any] = {"loss": "none"}
"""When to stop: at the step limit, where the learning rate is 0."""


@dataclass(frozen=True)
class Recipe:
    """The settings of runs that do not depend on their lengths."""

    task: Task
    started: bool
    """Whether words have a start symbol."""
    model: Mapping[str, Any]
    optimizer: Mapping[str, Any]
    stopping: Mapping[str, Any]

    def settings(self) -> dict[str, Any]:
        """The settings of a run, but for lengths and seeds."""
        parameters = {**self.task.parameters, **({"start": True} if self.started else {})}
        return {
            "task": self.task.name,
            "parameters": parameters,
            "model": dict(self.model),
            "optimizer": dict(self.optimizer),
            "stopping": dict(self.stopping),
        }


def recipes_for(task: Task) -> dict[str, Recipe]:
    """The recipes for a task by position scheme."""
    if isinstance(task, KGramTask):
        return _k_gram(task)
    if isinstance(task, CountedTask):
        return _counted(task)
    started = isinstance(task, LanguageTask | ProgramTask | AcceptanceTask | StartedTask)
    known = programs_for(task)
    layers = min(MOST_LAYERS, max(1, min((program.depth for program in known), default=LAYERS)))
    schemes: dict[str, dict[str, Any]] = {"nope": {"position": "none"}, "ape": {"position": "learned"}}
    if (period := known[-1].period if known else 1) > 1:
        schemes["periodic"] = {"position": "periodic", "position_parameters": {"period": period}}
    return {
        scheme: Recipe(task, started, {**SMALL_MODEL, "layers": layers, **own}, SMALL_OPTIMIZER, FOR_ALL_STEPS)
        for scheme, own in schemes.items()
    }


def programs_for(task: Task) -> list[Program]:
    """The programs for a task that are given or found, from those with the least position information on."""
    if task.program is not None:
        return [task.program]
    if task.language is None:
        return []
    verdict = decide(task.language)
    found = (answer.program for answer in (verdict.nope, verdict.local, verdict.ape))
    return [program for program in found if program is not None]


def _counted(task: CountedTask) -> dict[str, Recipe]:
    """The papers' model; where absolute positions tell more than residues, on fewer words, as these are not counts."""
    nope = Recipe(task, False, {"position": "none"}, {}, {})
    if task.period > 1:
        return {"nope": nope, "ape": Recipe(task, False, {"position": "periodic"}, {}, {})}
    return {"nope": nope, "ape": Recipe(task, False, {"position": "learned"}, SMALL_OPTIMIZER, FOR_ALL_STEPS)}


def _k_gram(task: KGramTask) -> dict[str, Recipe]:
    model = {"layers": 2, "heads": [task.context, 1], "width": 32, "hidden": [0, 64]}
    relative = {"position": "relative", "position_parameters": {"window": task.context}, "log_scaling": "suffix"}
    optimizer = {"batch": 64, "lengths": "per-batch", "rates": {"hidden": 3e-2, "readout": 3e-2}}
    return {
        "nope": Recipe(task, False, {**model, "position": "none"}, optimizer, {}),
        "relative": Recipe(task, False, {**model, **relative}, optimizer, {}),
    }
