"""From an ordinary transformer in Θ_n to a Limit Transformer (Huang et al., Lemma 52, in another construction).

The Limit Transformer keeps the coefficients of the product expansion: one coordinate for each vector of VO on each path
that carries it anywhere, so that the transformer's stream is the sum of coefficients times vectors. Embeddings set a
coefficient to 1, heads move coefficients to longer paths, and whatever reads the stream has product functions as its
weights. Positions count by their residue; only products p^T KQ p of positions that no value matrix has touched become
φ. This needs |VO|·|𝒫| coordinates at most, far fewer than the printed construction, and computes the same.

Products of two positions are taken at a pair that can occur: the key before the query if the query's position is its
own (ERR-G7), any pair if a value matrix brought it there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.transformers.hypothesis_class import membership
from lengthwise.limit.transformers.products import (
    Reader,
    Term,
    nonzero_terms,
    positional_products,
    readable,
    smallest_period,
    valid_length,
)
from lengthwise.limit.transformers.transformer import Transformer


def from_transformer(
    transformer: Transformer, period: int | None = None, length: int | None = None, tolerance: float = 1e-9
) -> LimitTransformer:
    """A Limit Transformer with the same outputs on all inputs of at most `length` symbols, by default the context.

    The length includes the start symbol. Without `period` it gets the smallest one that the transformer's products
    allow at that length; in the worst case that is the length itself. Products that differ by at most `tolerance`
    count as equal.

    The result has no certificate, even if the transformer has one: Lemma 52 says nothing about words that do not fit
    into the context, and the weights are others, so that the error analysis of the old ones does not apply.
    """
    found = membership(transformer, tolerance=tolerance)
    if not found:
        raise ModelError(f"only transformers in Θ_n have a Limit Transformer; this one is {found}")
    length = transformer.context if length is None else length
    if not 1 <= length <= transformer.context:
        raise ModelError(f"inputs fill 1 to {transformer.context} positions of this context, got length {length}")
    if period is None:
        period = smallest_period(transformer, length, tolerance)
    else:
        _require_period(transformer, period, length, tolerance)
    expansion = _Expansion(transformer, period)
    # Row i mod Δ belongs to position i, and the i-th coordinate stands for position i.
    positions = np.roll(expansion.one_hot(Term("position"), period), 1, axis=0)
    return LimitTransformer(
        alphabet=transformer.alphabet,
        embedding=expansion.one_hot(Term("symbol"), len(transformer.embedding)),
        positions=positions,
        layers=tuple(_layer(expansion, number, tolerance) for number, _ in enumerate(transformer.layers, start=1)),
        unembedding=expansion.reads(transformer.unembedding, "outputs"),
        outputs=transformer.outputs,
        has_start=transformer.has_start,
        regime=transformer.regime,
        title=transformer.title,
    )


def _require_period(transformer: Transformer, period: int, length: int, tolerance: float) -> None:
    if not 1 <= period <= transformer.context:
        raise ModelError(f"a period is 1 to {transformer.context}, the context, got {period}")
    for product in positional_products(transformer):
        valid = valid_length(product.values, period, product.is_causal, tolerance)
        if not product.is_local and valid < length:
            raise ModelError(
                f"layer {product.layer}, head {product.head}: products of keys {product.key} and queries "
                f"{product.query} have period {period} only among the first {valid} positions; the shortest period "
                f"that all products have up to length {length} is {smallest_period(transformer, length, tolerance)}"
            )


class _Expansion:
    """The coordinates of the Limit Transformer, and the product functions written in them."""

    def __init__(self, transformer: Transformer, period: int) -> None:
        self.transformer, self.period = transformer, period
        self.terms = nonzero_terms(transformer, len(transformer.layers))
        self.places: dict[Term, dict[int, int]] = {}
        """For each term, the coordinates of those of its vectors (by row) that have one."""
        self.width = 0
        for term, rows in self.terms.items():
            kept = range(period) if term.origin == "position" else np.flatnonzero(rows.any(axis=1)).tolist()
            self.places[term] = {row: self.width + number for number, row in enumerate(kept)}
            self.width += len(self.places[term])

    def coordinates(self, term: Term) -> list[int]:
        return list(self.places[term].values())

    def vectors(self, term: Term) -> Floats:
        """The vectors behind the coordinates; the same one for all positions, whose single products are constant."""
        rows = self.terms[term]
        return np.repeat(rows[:1], self.period, axis=0) if term.origin == "position" else rows[list(self.places[term])]

    def one_hot(self, term: Term, count: int) -> Floats:
        """The coefficients of each of the term's `count` vectors: 1 for itself, or none if it has no coordinate."""
        rows = np.zeros((count, self.width))
        for row, place in self.places.get(term, {}).items():
            rows[row, place] = 1.0
        return rows

    def reads(self, matrix: Floats, reader: Reader) -> Floats:
        """β: what the rows of a matrix make of each coordinate."""
        table = np.zeros((len(matrix), self.width))
        for term in self.terms:
            if readable(term, reader):
                table[:, self.coordinates(term)] = matrix @ self.vectors(term).T
        return table

    def moves(self, number: int, place: int) -> Floats:
        """The value matrix of a head: coefficients go to the path that is longer by that head."""
        table = np.zeros((self.width, self.width))
        for term in self.before(number):
            target = self.places.get(term.through(number, place), {})
            for row, coordinate in self.places[term].items():
                if row in target:
                    table[target[row], coordinate] = 1.0
        return table

    def logits(self, number: int, key_query: Floats) -> Floats:
        """α: what each pair of coordinates adds to a logit, without the pairs that φ takes over."""
        table = np.zeros((self.width, self.width))
        for key in self.before(number):
            for query in self.before(number):
                if key.origin == query.origin == "position":
                    block = self._by_residue(key, query, key_query)
                else:
                    block = self.vectors(key) @ key_query @ self.vectors(query).T
                table[np.ix_(self.coordinates(key), self.coordinates(query))] = block
        return table

    def before(self, number: int) -> list[Term]:
        """The terms in the stream that the attention of a layer reads."""
        return [term for term in self.terms if term.last_layer < number]

    def _by_residue(self, key: Term, query: Term, key_query: Floats) -> Floats:
        if not key.path and not query.path:
            return np.zeros((self.period, self.period))
        products = self.terms[key] @ key_query @ self.terms[query].T
        keys, queries = np.indices((self.period, self.period))
        if not query.path:
            queries = np.where(keys > queries, queries + self.period, queries)
        occurs = queries < len(products)
        return np.where(occurs, products[keys, np.where(occurs, queries, 0)], 0.0)


def _layer(expansion: _Expansion, number: int, tolerance: float) -> Layer:
    layer = expansion.transformer.layers[number - 1]
    heads = tuple(
        Head(
            expansion.logits(number, head.key_query),
            expansion.moves(number, place),
            _phi(expansion.transformer.positions, head.key_query, tolerance),
        )
        for place, head in enumerate(layer.heads, start=1)
    )
    units: npt.NDArray[np.intp] = np.flatnonzero(layer.output.any(axis=0))
    return Layer(
        heads,
        expansion.reads(layer.hidden[units], number),
        layer.bias[units],
        expansion.one_hot(Term("unit", layer=number), len(layer.bias))[units].T,
        layer.heaviside[units],
    )


def _phi(positions: Floats, key_query: Floats, tolerance: float) -> Floats:
    """φ[o] = p_1^T KQ p_{1+o}, up to the last distance at which it is not zero."""
    values = positions[0] @ key_query @ positions.T
    nonzero = np.flatnonzero(np.abs(values) > tolerance)
    return np.asarray(values[: nonzero[-1] + 1 if len(nonzero) else 1])
