"""All product functions of a model, and what they say: is it in Θ_n, with which period, and what does it go back to?

An ordinary transformer is its α and β (`products`; Huang et al., Definition 43). A Limit Transformer is written as one
with a few positions first (Lemma 47).

Offset variance: how far a head's positional logits are from depending on the distance alone. A head that a training at
many offsets has made translation invariant has positional logits that are constant along diagonals; this is the mean
squared deviation from that, over the pairs that causal attention sees (Huang et al., appendix G). It is 0 exactly if
the causal half is Toeplitz. Membership in Θ_n asks for more: there all products count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.transformers.from_transformer import from_transformer
from lengthwise.limit.transformers.hypothesis_class import Membership, membership
from lengthwise.limit.transformers.products import Term, nonzero_terms, readable, smallest_period
from lengthwise.limit.transformers.to_transformer import to_transformer
from lengthwise.limit.transformers.transformer import Transformer


def positional_logits(key_query: Floats, positions: Floats) -> Floats:
    """p_j^T KQ p_i for query i (row) and key j (column)."""
    return np.asarray(positions @ np.asarray(key_query).T @ np.asarray(positions).T)


def offset_variance(logits: Floats) -> float:
    """The mean of (M_ij - mean of its diagonal)² over queries i (rows) and keys j <= i (columns)."""
    logits = np.asarray(logits, dtype=np.float64)
    size = len(logits)
    if not size or logits.shape != (size, size):
        raise ModelError(f"positional logits are a square matrix with at least one row, got shape {logits.shape}")
    total = 0.0
    for distance in range(size):
        # Relative to the first entry, so that equal entries give exactly 0 whatever their size.
        diagonal = np.diagonal(logits, -distance) - logits[distance, 0]
        total += float(np.square(diagonal - diagonal.mean()).sum())
    return 2.0 * total / (size * (size + 1))


CONTEXT = 8
"""Positions of the ordinary transformer that a Limit Transformer is written as, unless another number is given."""
SHOWN = 12
"""Products of a kind that are printed one by one."""


@dataclass(frozen=True, eq=False)
class Product:
    """One product function with all its values."""

    kind: str
    """α, what a key's term and a query's term add to a logit, or β, what a term adds to an MLP or to the outputs."""
    where: str
    """The head of an α; the layer of the MLP, or `outputs`, of a β."""
    terms: tuple[str, ...]
    """Of an α the key's and the query's, of a β the term that is read."""
    values: Floats
    """Of an α keys by queries, of a β rows of A_l or U by vectors of the term."""

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return float(abs(self.values).max())

    def __str__(self) -> str:
        rows, columns = self.values.shape
        return f"{self.kind}  {self.where}: {' · '.join(self.terms)}  ({rows} × {columns}, largest {self.largest:.4g})"


@dataclass(frozen=True, eq=False)
class ProductFunctions:
    """The products of a transformer that are not zero throughout, and what follows from them."""

    transformer: Transformer
    products: tuple[Product, ...]
    membership: Membership
    """Whether it is in Θ_n: whether it does the same at every offset."""
    period: int | None
    """The smallest period of its products of two positions; None if it is not in Θ_n."""
    offset_variance: dict[str, float]
    """By head, how far positional logits are from depending on the distance alone (Huang et al., appendix G)."""
    back: LimitTransformer | None
    """The Limit Transformer with these products (Lemma 52); None if it is not in Θ_n."""

    def as_json(self) -> dict[str, Any]:
        """All of it as data."""
        return {
            "context": self.transformer.context,
            "in_theta": bool(self.membership),
            "membership": str(self.membership),
            "period": self.period,
            "offset_variance": self.offset_variance,
            "limit_transformer": None
            if self.back is None
            else {"width": self.back.width, "parameters": self.back.parameters, "period": self.back.period},
            "products": [
                {
                    "kind": each.kind,
                    "where": each.where,
                    "terms": list(each.terms),
                    "largest": each.largest,
                    "values": each.values.tolist(),
                }
                for each in self.products
            ],
        }

    def __str__(self) -> str:
        rows = [f"product functions of a transformer with {self.transformer.context} positions"]
        for kind in "αβ":
            found = [each for each in self.products if each.kind == kind]
            rows += [str(each) for each in found[:SHOWN]]
            if len(found) > SHOWN:
                rows.append(f"{kind}  and {len(found) - SHOWN} more; --json has all")
        rows.append(str(self.membership))
        for head, variance in self.offset_variance.items():
            rows.append(f"{head}: offset variance {variance:.4g}")
        if self.back is not None:
            rows.append(
                f"as a Limit Transformer: period {self.back.period}, width {self.back.width} in place of "
                f"{self.transformer.width}"
            )
        return "\n".join(rows)


def product_functions(
    model: LimitTransformer | Transformer, context: int | None = None, tolerance: float = 1e-9
) -> ProductFunctions:
    """The product functions of a model (Huang et al., Definition 43), with what Lemmas 48 and 52 make of them.

    Args:
        model: An ordinary transformer; or a Limit Transformer, which is written as one (Lemma 47).
        context: How many positions that one gets; 8 unless given.
        tolerance: Products that differ by no more are equal.

    Returns:
        All products that are not zero throughout, membership in Θ_n, the period, and the Limit Transformer they make.

    Raises:
        ModelError: A context is given for a transformer that has one, or it is none.

    Example:
        >>> import lengthwise as lw
        >>> found = lw.limit.product_functions(lw.limit.from_crasp(lw.crasp.load("majority")), context=4)
        >>> bool(found.membership), found.period, len(found.products) > 0
        (True, 1, True)

    """
    if isinstance(model, LimitTransformer):
        transformer = to_transformer(model, CONTEXT if context is None else context)
    elif context is not None:
        raise ModelError(f"this transformer has {model.context} positions; a context is for Limit Transformers")
    else:
        transformer = model
    found = membership(transformer, tolerance=tolerance)
    variances = {
        f"layer {number}, head {place}": offset_variance(positional_logits(head.key_query, transformer.positions))
        for number, layer in enumerate(transformer.layers, start=1)
        for place, head in enumerate(layer.heads, start=1)
    }
    return ProductFunctions(
        transformer,
        tuple(_products(transformer)),
        found,
        smallest_period(transformer, transformer.context, tolerance) if found else None,
        variances,
        from_transformer(transformer, tolerance=tolerance) if found else None,
    )


def _products(transformer: Transformer) -> Iterator[Product]:
    carried = nonzero_terms(transformer, len(transformer.layers))
    for number, layer in enumerate(transformer.layers, start=1):
        below = {term: rows for term, rows in carried.items() if term.last_layer < number}
        for place, head in enumerate(layer.heads, start=1):
            for key, key_rows in below.items():
                asking = key_rows @ head.key_query
                for query, query_rows in below.items():
                    yield from _unless_zero("α", f"layer {number}, head {place}", (key, query), asking @ query_rows.T)
        for term, rows in carried.items():
            if readable(term, number):
                yield from _unless_zero("β", f"layer {number}", (term,), layer.hidden @ rows.T)
    for term, rows in carried.items():
        yield from _unless_zero("β", "outputs", (term,), transformer.unembedding @ rows.T)


def _unless_zero(kind: str, where: str, terms: tuple[Term, ...], values: Floats) -> Iterator[Product]:
    if values.any():
        yield Product(kind, where, tuple(map(str, terms)), values)
