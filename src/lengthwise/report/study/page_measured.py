"""The part of the page that shows what was measured: charts and their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lengthwise.report.study.expectation import SCHEME_NAMES, SCHEMES_IN_WORDS
from lengthwise.report.study.html import details, paragraph, prose, section, table, text
from lengthwise.report.study.inline_svg import inline_svg
from lengthwise.report.study.measurement import AtTestLength, Measurement, Trained
from lengthwise.report.study.outcome import GOOD, failing, is_learned
from lengthwise.report.study.wording import listed, number, percent, spelled

if TYPE_CHECKING:
    from lengthwise.report.study.charts import Chart
    from lengthwise.report.study.result import Study

HOLLOW = "Hollow markers: some seeds did not reach the goal of training. "
POSITIONS = {
    "none": "no positional encoding",
    "learned": "learned absolute positions, shifted by a random offset in training",
    "periodic": "periodic absolute positions",
    "relative": "a learned number for each distance within a window, added to the attention logits",
}


def measured_section(study: Study) -> str:
    """Charts, their captions, and the numbers behind them."""
    if not study.charts:
        return section("measured", "What was measured", paragraph("Nothing has been trained yet."))
    *over_test_length, plateau = study.charts
    measure = next(iter(study.measured.values())).measure
    body = [
        paragraph(_introduction(study)),
        f'<div class="side-by-side">\n{"".join(map(_figure, over_test_length))}</div>\n',
        paragraph(_spread(study, measure), "note"),
        f'<div class="side-by-side">\n{_figure(plateau)}{paragraph(_plateau_caption(study), "note beside")}</div>\n',
        *(_numbers(each) for each in study.measured.values()),
    ]
    return section("measured", "What was measured", "".join(body))


def _introduction(study: Study) -> str:
    known = study.provenance
    schemes = listed(
        [
            f"{SCHEME_NAMES[scheme]} ({POSITIONS.get(each.position, each.position)})"
            for scheme, each in study.measured.items()
        ]
    )
    missing = "" if known["trained"] == known["models"] else f" of {known['models']}"
    goals = f", and {known['reached_stop']} of them reached {' or '.join(known['stops'])}" if known["stops"] else ""
    seeds = f"{spelled(len(known['seeds']))} seed{'' if len(known['seeds']) == 1 else 's'}"
    return (
        f"{known['trained']}{missing} small transformers were trained{goals}: {schemes}, with {seeds} for each "
        "training length N. They saw only inputs of up to N symbols and were then tested on longer ones."
    )


def _spread(study: Study, measure: str) -> str:
    first = next(iter(study.measured.values()))
    where = (
        "the answer at its end is right; the models were trained on the answers for all its prefixes"
        if first.answered == "the end"
        else "every position of it is right"
    )
    shown = (
        f"An input counts as right if {where}. Dotted: {percent(GOOD)} and {percent(failing(first))}, the lines that "
        "outcomes are judged by."
        if measure == "accuracy"
        else "The loss is the mean squared error."
    )
    return (
        "Thick lines: the median over seeds, in a band of the middle half of them; thin lines: the seeds. "
        f"{HOLLOW if study.provenance['stops'] else ''}{shown}"
    )


def _plateau_caption(study: Study) -> str:
    said = "Markers: the median over seeds at the longest test length; whiskers: from the best to the worst seed."
    missed = [
        f"{SCHEME_NAMES[scheme]} at {listed(lengths)}"
        for scheme, each in study.measured.items()
        if (lengths := [f"{trained.train_length:,}" for trained in each.known if not is_learned(trained)])
    ]
    said += f" Not learned: {'; '.join(missed)}." if missed else ""
    certified = study.bounds.certified
    if certified is not None:
        longest = max((each.train_length for found in study.measured.values() for each in found.trained), default=0)
        said += f" The certified length is {certified:,}"
        said += (
            f"; training inputs had up to {longest:,} symbols, so it promises nothing about these models yet."
            if longest < certified
            else "."
        )
    return said


def _figure(chart: Chart) -> str:
    return f"<figure>\n<figcaption>{text(chart.title)}</figcaption>\n{inline_svg(chart)}\n</figure>\n"


def _numbers(measured: Measurement) -> str:
    """A table of one scheme: training lengths down, test lengths across."""
    columns = max((len(each.lengths) for each in measured.trained), default=0)
    heads = _heads(measured, columns)
    rows = [list(_row(measured, each, columns)) for each in measured.trained]
    name, words = SCHEME_NAMES[measured.scheme], SCHEMES_IN_WORDS[measured.scheme]
    caption = f"{name}, {words}: {'accuracy' if measured.measure == 'accuracy' else 'loss'} at each test length"
    last = "Seeds" if any(each.reached is None for each in measured.trained) else "Reached"
    made = table(["Trained up to", *heads, last], rows, caption, right=columns + 1)
    what = "accuracy" if measured.measure == "accuracy" else "loss, and variance explained"
    return details(f"The numbers of {name}: median {what}; lowest to highest seed", made, unfolded=True)


def _heads(measured: Measurement, columns: int) -> list[str]:
    """Test lengths as multiples of N, where they are the same multiples for all."""
    heads = []
    for place in range(columns):
        ratios = {
            each.lengths[place].test_length / each.train_length
            for each in measured.trained
            if place < len(each.lengths)
        }
        ratio = ratios.pop() if len(ratios) == 1 else 0.0
        heads.append(f"{'' if ratio == 1 else f'{ratio:g}'}N" if ratio.is_integer() and ratio else f"Test {place + 1}")
    return heads


def _row(measured: Measurement, trained: Trained, columns: int) -> Iterator[str]:
    yield f"{trained.train_length:,}"
    for place in range(columns):
        yield _cell(measured, trained.lengths[place]) if place < len(trained.lengths) else "–"
    yield f"{len(trained.seeds) if trained.reached is None else trained.reached} of {trained.wanted}"


def _cell(measured: Measurement, at: AtTestLength) -> str:
    if measured.measure == "accuracy":
        lines = [percent(at.score), *_range(percent(min(at.scores)), percent(max(at.scores)))]
    else:
        known = [loss for loss in at.losses if not math.isnan(loss)]
        spread = _range(number(min(known)), number(max(known))) if known else []
        lines = [number(at.loss), *spread, f"{percent(at.score)} explained"]
    first, *others = [*lines, f"at {at.test_length:,}"]
    return prose(first) + "".join(f"<small>{prose(each)}</small>" for each in others)


def _range(low: str, high: str) -> list[str]:
    """The spread, if there is one to be seen."""
    return [] if low == high else [f"{low} – {high}"]
