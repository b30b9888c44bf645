"""All numbers of a study as rows of one table, and the settings and versions that they come from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lengthwise.runs.grid import flat
from lengthwise.study.measurement import AtTestLength, Measurement, Trained
from lengthwise.study.wording import number, percent

if TYPE_CHECKING:
    from lengthwise.study.result import Study

SHORT = 12
"""Digits of a commit."""


@dataclass(frozen=True)
class NumberCell:
    """A cell: what it says, and what it is sorted by."""

    text: str
    value: str


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    title: str
    numeric: bool = True


def number_columns(study: Study) -> tuple[Column, ...]:
    """The columns of the table of all numbers."""
    accuracy = next((each.measure == "accuracy" for each in study.measured.values()), True)
    last = "Per position" if accuracy else "Median loss"
    names = ("N", "Model", "Test length", "Median", "Lowest", "Highest", last, "Seeds in order", "Words")
    return (Column("Scheme", False), *(Column(name, name not in ("Model", "Seeds in order")) for name in names))


def number_rows(study: Study) -> tuple[tuple[NumberCell, ...], ...]:
    """A row for each scheme, training length and test length."""
    return tuple(
        tuple(_cells(measured, trained, at, place))
        for place, measured in enumerate(study.measured.values())
        for trained in measured.known
        for at in trained.lengths
    )


def _cells(measured: Measurement, trained: Trained, at: AtTestLength, place: int) -> Iterator[NumberCell]:
    yield NumberCell(measured.scheme.name, str(place))
    yield NumberCell(f"{trained.train_length:,}", str(trained.train_length))
    yield NumberCell(trained.model, trained.model)
    span = f"{at.shortest:,}–{at.test_length:,}" if at.shortest < at.test_length else f"{at.test_length:,}"
    yield NumberCell(span, str(at.test_length))
    for score in (at.score, min(at.scores), max(at.scores)):
        yield _score(score)
    if at.position_score is not None:
        yield _score(at.position_score)
    elif measured.measure == "accuracy":
        yield NumberCell("–", "-1")
    else:
        yield NumberCell(number(at.loss), repr(at.loss))
    seeds = ", ".join(map(percent, at.scores))
    yield NumberCell(seeds, seeds)
    yield NumberCell(f"{at.words:,}", str(at.words))


def _score(score: float) -> NumberCell:
    return NumberCell(percent(score), repr(score) if math.isfinite(score) else "-1e300")


# -------------------------------------------------------------------------------------------------------- provenance


def facts(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the report was made with, in pairs of a part and its versions."""
    report = known["report"]
    yield "lengthwise", f"{report['lengthwise']}{_commit(report['commit'])}"
    yield "figures", f"matplotlib {report['matplotlib']}"
    for each in known["environments"]:
        packages = ", ".join(f"{name} {found}" for name, found in sorted(each.get("packages", {}).items()))
        machine = ", ".join(str(each[name]) for name in ("system", "machine", "processor") if each.get(name))
        made = [
            f"lengthwise {each.get('lengthwise')}{_commit(each.get('commit'))}; Python {each.get('python')}",
            packages,
            machine,
            f"device {each.get('device')}, {each.get('threads')} thread for each model",
        ]
        yield f"{each['models']} models", "; ".join(part for part in made if part)
    yield "seeds", ", ".join(map(str, known["seeds"]))
    goals = f"at {' or '.join(known['stops'])}, or " if known["stops"] else ""
    yield (
        "training",
        f"{known['trained']} of {known['models']} models, {known['configs']} settings; stopped {goals}after "
        f"{_numbers(known['step_limits'])} steps",
    )
    yield "testing", f"{_numbers(known['test_words'])} words at each length, the same for all models"


def _commit(commit: str | None) -> str:
    if not commit:
        return ""
    return f", commit {commit[:SHORT]}" + (" with changes" if commit.endswith("-dirty") else "")


def _numbers(values: list[int]) -> str:
    return ", ".join(f"{value:,}" for value in values)


@dataclass(frozen=True)
class Settings:
    """What all models share, and a row for each that tells what it does not."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shared: tuple[tuple[str, str], ...]


def settings_of(study: Study) -> Settings:
    """The settings of all models that were trained."""
    every = [(measured.scheme.name, each) for measured in study.measured.values() for each in measured.attempts]
    settings = {each.settings_id: dict(flat(each.settings)) for _, each in every}
    names = list(dict.fromkeys(name for found in settings.values() for name in found))
    shared = [name for name in names if len({repr(found.get(name, ...)) for found in settings.values()}) == 1]
    different = [name for name in names if name not in shared and name not in ("train_length", "test_lengths")]
    rows = tuple(
        (
            name,
            f"{each.train_length:,}",
            *(_value(settings[each.settings_id].get(setting)) for setting in different),
            each.settings_id,
        )
        for name, each in every
    )
    first = next(iter(settings.values()), {})
    return Settings(
        ("Scheme", "N", *different, "Hash of the settings"),
        rows,
        tuple((name, _value(first[name])) for name in shared),
    )


def _value(value: Any) -> str:
    return "–" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
