"""PC[h]: a position-independent hypothesis that reads coupled words.

A set of k' coupled tokens is looked at if it is local and its lists expand to a tuple that the original key looks at;
its value is the value of that tuple. Golowich et al., equations 17 and 18, with sets of size k' = |ψ(S*)| (ERR-I6).
"""

from __future__ import annotations

from fractions import Fraction

from lengthwise.sparse.coupling.tokens import CoupledVocabulary, CouplingError
from lengthwise.sparse.ensembles.labels import Label
from lengthwise.sparse.ensembles.laws import Tokens
from lengthwise.sparse.functional.attention import SparseAttention
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
