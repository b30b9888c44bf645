"""`lengthwise eval FILE [WORD …]`: what a model file says about words."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from lengthwise.limit.model import LimitTransformer
    from lengthwise.limit.transformer import Transformer


def evaluate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A safetensors file that `lengthwise compile` wrote.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]...", help="Words; '' is the empty word. Without words, lines of standard input."
        ),
    ] = None,
    regime: Annotated[
        str | None, typer.Option(help="huang(8), izzo_finite(8), izzo_infinite or hardmax, for Limit Transformers.")
    ] = None,
    offset: Annotated[int, typer.Option(metavar="N", help="Where the word starts, for ordinary transformers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {input, accepts, outputs}.")] = False,
) -> None:
    """Evaluate a model on words: the verdict, or what is predicted next, with the outputs behind it."""
    model = _model(file, regime, offset)
    given = words if words else [line.rstrip("\n") for line in sys.stdin]
    entries = [_entry(model, word, offset) for word in given]
    if as_json:
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=2))
        return
    for entry in entries:
        shown = entry["input"] or "(the empty word)"
        if "accepts" in entry:
            typer.echo(f"{'accepts' if entry['accepts'] else 'rejects'}  {shown}")
        else:
            values = "  ".join(f"{name}: {value:.6g}" for name, value in entry["outputs"].items())
            typer.echo(f"{shown}  {values}")


def _model(file: Path, regime: str | None, offset: int) -> LimitTransformer | Transformer:
    from lengthwise.limit import regimes
    from lengthwise.limit.files import ORDINARY, kind_of, load, load_transformer

    if kind_of(file) == ORDINARY:
        if regime is not None:
            raise typer.BadParameter("an ordinary transformer has the regime it was written with")
        return load_transformer(file)
    if offset:
        raise typer.BadParameter("only ordinary transformers, compiled with --context, have an offset")
    model = load(file)
    return model if regime is None else model.with_regime(regimes.parse(regime))


def _entry(model: LimitTransformer | Transformer, word: str, offset: int) -> dict[str, Any]:
    values = model.last(word, offset) if offset else model.last(word)  # type: ignore[call-arg]
    entry: dict[str, Any] = {"input": word}
    if "accept" in model.outputs:
        entry["accepts"] = bool(values[model.outputs.index("accept")] > 0)
    entry["outputs"] = dict(zip(model.outputs, values.tolist(), strict=True))
    return entry
