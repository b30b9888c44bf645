"""`lengthwise show SUBJECT`: a program's canonical form or a language's automaton, or a model file's quantities."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import beside, json_text, save_proofs, say
from lengthwise.cli.completion import subject_names
from lengthwise.cli.options import Alphabet, Json, Proof, Seconds
from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS


def show(
    program: Annotated[
        str,
        typer.Argument(
            metavar="SUBJECT",
            autocompletion=subject_names,
            help="A program, a language, a regex or a file of one (docs/reference/subjects.md); or a model file "
            "(.safetensors).",
        ),
    ],
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX in the style of the papers' boxes.")] = False,
    simplified: Annotated[bool, typer.Option("--simplify", help="Show the simplified program.")] = False,
    minimised: Annotated[
        bool, typer.Option("--minimise", help="Show a smaller program that is proved to accept the same words.")
    ] = False,
    products: Annotated[
        bool, typer.Option("--products", help="Of a model or a program's: the product functions of its weights.")
    ] = False,
    context: Annotated[
        int | None, typer.Option("--context", help="--products: how many positions that model gets; else 8.")
    ] = None,
    alphabet: Alphabet = None,
    proof: Proof = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Show a program in canonical form, a language's minimal automaton, or a model file's quantities."""
    if products and latex:
        raise LengthwiseError("--products is about weights; --latex, --simplify and --minimise are for programs")
    if proof is not None and not minimised:
        raise LengthwiseError("--proof saves why a smaller program is equal; give --minimise, too")
    from lengthwise import public

    found = public.show(
        program, alphabet, simplify=simplified, minimise=minimised, products=products, context=context, seconds=seconds
    )
    if minimised:
        save_proofs(proof, [found.proof])
    text = found.latex if latex else str(found)
    if as_json:
        say(proof, json_text(found.as_json(latex=latex)))
        return
    if found.program is not None or found.language is not None:
        echo(found.meaning, err=latex or beside(proof))
    say(proof, text)
