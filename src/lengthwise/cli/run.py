"""`lengthwise run SUBJECT [WORD …]`: verdicts, predictions and traces of a program or an automaton."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from enum import StrEnum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lengthwise.alphabet import split
from lengthwise.cli.answer import json_line
from lengthwise.cli.options import Alphabet, Subject, file_option
from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError
from lengthwise.output import is_standard_output, require_writable, write_text
from lengthwise.resources import SECONDS
from lengthwise.streams import escaped, standard_input
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.public.running import Answers, WordAnswer


class TraceFormat(StrEnum):
    """How a trace is shown."""

    text = "text"
    html = "html"


def run(
    subject: Subject,
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
        file_option("--output", "-o", help="Write the HTML trace to this file; - is standard output."),
    ] = None,
    examples: Annotated[
        bool, typer.Option("--examples", help="Skip blank lines and lines starting with // on standard input.")
    ] = False,
    alphabet: Alphabet = None,
    seconds: Annotated[float, typer.Option("--seconds", help="The time limit for reading SUBJECT.")] = SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {input, accepts}.")] = False,
) -> None:
    """Run a program or an automaton on words: does it accept them, what can come next, what happens on the way?

    The first line says how SUBJECT was read; with --json or an HTML page it goes to standard error.
    """
    from lengthwise import public

    page = trace is TraceFormat.html and not as_json
    source = words if words else public.lines_of(standard_input(), skip_comments=examples)
    answers = public.run(subject, source, alphabet, seconds=seconds)
    if output is not None and trace is not TraceFormat.html:
        raise LengthwiseError("--output is for the page that --trace html makes; redirect anything else with >")
    if not page:
        echo(answers.meaning, err=as_json)
    if page:
        _write_page(answers, output)
        echo(answers.meaning, err=True)  # behind the page, which may not be possible to write
    elif as_json:
        _print_json(each.as_json(trace=trace is not None, following=following) for each in answers)
    elif following:
        for each in answers:
            _print_predictions(each)
    elif trace is TraceFormat.text:
        for each in answers:
            echo(each.trace_text(_colored(), get_terminal_size((100, 24)).columns) + "\n", colored=_colored())
    else:
        for each in answers:
            echo(f"{_styled(each.accepts)}  {escaped(each.word) or '(the empty word)'}", colored=_colored())


def _print_json(entries: Iterable[dict[str, Any]]) -> None:
    """A JSON list, printed entry by entry so that an endless input needs no memory."""
    separator = "["
    for entry in entries:
        echo(separator + json_line(entry), nl=False)
        separator = ",\n "
    echo("[]" if separator == "[" else "]")


def _print_predictions(found: WordAnswer) -> None:
    predicted = [found.first, *found.next]
    symbols = split(found.word)
    shown = ["start", *symbols]
    echo(found.word or "(the empty word)")
    rows = [
        (str(position), symbol, f"→ {' '.join(following) or '(none)'}")
        for position, (symbol, following) in enumerate(zip(shown, predicted, strict=True))
    ]
    for row in aligned(rows, right=[0]):
        echo(f"  {row}")


def _write_page(answers: Answers, output: str | None) -> None:
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        output = "trace.html"
        require_writable(output)
    text = answers.trace_page()
    if output is None:
        write_text("-", text + "\n")
        return
    write_text(output, text)
    echo(f"trace written to {'standard output' if is_standard_output(output) else output}", err=True)


def _colored() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _styled(accepts: bool) -> str:
    text = "accepts" if accepts else "rejects"
    return typer.style(text, fg="green" if accepts else "red") if _colored() else text
