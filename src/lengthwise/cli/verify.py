"""`lengthwise verify A B`: are two programs, automata or regexes equal at every length? If not, where do they differ?

Exit code 0: equal, proved for all lengths. 1: different. 3: not known. 2, as always: bad input.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.completion import subject_names
from lengthwise.cli.json_text import json_text
from lengthwise.cli.outputs import say
from lengthwise.cli.proofs import ProofOption, save_proofs
from lengthwise.cli.reading import SUBJECT

if TYPE_CHECKING:
    from lengthwise.public import Verified
    from lengthwise.regular.proofs import Proof

NOT_KNOWN = 3
"""The exit code when neither a proof nor a difference was found."""
_COMPARED = {"search": "configuration", "product": "pair{} of states", "abstraction": "abstract configuration"}


def verify(
    left: Annotated[str, typer.Argument(metavar="A", help=SUBJECT, autocompletion=subject_names)],
    right: Annotated[str, typer.Argument(metavar="B", help="The same.", autocompletion=subject_names)],
    alphabet: Annotated[
        str | None,
        typer.Option("--alphabet", "-a", help="The symbols of the words to compare, such as `ab`, `a,b` or `SEP 1 2`."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.0, help="How long to try.")] = 30.0,
    states: Annotated[int, typer.Option("--states", min=1, help="How many configurations to compare.")] = 200_000,
    proof: ProofOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two acceptors at every length; print the shortest difference if there is one.

    Exit code 0: equal, proved for all lengths. 1: different. 3: not known. The prefixes program:, language:, regex:,
    task: and file: say what a text is meant to be.
    """
    from lengthwise.public import verified

    found = verified(left, right, alphabet, seconds, states)
    comparison = found.comparison
    save_proofs(proof, [comparison.proof])
    if as_json:
        say(proof, _json(_entry(left, right, found), comparison.proof))
    else:
        say(proof, f"{found.left.meaning}; {found.right.meaning}")
        say(proof, _sentence(left, right, found, seconds))
        if comparison.empty_differs and comparison.difference != ():
            say(
                proof,
                f"On the empty word, which has no last symbol, {_accepting(left, right, found, ())} accepts by "
                "convention and the other does not.",
            )
    if comparison.equal is not True:
        raise typer.Exit(1 if comparison.equal is False else NOT_KNOWN)


def written(word: tuple[str, ...]) -> str:
    """A word as text: without spaces if all of its symbols are single characters."""
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)


def _entry(left: str, right: str, found: Verified) -> dict[str, object]:
    comparison = found.comparison
    word = comparison.difference
    return {
        "equal": "unknown" if comparison.equal is None else comparison.equal,
        "difference": None if word is None else written(word),
        "checked_to": comparison.checked_to,
        "accepted_by": None if word is None else ("left" if found.acceptors[0].accepts(word) else "right"),
        "empty_differs": comparison.empty_differs,
        "method": comparison.method,
        "states": comparison.states,
        "alphabet": list(comparison.symbols),
        "left": left,
        "right": right,
        "meanings": [found.left.meaning, found.right.meaning],
    }


def _json(entry: dict[str, object], proof: Proof | None) -> str:
    """The entry as indented text, with the proof, which may be long, on one line at its end."""
    written_out = json_text(entry).removesuffix("\n}")
    plain = None if proof is None else proof.as_json()
    return f'{written_out},\n  "proof": {json.dumps(plain, ensure_ascii=False)}\n}}'


def _accepting(left: str, right: str, found: Verified, word: tuple[str, ...]) -> str:
    return left if found.acceptors[0].accepts(word) else right


def _how(method: str, number: int) -> str:
    if method not in _COMPARED:
        return "by induction over the length"
    what = _COMPARED[method] if "{}" in _COMPARED[method] else _COMPARED[method] + "{}"
    return f"1 {what.format('')} compared" if number == 1 else f"all {number} {what.format('s')} compared"


def _sentence(left: str, right: str, found: Verified, seconds: float) -> str:
    comparison = found.comparison
    if comparison.equal:
        return f"equal at every length (proved, {_how(comparison.method, comparison.states)})"
    word = comparison.difference
    if word is not None:
        accepting = _accepting(left, right, found, word)
        rejecting = right if accepting == left else left
        shown = f"`{written(word)}`" if word else "the empty word"
        return f"different: first on {shown}, which {accepting} accepts and {rejecting} rejects"
    for side in (found.left, found.right):
        if side.checked_to is not None:
            return (
                f"equal on every word up to length {comparison.checked_to}; not proved: the automaton of {side.name} "
                f"was compared with it up to length {side.checked_to} only"
            )
    return (
        f"equal on every word up to length {comparison.checked_to}; neither a proof nor a difference was found within "
        f"{seconds:g} seconds and {comparison.states} configurations"
    )
