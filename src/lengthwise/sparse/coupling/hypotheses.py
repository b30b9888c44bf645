"""PC[h]: a position-independent hypothesis that reads coupled words; and whether its class realizes the task strongly.

A set of k' coupled tokens is looked at if it is local and its lists expand to a tuple that the original key looks at;
its value is the value of that tuple. Golowich et al., equations 17 and 18, with sets of size k' = |ψ(S*)| (ERR-I6).

Strong realizability (Assumption D.1) fails as often as the planted set is not the only one that is looked at. The proof
of Proposition 4.4 takes it over to coupled words. That is wrong in general: coupled tokens are read in the order of
their ranks, and background tokens get random ranks, so tuples that never occur in order in the word can occur in
coupled words (`tests/errata`). What the guarantee needs is that PC[H] realizes PC[P], which `coupled_loss` computes;
for k' = 1 < k strong realizability does imply it, since no list of a single background token is complete.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from lengthwise.sparse.coupling.coupling import CoupledVocabulary, CouplingError
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Label, Tokens
from lengthwise.sparse.functional.attention import SparseAttention, require_fit
from lengthwise.sparse.functional.keys import TokenKey
from lengthwise.sparse.functional.risk import Members
from lengthwise.sparse.functional.values import ValueTable


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
