"""k-gram retrieval: which token followed the last k tokens when they occurred before?

The word ends in a copy of k earlier tokens; its label stands for the token behind them. With Definition 3.2 the
planted set has 2k + 1 positions, those of the earlier occurrence with its successor and the last k. It is not local:
the two parts are as far apart as the word is long. Golowich et al., section 3.1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.labels import Label, as_label
from lengthwise.sparse.ensembles.laws import EnsembleError, Number, Places, Tokens
from lengthwise.sparse.ensembles.positions import MOST_SETS, uniform_over


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
