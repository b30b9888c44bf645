"""Two tasks as ensembles: sparse parity, and retrieval of the token after a k-gram.

Sparse parity is the parity of the bits at k marked positions. Golowich et al. (appendix E.1) write each item as two
tokens, an index J and a bit; the item counts if J ≤ N/2. Written so, the tokens between the planted ones are not drawn
from one law: indices and bits alternate. Definition 3.2 applies to the items, so an item is one token here, such as
`3:1` for J = 3 with bit 1.

k-gram retrieval asks which token followed the last k tokens when they occurred before. The word ends in a copy of k
earlier tokens; its label stands for the token after them. With Definition 3.2 the planted set has 2k + 1 positions,
those of the earlier occurrence with its successor and the last k. It is not local: the two parts are as far apart as
the word is long. Golowich et al., section 3.1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import EnsembleError, Label, Number, Places, Tokens, as_label
from lengthwise.sparse.ensembles.positions import MOST_SETS, PositionLaw, any_places, uniform_over


def sparse_parity(counted: int, indices: int = 2, positions: PositionLaw | None = None) -> Ensemble:
    """`counted` = k of the items carry an index J ≤ N/2, N = `indices`; the label is the parity of their bits.

    Without `positions` the counted items stand anywhere, as in the experiments; the guarantee needs them near each
    other, as with `placed_shapes`.
    """
    half = indices // 2
    if counted < 1:
        raise EnsembleError(f"sparse parity needs at least 1 item that counts, not {counted}")
    if indices < 2 or (2 * half) ** counted > MOST_SETS:
        raise EnsembleError(f"sparse parity needs at least 2 indices, and at most {MOST_SETS} tuples to plant")
    alphabet = Alphabet(tuple(f"{index}:{bit}" for index in range(1, indices + 1) for bit in (0, 1)))
    marked = range(2 * half)  # ids come in pairs: id // 2 + 1 is the index, id % 2 the bit
    ignored = len(alphabet) - 2 * half
    tuples: dict[Tokens, Fraction] = {
        tokens: Fraction(1, (2 * half) ** counted) for tokens in itertools.product(marked, repeat=counted)
    }
    return Ensemble(
        alphabet,
        Independent(
            tuple(Fraction(0) if symbol in marked else Fraction(1, ignored) for symbol in range(len(alphabet)))
        ),
        any_places(counted) if positions is None else positions,
        tuples,
        {tokens: (Fraction(sum(token % 2 for token in tokens) % 2),) for tokens in tuples},
    )


def k_gram_retrieval(
    context: int, alphabet: Alphabet, embedding: Mapping[str, Number | Sequence[Number]] | None = None
) -> Ensemble:
    """Retrieval with `context` = k tokens; labels are one-hot vectors unless an embedding φ is given.

    The earlier occurrence begins at position 2 or later, as printed (ℓ' is at least 1).
    """
    size = len(alphabet)
    if context < 1 or size ** (context + 1) > MOST_SETS:
        raise EnsembleError(f"k-gram retrieval needs a context of 1 or more and at most {MOST_SETS} tuples to plant")
    missing = [] if embedding is None else [symbol for symbol in alphabet if symbol not in embedding]
    if missing:
        raise EnsembleError(f"the embedding has no vector for {', '.join(missing)}; give one for each symbol")
    by_symbol = _one_hot(size) if embedding is None else [as_label(embedding[symbol]) for symbol in alphabet]
    tuples: dict[Tokens, Fraction] = {
        (*gram, follower, *gram): Fraction(1, size ** (context + 1))
        for gram in itertools.product(range(size), repeat=context)
        for follower in range(size)
    }

    def places(length: int) -> Iterator[Places]:
        suffix = range(length - context + 1, length + 1)
        for before in range(1, length - 2 * context):
            yield (*range(before + 1, before + context + 2), *suffix)

    return Ensemble(
        alphabet,
        Independent((Fraction(1, size),) * size),
        uniform_over(2 * context + 1, 2 * context + 2, places),
        tuples,
        {tokens: by_symbol[tokens[context]] for tokens in tuples},
    )


def _one_hot(size: int) -> list[Label]:
    return [tuple(Fraction(place == symbol) for place in range(size)) for symbol in range(size)]
