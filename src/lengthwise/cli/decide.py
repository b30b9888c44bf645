"""`lengthwise decide SUBJECT`: the verdict with its program or reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from lengthwise.cli.answer import beside, json_text, save_proofs, say
from lengthwise.cli.options import Alphabet, Json, Proof, Seconds, Subject, file_option
from lengthwise.errors import LengthwiseError
from lengthwise.output import write_text
from lengthwise.resources import SECONDS

if TYPE_CHECKING:
    from lengthwise.regular import Budget, Verdict
    from lengthwise.regular.languages.automaton import Acceptance

CAPS = ("arrows", "memory", "monoid", "nodes", "proof", "states")


def decide(
    subject: Subject,
    alphabet: Alphabet = None,
    acceptance: Annotated[
        str, typer.Option("--acceptance", help="Where a word is accepted: at its `last` symbol or at an `eos` marker.")
    ] = "last",
    classes: Annotated[
        bool, typer.Option("--classes", help="Also: star-free, AC⁰, R-, L-, J-trivial, DA, dot-depth.")
    ] = False,
    depth: Annotated[
        bool, typer.Option("--depth", help="Also: the shallowest program without positions, and what is too shallow.")
    ] = False,
    minimise: Annotated[
        bool, typer.Option("--minimise", help="Make programs smaller while the proof holds; takes seconds.")
    ] = False,
    seconds: Seconds = SECONDS,
    cap: Annotated[
        list[str] | None,
        typer.Option("--cap", metavar="NAME=VALUE", help=f"Raise a cap: {', '.join(CAPS)}."),
    ] = None,
    output: Annotated[
        str | None,
        file_option("--output", "-o", help="Save the program, the one for APE first; - is standard output."),
    ] = None,
    proof: Proof = None,
    as_json: Json = False,
) -> None:
    """Decide whether one C-RASP program is right at every length: yes with the program, no with a reason.

    NoPE: is there a program without positions? APE: is there one with periodic and local positions?

    From yes it follows (Huang et al., Theorems 7 and 9) that an ideal learner is right up to length n, from some n on:

    one that takes, for each n, a nearly simplest transformer with n positions that is right up to length n/2.

    It does not follow how large n must be, or that a transformer is right beyond its n, or that training finds it.

    No means that these theorems promise nothing, not that every trained transformer fails.
    """
    from lengthwise import public

    verdict = public.decide(
        subject,
        alphabet,
        cast("Acceptance", acceptance),
        _budget(seconds, cap or []),
        minimise=minimise,
        classes=classes,
        depth=depth,
    )
    if output is not None:
        _save(verdict, output)
    save_proofs(proof, verdict.proofs)
    aside = next((path for path in (output, proof) if beside(path)), None)
    say(aside, json_text(verdict.as_json()) if as_json else str(verdict))


def _budget(seconds: float, caps: list[str]) -> Budget:
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


def _save(verdict: Verdict, path: str) -> None:
    if verdict.program is None:
        raise LengthwiseError(f"there is no program to save in {path}: the answer is {verdict.ape.kind}")
    write_text(path, str(verdict.program))
