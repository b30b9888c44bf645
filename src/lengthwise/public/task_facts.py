"""Tasks described: parameters, an example word with its target, and the verdict of `decide`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise import resources
from lengthwise.errors import LengthwiseError, require_seed
from lengthwise.public.deciding import task_verdict
from lengthwise.resources import check_time, require_memory, time_limit, within_time
from lengthwise.subjects import describe, names, task_of, with_parameters

if TYPE_CHECKING:
    from lengthwise.tasks import Batch, Task

EXAMPLE_LENGTH = 8
BYTES_EACH = 500
"""What a symbol of an example takes with its target."""
SECONDS = {"list": 0.2, "one": 10.0}
"""How long the verdict on one task may take."""


def describe_task(
    subject: object = None,
    *,
    length: int | None = None,
    seed: int = 0,
    seconds: float | None = resources.SECONDS,
    **parameters: Any,
) -> dict[str, Any] | list[dict[str, Any]]:
    """Describe what models can be trained on: one task, or all that have a name.

    Args:
        subject: What `Subject.of` takes; None for all tasks with a name.
        length: The length of the example; else 8 or close to it.
        seed: The seed of the example.
        seconds: The time limit; None for no limit.
        **parameters: Those of the task, and the `alphabet` of a regex or a predicate.

    Returns:
        Plain data: name, description, parameters, alphabet, loss, outputs, lengths, an example word with its target,
        and the verdict; a list of such records for all tasks.

    Raises:
        LengthwiseError: The subject or a parameter is none.

    Example:
        >>> import lengthwise as lw
        >>> lw.describe_task("simple-task", omega=3)["verdict"]
        >>> lw.describe_task("simple-task", omega=3)["loss"]
        'regression'

    """
    require_seed(seed)
    with time_limit(seconds).in_force():
        if subject is None:
            return [_listed(known, length, seed) for known in names()]
        meant, left = with_parameters(subject, parameters)
        task = meant.as_task(**left)
        return {"meaning": meant.meaning, **_facts(task, describe(task.name), length, seed, SECONDS["one"])}


def _listed(name: str, length: int | None, seed: int) -> dict[str, Any]:
    """The facts about a task, or what keeps it from being made: one broken task does not hide the others."""
    try:
        return _facts(task_of(name), describe(name), length, seed, SECONDS["list"])
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}


def _facts(task: Task, description: str, length: int | None, seed: int, seconds: float) -> dict[str, Any]:
    return {
        "name": task.name,
        "description": description,
        "parameters": dict(task.parameters),
        "alphabet": list(task.alphabet.symbols),
        "loss": task.loss,
        "outputs": task.outputs,
        "min_length": task.min_length,
        "lengths": list(_lengths(task)),
        "example": _example(task, length, seed),
        "verdict": _verdict(task, seconds),
    }


def _lengths(task: Task) -> tuple[int, ...]:
    """The lengths of words up to twice that of the example."""
    from lengthwise.tasks import lengths

    return lengths(task, 2 * max(EXAMPLE_LENGTH, task.min_length))


def _example(task: Task, length: int | None, seed: int) -> dict[str, Any]:
    """A random word with its target, in symbols: for the last position, or for every one that is scored."""
    if length is None:
        least = max(EXAMPLE_LENGTH, task.min_length)
        found = _lengths(task)
        length = next((one for one in found if one >= least), found[-1] if found else least)
    require_memory(BYTES_EACH * length, f"an example of {length} symbols", "lower --length")
    batch = task.sample(length, 1, np.random.default_rng(seed))
    check_time()
    symbols = task.alphabet.decode(batch.tokens[0])
    written = ("" if all(len(symbol) == 1 for symbol in symbols) else " ").join(symbols)
    return {"word": written, "target": _target(task, batch)}


def _target(task: Task, batch: Batch) -> list[Any]:
    scored = batch.mask[0].tolist()
    match task.loss:
        case "regression":
            return [float(value) for value in batch.targets[0]]
        case "next-token":
            wanted = task.alphabet.decode(batch.targets[0])
            return [symbol if here else None for symbol, here in within_time(zip(wanted, scored, strict=True))]
        case "next-set":
            # Long words have few different sets.
            rows, places = np.unique(batch.targets[0], axis=0, return_inverse=True)
            sets = [_set(task, row) for row in within_time(rows)]
            return [sets[place] if here else None for place, here in zip(places.flat, scored, strict=True)]


def _set(task: Task, row: Any) -> dict[str, Any]:
    # Where only the end of the word is asked for, there is no class for any symbol.
    symbols = [symbol for symbol, can in zip(task.alphabet, row[:-1].tolist(), strict=False) if can]
    return {"symbols": symbols, "ends": bool(row[-1])}


def _verdict(task: Task, seconds: float) -> dict[str, str] | None:
    """The answers of `decide`; None for a task with neither a language nor a program."""
    from lengthwise.regular import Budget

    found = task_verdict(task, "last", Budget(seconds=seconds), task.name)
    return None if found is None else {"nope": found.nope.kind, "local": found.local.kind, "ape": found.ape.kind}
