"""The certified length of a program that jumps, for all words with a margin, and the share of words that have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lengthwise.bounds.margins.coverage import Share, exact_shares, share_of
from lengthwise.bounds.margins.covering import Cover, cover
from lengthwise.bounds.margins.margin import Attention, Reading, reading
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.prover.depth_one import Counts, depth_one

ATTENTIONS: tuple[Attention, ...] = ("uniform", "selective")
CONFIDENCES = (Fraction(1), Fraction(1, 2))
"""γ: how large outputs are at least on short words with the margin, where 1 is as large as they get."""
SHOWN = 60
LONGEST = 5000
"""The longest words of which shares are counted."""


@dataclass(frozen=True)
class MarginLength:
    """The certified length for one kind of attention and one γ.

    Attributes:
        attention: `uniform` or `selective`.
        confidence: γ: how large outputs are on short words with the margin.
        length: N; None if the search ended before one was certified.
        at_least: The longest stand-in that some word was found to need.
        exact: Whether no smaller length suffices.
        word: A word that needs a stand-in of `at_least` symbols.
        stand_in: Its stand-in.

    """

    attention: Attention
    confidence: float
    length: int | None
    at_least: int
    exact: bool
    word: str
    stand_in: str

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "attention": self.attention, "gamma": self.confidence, "length": self.length, "at_least": self.at_least,
            "exact": self.exact, "worst_input": self.word, "stand_in": self.stand_in,
        }  # fmt: skip


@dataclass(frozen=True)
class MarginCoverage:
    """Which words of a length have the margin, for one kind of attention.

    Attributes:
        attention: `uniform` or `selective`.
        task: The share of the words that the task draws; None if there is no task.
        uniform: The share of words with independent, equally likely symbols; None if there are too many counts.
        uneven: The share of words with symbol frequencies of their own; None if there are too many counts.

    """

    attention: Attention
    length: int
    task: Share | None
    uniform: Share | None
    uneven: Share | None

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        shares = {"task": self.task, "uniform": self.uniform, "uneven": self.uneven}
        return {
            "attention": self.attention, "length": self.length,
            **{name: None if share is None else share.as_json() for name, share in shares.items()},
        }  # fmt: skip


@dataclass(frozen=True)
class Margins:
    """Certified lengths of a program of depth 1 for all words with a margin.

    Attributes:
        margin: 2 δ: the part of the attention that has to move to take an output from a sure yes to a sure no.
        start_symbol: Whether heads attend to a start symbol.
        lengths: One for each kind of attention and each γ; the first is for uniform attention and γ = 1.
        coverage: Which words of the target length have the margin; empty if no target length was given.
        meaning: How the program was read, such as `library program majority over {0, 1}`.

    Example:
        >>> from lengthwise import crasp
        >>> found = margins(crasp.load("majority"), 0.5)
        >>> found.length, found.start_symbol
        (4, False)

    """

    margin: Fraction
    start_symbol: bool
    lengths: tuple[MarginLength, ...]
    coverage: tuple[MarginCoverage, ...]
    meaning: str = ""

    @property
    def length(self) -> int | None:
        """The certified length for uniform attention, which is safe, and γ = 1."""
        return self.lengths[0].length

    @property
    def exact(self) -> bool:
        """Whether that length is the least."""
        return self.lengths[0].exact

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "meaning": self.meaning, "margin": float(self.margin), "start_symbol": self.start_symbol,
            "length": self.length, "exact": self.exact, "lengths": [each.as_json() for each in self.lengths],
            "coverage": [each.as_json() for each in self.coverage],
        }  # fmt: skip

    def _lines(self) -> list[str]:
        start = "with a start symbol" if self.start_symbol else "no start symbol"
        lines = [self.meaning] if self.meaning else []
        lines.append(f"certified lengths for words with a margin of at least {float(self.margin):g} ({start}):")
        for each in self.lengths:
            if each.length is None:
                told = f"none certified in the time given, at least {each.at_least:,}"
            else:
                told = f"{each.length:,} ({'exact' if each.exact else 'at most'})"
            lines.append(f"  {each.attention:<10} γ = {each.confidence:<4g} {told}")
        first = self.lengths[0]
        if first.word:
            lines.append(f"  needed for   {first.word}")
            lines.append(f"  its stand-in {first.stand_in}")
        for covered in self.coverage:
            lines.append(f"words of length {covered.length:,} with that margin, {covered.attention} attention:")
            names = {"task": "the task's own words", "uniform": "symbols equally likely",
                     "uneven": "own frequencies"}  # fmt: skip
            for name, title in names.items():
                share: Share | None = getattr(covered, name)
                if share is not None:
                    sampled = (
                        f" ({share.low:.1%} to {share.high:.1%}, {share.samples:,} words)" if share.samples else ""
                    )
                    lines.append(f"  {title:<23} {share.value:.1%}{sampled}")
        lines.append(
            "guarantee: a model with the program's sign, and at least γ in size, on all words up to this length that "
            f"have the margin has its sign on every word that has it, if moving {float(self.margin):g} of the "
            "attention changes its output by at most 2 in words with the same last symbol"
        )
        return lines


def margins(
    program: Program,
    margin: float | Fraction,
    *,
    target_length: int | None = None,
    sample: tuple[Counts, Counts] | None = None,
    start_symbol: bool | None = None,
    seconds: float = 60.0,
) -> Margins:
    """Certify a training length for a program of depth 1, for the words that are far from where it jumps.

    Args:
        program: A program of depth 1 without windows and periods.
        margin: 2 δ, between 0 and 1: for majority |#1 - #0| / n of the words that count.
        target_length: The length of the words of which the share with the margin is computed.
        sample: Counts and last symbols of words that the task draws at that length.
        start_symbol: Whether heads attend to a start symbol; by default where some comparison needs it.
        seconds: How long each length is searched.

    Returns:
        The lengths for uniform and selective attention and γ = 1 and 1/2, with the shares of words.

    Raises:
        LengthwiseError: The program is of another kind, or the margin or the length is out of range.

    Example:
        >>> from lengthwise import crasp
        >>> found = margins(crasp.load("majority"), 0.1)
        >>> found.length, found.exact
        (20, True)

    """
    exact = (
        margin if isinstance(margin, Fraction) else Fraction(repr(float(margin))) if margin == margin else Fraction(0)
    )
    if not 0 < exact <= 1:
        raise LengthwiseError(f"a margin is a part of the attention, above 0 and at most 1, not {margin}")
    if target_length is not None:
        require_countable(target_length)
    read = depth_one(program)
    start = reading(read, "selective", start_symbol).start
    readings = [reading(read, attention, start) for attention in ATTENTIONS]
    part = exact / 2
    lengths = [_length(each, part, confidence, seconds) for each in readings for confidence in CONFIDENCES]
    covered = [] if target_length is None else [_coverage(each, part, target_length, sample) for each in readings]
    return Margins(exact, start, tuple(lengths), tuple(covered))


def require_countable(length: int) -> None:
    """Refuse lengths of which the words cannot be counted."""
    if not 1 <= length <= LONGEST:
        raise LengthwiseError(f"a target length with a margin lies between 1 and {LONGEST:,}, not {length}")


def _length(read: Reading, part: Fraction, confidence: Fraction, seconds: float) -> MarginLength:
    found = cover(read, part, confidence * part, seconds)
    return MarginLength(
        read.attention, float(confidence), found.length if found.certified else None, found.length, found.exact,
        *_texts(found, read.program.symbols),
    )  # fmt: skip


def _texts(found: Cover, symbols: Sequence[str]) -> tuple[str, str]:
    return tuple("" if each is None else _text(*each, symbols) for each in (found.word, found.stand_in))  # type: ignore[return-value]


def _text(counts: tuple[int, ...], last: int, symbols: Sequence[str]) -> str:
    """A word with these counts; stretches of more than a few symbols as powers."""
    parts = [(symbol, count - (at == last)) for at, (symbol, count) in enumerate(zip(symbols, counts, strict=True))]
    runs = [symbol * count if count <= 3 else f"{symbol}^{count}" for symbol, count in parts if count]
    return " ".join([*runs, symbols[last]])


def _coverage(read: Reading, part: Fraction, length: int, sample: tuple[Counts, Counts] | None) -> MarginCoverage:
    shares = exact_shares(read, part, length) or {}
    task = None if sample is None else share_of(read, part, *sample)
    return MarginCoverage(read.attention, length, task, shares.get("uniform"), shares.get("uneven"))
