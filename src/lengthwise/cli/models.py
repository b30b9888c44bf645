"""The options of verbs that are about a Limit Transformer."""

from __future__ import annotations

from typing import Annotated

import typer

MODEL_HELP = (
    "A construction (simple-task, mod-p-task, k-gram, induction-head), a limit file (.safetensors), or a program."
)

Omega = Annotated[float | None, typer.Option("--omega", help="simple-task: the frequency ω.")]
Units = Annotated[int | None, typer.Option("--units", help="simple-task: ReLU units that interpolate the sine.")]
Period = Annotated[int | None, typer.Option("--period", help="mod-p-task: the period Δ.")]
Residue = Annotated[int | None, typer.Option("--residue", help="mod-p-task: the residue that counts.")]
Context = Annotated[int | None, typer.Option("--context", help="k-gram: the number of context symbols.")]
Symbols = Annotated[str | None, typer.Option("--symbols", help="k-gram, induction-head: the alphabet.")]
Beta = Annotated[float | None, typer.Option("--beta", help="k-gram: the logit of a matching symbol.")]
Phi = Annotated[float | None, typer.Option("--phi", help="k-gram: the positional logit that copies.")]
Bits = Annotated[int | None, typer.Option("--bits", help="The precision, if the model does not say it.")]
Other = Annotated[str | None, typer.Option("--with", metavar="MODEL", help="The second model; else the same again.")]
