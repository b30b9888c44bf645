"""Bits on the wire: writing and reading numbers, with an account of what they were spent on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Transcript:
    """What was sent."""

    payload: str
    """Zeros and ones, all that the receiver gets."""
    account: dict[tuple[int, int, str], int]
    """How many bits went where: by layer, head and what they say."""
    cells: int
    """How many cells they describe."""

    @property
    def bits(self) -> int:
        """How many bits were sent."""
        return len(self.payload)

    @property
    def by_content(self) -> dict[str, int]:
        """How many bits say what: the number of cells, their keys, counts and values."""
        spent: Counter[str] = Counter()
        for (_, _, what), bits in self.account.items():
            spent[what] += bits
        return dict(spent)


@dataclass
class Writer:
    """The sender's side. Widths that depend on the input are sent along, so that the message explains itself."""

    head: tuple[int, int] = (0, 0)
    """Layer and head that the next bits are about."""
    cells: int = 0
    _pieces: list[str] = field(default_factory=list)
    _account: Counter[tuple[int, int, str]] = field(default_factory=Counter)

    def plain(self, what: str, value: int, width: int) -> None:
        """A number from 0 to 2^width - 1."""
        if width:
            self._send(what, format(value, f"0{width}b"))

    def number(self, what: str, value: int) -> None:
        """A positive number of any size in 2⌊log2 value⌋ + 1 bits (Elias' gamma code)."""
        digits = format(value, "b")
        self._send(what, "0" * (len(digits) - 1) + digits)

    def vectors(self, what: str, vectors: Sequence[Sequence[int]]) -> None:
        """Signed numbers, all in the width of the largest, which is sent first."""
        entries = [entry for vector in vectors for entry in vector]
        if not entries:
            return
        width = max((entry if entry >= 0 else ~entry).bit_length() for entry in entries) + 1
        self.number(what, width)
        for entry in entries:
            self.plain(what, entry % (1 << width), width)

    def transcript(self) -> Transcript:
        """All that was sent."""
        return Transcript("".join(self._pieces), dict(self._account), self.cells)

    def _send(self, what: str, digits: str) -> None:
        self._pieces.append(digits)
        self._account[(*self.head, what)] += len(digits)


@dataclass
class Reader:
    """The receiver's side: reads what `Writer` wrote, in the same order."""

    payload: str
    place: int = 0

    def plain(self, width: int) -> int:
        """A number from 0 to 2^width - 1."""
        digits = self.payload[self.place : self.place + width]
        self.place += width
        return int(digits, 2) if width else 0

    def number(self) -> int:
        """A positive number in Elias' gamma code."""
        zeros = self.payload.index("1", self.place) - self.place
        self.place += zeros
        return self.plain(zeros + 1)

    def vectors(self, count: int, size: int) -> list[tuple[int, ...]]:
        """Vectors of signed numbers."""
        if not count * size:
            return [()] * count
        width = self.number()
        return [tuple(self._signed(width) for _ in range(size)) for _ in range(count)]

    def _signed(self, width: int) -> int:
        value = self.plain(width)
        return value - (1 << width) if value >> (width - 1) else value
