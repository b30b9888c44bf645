"""Words from a stream such as standard input: one a line, of any length, in bounded memory.

A line that fits the buffer is a word like any other: split at its spaces if it has any, else into characters. A longer
line is read on piece by piece in the way its beginning was; one that begins without spaces may not have one later.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from lengthwise.errors import WordError

BUFFER = 1 << 20
"""Bytes of a line that are held before it is read piece by piece."""
SHOWN = 60
"""Characters of a streamed line that are kept to show it by."""


class Pieces(Protocol):
    """What reads a word piece by piece."""

    @property
    def length(self) -> int:
        """How many symbols were read."""
        ...

    @property
    def values(self) -> Sequence[object]:
        """First of all whether what was read is accepted."""
        ...

    def feed(self, piece: str | list[str], /) -> object:
        """Read on."""
        ...


@dataclass(frozen=True, slots=True)
class Line:
    """A word of standard input: its text, or how a line too long to keep begins, how long it is and its verdict."""

    text: str
    streamed: tuple[int, bool] | None = None


def lines(begin: Callable[[], Pieces], source: BinaryIO) -> Iterator[Line]:
    """The lines of a stream; those longer than `BUFFER` are read by what `begin` makes, and come with their verdict."""
    buffer = b""
    number = 0
    at_end = False
    while True:
        end = buffer.find(b"\n")
        if end < 0 and not at_end and len(buffer) < BUFFER:
            piece = source.readline(BUFFER)
            at_end = not piece
            buffer += piece
            continue
        if end < 0 and at_end and not buffer:
            return
        number += 1
        if end < 0 and not at_end:
            line, buffer, at_end = _streamed(begin(), source, buffer, number)
            yield line
            continue
        raw, buffer = (buffer[:end], buffer[end + 1 :]) if end >= 0 else (buffer, b"")
        yield Line(_decoded(raw, number).removesuffix("\r"))


@dataclass(frozen=True)
class LinesOf:
    """The lines of a binary stream, each a word of any length; made by `lines_of`."""

    source: BinaryIO
    skip_comments: bool = False

    def read(self, begin: Callable[[], Pieces]) -> Iterator[Line]:
        """The lines; those longer than `BUFFER` are read by what `begin` makes."""
        for line in lines(begin, self.source):
            if not (self.skip_comments and (not line.text.strip() or line.text.startswith("//"))):
                yield line


def lines_of(source: BinaryIO, *, skip_comments: bool = False) -> LinesOf:
    r"""Take the lines of a binary stream as words for `run`, in bounded memory however long a line is.

    Args:
        source: A binary stream, such as `sys.stdin.buffer`.
        skip_comments: Whether to skip blank lines and lines that start with //.

    Returns:
        What `run` takes as words.

    Example:
        >>> import io, lengthwise as lw
        >>> from lengthwise.public import lines_of
        >>> [each.accepts for each in lw.run("dyck1", lines_of(io.BytesIO(b"()\n)(\n")))]
        [True, False]

    """
    return LinesOf(source, skip_comments)


def _decoded(raw: bytes, number: int) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise WordError(f"line {number} of the input is not UTF-8 text") from None


def _streamed(stream: Pieces, source: BinaryIO, buffer: bytes, number: int) -> tuple[Line, bytes, bool]:
    """Read one long line to its end; the line, what was read beyond it, and whether the input is over."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    spaced = b" " in buffer
    begin, rest, at_end = "", "", False
    while True:
        end = buffer.find(b"\n")
        last = end >= 0 or at_end
        raw, buffer = (buffer[:end], buffer[end + 1 :]) if end >= 0 else (buffer, b"")
        try:
            text = rest + decoder.decode(raw, final=last)
        except UnicodeDecodeError:
            raise WordError(f"line {number} of the input is not UTF-8 text") from None
        rest = ""
        if last:
            text = text.removesuffix("\r")
        elif text.endswith("\r"):
            text, rest = text[:-1], "\r"
        if spaced and not last:
            text, _, tail = text.rpartition(" ")
            rest = tail + rest
        elif not spaced and " " in text:
            place = stream.length + text.index(" ") + 1
            raise WordError(
                f"line {number} has a space only at character {place}; write spaces between all symbols or none"
            )
        begin = begin or text[:SHOWN]
        stream.feed(text.split() if spaced else text)
        if last:
            return Line(begin + "…", (stream.length, bool(stream.values[0]))), buffer, at_end
        buffer = source.readline(BUFFER)
        at_end = not buffer
