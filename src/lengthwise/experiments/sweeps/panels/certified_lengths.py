"""Certified lengths for panels: from which training length on an error is promised, whatever the length of a word.

`certified` promises ε_train + 2ε to every model that attends to the same keys as the construction of
the task and is as steep, or less. So for an error e stand-ins are to be within ε = e/2; then the mean squared error at
every test length is at most e², as far as ε_train may be neglected. It is a promise about the largest error, so
training may well do better with less.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from lengthwise.bounds.certified.length import certified
from lengthwise.drawing.labels import power
from lengthwise.errors import LengthwiseError
from lengthwise.limit.constructions import NAMED, named_construction
from lengthwise.runs.config import RunConfig

SECONDS = 5.0
"""So long the search for one length may take; an upper bound is drawn if it does not end."""


def certified_length(config: RunConfig, error: float) -> int:
    """The training length from which on models of the task of a config are within this error on all words."""
    if config.task not in NAMED or NAMED[config.task].layers != 1:
        known = ", ".join(name for name, family in NAMED.items() if family.layers == 1)
        raise LengthwiseError(f"certified lengths are known of {known}, not of {config.task}")
    return _length(config.task, json.dumps(dict(config.parameters), sort_keys=True), error)


def legend(error: float) -> str:
    """What a certified length is, in a few words."""
    return f"certified length for\nerrors ≤ {power(error)} at every T"


def explanation(error: float) -> str:
    """What a certified length promises, and for which models."""
    return (
        f"Certified length: models that agree with the task on all words up to it, attend to the same keys as its "
        f"construction and are not steeper are off by at most {power(error)} on every word of any length "
        f"(stand-ins within ε = {power(error / 2)} promise 2ε)."
    )


@cache
def _length(task: str, parameters: str, error: float) -> int:
    given: Mapping[str, Any] = json.loads(parameters)
    known = NAMED[task].arguments
    model = named_construction(task, {name: value for name, value in given.items() if name in known}).model
    return certified(model, error / 2, sensitivity="own", seconds=SECONDS).length
