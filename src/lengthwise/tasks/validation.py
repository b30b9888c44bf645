"""Whether an object of a user's is a task: what it offers, and whether what it samples fits together.

A mistake in a sampler would otherwise show as an error of PyTorch, or as a model that learns nothing. So a few words
are drawn once, when a task is made, and everything about them is compared with what the task says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.tasks.request import lengths
from lengthwise.tasks.task import Batch, Loss, Task

OFFERS = (
    "name", "parameters", "alphabet", "outputs", "min_length", "loss", "program", "language", "sample",
)  # fmt: skip
"""What a task has to have."""
LOSSES: tuple[str, ...] = get_args(Loss)
WORDS = 3
"""How many words are drawn for a look at them."""
PLAIN = str | int | float | bool | None


class TaskError(LengthwiseError):
    """An object is no task, or its sampler returns what does not fit."""


def require_offers(thing: object, who: str) -> None:
    """Refuse an object that lacks something that tasks have."""
    # Looked up before they are asked for: a property may take its time.
    missing = [offer for offer in OFFERS if offer not in dir(thing) and not hasattr(thing, offer)]
    if missing:
        raise TaskError(f"{who} is not a task: it has no {', '.join(missing)}")


def validate(task: Task, who: str) -> None:
    """Check what a task says about itself, and a few words that it samples.

    Args:
        task: The task.
        who: What messages call it, such as the name of its class.

    Raises:
        TaskError: Something is missing, has the wrong type or shape, or does not fit the rest; or the same random
            numbers give different words.

    Example:
        >>> from lengthwise.tasks import get
        >>> validate(get("task:sort"), "Sort")

    """
    require_offers(task, who)
    _validate_facts(task, who)
    possible = lengths(task, task.min_length + 8) or lengths(task, 4 * task.min_length + 64)
    if not possible:
        raise TaskError(f"{who} has no words of up to {4 * task.min_length + 64} symbols")
    length = possible[-1]
    call = f"{who}.sample({length}, {WORDS}, rng)"
    batch, again = (task.sample(length, WORDS, np.random.default_rng(0)) for _ in range(2))
    _validate_batch(task, batch, call)
    if not np.array_equal(batch.tokens, again.tokens) or not np.array_equal(batch.targets, again.targets):
        raise TaskError(f"{call} returned other words for the same rng; take all random numbers from rng")


def _validate_facts(task: Any, who: str) -> None:
    """What does not need a sample."""
    _require(isinstance(task.name, str) and bool(task.name), f"{who}.name", task.name, "a text")
    _require(isinstance(task.parameters, Mapping), f"{who}.parameters", task.parameters, "a dict, such as {}")
    for key, value in task.parameters.items():
        _require(isinstance(value, PLAIN), f"{who}.parameters[{key!r}]", value, "a number, a truth value or text")
    what = 'an Alphabet, as in lengthwise.Alphabet(("a", "b"))'
    _require(isinstance(task.alphabet, Alphabet), f"{who}.alphabet", task.alphabet, what)
    for name, least in (("outputs", 1), ("min_length", 0)):
        value = getattr(task, name)
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
        _require(fits, f"{who}.{name}", value, f"a whole number, at least {least}")
    _require(task.loss in LOSSES, f"{who}.loss", task.loss, f"one of {', '.join(LOSSES)}")


def _require(holds: bool, what: str, value: object, wanted: str) -> None:
    if not holds:
        raise TaskError(f"{what} is {_short(value)}; it must be {wanted}")


def _validate_batch(task: Task, batch: Any, call: str) -> None:
    """What a sampler returned."""
    if not isinstance(batch, Batch):
        article = "an" if type(batch).__name__[:1].lower() in "aeio" else "a"
        raise TaskError(f"{call} returned {article} {type(batch).__name__}; it must return a Batch")
    _require_array(batch.tokens, f"tokens of {call}", np.dtype(np.int64))
    if batch.tokens.ndim != 2 or len(batch.tokens) != WORDS:
        raise TaskError(f"tokens of {call} have the shape {batch.tokens.shape}; one row a word, ({WORDS}, length)")
    shape: tuple[int, ...] = batch.tokens.shape
    _require_ids(batch.tokens, len(task.alphabet), f"tokens of {call}", "the alphabet")
    _require_array(batch.mask, f"mask of {call}", np.dtype(np.bool_), shape)
    if not batch.mask.any(axis=1).all():
        raise TaskError(f"mask of {call} has a word with no scored position; set True where a model is scored")
    _validate_targets(task, batch, call)
    for name, kind in (("positions", np.int64), ("next_positions", np.int64), ("answers", np.bool_)):
        if (given := getattr(batch, name)) is not None:
            _require_array(given, f"{name} of {call}", np.dtype(kind), shape)


def _validate_targets(task: Task, batch: Any, call: str) -> None:
    shape, what = batch.tokens.shape, f"targets of {call}"
    match task.loss:
        case "regression":
            if not isinstance(batch.targets, np.ndarray) or batch.targets.dtype.kind != "f":
                raise TaskError(f"{what} are {_kind(batch.targets)}; a regression has floating-point numbers")
            _require_array(batch.targets, what, batch.targets.dtype, (WORDS, task.outputs))
            if not np.isfinite(batch.targets).all():
                raise TaskError(f"{what} have a number that is not finite")
            if batch.mask[:, :-1].any():
                raise TaskError(f"mask of {call} scores more than the last position; a regression is read there alone")
        case "next-token":
            _require_array(batch.targets, what, np.dtype(np.int64), shape)
            _require_ids(batch.targets[batch.mask], task.outputs, what, "the outputs")
        case "next-set":
            _require_array(batch.targets, what, np.dtype(np.bool_), (*shape, task.outputs))


def _require_array(value: object, what: str, kind: np.dtype[Any], shape: tuple[int, ...] | None = None) -> None:
    if not isinstance(value, np.ndarray) or value.dtype != kind:
        are, they = ("is", "it") if what.startswith("mask") else ("are", "they")
        raise TaskError(f"{what} {are} {_kind(value)}; {they} must be an array of {kind}")
    if shape is not None and value.shape != shape:
        raise TaskError(f"{what}: the shape is {value.shape}; it must be {shape}")


def _require_ids(ids: np.ndarray[Any, np.dtype[Any]], count: int, what: str, of: str) -> None:
    if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < count:
        bad = int(ids.max()) if int(ids.max()) >= count else int(ids.min())
        raise TaskError(f"{what} have the id {bad}; the ids of {of} are 0 to {count - 1}")


def _kind(value: object) -> str:
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"of type {type(value).__name__}"


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:60] + "…"
