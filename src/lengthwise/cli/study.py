"""`lengthwise study SUBJECT`: decide, bound and measure one subject, and write a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lengthwise.cli.answer import interruptible, json_text
from lengthwise.cli.completion import scheme_names
from lengthwise.cli.evaluate import Tokens
from lengthwise.cli.exit import ExitCode
from lengthwise.cli.options import (
    Alphabet,
    Omega,
    Period,
    Residue,
    Store,
    Subject,
    Workers,
    grouped,
    numbers,
    require_results,
    values,
)
from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError

OUT = "lengthwise-studies"
FILES = ("report.html", "report.json")


@grouped
def study(
    subject: Subject,
    *,
    target_length: Annotated[
        int | None,
        typer.Option("--target-length", metavar="L", help="The length at which models should work; else 3N."),
    ] = None,
    train_lengths: Annotated[
        str | None,
        typer.Option(
            "--train-lengths",
            "--train-length",
            "-n",
            metavar="N,…",
            help="Training lengths to compare, such as 10,20,40; else 40, and shorter ones if there is time.",
        ),
    ] = None,
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions",
            metavar="SCHEME,…",
            help="Position schemes: none, learned, rope, alibi, fire, randomized, periodic, relative, or one "
            "of your own; else none,learned.",
            autocompletion=scheme_names,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="L/H/W",
            help="Train this model only: layers/heads/width, as in 4/4/128 or 4/4/128@3e-4; or mine.py:Name or "
            "package.module:Name: score that one beside the trained ones.",
        ),
    ] = None,
    checkpoints: Annotated[
        list[str] | None,
        typer.Option("--checkpoint", metavar="MODEL", help="Also score a model that `evaluate` takes; repeatable."),
    ] = None,
    form: Tokens,
    minutes: Annotated[
        float, typer.Option("--minutes", help="The most time for training, by estimate, on the cores that are used.")
    ] = 5.0,
    seeds: Annotated[int, typer.Option("--seeds", help="Models for each setting; at least 3.")] = 3,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the task, as in omega=3.")
    ] = None,
    omega: Omega = None,
    period: Period = None,
    residue: Residue = None,
    alphabet: Alphabet = None,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, or auto: cuda if it is there.")] = "cpu",
    store: Store = "lengthwise-runs",
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where the report goes.", show_default=f"{OUT}/SUBJECT"),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", "--figures", help="Also write the charts: png, svg or pdf; several with commas."),
    ] = None,
    workers: Workers,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the verdict, the plan and its cost, and train nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json; with --dry-run, the plan.")] = False,
) -> None:
    """Which training length, which position scheme, how far? Decide, bound and measure, in one report.

    Writes report.html, one page that needs nothing else, and report.json. Runs that are finished are kept and never
    repeated: the same command again goes on after Ctrl-C or a kill, and writes the same report.
    """
    from lengthwise import public
    from lengthwise.drawing.style import read_formats
    from lengthwise.study.plan import lines
    from lengthwise.study.result import found_lines
    from lengthwise.study.subject import Studied

    drawn = read_formats(formats or []) if formats else ()
    parameters = _parameters(
        settings or [], {"omega": omega, "period": period, "residue": residue, "alphabet": alphabet}
    )
    given = list(checkpoints or [])
    if model is not None and ":" in model:
        given, model = [model, *given], None
    options: dict[str, Any] = {
        "minutes": minutes,
        "seeds": seeds,
        "target_length": target_length,
        "train_lengths": None if train_lengths is None else _lengths(train_lengths),
        "positions": positions,
        "model": model,
        "device": device,
        "store": store,
        "engine": workers.made(),
        "announce": None if as_json else echo,
    }
    with interruptible():
        studied = Studied.of(subject, parameters)
        directory = Path(out) if out is not None else Path(OUT) / studied.slug
        if dry_run:
            plan = public.plan_study(studied, **options)
            if as_json:
                echo(json_text({**plan.as_json(), "lines": list(lines(plan))}))
            return
        require_results(directory, FILES)
        made = public.study(studied, **options, models=given, form=_form(form))
        files = made.write(directory, drawn)
    if as_json:
        echo((directory / "report.json").read_text(encoding="utf-8"), nl=False)
    else:
        for line in found_lines(made):
            echo(line)
        echo("")
        echo(f"{directory / files[0]}" + "".join(f", {name}" for name in files[1:]))
    for problem in made.problems:
        echo(problem, err=True)
    if made.failed:
        raise typer.Exit(ExitCode.INCOMPLETE)


def _form(given: Tokens) -> Any:
    """How words reach models from elsewhere."""
    from lengthwise.models import Format, read_table

    options = values(given)
    tokens, threshold = options.pop("tokens"), options.pop("threshold")
    marks = {name.removesuffix("_token"): token for name, token in options.items()}
    return Format(None if tokens is None else read_table(tokens), **marks, threshold=threshold)


def _parameters(settings: list[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the task, from --set and from options of their own."""
    from lengthwise.tasks import read_settings

    given: dict[str, Any] = dict(read_settings(settings))
    for name, value in options.items():
        if value is None:
            continue
        if name in given:
            raise LengthwiseError(f"the parameter {name!r} is set twice, to {given[name]} and to {value}")
        given[name] = value
    return given


def _lengths(text: str) -> list[int]:
    wanted = "--train-lengths are whole numbers with commas between, such as 10,20,40"
    return numbers(text, filter(str.strip, text.split(",")), int, wanted)
