"""`lengthwise tasks [NAME]`: what models can be trained on, each with an example and what `decide` says about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.cli.completion import subject_names
from lengthwise.cli.json_text import json_text
from lengthwise.cli.reading import SUBJECT, AlphabetOption
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.tasks import Batch, Task

EXAMPLE_LENGTH = 8
SECONDS = {"list": 0.2, "one": 10.0}
"""How long the verdict on one task may take."""
CLASSES = {"nope": "NoPE", "ape": "APE"}
"""The answers of a verdict that are shown, and what the command line calls them."""


def tasks(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help=f"{SUBJECT} Without it, all that have a name.", autocompletion=subject_names
        ),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter of NAME, as in omega=2.")
    ] = None,
    length: Annotated[
        int | None, typer.Option("--length", help=f"The length of the example; else {EXAMPLE_LENGTH} or close to it.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the example.")] = 0,
    alphabet: AlphabetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: a list, or an object for NAME.")] = False,
) -> None:
    """List the tasks, or show one: parameters, an example word with its target, and the verdict of `decide`."""
    from lengthwise.subjects import describe, names, with_parameters
    from lengthwise.tasks import read_settings

    given = read_settings(settings or ()) | ({} if alphabet is None else {"alphabet": alphabet})
    if seed < 0:
        raise LengthwiseError(f"a seed is a whole number from 0 on, not {seed}")
    if name is not None:
        subject, left = with_parameters(name, given)
        task = subject.as_task(**left)
        if not as_json:
            typer.echo(subject.meaning)
        facts = facts_of(task, describe(task.name), length, seed, SECONDS["one"])
        if as_json:
            typer.echo(json_text({"meaning": subject.meaning, **facts}))
        else:
            typer.echo("\n".join(shown(facts)))
        return
    if given:
        raise LengthwiseError("--set belongs to one task; name it, as in lengthwise tasks simple-task --set omega=2")
    found = [_listed(known, length, seed) for known in names()]
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for facts in found:
        for line in _rows(facts):
            typer.echo(line)
    typer.echo("\nA regex, a program file and a DFA file are tasks, too.")


def facts_of(task: Task, description: str, length: int | None, seed: int, seconds: float) -> dict[str, Any]:
    """What there is to say about a task, as plain data with stable keys."""
    return {
        "name": task.name,
        "description": description,
        "parameters": dict(task.parameters),
        "alphabet": list(task.alphabet.symbols),
        "loss": task.loss,
        "outputs": task.outputs,
        "min_length": task.min_length,
        "lengths": list(_lengths(task)),
        "example": example(task, length, seed),
        "verdict": verdict(task, seconds),
    }


def _lengths(task: Task) -> tuple[int, ...]:
    """The lengths of words up to twice that of the example."""
    from lengthwise.tasks import lengths

    return lengths(task, 2 * max(EXAMPLE_LENGTH, task.min_length))


def example(task: Task, length: int | None, seed: int) -> dict[str, Any]:
    """A random word with its target, in symbols: for the last position, or for every one that is scored."""
    import numpy as np

    if length is None:
        least = max(EXAMPLE_LENGTH, task.min_length)
        found = _lengths(task)
        length = next((one for one in found if one >= least), found[-1] if found else least)
    batch = task.sample(length, 1, np.random.default_rng(seed))
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
            return [symbol if here else None for symbol, here in zip(wanted, scored, strict=True)]
        case "next-set":
            return [_set(task, row) if here else None for row, here in zip(batch.targets[0], scored, strict=True)]


def _set(task: Task, row: Any) -> dict[str, Any]:
    # Where only the end of the word is asked for, there is no class for any symbol.
    symbols = [symbol for symbol, can in zip(task.alphabet, row[:-1].tolist(), strict=False) if can]
    return {"symbols": symbols, "ends": bool(row[-1])}


def verdict(task: Task, seconds: float) -> dict[str, str] | None:
    """The answers of `decide` on the language or else the program of a task; None for a task that has neither.

    The tasks of Table 3 have answers of their own: there need not be a program.
    """
    from lengthwise.regular import Budget, decide
    from lengthwise.tasks import AnswerTask
    from lengthwise.tasks.claim import claim_verdict, has_claim

    subject = task.language if task.language is not None else task.program
    if isinstance(task, AnswerTask):
        found = task.verdict()
    elif has_claim(task):
        found = claim_verdict(task, budget=Budget(seconds=seconds))
    elif subject is None:
        return None
    else:
        found = decide(subject, budget=Budget(seconds=seconds))
    return {"nope": found.nope.kind, "local": found.local.kind, "ape": found.ape.kind}


def _listed(name: str, length: int | None, seed: int) -> dict[str, Any]:
    """The facts about a task, or what keeps it from being made: one broken task does not hide the others."""
    from lengthwise.subjects import describe, task_of

    try:
        return facts_of(task_of(name), describe(name), length, seed, SECONDS["list"])
    except LengthwiseError as problem:
        return {"name": name, "problem": str(problem)}


# ------------------------------------------------------------------------------------------------------ text


def shown(facts: dict[str, Any]) -> Iterator[str]:
    """One task as lines of text."""
    yield f"{facts['name']}: {facts['description']}" if facts["description"] else facts["name"]
    for label, value in (
        ("parameters", _parameters(facts)),
        ("alphabet", " ".join(facts["alphabet"])),
        ("loss", f"{facts['loss']}, {facts['outputs']} output{'s' if facts['outputs'] > 1 else ''}"),
        ("lengths", " ".join(map(str, facts["lengths"])) + " and perhaps more"),
        ("example", _example(facts["example"])),
        ("decide", _verdict(facts)),
    ):
        if value:
            yield f"  {label:10}  {value}"


def _rows(facts: dict[str, Any]) -> Iterator[str]:
    if "problem" in facts:
        yield f"{facts['name']:17} {facts['problem']}"
        return
    yield f"{facts['name']:17} {facts['description']}"
    parts = (_parameters(facts), _example(facts["example"]), _verdict(facts))
    yield " " * 18 + "   ".join(part for part in parts if part)


def _parameters(facts: dict[str, Any]) -> str:
    from lengthwise.tasks.own_task import SOURCE

    values = {key: str(value) for key, value in facts["parameters"].items() if key != SOURCE}
    return " ".join(f"{key}={value if chr(10) not in value else '…'}" for key, value in values.items())


def _verdict(facts: dict[str, Any]) -> str:
    found = facts["verdict"]
    return ", ".join(f"{CLASSES[key]} {found[key]}" for key in CLASSES) if found else ""


def _example(found: dict[str, Any]) -> str:
    return f"{found['word']} → {_written(found['target'])}"


def _written(target: list[Any]) -> str:
    """A target in few characters: the symbols that are scored, or the set at the last position."""
    if target and all(isinstance(value, float) for value in target):
        return ", ".join(f"{value:.3g}" for value in target)
    last = target[-1]
    if isinstance(last, dict):
        return "{" + ", ".join([*last["symbols"], *(["end"] if last["ends"] else [])]) + "}"
    return " ".join(symbol for symbol in target if symbol is not None) or "not scored"
