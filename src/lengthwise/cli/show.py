"""`lengthwise show PROGRAM`: a program's canonical form and what can be read off it; or a model file's quantities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lengthwise.crasp import Program, load
from lengthwise.errors import LengthwiseError


def show(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="A program file, a library name, or a model file (.safetensors).")
    ],
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX in the style of the papers' boxes.")] = False,
    simplified: Annotated[bool, typer.Option("--simplify", help="Show the simplified program.")] = False,
    minimised: Annotated[
        bool, typer.Option("--minimise", help="Show a smaller program that is proved to accept the same words.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a program in canonical form with its fragment, depth, window and period, or a model file's quantities."""
    if program.endswith(".safetensors"):
        _show_model(Path(program), latex or simplified or minimised, as_json)
        return
    loaded = load(program)
    loaded = loaded.simplify() if simplified else loaded
    if minimised:
        from lengthwise.regular.minimise import minimise

        loaded = minimise(loaded)
    if as_json:
        entry = {"program": program, **_facts(loaded), "text": str(loaded)}
        if latex:
            entry["latex"] = loaded.to_latex()
        typer.echo(json.dumps(entry, ensure_ascii=False, indent=2))
    elif latex:
        typer.echo(loaded.to_latex())
    else:
        typer.echo(str(loaded))
        for label, text in _summary(loaded):
            typer.echo(f"{label:9} {text}")


def _show_model(path: Path, other_form: bool, as_json: bool) -> None:
    from lengthwise.cli.show_model import facts_of_file, lines

    if other_form:
        raise LengthwiseError("--latex and --simplify are for programs; this is a model file")
    facts = facts_of_file(path)
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=2) if as_json else "\n".join(lines(facts)))


def _facts(program: Program) -> dict[str, object]:
    return {
        "fragment": sorted(program.fragment),
        "depth": program.depth,
        "window": program.window,
        "period": program.period,
        "size": program.size,
        "alphabet": list(program.alphabet.symbols),
        "alphabet_is_open": program.alphabet.is_open,
        "predicts": list(program.predicts),
    }


def _summary(program: Program) -> list[tuple[str, str]]:
    alphabet = " ".join(program.alphabet.symbols) or "(none)"
    rows = [
        ("fragment", program.fragment_name),
        ("depth", f"{program.depth} (nesting of counts)"),
        ("window", f"{program.window} (τ: how far back local guards look)"),
        ("period", f"{program.period} (Δ: of the position predicates)"),
        ("size", f"{program.size} operations"),
        (
            "alphabet",
            alphabet + (" (open: other symbols are legal and match nothing)" if program.alphabet.is_open else ""),
        ),
    ]
    if program.predicts:
        rows.append(("predicts", " ".join(program.predicts)))
    return rows
