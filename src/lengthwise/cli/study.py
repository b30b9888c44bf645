"""`lengthwise study SUBJECT`: decide, bound and measure one subject, and write a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.cli.interruption import interruptible
from lengthwise.cli.models import Omega, Period, Residue
from lengthwise.cli.outputs import require_results
from lengthwise.cli.reading import SUBJECT, AlphabetOption
from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.report.study import Plan

OUT = "lengthwise-studies"
FILES = ("report.html", "report.json")


def study(
    subject: Annotated[
        str,
        typer.Argument(metavar="SUBJECT", help=SUBJECT),
    ],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the task, as in omega=3.")
    ] = None,
    omega: Omega = None,
    period: Period = None,
    residue: Residue = None,
    alphabet: AlphabetOption = None,
    minutes: Annotated[float, typer.Option("--minutes", help="About how long to train, on two cores.")] = 3.0,
    seeds: Annotated[int, typer.Option("--seeds", help="How many models for each setting.")] = 3,
    store: Annotated[str, typer.Option("--store", metavar="DIR", help="Where runs are kept.")] = "lengthwise-runs",
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where the report goes.", show_default=f"{OUT}/SUBJECT"),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", "--figures", help="Also write the charts: png, svg or pdf; several with commas."),
    ] = None,
    engine: Annotated[str, typer.Option("--engine", help="local, serial or ray.")] = "local",
    processes: Annotated[int | None, typer.Option("--processes", help="How many runs at once.")] = None,
    address: Annotated[str | None, typer.Option("--address", help="Of a Ray cluster: host:port.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json.")] = False,
) -> None:
    """Will a transformer trained on short inputs work on long ones? Decide, bound and measure, in one report.

    Writes report.html, one page that needs nothing else, and report.json. Runs that are finished are kept and never
    repeated: the same command again goes on after Ctrl-C or a kill, and writes the same report.
    """
    from lengthwise.lab.engines import get_engine
    from lengthwise.lab.store import Store
    from lengthwise.lab.sweep import run_sweep
    from lengthwise.report.reproduction import read_formats
    from lengthwise.report.study import measured, outlook, planned
    from lengthwise.report.study.conduct import schemes_of
    from lengthwise.report.study.study_text import found_lines, outlook_lines
    from lengthwise.report.style import pyplot

    pyplot()  # if figures cannot be drawn, better say so before training than after
    drawn = read_formats(formats or []) if formats else ()
    if out is not None:
        require_results(Path(out), FILES)
    options = {"omega": omega, "period": period, "residue": residue, "alphabet": alphabet}
    chosen = get_engine(engine, processes, address)
    kept = Store(store)
    with interruptible():
        known = outlook(subject, _parameters(settings or [], options))
        directory = Path(OUT) / known.subject.slug if out is None else Path(out)
        require_results(directory, FILES)
        plan = planned(known.subject, minutes, seeds)
        if not as_json:
            _say(outlook_lines(known.subject, known.verdict, known.bounds, schemes_of(plan)))
            _say(_announced(plan, minutes))
        sweep = run_sweep([config for configs in plan.configs.values() for config in configs], kept, chosen)
        for damage in kept.problems():
            typer.echo(damage, err=True)
        made = measured(known, plan, kept, minutes, seeds)
        files = made.write(directory, drawn)
    if as_json:
        typer.echo((directory / "report.json").read_text(encoding="utf-8"), nl=False)
    else:
        _say(found_lines(made))
        typer.echo(f"{directory / files[0]}" + "".join(f", {name}" for name in files[1:]))
    for each in sweep.failed:
        typer.echo(f"failed: {each.config}, {len(each.config.seeds)} seeds: {each.reason}", err=True)
    if sweep.failed:
        raise typer.Exit(1)


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


def _say(lines: Iterator[str]) -> None:
    for line in lines:
        typer.echo(line)
    typer.echo()


def _announced(plan: Plan, minutes: float) -> Iterator[str]:
    configs = [config for found in plan.configs.values() for config in found]
    models = sum(len(config.seeds) for config in configs)
    lengths = sorted({config.train_length for config in configs})
    unit = "minute" if minutes == 1 else "minutes"
    yield (
        f"training {models} models on inputs of up to {', '.join(map(str, lengths))} symbols, "
        f"about {minutes:g} {unit} on two cores"
    )
