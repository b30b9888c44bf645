"""A study as a page: one file, no scripts, nothing to load; light and dark, on paper and on a telephone.

Every text goes through `text` or `prose`, which escape it: regexes are full of what HTML takes for markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from lengthwise.crasp.trace_html import fragment as trace_fragment
from lengthwise.report.study.expectation import CLASSES, SCHEME_NAMES, SCHEMES_IN_WORDS, expected
from lengthwise.report.study.html import badge, code, details, items, paragraph, prose, section, table, text
from lengthwise.report.study.page_measured import measured_section
from lengthwise.report.study.page_origin import origin_section
from lengthwise.report.study.training_lengths import ERROR
from lengthwise.report.study.wording import capitalised, decimals, number

if TYPE_CHECKING:
    from lengthwise.regular import Answer
    from lengthwise.report.study.outcome import Finding
    from lengthwise.report.study.result import Study

LONG_PROGRAM = 24
"""Statements of a program from which on it is folded up."""
PROGRAM_QUESTION = (
    "Is there one program that is right on inputs of every length, with no more position information than the scheme "
    "has? If so, a transformer that learns it on short inputs is expected to work on long ones."
)
NUMBER_QUESTION = (
    "Is there one limit transformer, a transformer for inputs of every length, that computes it with no more position "
    "information than the scheme has? If so, a transformer that learns it on short inputs is expected to work on long "
    "ones."
)


def page(study: Study) -> str:
    """The whole page."""
    styles, body = _parts(study)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(study.subject.title)}: a length generalization study</title>\n"
        f"<style>\n{styles}</style>\n</head>\n"
        f'<body class="lw-page">\n<main class="lw-study">\n{body}</main>\n</body>\n</html>\n'
    )


def fragment(study: Study) -> str:
    """The same for a notebook, with a style that reaches nothing outside of it."""
    styles, body = _parts(study)
    return f'<style>\n{styles}</style>\n<div class="lw-study">\n{body}</div>'


def _parts(study: Study) -> tuple[str, str]:
    """The style sheets and the body."""
    trace_style, trace = _trace(study)
    body = [
        _head(study),
        _verdict(study, trace),
        _bounds(study),
        measured_section(study),
        _agreement(study),
        _promises(study),
        origin_section(study),
    ]
    return f"{_style()}{trace_style}", "".join(body)


@cache
def _style() -> str:
    return files("lengthwise.report.study").joinpath("page.css").read_text(encoding="utf-8")


def _trace(study: Study) -> tuple[str, str]:
    """The style of a trace and its table; nothing where there is no program."""
    if study.trace is None:
        return "", ""
    style, _, body = trace_fragment(study.trace).partition("</style>\n")
    return style.removeprefix("<style>\n"), body


# ------------------------------------------------------------------------------------------------------- the answer


def _head(study: Study) -> str:
    subject = study.subject
    said = ". ".join(capitalised(each) for each in (subject.kind, subject.description) if each)
    symbols = ", ".join(subject.task.alphabet.symbols)
    rows = [
        [
            f"<b>{SCHEME_NAMES[scheme]}</b><small>{text(SCHEMES_IN_WORDS[scheme])}</small>",
            badge(expected(study.verdict, scheme).kind),
            badge(found.outcome) + _judged_at(found),
            badge(found.agreement),
        ]
        for scheme, found in study.findings.items()
    ]
    first, second = study.answer
    return (
        f'<header>\n<p class="kicker">Length generalization study</p>\n<h1>{text(subject.title)}</h1>\n'
        f'<p class="about">{prose(said)}. Symbols: {code(symbols)}.</p>\n'
        f'<div class="answer">\n<p>{prose(first)}</p>\n<p>{prose(second)}</p>\n</div>\n'
        + table(
            ["Position scheme", "Verdict", "Trained models", "Do they agree?"],
            rows,
            "The verdict, the outcome of training, and whether they agree, for each position scheme",
        )
        + "</header>\n"
    )


def _judged_at(found: Finding) -> str:
    return "" if found.train_length is None else f"<small>trained up to {found.train_length:,}</small>"


# ------------------------------------------------------------------------------------------------------- the verdict


def _verdict(study: Study, trace: str) -> str:
    # C-RASP speaks of yes and no; where numbers are computed, the words for the schemes have to do.
    names = SCHEMES_IN_WORDS if study.evaluated else CLASSES
    answers = [
        f"<dt>{SCHEME_NAMES[scheme]} <small>{text(names[scheme])}</small></dt>\n"
        f"<dd>{badge(found.kind)} {prose(_sentence(found))}</dd>\n"
        for scheme in study.schemes
        for found in [expected(study.verdict, scheme)]
    ]
    body = [
        paragraph(NUMBER_QUESTION if study.evaluated else PROGRAM_QUESTION),
        f'<dl class="answers">\n{"".join(answers)}</dl>\n',
        *(paragraph(note, "note") for note in study.verdict.notes),
        *_programs(study, trace),
        *_witnesses(study),
        _limit_transformer(study),
    ]
    return section("verdict", "The verdict", "".join(body))


def _sentence(answer: Answer) -> str:
    said = f"{capitalised(answer.reason)}."
    if answer.kind == "yes" and answer.checked_to is not None and not answer.proved:
        said += f" The program was compared on every input of up to {answer.checked_to} symbols."
    return said


def _programs(study: Study, trace: str) -> Iterator[str]:
    if study.program is None or study.trace is None:
        return
    listing = f'<pre class="listing" tabindex="0">{text(str(study.program).rstrip())}</pre>\n'
    yield f"<h3>The program, in {text(study.program.fragment_name)}</h3>\n"
    if len(study.program.statements) > LONG_PROGRAM:
        yield paragraph(f"It has {len(study.program.statements)} statements.")
        yield details("The program", listing)
        yield details("Its values on an example", trace)
        return
    yield listing
    decides = "; the last column of the marked row is the answer" if study.trace.accepts is not None else ""
    yield paragraph(f"Its values on an example, read from left to right{decides}:")
    yield trace


def _witnesses(study: Study) -> Iterator[str]:
    told: set[str] = set()
    for scheme in study.schemes:
        witness = expected(study.verdict, scheme).witness
        if witness is not None and (said := witness.explain()) not in told:
            told.add(said)
            yield f"<h3>Why not {text(SCHEMES_IN_WORDS[scheme])}</h3>\n"
            yield f'<div class="argument">\n{"".join(map(paragraph, said.splitlines()))}</div>\n'


def _limit_transformer(study: Study) -> str:
    if not study.evaluated:
        return ""
    rows = [
        [code(each.word), text(decimals(each.target)), text(decimals(each.output)), text(number(each.error_bound))]
        for each in study.evaluated
    ]
    return "<h3>The limit transformer on examples</h3>\n" + table(
        ["Input", "Right value", "Limit transformer", "Off by at most"],
        rows,
        "Right values and those of the limit transformer",
        right=3,
    )


# -------------------------------------------------------------------------------- bounds, agreement and promises


def _bounds(study: Study) -> str:
    bounds = study.bounds
    body = ""
    if bounds.lengths:
        rows = [
            [f"<b>{text(each.label)}</b><small>{text(each.source)}</small>", text(each.shown)]
            for each in bounds.lengths
        ]
        body += paragraph(
            "How long must training inputs be, so that a model that agrees with the limit transformer on all of them "
            f"is off by at most {ERROR:g} more on every input of any length? An error of {ERROR:g} is a loss of "
            f"{number(ERROR**2)}."
        )
        body += table(["Training length", "N"], rows, "Training lengths that theorems promise", right=1)
        body += details("What these lengths assume", items(bounds.assumptions))
    if bounds.why_not:
        body += paragraph(bounds.why_not)
    return section("bounds", "Training lengths that theorems promise", body)


def _agreement(study: Study) -> str:
    rows = [
        f"<dt>{badge(each.agreement)}</dt>\n<dd>{prose(each.explanation)} {prose(each.why)}</dd>\n"
        for each in study.findings.values()
    ]
    rule = details("How outcomes are judged", paragraph(study.rule))
    return section("agreement", "Verdict and measurement", f'<dl class="answers">\n{"".join(rows)}</dl>\n{rule}')


def _promises(study: Study) -> str:
    found = study.promises
    body = f"<h3>It promises</h3>\n{items(found.does)}<h3>It does not promise</h3>\n{items(found.does_not)}"
    return section("promises", "What the verdict does and does not promise", body)
