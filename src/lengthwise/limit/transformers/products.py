"""Product functions: a transformer's computation without its coordinates (Huang et al., Definition 43).

Every residual stream is a sum of vectors that entered it somewhere (an embedding E_σ, a position p_i, or a column of an
MLP's B_l: the set VO), each carried through the value matrices of the heads that moved it on (a path: an element of 𝒫).
So all that weights can do is in two kinds of numbers, and the width does not appear in them:

    α = (Π_S1 v)^T KQ_{l,h} (Π_S2 w)   what the pair of a key's term and a query's term adds to a logit
    β = u^T Π_S w                      what a term adds to an MLP unit (u a row of A_l) or an output (u a row of U)

Only products that can occur are given here: a path starts above the layer where its vector enters and ends below the
attention that reads it. ERR-G1: the third example of Remark 44 means K^T Q of layer 3, and what Lemma 52 calls β of two
positions is an α.

Products of two positions that have passed a value matrix are periodic, up to a length one has to check. Of G(n) = p_i^T
M p_{i+n} Lemma 48 of Huang et al. says that bounded rank and precision force a period Δ. Its argument finds positions i
and i + Δ that look alike, and that gives G(n) = G(n + Δ) only for n <= N - i - Δ: at the largest distances it may fail
(ERR-G9), and with few positions no short period need exist. So the period is measured, together with the length up to
which it holds.

Which distances matter depends on the query. If it has its own position, keys stand before it and n >= 0. A position
that a value matrix has brought to the query may stand before the key's, so there negative distances matter too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import ModelError
from lengthwise.limit.transformers.transformer import Transformer

Path: TypeAlias = tuple[tuple[int, int], ...]
"""Value matrices as (layer, head), both from 1 on, in the order in which they are passed: lowest layer first."""

Reader: TypeAlias = "int | Literal['outputs']"
"""Who reads a residual stream linearly: the MLP of a layer (its number, from 1), or the outputs."""


@dataclass(frozen=True)
class Term:
    """All vectors of one origin, carried along one path: `Π_S w` for w in a part of VO."""

    origin: Literal["symbol", "position", "unit"]
    path: Path = ()
    layer: int = 0
    """Where the vectors enter: 0 for symbols and positions, l for the columns of B_l."""

    @property
    def last_layer(self) -> int:
        """The lowest l such that the stream after layer l can contain this term."""
        return self.path[-1][0] if self.path else self.layer

    def through(self, layer: int, head: int) -> Term:
        """The same vectors, carried through one more value matrix."""
        return Term(self.origin, (*self.path, (layer, head)), self.layer)

    def __str__(self) -> str:
        own = {"symbol": "E", "position": "p", "unit": f"B_{self.layer}"}[self.origin]
        return " ".join([*(f"V_{{{layer},{head}}}" for layer, head in reversed(self.path)), own])


def origins(transformer: Transformer) -> tuple[Term, ...]:
    """VO: where vectors enter the residual stream, before any value matrix."""
    units = (Term("unit", layer=number) for number, _ in enumerate(transformer.layers, start=1))
    return (Term("symbol"), Term("position"), *units)


def paths(transformer: Transformer, above: int, upto: int) -> Iterator[Path]:
    """𝒫: at most one value matrix from each layer l with above < l <= upto."""
    numbers = range(above + 1, upto + 1)
    choices = [(None, *range(1, len(transformer.layers[number - 1].heads) + 1)) for number in numbers]
    for heads in product(*choices):
        yield tuple((number, head) for number, head in zip(numbers, heads, strict=True) if head is not None)


def terms(transformer: Transformer, after: int) -> tuple[Term, ...]:
    """Every term that can occur in the residual stream after this many layers."""
    return tuple(
        Term(origin.origin, path, origin.layer)
        for origin in origins(transformer)
        if origin.layer <= after
        for path in paths(transformer, origin.layer, after)
    )


def name(transformer: Transformer, term: Term, index: int) -> str:
    """One vector of a term, by its row in `vectors`: E_a for a symbol, p_1 for the first position, B_1_1 for a unit."""
    if term.origin != "symbol":
        return f"{term}_{index + 1}"
    if index == transformer.alphabet.id_count:
        return f"{term}_$"
    return f"{term}_{transformer.alphabet.decode(np.array([index]))[0]}"


def vectors(transformer: Transformer, term: Term) -> Floats:
    """The vectors of a term, one row each: by symbol id, by position, or by hidden unit."""
    _check(transformer, term)
    match term.origin:
        case "symbol":
            carried = transformer.embedding
        case "position":
            carried = transformer.positions
        case "unit":
            carried = transformer.layers[term.layer - 1].output.T
    for layer, head in term.path:
        carried = carried @ transformer.layers[layer - 1].heads[head - 1].value.T
    return carried


def nonzero_terms(transformer: Transformer, after: int) -> dict[Term, Floats]:
    """The vectors of the terms that can occur after this many layers, without those terms that are all zero.

    What a path has mapped to zero stays zero, so of exponentially many paths only those that carry something are seen.
    """
    found: dict[Term, Floats] = {}
    for number in range(after + 1):
        heads = transformer.layers[number - 1].heads if number else ()
        carried = {
            term.through(number, place): rows @ head.value.T
            for term, rows in found.items()
            for place, head in enumerate(heads, start=1)
        }
        entering = {origin: vectors(transformer, origin) for origin in origins(transformer) if origin.layer == number}
        found.update({term: rows for term, rows in (carried | entering).items() if rows.any()})
    return found


def alpha(transformer: Transformer, layer: int, head: int, key: Term, query: Term) -> Floats:
    """α_{l,h}: the products of every vector of the key's term (rows) with every one of the query's (columns)."""
    _check_layer(transformer, layer)
    if not 1 <= head <= len(transformer.layers[layer - 1].heads):
        raise ModelError(f"layer {layer} has {len(transformer.layers[layer - 1].heads)} heads, got head {head}")
    for term in (key, query):
        if term.last_layer >= layer:
            raise ModelError(f"{term} cannot reach the attention of layer {layer}: it arises only later")
    key_query = transformer.layers[layer - 1].heads[head - 1].key_query
    return vectors(transformer, key) @ key_query @ vectors(transformer, query).T


def beta(transformer: Transformer, reader: Reader, term: Term) -> Floats:
    """β: the products of every row of A_l or U (rows) with every vector of the term (columns)."""
    if reader == "outputs":
        return transformer.unembedding @ vectors(transformer, term).T
    _check_layer(transformer, reader)
    if not readable(term, reader):
        raise ModelError(f"{term} cannot reach the MLP of layer {reader}: it arises only later")
    return transformer.layers[reader - 1].hidden @ vectors(transformer, term).T


def readable(term: Term, reader: Reader) -> bool:
    """Whether the term can be in the stream that this reader reads."""
    return reader == "outputs" or (term.last_layer <= reader and term.layer < reader)


def _check_layer(transformer: Transformer, layer: int) -> None:
    if not 1 <= layer <= len(transformer.layers):
        raise ModelError(f"layers are numbered from 1 to {len(transformer.layers)}, got {layer}")


def _check(transformer: Transformer, term: Term) -> None:
    """Refuse a term whose vectors or value matrices do not exist, or whose path goes down."""
    if (term.origin == "unit") != (term.layer > 0):
        raise ModelError("symbols and positions enter at layer 0, and only units at the layer of their MLP")
    if term.layer:
        _check_layer(transformer, term.layer)
    below = term.layer
    for layer, head in term.path:
        _check_layer(transformer, layer)
        if layer <= below:
            raise ModelError(f"a path passes layers in ascending order, above layer {below}; got layer {layer}")
        if not 1 <= head <= len(transformer.layers[layer - 1].heads):
            raise ModelError(f"layer {layer} has no head {head}")
        below = layer


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
        """Whether the key's position is never after the query's."""
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
