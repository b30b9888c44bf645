"""Sparse parity: the parity of the bits at k marked positions.

Golowich et al. (appendix E.1) write each item as two tokens, an index J and a bit; the item counts if J ≤ N/2. Written
so, the tokens between the planted ones are not drawn from one law: indices and bits alternate. Definition 3.2 applies
to the items, so an item is one token here, such as `3:1` for J = 3 with bit 1.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import EnsembleError, Tokens
from lengthwise.sparse.ensembles.positions import MOST_SETS, PositionLaw, any_places


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
