"""The hypothesis class Θ_n: transformers that do the same wherever in the context an input stands.

Huang et al., Definitions 4 and 46: context n, weights that are multiples of 2^-p, and products of parameters that do
not change when all positions are shifted. A product with one position is then constant, and one with two positions
depends on their distance. This is about the weights, hence stronger than outputs that do not depend on the offset.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lengthwise.limit.evaluation.regimes import Floats, rounded
from lengthwise.limit.quantities.complexity import fractional_bits
from lengthwise.limit.transformers.products import Term, name, nonzero_terms, positional_products, readable
from lengthwise.limit.transformers.transformer import Transformer

Condition = Literal["precision", "one position", "two positions"]


@dataclass(frozen=True)
class Violation:
    """The worst violation of one condition: what differs from what, and by how much."""

    condition: Condition
    first: str
    second: str
    size: float

    def __str__(self) -> str:
        return f"{self.condition}: {self.first} and {self.second} differ by {self.size:.3g}"


@dataclass(frozen=True)
class Membership:
    """Whether a transformer is in Θ_n; true exactly if there are no violations."""

    context: int
    """n."""
    bits: int
    """p: the precision asked for, or else the smallest that represents all weights."""
    violations: tuple[Violation, ...]
    """One for each violated condition."""

    def __bool__(self) -> bool:
        return not self.violations

    def __str__(self) -> str:
        where = f"Θ_{self.context} at {self.bits} bits"
        return f"in {where}" if self else f"not in {where}; " + "; ".join(map(str, self.violations))


def membership(transformer: Transformer, bits: int | None = None, tolerance: float = 1e-9) -> Membership:
    """Whether the transformer is in Θ_n for its context n, with the worst violation of each condition.

    Without `bits` any precision is fine. Products that differ by at most `tolerance` count as equal.
    """
    found = [] if bits is None else list(_off_grid(transformer, bits))
    found += _one_position(transformer)
    found += _two_positions(transformer)
    worst: dict[Condition, Violation] = {}
    for violation in found:
        limit = 0.0 if violation.condition == "precision" else tolerance
        if violation.size > max(limit, worst[violation.condition].size if violation.condition in worst else 0.0):
            worst[violation.condition] = violation
    return Membership(transformer.context, precision(transformer) if bits is None else bits, tuple(worst.values()))


def precision(transformer: Transformer) -> int:
    """The smallest p such that every weight is a multiple of 2^-p."""
    return fractional_bits(*(weights for _, weights in named_weights(transformer)))


def named_weights(transformer: Transformer) -> Iterator[tuple[str, Floats]]:
    """Every weight matrix and vector with its name."""
    yield "E", transformer.embedding
    yield "p", transformer.positions
    yield "U", transformer.unembedding
    for number, layer in enumerate(transformer.layers, start=1):
        yield f"A_{number}", layer.hidden
        yield f"b_{number}", layer.bias
        yield f"B_{number}", layer.output
        for place, head in enumerate(layer.heads, start=1):
            yield f"KQ_{{{number},{place}}}", head.key_query
            yield f"V_{{{number},{place}}}", head.value


def _off_grid(transformer: Transformer, bits: int) -> Iterator[Violation]:
    for title, weights in named_weights(transformer):
        if weights.size:
            distance = np.abs(weights - rounded(weights, bits))
            place = np.unravel_index(int(distance.argmax()), distance.shape)
            entry = f"{title}[{', '.join(str(index + 1) for index in place)}] = {weights[place]:.17g}"
            yield Violation("precision", entry, f"the nearest multiple of 2^-{bits}", float(distance[place]))


def _one_position(transformer: Transformer) -> Iterator[Violation]:
    """How far each product with exactly one position varies with it."""
    found = nonzero_terms(transformer, len(transformer.layers))
    moved = {term: rows for term, rows in found.items() if term.origin == "position"}
    for term, rows in moved.items():
        for number, layer in enumerate(transformer.layers, start=1):
            if readable(term, number):
                units = [f"layer {number}, unit {unit + 1} reads" for unit in range(len(layer.bias))]
                yield _spread(rows @ layer.hidden.T, term, units)
        yield _spread(rows @ transformer.unembedding.T, term, [f"output {each} reads" for each in transformer.outputs])
    for number, layer in enumerate(transformer.layers, start=1):
        pairs = [
            (term, other)
            for term in moved
            for other in found
            if other not in moved and max(term.last_layer, other.last_layer) < number
        ]
        for place, head in enumerate(layer.heads, start=1):
            where = f"layer {number}, head {place}"
            for term, other in pairs:
                as_key = found[term] @ head.key_query @ found[other].T
                as_query = found[term] @ head.key_query.T @ found[other].T
                others = [name(transformer, other, row) for row in range(len(found[other]))]
                yield _spread(as_key, term, [f"{where}, query {each}, key" for each in others])
                yield _spread(as_query, term, [f"{where}, key {each}, query" for each in others])


def _spread(values: Floats, moved: Term, columns: list[str]) -> Violation:
    """The column of largest range; rows are positions, and `columns` says what they are multiplied with."""
    if not values.size:
        return Violation("one position", "", "", 0.0)
    column = int(np.ptp(values, axis=0).argmax())
    high, low = int(values[:, column].argmax()), int(values[:, column].argmin())
    return Violation(
        "one position",
        f"{columns[column]} {moved}_{high + 1}",
        f"{columns[column]} {moved}_{low + 1}",
        float(values[high, column] - values[low, column]),
    )


def _two_positions(transformer: Transformer) -> Iterator[Violation]:
    """How far each product of two positions varies at the same distance."""
    size = transformer.context
    for product in positional_products(transformer):
        ranges = [np.ptp(np.diagonal(product.values, distance)) for distance in range(1 - size, size)]
        distance = int(np.argmax(ranges)) + 1 - size
        diagonal = np.diagonal(product.values, distance)
        row, column = max(-distance, 0), max(distance, 0)
        low, high = int(diagonal.argmin()), int(diagonal.argmax())
        yield Violation(
            "two positions",
            product.name(row + high, column + high),
            product.name(row + low, column + low),
            float(diagonal[high] - diagonal[low]),
        )
