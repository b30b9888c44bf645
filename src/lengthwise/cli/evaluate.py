"""`lengthwise eval FILE [WORD …]`: what a model file says about words."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from lengthwise.limit.model import LimitTransformer
    from lengthwise.limit.transformers.transformer import Transformer


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
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {input, accepts, outputs, …}.")] = False,
) -> None:
    """Evaluate a model on words: the verdict, or what is predicted next, with the outputs behind it.

    A model that is not certified, in this regime, to do what its program does answers too; one line on standard error
    says so, and so does "certified" in the JSON.
    """
    model, missing = _model(file, regime, offset)
    given = words if words else [line.rstrip("\n") for line in sys.stdin]
    entries = [_entry(model, word, offset) for word in given]
    if as_json:
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        for entry in entries:
            typer.echo(_line(entry))
    if missing:
        typer.echo(f"no certificate: {missing}", err=True)


def _line(entry: dict[str, Any]) -> str:
    shown = entry["input"] or "(the empty word)"
    if "accepts" in entry:
        return f"{'accepts' if entry['accepts'] else 'rejects'}  {shown}"
    values = "  ".join(f"{name}: {value:.6g}" for name, value in entry["outputs"].items())
    return f"{shown}  {values}"


def _model(file: Path, regime: str | None, offset: int) -> tuple[LimitTransformer | Transformer, str]:
    """The model, and why it has no certificate; empty if it has one."""
    from lengthwise.limit.evaluation import regimes
    from lengthwise.limit.files import ORDINARY, claimed_length, kind_of, load, load_transformer

    if kind_of(file) == ORDINARY:
        if regime is not None:
            raise typer.BadParameter("an ordinary transformer has the regime it was written with")
        model: LimitTransformer | Transformer = load_transformer(file)
    elif offset:
        raise typer.BadParameter("only ordinary transformers, compiled with --context, have an offset")
    else:
        model = load(file)
        if regime is not None and model.certificate is not None:
            covered = ", ".join(str(family) for family in model.certificate.regimes)
            model = model.with_regime(regimes.parse(regime))
            missing = f"{file} is certified for {covered}, not for {model.regime}; nothing is proved about its answers"
            return model, "" if model.certificate is not None else missing
        model = model if regime is None else model.with_regime(regimes.parse(regime))
    if model.certificate is not None:
        return model, ""
    claimed = claimed_length(file)
    if claimed is None:
        return model, f"{file} has none, so nothing is proved about its answers"
    return model, (
        f"{file} claims to be exact up to {claimed} symbols, but no certificate in it fits its weights, so nothing is "
        "proved about its answers; compile the program again"
    )


def _entry(model: LimitTransformer | Transformer, word: str, offset: int) -> dict[str, Any]:
    values = model.last(word, offset) if offset else model.last(word)  # type: ignore[call-arg]
    entry: dict[str, Any] = {"input": word}
    if "accept" in model.outputs:
        entry["accepts"] = bool(values[model.outputs.index("accept")] > 0)
    entry["outputs"] = dict(zip(model.outputs, values.tolist(), strict=True))
    entry["certified"] = model.certificate is not None
    return entry
