"""`Ensemble`: words in which a few planted tokens decide the label, at every length.

Draw a set S* of k positions and a tuple Z of k tokens, write Z into S* in increasing order, fill the rest from the
background, and label the word with g*(Z). Golowich et al., Definition 3.2. Samples are for training and estimates,
`outcomes` lists a small law exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.background import Background, IdArray, Independent, independent
from lengthwise.sparse.ensembles.laws import (
    EnsembleError,
    Label,
    Norm,
    Number,
    Places,
    Tokens,
    as_label,
    distance,
    draw,
    exact_law,
    largest_entry,
)
from lengthwise.sparse.ensembles.positions import PositionLaw

MOST_OUTCOMES = 2_000_000
"""More words than this are not listed one by one."""


@dataclass(frozen=True, eq=False)
class PlantedSample:
    """Words of one length with their labels."""

    tokens: IdArray
    """One word a row, as symbol ids."""
    labels: npt.NDArray[np.float64]
    """One label a row."""
    places: IdArray
    """The planted positions of each word, counted from 1."""


@dataclass(frozen=True)
class Outcome:
    """One word that an ensemble can draw, and its probability together with this planted set."""

    tokens: Tokens
    places: Places
    planted: Tokens
    label: Label
    mass: Fraction


@dataclass(frozen=True, eq=False)
class Ensemble:
    """k-sparse planted correlations: one law of labelled words for every length."""

    alphabet: Alphabet
    background: Background
    """μ, or a Markov chain."""
    positions: PositionLaw
    """Q_ℓ^pos."""
    planted: Mapping[Tokens, Fraction]
    """Q^voc: the law of the planted tuple Z."""
    labels: Mapping[Tokens, Label]
    """g*: the label of each planted tuple."""
    norm: Norm = largest_entry

    def __post_init__(self) -> None:
        if any(len(tokens) != self.sparsity for tokens in self.planted):
            raise EnsembleError(f"planted tuples must have {self.sparsity} tokens, one for each planted position")
        if any(tokens not in self.labels for tokens in self.planted):
            raise EnsembleError("every planted tuple needs a label")
        used = sorted({self.labels[tokens] for tokens in self.planted})
        if len({len(label) for label in used}) != 1 or not used[0]:
            raise EnsembleError("labels must all have the same number of entries, and at least one")
        if any(distance(a, b, self.norm) > 1 for a, b in itertools.combinations(used, 2)):
            raise EnsembleError(
                "labels must be at most 1 apart in the norm of the ensemble; divide them by their diameter"
            )

    @classmethod
    def of(
        cls,
        alphabet: Alphabet,
        background: Background | Mapping[str, Number],
        positions: PositionLaw,
        planted: Mapping[str, Number],
        labels: Mapping[str, Number | Sequence[Number]],
        norm: Norm = largest_entry,
    ) -> Ensemble:
        """An ensemble whose tuples are written as words, such as `{"ab": 0.5, "ba": 0.5}`."""
        if isinstance(background, Mapping):
            background = independent(alphabet, background)
        return cls(
            alphabet,
            background,
            positions,
            exact_law({as_tokens(alphabet, word): mass for word, mass in planted.items()}, "the planted tuples"),
            {as_tokens(alphabet, word): as_label(value) for word, value in labels.items()},
            norm,
        )

    @property
    def sparsity(self) -> int:
        """The number k of planted positions."""
        return self.positions.sparsity

    @property
    def dimension(self) -> int:
        """The number of entries of a label."""
        return len(self.labels[next(iter(self.planted))])

    @property
    def min_length(self) -> int:
        """The shortest words there are."""
        return self.positions.min_length

    def sample(self, length: int, count: int, rng: np.random.Generator) -> PlantedSample:
        """Independent labelled words of one length."""
        places = self.positions.sample(length, count, rng)
        tokens = self.background.sample(length, count, rng)
        chosen = draw(self.planted, count, rng)
        tuples = np.array(list(self.planted), dtype=np.int64).reshape(-1, self.sparsity)
        tokens[np.arange(count)[:, None], places - 1] = tuples[chosen]
        values = np.array([[float(entry) for entry in self.labels[tokens]] for tokens in self.planted])
        return PlantedSample(tokens, values[chosen], places)

    def outcomes(self, length: int) -> Iterator[Outcome]:
        """Every word of one length with every planted set that can lead to it, and the probability of both."""
        support = sum(1 for symbol in range(len(self.alphabet)) if self._possible(symbol))
        kinds = len(self.positions.masses(length)) * len(self.planted)
        if kinds * support ** (length - self.sparsity) > MOST_OUTCOMES:
            raise EnsembleError(f"there are too many words of length {length} to list; draw samples instead")
        for (places, place_mass), (planted, tuple_mass) in itertools.product(
            self.positions.masses(length).items(), self.planted.items()
        ):
            written = dict(zip(places, planted, strict=True))
            for tokens, mass in self._fill(length, written).items():
                yield Outcome(tokens, places, planted, self.labels[planted], place_mass * tuple_mass * mass)

    def _possible(self, symbol: int) -> bool:
        if isinstance(self.background, Independent):
            return bool(self.background.law[symbol])
        return bool(self.background.start[symbol]) or any(row[symbol] for row in self.background.rows)

    def _fill(self, length: int, written: Mapping[int, int]) -> dict[Tokens, Fraction]:
        """The law of the whole word, given what is planted where; the chain runs on beneath planted tokens."""
        states: dict[tuple[Tokens, int | None], Fraction] = {((), None): Fraction(1)}
        memory = not isinstance(self.background, Independent)
        for place in range(1, length + 1):
            moved: dict[tuple[Tokens, int | None], Fraction] = {}
            for (word, beneath), mass in states.items():
                if place in written and not memory:
                    moved[(*word, written[place]), None] = mass
                    continue
                row = self.background.start if beneath is None else self.background.after(beneath)
                for symbol, share in enumerate(row):
                    if share:
                        state = ((*word, written.get(place, symbol)), symbol if memory else None)
                        moved[state] = moved.get(state, Fraction(0)) + mass * share
            states = moved
        law: dict[Tokens, Fraction] = {}
        for (word, _), mass in states.items():
            law[word] = law.get(word, Fraction(0)) + mass
        return law


def as_tokens(alphabet: Alphabet, word: str) -> Tokens:
    """A word as a tuple of symbol ids."""
    return tuple(int(symbol) for symbol in alphabet.encode(word))
