"""PC[P]: the ensemble of coupled words.

If the coupling meets its conditions, independence included, this is an ensemble of planted correlations again:
planted at ψ(S*), with the lists of coupled tokens as planted tuples and a uniform rank beside each background token.
If rank lists and place depend on each other it is a mixture of such ensembles, one for each rank list, and its losses
are mixed the same way. Golowich et al., appendix D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lengthwise.sparse.coupling.conditions import INDEPENDENT, image_law, rank_law, violations
from lengthwise.sparse.coupling.coupling import Coupling, RankLists, image, rank_lists
from lengthwise.sparse.coupling.tokens import CoupledVocabulary, CouplingError
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.labels import Label
from lengthwise.sparse.ensembles.laws import Number, Places, Tokens
from lengthwise.sparse.ensembles.positions import PositionLaw
from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.exact_loss import exact_loss


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
