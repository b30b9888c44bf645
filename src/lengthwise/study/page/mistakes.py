"""Long words on which trained models err: the word, what was right, what the model said, and a program's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lengthwise.crasp import Program
from lengthwise.crasp.showing import trace_html
from lengthwise.crasp.showing.trace import Trace, shown_symbol
from lengthwise.study.measurement import Measurement, Mistake
from lengthwise.study.outcome import decisive
from lengthwise.study.page.chart_scores import last_trained_position

if TYPE_CHECKING:
    from lengthwise.study.result import Study

AROUND = 8
"""Positions before and after an error that the values of a program are shown at."""
MOST_VALUES = 6000
"""Values of a trace that is put into the page as a whole."""
MOST_ROWS = 24
"""Statements of a program whose values around an error are shown; longer programs are folded up."""
MOST_ERRORS = 6
"""Errors of one word that are listed."""


@dataclass(frozen=True)
class ShownSymbol:
    """A symbol of a word."""

    position: int
    text: str
    wrong: bool
    first_wrong: bool
    beyond: bool
    """Whether it stands beyond all positions of training words."""
    boundary: bool
    """Whether it is the first such symbol."""


@dataclass(frozen=True)
class ShownError:
    """One wrong prediction."""

    position: int
    symbol: str
    right: str
    said: str


@dataclass(frozen=True)
class TraceRow:
    """A statement with its values in a window of positions."""

    label: str
    expression: str
    values: tuple[str, ...]
    truths: bool


@dataclass(frozen=True)
class TraceWindow:
    """The values of a program around an error."""

    positions: tuple[int, ...]
    symbols: tuple[str, ...]
    wrong: int
    rows: tuple[TraceRow, ...]
    full: str
    """The whole trace as HTML; empty if it is too long."""
    size: int
    """How many values the whole trace has."""
    folded: bool


@dataclass(frozen=True)
class ShownMistake:
    """A mistake, ready to be shown."""

    scheme: str
    name: str
    train_length: int
    last_trained: int
    mistake: Mistake
    length: int
    """Symbols of the word, without a start symbol."""
    spaced: bool
    """Whether symbols need spaces between them."""
    symbols: tuple[ShownSymbol, ...]
    errors: tuple[ShownError, ...]
    more: int
    """Errors that are not listed."""
    window: TraceWindow | None
    plain: str
    """The word as text."""


def shown_mistakes(study: Study) -> tuple[ShownMistake, ...]:
    """A mistake of each scheme whose models err on long words."""
    return tuple(_shown(study, study.measured[key], each) for key, each in study.mistakes.items())


def _shown(study: Study, measured: Measurement, mistake: Mistake) -> ShownMistake:
    trained = decisive(measured)
    train_length = 0 if trained is None else trained.train_length
    last = last_trained_position(study.subject.task, train_length)
    first = 0 if mistake.start else 1
    wrong = set(mistake.wrong)
    symbols = tuple(
        ShownSymbol(
            position, shown_symbol(symbol), position in wrong, position == mistake.wrong[0], position > last,
            position == last + 1,
        )
        for position, symbol in enumerate(mistake.word, start=first)
    )  # fmt: skip
    ends = measured.answered == "the end"
    errors = tuple(
        ShownError(position, symbols[position - first].text, _said(right, ends), _said(said, ends))
        for position, right, said in zip(mistake.wrong, mistake.expected, mistake.predicted, strict=True)
    )
    spaced = any(len(symbol) > 1 for symbol in mistake.word[1 - first :])
    plain = (" " if spaced else "").join(each.text for each in symbols)
    return ShownMistake(
        measured.scheme.key, measured.scheme.name, train_length, last, mistake, len(mistake.word) - (1 - first), spaced,
        symbols, errors[:MOST_ERRORS], max(0, len(errors) - MOST_ERRORS), _window(study, mistake), plain,
    )  # fmt: skip


def _said(outputs: Sequence[str], ends: bool) -> str:
    """A prediction: a set of symbols, or whether the word is accepted."""
    if ends:
        return "accept" if outputs else "reject"
    return f"{{{', '.join(shown_symbol(each) for each in outputs)}}}" if outputs else "∅ (nothing may follow)"


def _window(study: Study, mistake: Mistake) -> TraceWindow | None:
    """The values of the program around the first error, if it reads the symbols of the word."""
    program: Program | None = study.program
    word = list(mistake.word[1:] if mistake.start else mistake.word)
    at = mistake.wrong[0]
    if program is None or not word or at < 1 or not all(symbol in program.alphabet for symbol in word):
        return None
    trace: Trace = replace(program.run(word), title=study.subject.shown)
    low, high = max(1, at - AROUND), min(len(word), at + AROUND)
    rows = tuple(
        TraceRow(
            row.label, row.expression, tuple(str(int(value)) for value in row.values[low - 1 : high].tolist()),
            row.values.dtype == bool,
        )
        for row in trace
    )  # fmt: skip
    size = len(trace.rows) * len(word)
    # The style sheet of traces comes with the trace of the example.
    whole = size <= MOST_VALUES and study.trace is not None
    full = trace_html.table(trace) if whole else ""
    return TraceWindow(
        tuple(range(low, high + 1)), tuple(map(shown_symbol, word[low - 1 : high])), at, rows, full, size,
        len(rows) > MOST_ROWS,
    )  # fmt: skip
