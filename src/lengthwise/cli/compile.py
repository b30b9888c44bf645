"""`lengthwise compile SUBJECT -o FILE`: a program as weights; for a language, the program that `decide` finds."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import beside, json_text, say
from lengthwise.cli.options import Alphabet, Seconds, Subject, file_option
from lengthwise.cli.printing import echo
from lengthwise.resources import SECONDS


def compile_program(
    program: Subject,
    output: Annotated[str, file_option("--output", "-o", help="The safetensors file; - is standard output.")],
    context: Annotated[
        int | None,
        typer.Option(metavar="N", help="Write an ordinary transformer with N positions (one is the start symbol's)."),
    ] = None,
    relu_only: Annotated[
        int | None,
        typer.Option("--relu-only", metavar="N", help="Use ReLU units only; exact for words up to length N."),
    ] = None,
    alphabet: Alphabet = None,
    seconds: Seconds = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print the model's sizes as JSON.")] = False,
) -> None:
    """Compile a C-RASP program to a Limit Transformer, or with --context to an ordinary transformer.

    A regex, a language or an automaton is compiled as the program that `lengthwise decide` finds for it.
    """
    from lengthwise import public

    made = public.compile(program, alphabet, context=context, relu_only=relu_only, seconds=seconds, out=output)
    if as_json:
        say(output, json_text({"file": output, **made.as_json()}))
        return
    echo(made.meaning, err=beside(output))
    if made.origin:
        say(output, f"compiled is {made.origin}")
    say(output, f"{output}: {made.model!r}")
