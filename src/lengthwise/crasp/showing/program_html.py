"""A program as HTML: its text with names, symbols and words told apart, and what can be read off it.

`highlighted` is what other cards and pages show of a program; `fragment` is what a notebook shows.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lengthwise.crasp.reading.lexer import RESERVED, tokenize
from lengthwise.crasp.showing import display
from lengthwise.crasp.showing.printer import quoted, statement_text
from lengthwise.crasp.showing.trace import visible

if TYPE_CHECKING:
    from lengthwise.crasp.program import Program

_WORDS = RESERVED | {"exists", "in", "#"}
_OPENING = ("alphabet", "next")
"""Words that mean something in front of a symbol at the beginning of a line."""
_MOST_SYMBOLS = 12


def fragment(program: Program) -> str:
    """The card of a program."""
    return display.card(
        display.head(program.title or "Program", display.soft(program.fragment_name)),
        facts(program),
        source(program),
    )


def facts(program: Program) -> str:
    """Depth, window, period, size and alphabet, as far as there is something to say."""
    found = {"depth": str(program.depth)}
    if "local" in program.fragment:
        found["window"] = str(program.window)
    if "periodic" in program.fragment:
        found["period"] = str(program.period)
    found["operations"] = str(program.size)
    symbols = program.alphabet.symbols
    listed = " ".join(symbols[:_MOST_SYMBOLS]) + (" …" if len(symbols) > _MOST_SYMBOLS else "")
    found["alphabet"] = f"{listed} and others" if program.alphabet.is_open else listed
    return display.facts(found)


def source(program: Program) -> str:
    """The text of a program, as a block that scrolls by itself."""
    return f'<pre class="lw-source" tabindex="0">{highlighted(program)}</pre>\n'


def highlighted(program: Program) -> str:
    """The text of a program with its comments: b around names that are defined, i symbols, em words, span comments.

    Read as text it parses back to the program.
    """
    lines = [visible(statement_text(statement)) for statement in program.statements]
    comments = [visible(statement.comment) for statement in program.statements]
    margin = max((len(line) for line, comment in zip(lines, comments, strict=True) if comment), default=0)
    own = frozenset(program.names)
    written = []
    if program.declared_alphabet is not None:
        written.append(_line(visible(f"alphabet {' '.join(map(quoted, program.declared_alphabet))}"), own))
    for line, comment in zip(lines, comments, strict=True):
        behind = f"{' ' * (margin - len(line))}  <span>// {escape(comment)}</span>" if comment else ""
        written.append(_line(line, own) + behind)
    return "\n".join(written)


def _line(text: str, own: frozenset[str]) -> str:
    """One line; whatever the lexer would refuse, such as a symbol with quotes of both kinds, stays plain."""
    tokens = tokenize(text)[0]
    pieces, end = [], 0
    for place, token in enumerate(tokens):
        if token.kind in ("newline", "end") or token.span.line > 1:
            break
        first, last = token.span.column - 1, token.span.end - 1
        follower = tokens[place + 1].kind
        tag = ""
        if token.kind == "symbol":
            tag = "i"
        elif token.first and token.text in _OPENING and follower == "symbol":
            tag = "em"
        elif token.first:
            tag = "b"
        elif token.text in _WORDS and token.text not in own:
            tag = "em"
        piece = escape(text[first:last])
        pieces += [escape(text[end:first]), f"<{tag}>{piece}</{tag}>" if tag else piece]
        end = last
    return "".join(pieces) + escape(text[end:])
