"""PC[·]: ensembles of coupled words, exact and sampled, and the hypotheses that read them.

If the coupling meets its conditions, independence included, PC[P] is an ensemble of planted correlations again:
planted at ψ(S*), with the lists of coupled tokens as planted tuples and a uniform rank beside each background token.
If rank lists and place depend on each other it is a mixture of such ensembles, one for each rank list, and its losses
are mixed the same way. Golowich et al., appendix D.

A sample is PC[X, S], a word with renumbered positions as a word of coupled tokens (equation 19). The ID of planted
positions carries the list of their (rank, token). The ID of any other position carries its token with a random rank I,
and an ID that nobody has a random rank with a fresh background token. I is uniform on the ranks 1 to k; the printed
Unif([ℓ]) would make the background depend on the length (ERR-I6).

PC[h] is a position-independent hypothesis that reads coupled words. A set of k' coupled tokens is looked at if it is
local and its lists expand to a tuple that the original key looks at; its value is the value of that tuple. Golowich et
al., equations 17 and 18, with sets of size k' = |ψ(S*)| (ERR-I6).

Strong realizability (Assumption D.1) fails as often as the planted set is not the only one that is looked at. The proof
of Proposition 4.4 takes it over to coupled words. That is wrong in general: coupled tokens are read in the order of
their ranks, and background tokens get random ranks, so tuples that never occur in order in the word can occur in
coupled words (`tests/errata`). What the guarantee needs is that PC[H] realizes PC[P], which `coupled_loss` computes;
for k' = 1 < k strong realizability does imply it, since no list of a single background token is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.coupling.conditions import INDEPENDENT, image_law, rank_law, violations
from lengthwise.sparse.coupling.coupling import (
    CoupledToken,
    CoupledVocabulary,
    Coupling,
    CouplingError,
    RankLists,
    Renumbering,
    image,
    rank_lists,
)
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble, PlantedSample
from lengthwise.sparse.ensembles.laws import Label, Number, Places, Tokens, draw, require_count
from lengthwise.sparse.ensembles.positions import PositionLaw
from lengthwise.sparse.functional.attention import SparseAttention, require_fit
from lengthwise.sparse.functional.keys import TokenKey
from lengthwise.sparse.functional.losses import exact_loss
from lengthwise.sparse.functional.risk import Members
from lengthwise.sparse.functional.values import ValueTable


def couple(
    word: Sequence[int],
    places: Places,
    renumbering: Renumbering,
    fresh: Sequence[int],
    ranks: Sequence[int],
) -> list[CoupledToken]:
    """The coupled word; `fresh` and `ranks` are the random tokens and ranks, one for each ID, used where needed."""
    rank = {place: number for number, place in enumerate(places, start=1)}
    coupled: list[CoupledToken] = []
    for number in range(1, len(word) + 1):
        holders = [place for place in range(1, len(word) + 1) if renumbering[place - 1] == number]
        planted = [place for place in holders if place in rank]
        if planted and len(planted) < len(holders):
            raise CouplingError(f"item 2 fails: ID {number} is shared by planted and other positions")
        if planted:
            coupled.append(tuple((rank[place], int(word[place - 1])) for place in planted))
        else:
            token = int(word[holders[0] - 1]) if holders else int(fresh[number - 1])
            coupled.append(((int(ranks[number - 1]), token),))
    return coupled


def coupled_sample(
    ensemble: Ensemble, coupling: Coupling, length: int, count: int, rng: np.random.Generator
) -> PlantedSample:
    """Independent coupled words with their labels, as ids of the coupled vocabulary; `places` are the IDs ψ(S*).

    The planted set and its renumbering are drawn together, so the coupling decides where tokens are planted.
    """
    require_count(count)
    if not isinstance(ensemble.background, Independent):
        raise CouplingError("position coupling is defined for independent background only")
    vocabulary = CoupledVocabulary(ensemble.alphabet, ensemble.sparsity)
    words = ensemble.background.sample(length, count, rng)
    fresh = ensemble.background.sample(length, count, rng)
    ranks = rng.integers(1, ensemble.sparsity + 1, size=(count, length))
    chosen = draw(ensemble.planted, count, rng)
    pairs = list(coupling.masses(length))
    drawn = draw(coupling.masses(length), count, rng)
    tuples = list(ensemble.planted)
    coupled = np.empty((count, length), dtype=np.int64)
    labels: list[list[float]] = []
    images: list[list[int]] = []
    for row in range(count):
        (places, renumbering), planted = pairs[drawn[row]], tuples[chosen[row]]
        words[row, np.array(places) - 1] = planted
        lists = couple(words[row].tolist(), places, renumbering, fresh[row].tolist(), ranks[row].tolist())
        coupled[row] = [vocabulary.id(listed) for listed in lists]
        labels.append([float(entry) for entry in ensemble.labels[planted]])
        images.append(sorted({renumbering[place - 1] for place in places}))
    found: npt.NDArray[np.float64] = np.array(labels)
    return PlantedSample(coupled, found, np.array(images, dtype=np.int64))


def coupled_ensemble(ensemble: Ensemble, coupling: Coupling, locality: int, lengths: Sequence[int]) -> Ensemble:
    """PC[P] as an ensemble of planted correlations, after checking the conditions at these lengths."""
    failed = violations(coupling, ensemble.positions, locality, lengths)
    if failed:
        raise CouplingError(f"this is no local position coupling: {failed[0]}")
    vocabulary, background = _coupled_background(ensemble)
    planted: dict[Tokens, Fraction] = {}
    labels: dict[Tokens, Label] = {}
    for lists, share in rank_law(coupling, lengths[0]).items():
        for tokens, mass in ensemble.planted.items():
            coupled = _coupled_tuple(vocabulary, lists, tokens)
            planted[coupled] = planted.get(coupled, Fraction(0)) + share * mass
            labels[coupled] = ensemble.labels[tokens]
    size = len(next(iter(rank_law(coupling, lengths[0]))))
    positions = PositionLaw(size, coupling.min_length, lambda length: image_law(coupling, length))
    return Ensemble(vocabulary.alphabet, background, positions, planted, labels, ensemble.norm)


@dataclass(frozen=True)
class Part:
    """The coupled words with one rank list, at one length."""

    share: Fraction
    """The probability of this rank list."""
    ensemble: Ensemble
    """Defined at this length only."""


def coupled_parts(ensemble: Ensemble, coupling: Coupling, length: int) -> tuple[Part, ...]:
    """PC[P] at one length as a mixture, whether or not rank lists and place are independent."""
    failed = violations(coupling, ensemble.positions, length, [length])
    if any(violation.item != INDEPENDENT for violation in failed):
        raise CouplingError(f"this is no position coupling: {failed[0]}")
    vocabulary, background = _coupled_background(ensemble)
    joint: dict[RankLists, dict[Places, Fraction]] = {}
    for (places, renumbering), mass in coupling.masses(length).items():
        law = joint.setdefault(rank_lists(places, renumbering), {})
        moved = image(places, renumbering)
        law[moved] = law.get(moved, Fraction(0)) + mass
    found = []
    for lists, law in joint.items():
        share = sum(law.values(), Fraction(0))
        table: dict[Places, Number] = {moved: mass / share for moved, mass in law.items()}
        planted = {_coupled_tuple(vocabulary, lists, tokens): mass for tokens, mass in ensemble.planted.items()}
        labels = {_coupled_tuple(vocabulary, lists, tokens): ensemble.labels[tokens] for tokens in ensemble.planted}
        positions = PositionLaw(len(lists), length, lambda _, table=table: table)  # type: ignore[misc]
        found.append(Part(share, Ensemble(vocabulary.alphabet, background, positions, planted, labels, ensemble.norm)))
    return tuple(found)


def coupled_loss(hypothesis: SparseAttention, ensemble: Ensemble, coupling: Coupling, length: int) -> Fraction:
    """The exact loss of a coupled hypothesis on PC[P_ℓ]."""
    parts = coupled_parts(ensemble, coupling, length)
    return sum((part.share * exact_loss(hypothesis, part.ensemble, length) for part in parts), Fraction(0))


def _coupled_background(ensemble: Ensemble) -> tuple[CoupledVocabulary, Independent]:
    if not isinstance(ensemble.background, Independent):
        raise CouplingError("position coupling is defined for independent background only")
    vocabulary = CoupledVocabulary(ensemble.alphabet, ensemble.sparsity)
    law = [Fraction(0)] * len(vocabulary.tokens)
    for token, mass in enumerate(ensemble.background.law):
        for rank in range(1, ensemble.sparsity + 1):
            law[vocabulary.id(((rank, token),))] = mass / ensemble.sparsity
    return vocabulary, Independent(tuple(law))


def _coupled_tuple(vocabulary: CoupledVocabulary, lists: RankLists, tokens: Tokens) -> Tokens:
    return tuple(vocabulary.id(tuple((rank, tokens[rank - 1]) for rank in ranks)) for ranks in lists)


def couple_key(key: TokenKey, vocabulary: CoupledVocabulary, size: int, locality: int) -> TokenKey:
    """PC[g0] on sets of `size` = k' coupled tokens within `locality` = L_local."""
    if key.weights is None:
        scores: dict[Tokens, float] = {
            spelled: score for tokens, score in key.table.items() for spelled in vocabulary.spellings(tokens, size)
        }
        return TokenKey(len(vocabulary.tokens), size, scores, None, locality)
    weights: dict[Tokens, Fraction] = {
        spelled: weight for tokens, weight in key.weights.items() for spelled in vocabulary.spellings(tokens, size)
    }
    return TokenKey.with_weights(len(vocabulary.tokens), weights, locality)


def couple_value(value: ValueTable, vocabulary: CoupledVocabulary, size: int) -> ValueTable:
    """PC[g1]; lists that do not expand get the default of g1, the arbitrary y0 of the paper."""
    table: dict[Tokens, Label] = {
        spelled: entry for tokens, entry in value.table.items() for spelled in vocabulary.spellings(tokens, size)
    }
    return ValueTable(len(vocabulary.tokens), size, table, value.default)


def couple_hypothesis(hypothesis: SparseAttention, size: int, locality: int) -> SparseAttention:
    """PC[h_{g0, g1}] = h_{PC[g0], PC[g1]}, over the coupled vocabulary."""
    key = hypothesis.key
    if not isinstance(key, TokenKey):
        raise CouplingError("only position-independent keys can be coupled; give the key as a table of tokens")
    vocabulary = CoupledVocabulary(hypothesis.alphabet, hypothesis.sparsity)
    return SparseAttention(
        vocabulary.alphabet,
        couple_key(key, vocabulary, size, locality),
        couple_value(hypothesis.value, vocabulary, size),
    )


def couple_class(members: Members, size: int, locality: int) -> Members:
    """PC[H]: every hypothesis of a class, coupled."""
    return {name: couple_hypothesis(member, size, locality) for name, member in members.items()}


def strong_failure(hypothesis: SparseAttention, ensemble: Ensemble, length: int) -> Fraction:
    """δ: the probability that another set than S* is looked at, or S* is not, or its value is not the label."""
    require_fit(hypothesis, ensemble)
    failed = Fraction(0)
    for outcome in ensemble.outcomes(length):
        looked_at = [
            places
            for places in combinations(range(1, length + 1), ensemble.sparsity)
            if hypothesis.key.weight(places, tuple(outcome.tokens[place - 1] for place in places))
        ]
        right = hypothesis.value.value(outcome.planted) == outcome.label
        if looked_at != [outcome.places] or not right:
            failed += outcome.mass
    return failed
