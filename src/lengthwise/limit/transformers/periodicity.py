"""Products of two positions that have passed a value matrix are periodic, up to a length one has to check.

Of G(n) = p_i^T M p_{i+n} Lemma 48 of Huang et al. says that bounded rank and precision force a period Δ. Its argument
finds positions i and i + Δ that look alike, and that gives G(n) = G(n + Δ) only for n <= N - i - Δ: at the largest
distances it may fail (ERR-G9), and with few positions no short period need exist. So the period is measured, together
with the length up to which it holds.

Which distances matter depends on the query. If it has its own position, keys stand before it and n >= 0. A position
that a value matrix has brought to the query may stand before the key's, so there negative distances matter too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.transformers.products import Term, nonzero_terms
from lengthwise.limit.transformers.transformer import Transformer


@dataclass(frozen=True, eq=False)
class PositionalProduct:
    """α_{l,h,S1,S2} of all pairs of positions: rows are the keys' positions, columns the queries'."""

    layer: int
    head: int
    key: Term
    query: Term
    values: Floats

    @property
    def is_local(self) -> bool:
        """Whether this is p^T KQ p itself, which φ takes over and which need not be periodic."""
        return not self.key.path and not self.query.path

    @property
    def is_causal(self) -> bool:
        """Whether the key's position is never behind the query's."""
        return not self.query.path

    def name(self, key: int, query: int) -> str:
        """One product, by row and column."""
        return f"layer {self.layer}, head {self.head}, key {self.key}_{key + 1}, query {self.query}_{query + 1}"


def positional_products(transformer: Transformer) -> Iterator[PositionalProduct]:
    """All α of two positions that are not zero throughout."""
    found = nonzero_terms(transformer, len(transformer.layers)).items()
    for number, layer in enumerate(transformer.layers, start=1):
        moved = [(term, rows) for term, rows in found if term.origin == "position" and term.last_layer < number]
        for place, head in enumerate(layer.heads, start=1):
            for key, key_rows in moved:
                for query, query_rows in moved:
                    values = key_rows @ head.key_query @ query_rows.T
                    if values.any():
                        yield PositionalProduct(number, place, key, query, values)


def valid_length(products: Floats, period: int, causal: bool, tolerance: float = 0.0) -> int:
    """The largest m such that among positions 1..m products depend on the residues of the two positions alone.

    `products` depend on the distance only. Without any other reason m is the period, since up to there every position
    has a residue of its own.
    """
    size = len(products)
    lowest = 0 if causal else 1 - size
    distances = np.arange(lowest, size)
    values = np.where(distances < 0, products[-distances.clip(max=0), 0], products[0, distances.clip(min=0)])
    differs = np.abs(values[period:] - values[:-period]) > tolerance if period < len(values) else np.zeros(0, bool)
    broken = distances[: len(differs)][differs]
    if not len(broken) or period >= size:
        return size
    # G(n) != G(n + Δ) is seen as soon as both distances fit among the first m positions and m exceeds the period.
    return int(max(period, np.maximum(-broken, broken + period).min()))


def smallest_period(transformer: Transformer, length: int, tolerance: float = 0.0) -> int:
    """The smallest period that all products of two positions have among the first `length` positions, φ's apart."""
    found = [product for product in positional_products(transformer) if not product.is_local]
    for period in range(1, length):
        if all(valid_length(each.values, period, each.is_causal, tolerance) >= length for each in found):
            return period
    return max(length, 1)
