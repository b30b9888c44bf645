"""`lengthwise tasks [NAME]`: what models can be trained on, each with an example and what `decide` says about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from lengthwise.cli.answer import json_text
from lengthwise.cli.completion import subject_names
from lengthwise.cli.options import SUBJECT, Alphabet, Seconds
from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS

EXAMPLE_LENGTH = 8
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
    alphabet: Alphabet = None,
    seconds: Seconds = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: a list, or an object for NAME.")] = False,
) -> None:
    """List the tasks, or show one: parameters, an example word with its target, and the verdict of `decide`."""
    from lengthwise import public
    from lengthwise.tasks import read_settings

    given = read_settings(settings or ()) | ({} if alphabet is None else {"alphabet": alphabet})
    if name is None and given:
        raise LengthwiseError("--set belongs to one task; name it, as in lengthwise tasks simple-task --set omega=2")
    facts = public.describe_task(name, length=length, seed=seed, seconds=seconds, **given)
    if as_json:
        echo(json_text(facts))
    elif isinstance(facts, dict):
        echo(facts["meaning"])
        echo("\n".join(shown(facts)))
    else:
        for each in facts:
            for line in _rows(each):
                echo(line)
        echo("\nA regex, a program file and a DFA file are tasks, too.")


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
