"""Ensembles that are not local, and couplings that make them so: Proposition 4.4 at work.

*Across halves*: two letters half a word apart; the label says whether they are equal. Coupled, both share one ID. *A
digit with its carry*: a bit, the next one and the one half a word after it, as in addition; the label is the parity
of the three. Coupled, the two summands share an ID and the carry stands beside them. Without coupling a local class
cannot see the planted set, and a class that may look far can go wrong beyond L.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.coupling.coupled_ensemble import couple_class, coupled_ensemble
from lengthwise.sparse.coupling.coupling import Coupling, gathering
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Number, Places, Tokens, exact
from lengthwise.sparse.ensembles.positions import uniform_over
from lengthwise.sparse.functional.keys import FunctionKey, Key, TokenKey
from lengthwise.sparse.functional.risk import Members, attention_class
from lengthwise.sparse.functional.values import ValueTable

LOCAL = 2
"""L_local of the classes without coupling."""


@dataclass(frozen=True, eq=False)
class CoupledTask:
    """A non-local ensemble, a class of position-independent hypotheses and a coupling."""

    ensemble: Ensemble
    weights: dict[str, Number]
    """The weights of the key that finds the planted tuple."""
    value: ValueTable
    coupling: Coupling
    size: int
    """k': how many IDs the planted set gets."""
    locality: int
    """L_local of the coupled class."""

    @property
    def plain(self) -> Members:
        """The class without coupling: a position-independent key without any bound on its reach."""
        return self._class({"tokens": TokenKey.of(self.ensemble.alphabet, self.weights)})

    @property
    def local(self) -> Members:
        """The same class made local, as Theorem 4.3 wants it."""
        return self._class({"tokens, local": TokenKey.of(self.ensemble.alphabet, self.weights, locality=LOCAL)})

    def far_sighted(self, training: int) -> Members:
        """The class without coupling and locality, with one more key: it also looks at all sets of span L or more."""
        near = TokenKey.of(self.ensemble.alphabet, self.weights)

        def weigh(places: Places, tokens: Tokens) -> Fraction:
            far = places[-1] - places[0] >= training
            return max(near.weight(places, tokens), Fraction(far))

        wide = FunctionKey(near.sparsity, weigh, relative=True, denominator=near.denominator)
        return self._class({"tokens": near, "tokens or far": wide})

    @property
    def coupled(self) -> Members:
        """PC[H]."""
        return couple_class(self.plain, self.size, self.locality)

    def coupled_ensemble(self, lengths: range) -> Ensemble:
        """PC[P], after checking the coupling at these lengths."""
        return coupled_ensemble(self.ensemble, self.coupling, self.locality, lengths)

    def _class(self, keys: dict[str, Key]) -> Members:
        return attention_class(self.ensemble.alphabet, keys, {"label": self.value})


def across_halves(background: Mapping[str, Number] | None = None) -> CoupledTask:
    """Equal letters half a word apart: k = 2, coupled to k' = 1. Without `background` all else is a dot."""
    alphabet = Alphabet(("a", "b", "."))

    def sets(length: int) -> Iterator[Places]:
        return ((a, a + length // 2) for a in range(1, length - length // 2 + 1))

    words = ["".join(pair) for pair in product("ab", repeat=2)]
    ensemble = Ensemble.of(
        alphabet,
        {".": 1} if background is None else background,
        uniform_over(2, 2, sets),
        dict.fromkeys(words, Fraction(1, 4)),
        {word: int(word[0] == word[1]) for word in words},
    )
    value = ValueTable.of(alphabet, 2, {"aa": 1, "bb": 1})
    coupling = gathering(ensemble.positions, [(1, 2)])
    return CoupledTask(ensemble, dict.fromkeys(words, 1), value, coupling, size=1, locality=1)


def digit_with_carry(noise: Number = 0) -> CoupledTask:
    """The parity of a carry, a digit and the digit half a word after it: k = 3, coupled to k' = 2.

    With `noise` background positions hold a 1 with this probability, which coupled words can take for a summand.
    """
    alphabet = Alphabet(("0", "1", "."))
    rare = exact(noise)

    def sets(length: int) -> Iterator[Places]:
        half = length // 2
        return ((a, a + 1, a + 1 + half) for a in range(1, length - half))

    words = ["".join(bits) for bits in product("01", repeat=3)]
    ensemble = Ensemble.of(
        alphabet,
        {".": 1 - rare, "1": rare},
        uniform_over(3, 4, sets),
        dict.fromkeys(words, Fraction(1, 8)),
        {word: word.count("1") % 2 for word in words},
    )
    value = ValueTable.of(alphabet, 3, {word: word.count("1") % 2 for word in words})
    coupling = gathering(ensemble.positions, [(1,), (2, 3)])
    return CoupledTask(ensemble, dict.fromkeys(words, 1), value, coupling, size=2, locality=2)
