"""`lengthwise diagnose MODEL`: what a trained model does inside, beginning with what its predictions depend on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lengthwise.cli.answer import show
from lengthwise.cli.options import Json
from lengthwise.errors import LengthwiseError


def diagnose(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A directory: a model of text of ours, or one of Hugging Face.")
    ],
    influence: Annotated[
        bool, typer.Option("--influence", help="Which far tokens predictions in a text depend on.")
    ] = False,
    text: Annotated[Path | None, typer.Option("--text", metavar="FILE", help="The text; - for standard input.")] = None,
    window: Annotated[int, typer.Option("--window", help="L̄: tokens of a window, the predicted one included.")] = 128,
    recent: Annotated[int, typer.Option("--recent", help="L: tokens before it that are always seen.")] = 64,
    tokens: Annotated[int, typer.Option("--tokens", help="k: how many influential tokens.")] = 5,
    examples: Annotated[int, typer.Option("--examples", help="How many windows, spread over the text.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Of the random tokens to compare with.")] = 0,
    as_json: Json = False,
) -> None:
    """Diagnose a trained model.

    --influence --text FILE: hide each far token of a window in turn, and see without which ones the next token is
    least expected (Golowich et al., section 5.3); then how much of what all far tokens are worth is owed to these few.
    """
    if not influence:
        raise LengthwiseError("say what is to be diagnosed; there is --influence, with --text FILE")
    if text is None:
        raise LengthwiseError("--influence is that of tokens of a text; give --text FILE")
    if examples < 1:
        raise LengthwiseError(f"{examples} windows are too few; give --examples 1 or more")
    if seed < 0:
        raise LengthwiseError(f"{seed} is no seed of random tokens; give --seed 0 or more")
    content = _content(text)
    from lengthwise.diagnose.influence.of_text import influence_in, load_text_model

    found = influence_in(load_text_model(model), content, window, recent, tokens, examples, seed)
    show(found, as_json)


def _content(path: Path) -> bytes:
    if str(path) == "-":
        return typer.get_binary_stream("stdin").read()
    try:
        return path.read_bytes()
    except OSError as problem:
        raise LengthwiseError(f"{path} cannot be read: {problem.strerror}") from None
