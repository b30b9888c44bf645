"""Why copying and addition are out: what a program remembers of the first half of an input is too little.

Alice reads the first half, Bob the second, and Bob has to know what comes next. However Alice's message is chosen, it
has to differ for two halves that some continuation tells apart; so the number of halves that are told apart pairwise,
a fooling set, is a lower bound on the number of messages. A C-RASP[periodic, local] program is a way to do with few:
of a half of known length it remembers its running counts and the last few values under its windows (`most_states`).
Huang et al. prove the same of Limit Transformers (Theorem 12, Corollary 13; `lengthwise.limit.protocol` runs it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, count, product
from typing import Any, Literal, TypeAlias

from lengthwise.crasp import Program
from lengthwise.crasp.running.state import Layout
from lengthwise.errors import LengthwiseError, UnknownNameError

Symbols: TypeAlias = tuple[str, ...]


def most_states(program: Program, length: int) -> int:
    """A bound on how many different memories a program can have of the words of one length.

    With k counted Booleans and c remembered values it is (length + 1)^k · 2^c: a polynomial in the length. The residue
    of the position is no part of the memory, since the length is known.
    """
    layout = _layout(program)
    return int((length + 1) ** len(layout.counted) * 2 ** sum(kept for _, kept in layout.remembered))


def _layout(program: Program) -> Layout:
    roots = [place for _, place in program.listing.predictions]
    if program.listing.accept is not None:
        roots.append(program.listing.accept)
    return Layout.of(program.listing, roots)


# ------------------------------------------------------------------------------------------ the two problems


@dataclass(frozen=True)
class _Problem:
    alphabet: Symbols
    halves: Callable[[int], Iterator[Symbols]]
    """Alice's halves of one size: 2^size of them, all equally long."""
    required: Callable[[Symbols], str | None]
    """The symbol that must come next; None where nothing is required."""
    suffix: Callable[[Symbols, Symbols], Symbols]
    """What Bob reads to tell two halves apart."""
    setting: str
    argument: str


def _common(first: Symbols, second: Symbols) -> Symbols:
    """What two words have in common at the start."""
    same = next((place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    return first[:same]


def _copy_halves(size: int) -> Iterator[Symbols]:
    for word in product("ab", repeat=size):
        yield (*word, "SEP")


def _copy_required(read: Symbols) -> str | None:
    if "SEP" not in read or "EOS" in read:
        return None
    place = read.index("SEP")
    word, written = read[:place], read[place + 1 :]
    if word[: len(written)] != written:
        return None
    return (*word, "EOS")[len(written)]


def _addition_halves(size: int) -> Iterator[Symbols]:
    for bits in product("01", repeat=size):
        yield ("1", *bits, "+")


def _addition_required(read: Symbols) -> str | None:
    operands, equals, written = "".join(read).partition("=")
    left, plus, right = operands.partition("+")
    if not (equals and plus and left and right) or not set(left + right + written) <= {"0", "1"}:
        return None
    total = format(int(left, 2) + int(right, 2), "b")
    if not total.startswith(written):
        return None
    return total[len(written)] if len(written) < len(total) else "EOS"


_PROBLEMS = {
    "copy-repeat": _Problem(
        ("a", "b", "SEP", "EOS"),
        _copy_halves,
        _copy_required,
        lambda first, second: _common(first, second),
        "Alice reads x SEP, where x is one of the 2^N words of N letters a and b; Bob reads the rest.",
        "Let x and x' differ, and let w be what they have in common at the start. After x SEP w the next symbol has to "
        "be that of x, after x' SEP w that of x', and these are not the same.",
    ),
    "addition": _Problem(
        ("0", "1", "+", "=", "EOS"),
        _addition_halves,
        _addition_required,
        lambda first, second: ("0", "=", *_common(first, second)),
        "Alice reads x +, where x is one of the 2^N binary numbers of N+1 digits, the first a 1; Bob reads the rest.",
        "Let x and x' differ, and let w be what they have in common at the start. Bob's operand is 0, so the sum is "
        "Alice's number, and after x + 0 = w the next digit has to be that of x, after x' + 0 = w that of x'.",
    ),
}


# --------------------------------------------------------------------------------------------- the witness


@dataclass(frozen=True)
class CommunicationWitness:
    """The two-party argument against C-RASP[periodic, local], for people and as functions to try it with."""

    task: str

    def __post_init__(self) -> None:
        if self.task not in _PROBLEMS:
            raise UnknownNameError(f"there is a two-party argument for {' and '.join(_PROBLEMS)}, not for {self.task}")

    @property
    def kind(self) -> Literal["communication"]:
        """The kind of argument."""
        return "communication"

    @property
    def _problem(self) -> _Problem:
        return _PROBLEMS[self.task]

    def halves(self, size: int) -> tuple[Symbols, ...]:
        """What Alice may have read: 2^size words of one length."""
        return tuple(self._problem.halves(size))

    def required(self, read: Symbols) -> str | None:
        """The symbol that the task requires next, by its definition; None where it requires none."""
        return self._problem.required(read)

    def suffix(self, first: Symbols, second: Symbols) -> Symbols:
        """What Bob reads so that different symbols have to follow, for two different halves of one size."""
        if first == second:
            raise LengthwiseError("the two halves are the same, so nothing tells them apart")
        return self._problem.suffix(first, second)

    def residuals(self, size: int) -> int:
        """How many behaviours the halves of one size have, by trying every continuation up to `size` + 2 symbols."""
        longest = size + 2
        continuations = [
            word for length in range(longest + 1) for word in product(self._problem.alphabet, repeat=length)
        ]
        return len({tuple(self.required((*half, *rest)) for rest in continuations) for half in self.halves(size)})

    def fails_from(self, program: Program) -> int:
        """The least size at which a program has fewer states than there are halves, so that it fails on some input."""
        for size in count():
            half = next(self._problem.halves(size))
            if most_states(program, len(half)) < 2**size:
                return size
        raise AssertionError

    def recheck(self, largest: int = 8) -> bool:
        """Whether all halves of each size up to `largest` are told apart by their suffixes, pair by pair."""
        for size in range(largest + 1):
            halves = self.halves(size)
            if len(set(halves)) != 2**size or len(set(map(len, halves))) != 1:
                return False
            for first, second in combinations(halves, 2):
                rest = self.suffix(first, second)
                one, other = self.required((*first, *rest)), self.required((*second, *rest))
                if one is None or other is None or one == other:
                    return False
        return True

    def example(self) -> tuple[Symbols, Symbols, Symbols]:
        """Two halves and the suffix that tells them apart."""
        halves = self.halves(3)
        first, second = halves[2], halves[3]
        return first, second, self.suffix(first, second)

    def explain(self) -> str:
        """The argument in words."""
        first, second, rest = self.example()
        one, other = ((*half, *rest) for half in (first, second))
        return "\n".join(
            [
                self._problem.setting,
                self._problem.argument,
                "So Bob needs a different message for each of the 2^N halves: at least N bits.",
                f"For N = 3: behind {' '.join(one)} belongs {self.required(one)}, "
                f"behind {' '.join(other)} belongs {self.required(other)}.",
                "A C-RASP[periodic, local] program sends less. To go on reading it needs the value of each of its k "
                "counts, a number up to the length n, and the last values of what its windows look at, c bits however "
                "long the input; n itself is known. That is k log2(n + 1) + c bits, and k and c are fixed.",
                "N exceeds this for large N, so the program gives some two halves one memory and fails on one of them "
                "(Theorem 12 and Corollary 13 of Huang et al. say it of Limit Transformers).",
            ]
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        first, second, rest = self.example()
        return {
            "kind": self.kind,
            "task": self.task,
            "setting": self._problem.setting,
            "argument": self._problem.argument,
            "needed": [{"size": size, "messages": 2**size, "bits": size} for size in (1, 2, 4, 8, 16)],
            "available": "k*log2(n+1)+c bits for k counts and c remembered values at length n",
            "example": {
                "first": list(first),
                "second": list(second),
                "suffix": list(rest),
                "required": [self.required((*first, *rest)), self.required((*second, *rest))],
            },
        }
