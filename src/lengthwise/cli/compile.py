"""`lengthwise compile SUBJECT -o FILE`: a program as weights; for a language, the program that `decide` finds."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.json_text import json_text
from lengthwise.cli.outputs import beside, say, writable
from lengthwise.cli.reading import AlphabetOption, SubjectArgument, announce


def compile_program(
    program: SubjectArgument,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The safetensors file; - is standard output.", callback=writable
        ),
    ],
    context: Annotated[
        int | None,
        typer.Option(metavar="N", help="Write an ordinary transformer with N positions (one is the start symbol's)."),
    ] = None,
    relu_only: Annotated[
        int | None,
        typer.Option("--relu-only", metavar="N", help="Use ReLU units only; exact for words up to length N."),
    ] = None,
    alphabet: AlphabetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the model's sizes as JSON.")] = False,
) -> None:
    """Compile a C-RASP program to a Limit Transformer, or with --context to an ordinary transformer.

    A regex, a language or an automaton is compiled as the program that `lengthwise decide` finds for it.
    """
    from lengthwise.limit.compiling.from_crasp import from_crasp
    from lengthwise.limit.files import save
    from lengthwise.limit.transformers.to_transformer import to_transformer
    from lengthwise.public import program_for
    from lengthwise.subjects import Subject

    subject = Subject.of(program, alphabet)
    found, origin = program_for(subject)
    limit = from_crasp(found, relu_only_up_to=relu_only)
    model = limit if context is None else to_transformer(limit, context)
    save(model, output)
    if not as_json:
        announce(subject, aside=beside(output))
        if origin:
            say(output, f"compiled is {origin}")
    if as_json:
        facts = {
            "file": output,
            "meaning": subject.meaning,
            "origin": origin or None,
            "layers": len(model.layers),
            "heads": [len(layer.heads) for layer in model.layers],
            "width": model.width,
            "outputs": list(model.outputs),
            "certified_length": model.certified_length,
            "certificate": None if model.certificate is None else model.certificate.to_json(),
        }
        say(output, json_text(facts))
    else:
        say(output, f"{output}: {model!r}")
