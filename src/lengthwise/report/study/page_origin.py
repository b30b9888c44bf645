"""The last part of the page: versions, settings, and the command that makes it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lengthwise.lab.grid import flat
from lengthwise.report.study.expectation import SCHEME_NAMES
from lengthwise.report.study.html import code, details, paragraph, section, table, text

if TYPE_CHECKING:
    from lengthwise.report.study.result import Study

SHORT = 12
"""Digits of a commit."""


def origin_section(study: Study) -> str:
    """Where the numbers come from."""
    facts = [[text(name), text(value)] for name, value in _facts(study.provenance)]
    body = (
        paragraph("The same command makes the same report; models that are trained already are not trained again.")
        + f'<pre class="listing" tabindex="0">{text(study.command)}</pre>\n'
        + table(["Part", "Made with"], facts, "What the report was made with")
        + details("Settings of the models", _settings(study))
    )
    return section("provenance", "Provenance", body)


def _facts(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
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
    yield (
        "training",
        (
            f"{known['trained']} of {known['models']} models, {known['configs']} settings; stopped "
            f"{_goals(known['stops'])}after {_numbers(known['step_limits'])} steps"
        ),
    )
    yield "testing", f"{_numbers(known['test_words'])} inputs at each length, the same for all models"


def _goals(stops: list[str]) -> str:
    return f"at {' or '.join(stops)}, or " if stops else ""


def _commit(commit: str | None) -> str:
    if not commit:
        return ""
    return f", commit {commit[:SHORT]}" + (" with changes" if commit.endswith("-dirty") else "")


def _numbers(values: list[int]) -> str:
    return ", ".join(f"{value:,}" for value in values)


def _settings(study: Study) -> str:
    """What all models share, and a row for each that tells what it does not."""
    every = [(scheme, each) for scheme, found in study.measured.items() for each in found.trained]
    settings = {each.settings_id: dict(flat(each.settings)) for _, each in every}
    names = list(dict.fromkeys(name for found in settings.values() for name in found))
    shared = [name for name in names if len({repr(found.get(name, ...)) for found in settings.values()}) == 1]
    different = [name for name in names if name not in shared and name not in ("train_length", "test_lengths")]
    rows = [
        [
            text(SCHEME_NAMES[scheme]),
            f"{each.train_length:,}",
            *(text(_value(settings[each.settings_id].get(name))) for name in different),
            code(each.settings_id),
        ]
        for scheme, each in every
    ]
    first = next(iter(settings.values()), {})
    common = "".join(f"<li>{code(name)} {text(_value(first[name]))}</li>\n" for name in shared)
    return (
        table(["Scheme", "N", *different, "Hash of the settings"], rows, "Settings that differ")
        + paragraph("All models share:")
        + f'<ul class="settings">\n{common}</ul>\n'
    )


def _value(value: Any) -> str:
    return "–" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
