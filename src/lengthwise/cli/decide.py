"""`lengthwise decide REGEX|PROGRAM|TASK`: the verdict with its program or reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.cli.outputs import say, writable
from lengthwise.errors import LengthwiseError
from lengthwise.output import write_text

if TYPE_CHECKING:
    from lengthwise.regular import Answer, Budget, Classes, Verdict

CAPS = ("arrows", "monoid", "nodes", "proof", "states")


def decide(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="REGEX|PROGRAM|TASK",
            help="A regex, the name of a language, library program or algorithmic task, or a program or DFA file.",
        ),
    ],
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", "-a", help="The symbols, as in `abc` or `if then else`.")
    ] = None,
    acceptance: Annotated[
        str, typer.Option("--acceptance", help="Where a word is accepted: at its `last` symbol or at an `eos` marker.")
    ] = "last",
    classes: Annotated[
        bool, typer.Option("--classes", help="Also: star-free, AC⁰, R-, L-, J-trivial, DA, dot-depth.")
    ] = False,
    minimise: Annotated[
        bool, typer.Option("--minimise", help="Make programs smaller while the proof holds; takes seconds.")
    ] = False,
    seconds: Annotated[float | None, typer.Option("--seconds", help="A time limit.")] = None,
    cap: Annotated[
        list[str] | None,
        typer.Option("--cap", metavar="NAME=VALUE", help=f"Raise a cap: {', '.join(CAPS)}."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save the program, the one for APE first; - is standard output.",
            callback=writable,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Decide whether one C-RASP program is right at every length: yes with the program, no with a reason.

    NoPE: is there a program without positions? APE: is there one with periodic and local positions?

    From yes it follows (Huang et al., Theorems 7 and 9) that an ideal learner is right up to length n, from some n on:

    one that takes, for each n, a nearly simplest transformer with n positions that is right up to length n/2.

    It does not follow how large n must be, or that a transformer is right beyond its n, or that training finds it.

    No means that these theorems promise nothing, not that every trained transformer fails.
    """
    from lengthwise import regular

    budget = _budget(seconds, cap or [])
    verdict = regular.decide(subject, alphabet, acceptance, budget)  # type: ignore[arg-type]
    if minimise:
        verdict = regular.with_minimal_programs(verdict)
    if output is not None:
        _save(verdict, output)
    found = regular.classify(regular.regular_subject(subject, alphabet)) if classes else None
    if as_json:
        data = verdict.as_json() | ({} if found is None else {"classes": found.as_json()})
        say(output, json.dumps(data, ensure_ascii=False, indent=2))
        return
    for line in shown(verdict):
        say(output, line)
    if found is not None:
        for line in _classes(found):
            say(output, line)


def shown(verdict: Verdict) -> Iterator[str]:
    """The verdict as lines of text."""
    where = "the last symbol" if verdict.acceptance == "last" else "an end marker"
    yield f"{verdict.subject}: read at {where}"
    rows = [
        ("NoPE", "C-RASP[∅]", verdict.nope),
        ("", "C-RASP[local]", verdict.local),
        ("APE", "C-RASP[periodic, local]", verdict.ape),
    ]
    before: Answer | None = None
    for label, name, answer in rows:
        yield ""
        yield f"{label:4}  {name:24} {answer.kind.upper()}"
        yield f"      {answer.reason}"
        if before is None or (answer.program, answer.witness) != (before.program, before.witness):
            yield from _support(answer)
        before = answer
    if verdict.notes:
        yield ""
        yield from verdict.notes


def _support(answer: Answer) -> Iterator[str]:
    if answer.program is not None:
        for line in str(answer.program).splitlines():
            yield f"      {line}".rstrip()
    if answer.witness is not None:
        for line in answer.witness.explain().splitlines():
            yield f"      {line}"


def _budget(seconds: float | None, caps: list[str]) -> Budget:
    from lengthwise.regular import Budget

    values: dict[str, Any] = {}
    for given in caps:
        name, equals, text = given.partition("=")
        if name not in CAPS or not equals:
            raise LengthwiseError(f"--cap takes NAME=VALUE with one of {', '.join(CAPS)} as the name, not {given!r}")
        try:
            values[name] = float(text) if name == "proof" else int(text)
        except ValueError:
            raise LengthwiseError(f"the cap {name!r} is a number, not {text!r}") from None
    return Budget(seconds=seconds, **values)


CLASS_NAMES = {
    "star_free": "star-free",
    "ac0": "in AC⁰",
    "r_trivial": "R-trivial",
    "l_trivial": "L-trivial",
    "j_trivial": "J-trivial (piecewise testable)",
    "da": "in DA",
    "dot_depth": "dot-depth",
}


def _classes(found: Classes) -> Iterator[str]:
    sizes = found.sizes
    yield ""
    yield (
        f"Classes: {sizes.states} states, {sizes.monoid} elements in the syntactic monoid, "
        f"stability index {sizes.stability_index}"
    )
    for name, title in CLASS_NAMES.items():
        failure = found.failures.get(name)
        why = f"  {failure.explain()}" if failure is not None else ""
        yield f"  {title:30}  {_word(getattr(found, name)):3}{why}"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _save(verdict: Verdict, path: str) -> None:
    program = verdict.ape.program or verdict.local.program or verdict.nope.program
    if program is None:
        raise LengthwiseError(f"there is no program to save in {path}: the answer is {verdict.ape.kind}")
    write_text(path, str(program))
