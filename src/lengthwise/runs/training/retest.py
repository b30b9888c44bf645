"""Testing again: a run whose models were trained in another run already takes their weights from there.

What a model is tested on does not change how it is trained. So of several configs that differ in their test lengths or
in other settings of evaluation, such as the parameters of the tested task, one is trained and the others are tested.
Where training stops at an accuracy, that is measured on words which evaluation decides about, and these must be alike,
too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.disk import DAMAGED
from lengthwise.runs.store.draft import PART
from lengthwise.runs.store.run_directory import CONFIG, DONE, RunDirectory, RunError, SeedSummary

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder

TESTED = ("seeds", "test_lengths", "evaluation")
"""Groups of settings that training does not depend on."""
TRAINED_IN = "trained_in"
"""Where `environment.json` says from which run the models were taken."""
CHECKS = ("words", "batch", "seed")
"""Settings of evaluation that decide on which words the accuracy of training is measured."""


def training_part(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that training depends on, seeds aside; as plain data, as `config.json` has them."""
    found = {name: value for name, value in settings.items() if name not in TESTED}
    if found.get("stopping", {}).get("accuracy") is not None:
        found["checks"] = {name: settings["evaluation"][name] for name in CHECKS}
    return found


def trained_alike(config: RunConfig, runs: Path) -> RunDirectory | None:
    """A finished run with models of all seeds of a config that were trained as it says; None if there is none."""
    wanted, seeds = training_part(config.settings()), set(config.seeds)
    for path in sorted(runs.iterdir()) if runs.is_dir() else ():
        if PART in path.name or DAMAGED in path.name or not (path / DONE).is_file():
            continue
        try:
            settings = json.loads((path / CONFIG).read_text(encoding="utf-8"))
            if seeds <= set(settings["seeds"]) and training_part(settings) == wanted:
                found = RunDirectory(path)
                _, done = found.verified()
                if done.weights:
                    return found
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RunError):
            continue  # damaged, or of another kind: then the models are trained
    return None


def taken_from(source: RunDirectory, config: RunConfig) -> tuple[Decoder, tuple[SeedSummary, ...]]:
    """The models of a config's seeds from a run that has them, and how their training ended."""
    import torch

    _, done = source.verified()
    places = [next(at for at, each in enumerate(done.seeds) if each.seed == seed) for seed in config.seeds]
    model = config.make_model()
    model.load_state_dict({name: torch.from_numpy(weight[places]) for name, weight in source.model().items()})
    return model, tuple(done.seeds[place] for place in places)


def in_rounds(runs: Sequence[RunConfig]) -> list[list[RunConfig]]:
    """Runs in two rounds, if some of the second take the models of others, which are trained in the first."""
    rounds: tuple[list[RunConfig], list[RunConfig]] = [], []
    known: dict[str, set[int]] = {}
    for run in runs:
        trained = known.setdefault(json.dumps(training_part(run.settings()), sort_keys=True), set())
        rounds[set(run.seeds) <= trained].append(run)
        trained.update(run.seeds)
    return [each for each in rounds if each]
