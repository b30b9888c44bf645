"""`lengthwise run SUBJECT [WORD …]`: verdicts, predictions and traces of a program or an automaton."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from lengthwise.alphabet import split
from lengthwise.cli.outputs import writable
from lengthwise.cli.reading import SUBJECT, AlphabetOption, announce
from lengthwise.cli.words import Line, Pieces, lines
from lengthwise.crasp import Program
from lengthwise.crasp.showing.trace import Trace
from lengthwise.errors import LengthwiseError, WordError
from lengthwise.output import is_standard_output, require_writable, write_text
from lengthwise.subjects import Subject
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.regular import Language

Runnable: TypeAlias = "Program | Language"

LONGEST_TRACE = 20_000
"""Longer words are not traced: nobody could look at it."""


class TraceFormat(StrEnum):
    """How a trace is shown."""

    text = "text"
    html = "html"


def run(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help=SUBJECT)],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]...",
            help="Words, split at their spaces if they have any, else into characters; '' is the empty word. "
            "Without words, the lines of standard input.",
        ),
    ] = None,
    trace: Annotated[
        TraceFormat | None, typer.Option(help="Show every operation at every position: text, or an HTML page.")
    ] = None,
    following: Annotated[bool, typer.Option("--next", help="Show the symbols predicted at every position.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the HTML trace to this file; - is standard output.",
            callback=writable,
        ),
    ] = None,
    examples: Annotated[
        bool, typer.Option("--examples", help="Skip blank lines and lines starting with // on standard input.")
    ] = False,
    alphabet: AlphabetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {input, accepts}.")] = False,
) -> None:
    """Run a program or an automaton on words: does it accept them, what can come next, what happens on the way?

    The first line says how SUBJECT was read; with --json or an HTML page it goes to standard error.
    """
    page = trace is TraceFormat.html and not as_json
    meant = Subject.of(subject, alphabet)
    loaded = meant.as_runnable()
    source = (Line(word) for word in words) if words else _standard_input(loaded, examples)
    if output is not None and trace is not TraceFormat.html:
        raise LengthwiseError("--output is for the page that --trace html makes; redirect anything else with >")
    if not page:
        announce(meant, aside=as_json)
    if page:
        _write_page(_program(loaded), source, output)
        announce(meant, aside=True)  # behind the page, which may not be possible to write
    elif as_json:
        _print_json(_entry(loaded, line, trace is not None, following) for line in source)
    elif following:
        for line in source:
            _print_predictions(loaded, line)
    elif trace is TraceFormat.text:
        for line in source:
            typer.echo(_trace_text(loaded, line) + "\n")
    else:
        for line in source:
            accepts, _ = _verdict(loaded, line)
            typer.echo(f"{_styled(accepts)}  {line.text or '(the empty word)'}")


def _program(loaded: Runnable) -> Program:
    if not isinstance(loaded, Program):
        raise LengthwiseError("--trace html is for programs; --trace text shows the states of an automaton")
    return loaded


def _standard_input(loaded: Runnable, examples: bool) -> Iterator[Line]:
    for line in lines(lambda: _pieces(loaded), sys.stdin.buffer):
        if not (examples and (not line.text.strip() or line.text.startswith("//"))):
            yield line


def _pieces(loaded: Runnable) -> Pieces:
    if isinstance(loaded, Program):
        return loaded.stream()
    from lengthwise.regular.languages.walk import Walk

    return Walk(loaded)


def _verdict(program: Runnable, line: Line) -> tuple[bool, int | None]:
    """Whether a line is accepted; and its length if it was too long to keep."""
    if line.streamed is not None:
        return line.streamed[1], line.streamed[0]
    return program.accepts(line.text), None


def _whole(line: Line, what: str) -> str:
    if line.streamed is not None or len(line.text) > LONGEST_TRACE:
        raise WordError(
            f"{what} a word of more than {LONGEST_TRACE} symbols is not offered; run it without that option"
        )
    return line.text


def _traced(program: Program, line: Line) -> Trace:
    return program.run(_whole(line, "tracing"))


def _entry(program: Runnable, line: Line, trace: bool, following: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"input": line.text}
    if not isinstance(program, Program) or program.listing.accept is not None or not following:
        accepts, length = _verdict(program, line)
        entry["accepts"] = accepts
        if length is not None:
            entry["length"] = length
    if following:
        first, *predicted = _following(program, line)
        entry["first"] = first
        entry["next"] = predicted
    if trace:
        entry["trace"] = _trace_values(program, line)
    return entry


def _following(loaded: Runnable, line: Line) -> list[list[str]]:
    """The symbols that can come first, and behind every position."""
    word = _whole(line, "predicting along")
    if isinstance(loaded, Program):
        return [sorted(symbols) for symbols in (loaded.first_tokens(), *loaded.next_tokens(word))]
    symbols = split(word)
    return [sorted(loaded.next_symbols(symbols[:place]).symbols) for place in range(len(symbols) + 1)]


def _trace_values(loaded: Runnable, line: Line) -> dict[str, Any]:
    if isinstance(loaded, Program):
        return {row.label: row.values.tolist() for row in _traced(loaded, line)}
    from lengthwise.regular.languages.walk import states_along

    return {"state": list(states_along(loaded, _whole(line, "tracing")))}


def _print_json(entries: Iterable[dict[str, Any]]) -> None:
    """A JSON list, printed entry by entry so that an endless input needs no memory."""
    separator = "["
    for entry in entries:
        typer.echo(separator + json.dumps(entry, ensure_ascii=False), nl=False)
        separator = ",\n "
    typer.echo("[]" if separator == "[" else "]")


def _print_predictions(program: Runnable, line: Line) -> None:
    predicted = _following(program, line)
    symbols = split(line.text)
    shown = ["start", *symbols]
    typer.echo(line.text or "(the empty word)")
    rows = [
        (str(position), symbol, f"→ {' '.join(following) or '(none)'}")
        for position, (symbol, following) in enumerate(zip(shown, predicted, strict=True))
    ]
    for row in aligned(rows, right=[0]):
        typer.echo(f"  {row}")


def _write_page(program: Program, source: Iterable[Line], output: str | None) -> None:
    from lengthwise.crasp.showing.trace_html import page

    if output is None and sys.stdout.isatty():
        output = "trace.html"
        require_writable(output)
    text = page([_traced(program, line) for line in source])
    if output is None:
        typer.echo(text)
        return
    write_text(output, text)
    typer.echo(f"trace written to {'standard output' if is_standard_output(output) else output}", err=True)


def _colored() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _styled(accepts: bool) -> str:
    text = "accepts" if accepts else "rejects"
    return typer.style(text, fg="green" if accepts else "red") if _colored() else text


def _trace_text(loaded: Runnable, line: Line) -> str:
    if not isinstance(loaded, Program):
        from lengthwise.regular.languages.walk import walk_text

        return walk_text(loaded, _whole(line, "tracing"))
    from shutil import get_terminal_size

    from lengthwise.crasp.showing.trace_text import render

    return render(_traced(loaded, line), color=_colored(), width=get_terminal_size((100, 24)).columns)
