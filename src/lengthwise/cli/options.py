"""The arguments and options that several verbs share: each has one name, one meaning and one help text everywhere.

An option that names a file checks when options are read whether that can be written, before any work. Options that come
together are the fields of a class; a verb that takes such a class as a parameter is made a command by `grouped`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from lengthwise.cli.completion import model_names, subject_names
from lengthwise.errors import LengthwiseError
from lengthwise.output import require_writable

Value = TypeVar("Value", int, float)


# ---------------------------------------------------------------------------------------------- files that are written


def writable(path: str | None) -> str | None:
    """The value of an option that names a file, or `-` for standard output, if that can be written."""
    if path is not None:
        require_writable(path)
    return path


def writable_figure(path: str | None) -> str | None:
    """The same for a drawing, whose suffix is that of a format."""
    if path is not None:
        from lengthwise.drawing.style import format_of

        format_of(path)
    return writable(path)


def file_option(*names: str, help: str, figure: bool = False) -> Any:  # noqa: A002 - typer's word
    """An option whose value names a file to write."""
    return typer.Option(*names, metavar="FILE", help=help, callback=writable_figure if figure else writable)


def require_results(directory: Path, names: Iterable[str]) -> None:
    """Refuse a directory, which is made when it is needed, in which files of these names cannot be written."""
    for name in names:
        require_writable(directory / name, parents=True)


# ---------------------------------------------------------------------------------------------------- what verbs share

SUBJECT = "A library program, a language, a task, a regex or a file (docs/reference/subjects.md)."
"""What every verb takes that is about a subject."""

Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT, autocompletion=subject_names)]
Alphabet = Annotated[
    str | None,
    typer.Option("--alphabet", "-a", help="The symbols of a regex or predicate, as in `abc`, `a,b` or `if then else`."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Proof = Annotated[
    str | None,
    file_option("--proof", help="Save what was proved, for `lengthwise check-proof FILE`; - is standard output."),
]
Seconds = Annotated[
    float, typer.Option("--seconds", help="The time limit; what was found by then is printed, and what is missing.")
]

TrainingSeconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        help="Stop after this time, as Ctrl-C does: what is finished is kept, and the same command goes on.",
        show_default="no limit",
    ),
]

Fragment = Annotated[
    str | None, typer.Option("--fragment", help="none, periodic, local or periodic,local; else one after the other.")
]
Largest = Annotated[
    int | None, typer.Option("--complexity", min=1, help="The largest complexity; else some 500,000 functions.")
]
Encoding = Annotated[str, typer.Option("--encoding", help="How complexity is counted: symbols, bits or heads.")]
AtlasDirectory = Annotated[
    str | None,
    typer.Option("--atlas", metavar="DIR", envvar="LENGTHWISE_ATLAS", help="Keep atlases here; else nothing is kept."),
]

Store = Annotated[str, typer.Option("--store", metavar="DIR", help="Where runs are kept.")]
Processes = Annotated[int | None, typer.Option("--processes", help="How many runs at once.")]
Address = Annotated[str | None, typer.Option("--address", help="Of a Ray cluster: host:port.")]
Device = Annotated[str | None, typer.Option("--device", help="cpu, cuda, or auto: cuda if it is there.")]

# --------------------------------------------------------------------------------------------------- Limit Transformers

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A construction (simple-task, mod-p-task, k-gram, induction-head), a limit file (.safetensors), "
        "or a program.",
        autocompletion=model_names,
    ),
]
Omega = Annotated[float | None, typer.Option("--omega", help="simple-task: the frequency ω.")]
Period = Annotated[int | None, typer.Option("--period", help="mod-p-task: the period Δ.")]
Residue = Annotated[int | None, typer.Option("--residue", help="mod-p-task: the residue that counts.")]
Bits = Annotated[int | None, typer.Option("--bits", help="The precision, if the model does not say it.")]
Other = Annotated[str | None, typer.Option("--with", metavar="MODEL", help="The second model; else the same again.")]


# ------------------------------------------------------------------------------------------- options that come together


@dataclass(frozen=True)
class PeriodicConstruction:
    """The parameters of the constructions simple-task and mod-p-task."""

    omega: Omega = None
    units: Annotated[int | None, typer.Option(help="simple-task: ReLU units that interpolate the sine.")] = None
    period: Period = None
    residue: Residue = None


@dataclass(frozen=True)
class CopyingConstruction:
    """The parameters of the constructions k-gram and induction-head."""

    context: Annotated[int | None, typer.Option(help="k-gram: the number of context symbols.")] = None
    symbols: Annotated[str | None, typer.Option(help="k-gram, induction-head: the alphabet.")] = None
    beta: Annotated[float | None, typer.Option(help="k-gram: the logit of a matching symbol.")] = None
    phi: Annotated[float | None, typer.Option(help="k-gram: the positional logit that copies.")] = None


@dataclass(frozen=True)
class Workers:
    """Where runs are made."""

    engine: Annotated[str, typer.Option(help="local, serial or ray.")] = "local"
    processes: Processes = None
    address: Address = None

    def made(self) -> Any:
        """The engine."""
        from lengthwise.runs.engines.engine import get_engine

        return get_engine(self.engine, self.processes, self.address)


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """A command whose options are the parameters of a verb, with the fields of a class in place of a parameter of it.

    Args:
        verb: A function that parses nothing by itself. A parameter whose type is a dataclass stands for its fields.

    Returns:
        The function that typer reads: it has all options by name, makes the classes and calls the verb.

    Example:
        >>> def paint(color: str, brush: Workers, loud: bool = False) -> None: ...
        >>> list(inspect.signature(grouped(paint)).parameters)
        ['color', 'engine', 'processes', 'address', 'loud']

    """
    hints = get_type_hints(verb, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    taken: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name not in groups:
            taken.append(parameter.replace(annotation=hints[name], kind=kind))
            continue
        within = get_type_hints(groups[name], include_extras=True)
        taken += [
            inspect.Parameter(each.name, kind, default=each.default, annotation=within[each.name])
            for each in fields(groups[name])
        ]

    @wraps(verb)
    def command(**given: Any) -> None:
        made = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)}) for name, group in groups.items()
        }
        verb(**given, **made)

    command.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    return command


def values(*groups: Any) -> dict[str, Any]:
    """The options of groups by name, as arguments of a public function."""
    return {name: value for group in groups for name, value in asdict(group).items()}


def numbers(text: str, parts: Iterable[str], kind: Callable[[str], Value], wanted: str) -> list[Value]:
    """The numbers in the parts of an option's text, or an error that says what was wanted instead."""
    try:
        return [kind(part) for part in parts]
    except ValueError:
        raise LengthwiseError(f"{wanted}, not {text!r}") from None
