"""Where a study comes from: what was computed, with which versions, and the command that repeats it.

Nothing here depends on the clock, on paths, or on how seeds were shared out over runs, so that a study that was
interrupted tells the same as one that was not.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from lengthwise.drawing.labels import power
from lengthwise.experiments.results import Results
from lengthwise.output import plain
from lengthwise.runs.config import RunConfig
from lengthwise.runs.environment import environment
from lengthwise.runs.store.store import Store
from lengthwise.study.progression import Stage
from lengthwise.study.request import Request
from lengthwise.study.wording import percent

OWN = ("inputs",)
"""What an environment says of one run, not of its surroundings."""


def origin(store: Store, stages: Sequence[Stage]) -> dict[str, Any]:
    """Versions, seeds and settings of what a store has on these stages."""
    every = [stage.config for stage in stages]
    results = Results(store, {"study": every})
    here = environment()
    return {
        "report": {
            "lengthwise": here["lengthwise"],
            "commit": here["commit"],
            "matplotlib": version("matplotlib"),
        },
        "environments": _environments(results),
        "seeds": sorted({seed for config in every for seed in config.seeds}),
        "configs": len(every),
        "models": sum(len(config.seeds) for config in every),
        "trained": len(results.rows),
        "reached_stop": results.reached,
        "stops": _stops(every),
        "step_limits": sorted({config.stopping.steps for config in every}),
        "test_words": sorted({config.evaluation.words for config in every}),
        "devices": sorted({config.device for config in every}),
    }


def _stops(configs: Sequence[RunConfig]) -> list[str]:
    """What was good enough in training, in words."""
    rules = [config.stopping for config in configs]
    found = [f"loss {power(rule.loss)}" for rule in rules if rule.loss is not None]
    found += [f"accuracy {percent(rule.accuracy)}" for rule in rules if rule.accuracy is not None]
    return list(dict.fromkeys(found))


def _environments(results: Results) -> list[dict[str, Any]]:
    """The different surroundings that models were trained in, each with the number of its models."""
    number: dict[str, int] = {}
    for rows in results.rows.values():
        found = results.store.directory(rows[0].run).environment()
        text = json.dumps(plain({name: value for name, value in found.items() if name not in OWN}), sort_keys=True)
        number[text] = number.get(text, 0) + 1
    return [{"models": models, **json.loads(text)} for text, models in sorted(number.items())]


def command(request: Request) -> str:
    """What to type to get the same again; a file is named without where it is."""
    subject = request.subject
    if not subject.from_text:
        told = ", ".join(f"{name}={value!r}" for name, value in request.as_json().items() if value is not None)
        return f"lengthwise.study(…, {told}) in Python, with the {subject.subject.meaning}"
    settings = [part for name, value in subject.given.items() for part in ("--set", f"{name}={value}")]
    # A regex may begin with a hyphen.
    first = ["--", subject.shown] if subject.shown.startswith("-") else [subject.shown]
    options = [*settings, *request.options()]
    return shlex.join(["lengthwise", "study", *(options + first if first[0] == "--" else first + options)])
