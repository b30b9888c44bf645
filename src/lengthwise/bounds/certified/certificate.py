"""`Certified`: a certified length with the word that needs it, its stand-in, and what is promised for which models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.bound import Bound, certified_lines
from lengthwise.bounds.certified.situations import Integers, Situation
from lengthwise.bounds.theorems.count_evaluation import Counts

LONGEST_WRITTEN = 10_000
"""Words up to this length are written out."""


@dataclass(frozen=True, eq=False)
class Example:
    """A word by its counts: how often each type occurs before the last τ + 1 symbols, and these symbols."""

    counts: Counts
    alphabet: Alphabet
    shares: tuple[dict[str, float], ...] = ()
    """How attention is shared out among types, for each set of attended keys that long words can have."""

    @classmethod
    def of(cls, situation: Situation, counts: Integers, alphabet: Alphabet) -> Example:
        """The shortest word in a situation with these counts of the attended types."""
        shares = situation.shares(counts[None])[0]
        named = tuple(
            {
                _type_name(alphabet, symbol, residue, situation.period): float(shares[place])
                for (symbol, residue), place in zip(attended.types, attended.places, strict=True)
            }
            for attended in situation.sets
        )
        return cls(situation.word(counts), alphabet, named)

    @property
    def length(self) -> int:
        """How long the word is."""
        return self.counts.length

    @property
    def word(self) -> str | None:
        """The word as text, with spaces if a symbol has several characters; None if it is too long to be read."""
        if self.length > LONGEST_WRITTEN:
            return None
        joint = " " if any(len(symbol) != 1 for symbol in self.alphabet) else ""
        return joint.join(self.alphabet.decode(self.counts.to_tokens()))

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        prefix = self.counts.prefix
        return {
            "length": self.length,
            "word": self.word,
            "counts": {
                _type_name(self.alphabet, symbol, residue, self.counts.period): int(prefix[symbol, residue])
                for symbol, residue in np.argwhere(prefix > 0).tolist()
            },
            "suffix": self.alphabet.decode(self.counts.suffix),
            "shares": list(self.shares),
        }


@dataclass(frozen=True, eq=False)
class Certified:
    """The certified length with the word that needs it.

    Attributes:
        epsilon: ε: how far outputs on a word and on its stand-in may be apart.

    """

    length: int
    """N: every word has a stand-in of at most so many symbols."""
    exact: bool
    """Whether no smaller length will do; otherwise `length` is an upper bound."""
    at_least: int
    """A lower bound: the stand-ins of `worst_input`, among words on which attention is a hardmax, are so long."""
    epsilon: float
    sensitivity: float | None
    """s, if the length is that for a whole class of models."""
    worst_input: Example
    """A word that has no stand-in of fewer than `at_least` symbols."""
    stand_in: Example | None
    """The closest stand-in of `at_least` symbols or fewer; None if none within ε was found."""
    distance: float | None
    """How far the two are apart: the largest of the distances that have to be at most ε."""
    situation: Situation | None
    """The situation that the worst input is in; None for a word so short that no shorter one can stand in for it."""
    bound: Bound
    """The length as a bound, with its terms and what it is a guarantee for."""
    meaning: str = ""
    """How the model was read; empty if it was not read from anything."""

    def __str__(self) -> str:
        return "\n".join(certified_lines(self))

    @property
    def shown(self) -> str:
        """The length, or between which lengths it is."""
        return f"{self.length:,}" if self.exact else f"{self.at_least:,} to {self.length:,}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            **({"meaning": self.meaning} if self.meaning else {}),
            "length": self.length,
            "exact": self.exact,
            "at_least": self.at_least,
            "epsilon": self.epsilon,
            "sensitivity": self.sensitivity,
            "worst_input": self.worst_input.as_json(),
            "stand_in": None if self.stand_in is None else self.stand_in.as_json(),
            "distance": self.distance,
            "situation": None if self.situation is None else self.situation.describe(self.worst_input.alphabet),
            "bound": self.bound.as_json(),
        }

    def _repr_html_(self) -> str:
        from lengthwise.bounds.bound_html import certified_fragment

        return certified_fragment(self)


def guarantee(sensitivity: float | None, *, joint: bool) -> str:
    """What the length promises, and for which models."""
    if joint:
        condition = "g being the given model"
    elif sensitivity is None:
        condition = "if on two words in the same situation its outputs never differ by more than those of f"
    else:
        condition = (
            f"if it attends to the same keys as f and its output changes by at most {sensitivity:.6g} times the part "
            "of the attention that is moved"
        )
    return (
        "a model g that agrees with f within ε_train on all words up to this length is within ε_train + 2ε of f on "
        f"every word, {condition}"
    )


def _type_name(alphabet: Alphabet, symbol: int, residue: int, period: int) -> str:
    (name,) = alphabet.decode(np.array([symbol]))
    return f"{name} at {residue} mod {period}" if period > 1 else name
