"""`lengthwise compile SUBJECT -o FILE`: a program as weights; for a language, the program that `decide` finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lengthwise.cli.reading import SUBJECT, AlphabetOption, announce


def compile_program(
    program: Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The safetensors file to write.")],
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
    from lengthwise.limit.files import save
    from lengthwise.limit.from_crasp import from_crasp
    from lengthwise.limit.to_transformer import to_transformer
    from lengthwise.public import program_for
    from lengthwise.subjects import Subject

    subject = Subject.of(program, alphabet)
    found, origin = program_for(subject)
    aside = as_json or str(output) == "-"
    announce(subject, aside=aside)
    if origin:
        typer.echo(f"compiled is {origin}", err=aside)
    limit = from_crasp(found, relu_only_up_to=relu_only)
    model = limit if context is None else to_transformer(limit, context)
    save(model, output)
    if as_json:
        facts = {
            "file": str(output),
            "meaning": subject.meaning,
            "layers": len(model.layers),
            "heads": [len(layer.heads) for layer in model.layers],
            "width": model.width,
            "outputs": list(model.outputs),
            "certified_length": model.certified_length,
        }
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        typer.echo(f"{output}: {model!r}")
