"""From which length on short words identify a program or a language among all small programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.resources import Deadline
from lengthwise.subjects import Subject
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.atlas.identification import Identification

FRAGMENTS = ("", "local", "periodic", "periodic local")
"""Which fragments are tried for a language without a program, in turn."""
LARGEST = {"": 16}
"""The complexity up to which programs are looked for, by fragment."""
LARGEST_WITH_POSITIONS = 10
MOST_COMPLEXITY = 20


def identification(
    subject: object,
    alphabet: Symbols | None = None,
    *,
    asks: Literal["accept", "next"] = "accept",
    fragment: str | Iterable[str] | None = None,
    complexity: int | None = None,
    depth: int | None = None,
    encoding: str = "symbols",
    words: int | None = None,
    target_length: int = 64,
    seconds: float | None = 60.0,
) -> Identification:
    """Find from which length on all words identify a subject among the programs that are no more complex.

    From the identification length N_id on, every learner that takes a simplest program which is right on all words of
    at most that length has one for the subject, however it breaks ties.

    Args:
        subject: What `Subject.of` takes.
        alphabet: The symbols of a regex or a predicate.
        asks: What is asked of words: whether they are accepted, or what may follow each of their prefixes.
        fragment: The programs: names out of `periodic` and `local`, an empty text for C-RASP[∅]; by default those of
            the subject's own program, or for a language the first fragment with a small program.
        complexity: The largest complexity of a program for it; by default 16, or 10 with positions.
        depth: The largest depth of the programs; any if not given.
        encoding: How complexity is counted: `symbols`, `bits` or `heads`.
        words: Also compute N_data: from which training length on so many random words leave no rival likely hidden.
        target_length: For N_data: up to which length rivals matter.
        seconds: After how long the answer is what is known by then, a lower bound.

    Returns:
        The length, whether it is exact, and the last rivals as witnesses.

    Raises:
        LengthwiseError: The subject accepts no words, or an option is out of range.

    Example:
        >>> import lengthwise as lw
        >>> found = lw.identification("majority")
        >>> found.length, found.exact, found.strict_length
        (3, True, 3)

    """
    from lengthwise.atlas.grammar import fragment_of
    from lengthwise.atlas.identification import identification as of_accepting
    from lengthwise.atlas.next_symbols import identification_of_next
    from lengthwise.regular.prover.alphabets import common_symbols

    if asks not in ("accept", "next"):
        raise LengthwiseError(f"asks is accept or next, not {asks!r}")
    for name, value, most in (("complexity", complexity, MOST_COMPLEXITY), ("depth", depth, MOST_COMPLEXITY),
                              ("words", words, 10**9), ("target_length", target_length, 500)):  # fmt: skip
        if value is not None and not 1 <= value <= most:
            raise LengthwiseError(f"{name} lies between 1 and {most:,}, not {value}")
    meant = Subject.of(subject, alphabet)
    acceptor = meant.as_acceptor()
    symbols = common_symbols((acceptor,), None)
    deadline = Deadline(seconds)
    if fragment is not None:
        tried = [fragment_of(fragment)]
    elif isinstance(acceptor, Program):
        tried = [acceptor.fragment]
    else:
        own = [] if meant.program is None else [meant.program.fragment]
        tried = own or [fragment_of(each) for each in (FRAGMENTS if asks == "accept" else FRAGMENTS[:1])]
    found: Identification | None = None
    for chosen in tried:
        most = complexity or (LARGEST_WITH_POSITIONS if chosen else LARGEST[""])
        if asks == "next":
            found = identification_of_next(
                acceptor, symbols, chosen, complexity=complexity or min(most, 12), depth=depth, encoding=encoding,
                deadline=deadline,
            )  # fmt: skip
            break
        best = of_accepting(
            acceptor, symbols, chosen, complexity=most, depth=depth, encoding=encoding, words=words,
            target_length=target_length, deadline=deadline,
        )  # fmt: skip
        found = found or best
        if best.complexity is not None:
            found = best
            break
    if found is None:
        raise LengthwiseError("no fragment was given")
    return replace(found, meaning=meant.meaning)
