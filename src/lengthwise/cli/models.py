"""A Limit Transformer from the words of a command line: a construction by name, a file, or a program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.limit import LimitTransformer

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


def model_from(text: str, parameters: Mapping[str, Any], needed_by: str = "this") -> tuple[LimitTransformer, str]:
    """The model that a text stands for, and one line that says how the text was read.

    Args:
        text: A construction, a model file, or a subject with a program.
        parameters: Those of constructions; None where not given.
        needed_by: What needs the model, for the sentence that says that there is none.

    Returns:
        The model and its meaning.

    Raises:
        LengthwiseError: There is no such model.

    """
    from lengthwise import limit
    from lengthwise.limit.constructions import NAMED, named_construction
    from lengthwise.subjects import Subject

    name = text.removeprefix("task:")
    if name in NAMED:
        of = name if name == "induction-head" else f"the task {name}"
        return named_construction(name, parameters).model, f"Limit Transformer of {of}"
    given = [key for key, value in parameters.items() if value is not None]
    if given:
        raise LengthwiseError(f"--{given[0]} belongs to a construction, one of {', '.join(NAMED)}, not to {text}")
    if Path(text).suffix == ".safetensors":
        return limit.load(text), f"model {Path(text).name}"
    subject = Subject.of(text)
    program = subject.task.program if subject.kind == "task" else subject.program
    if program is None:
        raise LengthwiseError(
            f"{needed_by} is about a Limit Transformer, and none is written down for {subject}; there are those of "
            f"{', '.join(NAMED)} and of model files, and `lengthwise decide` and `lengthwise study` are for others"
        )
    return limit.from_crasp(program), subject.meaning
