"""How verbs print: nothing in a text is obeyed by the terminal, and an output that cannot be written is an error."""

from __future__ import annotations

import sys

import typer

from lengthwise.output import OutputError
from lengthwise.streams import escaped


def echo(text: str = "", *, err: bool = False, nl: bool = True, colored: bool = False) -> None:
    r"""Print a text on standard output or standard error, at once.

    Args:
        text: The text; control characters and direction marks in it are spelled out.
        err: Whether it goes to standard error, which may be closed.
        nl: Whether a line end comes after it.
        colored: Whether the text has our own colours, and nothing of others that is not `escaped`.

    Raises:
        OutputError: Standard output is closed, or its disk is full.
        BrokenPipeError: Nobody reads it any more.

    Example:
        >>> echo("a\x1bb")
        a\u001bb

    """
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        if err:
            return
        raise OutputError("to standard output", "it is closed")
    try:
        if colored:
            typer.echo(text, file=stream, nl=nl)
        else:
            stream.write(escaped(text) + "\n" * nl)
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        reason = str(problem.strerror or problem).lower()
        raise OutputError(f"to standard {'error' if err else 'output'}", reason) from None
