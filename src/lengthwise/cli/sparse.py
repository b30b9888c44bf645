"""`lengthwise sparse construct|ensemble|coupling`: functions and attention that depend on few of many positions."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lengthwise.cli.answer import json_text, show
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import Json, file_option
from lengthwise.cli.printing import echo
from lengthwise.text_table import aligned

app = typer.Typer(
    name="sparse",
    help="Few of many: weights for sparse Boolean functions, planted correlations, position coupling.",
    no_args_is_help=True,
)

Seed = Annotated[int, typer.Option("--seed", help="Of everything that is drawn.")]
TrainLength = Annotated[int, typer.Option("--train-length", "-n", help="L: words of length ⌈L/2⌉ to L are trained on.")]


@app.command("construct")
def construct(
    function: Annotated[
        str,
        typer.Argument(
            metavar="FUNCTION",
            help="A formula such as 'x2 & (x4 | !x5)'; or parity, majority, and, or, with how many bits (parity:3) or "
            "which (parity:1,5,9).",
        ),
    ],
    length: Annotated[int, typer.Option("--length", "-T", help="How many bits strings have.")] = 16,
    inputs: Annotated[
        Literal["deterministic", "trainable", "bag"],
        typer.Option("--inputs", help="How bits become vectors: positions are given, are trained, or there are none."),
    ] = "deterministic",
    coherence: Annotated[
        float | None,
        typer.Option("--coherence", help="Vectors of positions this far from orthogonal, in fewer dimensions."),
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Check so many strings; else all up to length 16, 1024 beyond.")
    ] = None,
    seed: Seed = 0,
    output: Annotated[str | None, file_option("--output", "-o", help="Save the weights (.safetensors).")] = None,
    as_json: Json = False,
) -> None:
    """Write down a one-layer transformer for a function of few bits, and check it (Edelman et al., appendix B)."""
    from lengthwise import sparse

    found = sparse.construct(function, length, inputs, coherence, samples, seed)
    if output is not None:
        found.save(output)
    show(found, as_json, path=output, code=ExitCode.DONE if found.verification.passed else ExitCode.NO)


@app.command("ensemble")
def ensemble(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="An instance; without one, the names and what they show.")
    ] = None,
    train_length: TrainLength = 8,
    test_length: Annotated[int, typer.Option("--test-length", "-t", help="L̄: the length that is tested.")] = 16,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Also estimate the losses at L̄ from so many words.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Set exact losses on longer words beside the bound (Golowich et al., Theorem 4.3 and Proposition C.3)."""
    from lengthwise import sparse

    if name is None:
        _list({key: line for key, (_, line) in sparse.INSTANCES.items()}, as_json)
        return
    found = sparse.check_ensemble(name, train_length, test_length, samples, seed)
    show(found, as_json)


@app.command("coupling")
def coupling(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A task; without one, the names and what they ask.")
    ] = None,
    train_length: TrainLength = 8,
    test_length: Annotated[
        int, typer.Option("--test-length", "-t", help="L̄: L and a multiple of the coupled class's locality.")
    ] = 12,
    noise: Annotated[
        float, typer.Option("--noise", help="Background holds a letter that could be planted with this probability.")
    ] = 0.0,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Check that a position coupling is one, and what it repairs (Golowich et al., section 4.1)."""
    from lengthwise import sparse

    if name is None:
        _list({key: line for key, (_, line) in sparse.COUPLED_TASKS.items()}, as_json)
        return
    found = sparse.check_coupling(name, train_length, test_length, noise, seed)
    show(found, as_json)


def _list(lines: dict[str, str], as_json: bool) -> None:
    if as_json:
        entries = [{"name": name, "description": line} for name, line in lines.items()]
        echo(json_text(entries))
        return
    for line in aligned(list(lines.items())):
        echo(line)
