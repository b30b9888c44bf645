"""`ExactTables`: what each head of a one-layer model adds for a key of each type, as whole numbers.

Everything that a situation needs of a model is a sum of columns of these tables, so they are multiplied out once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from lengthwise.bounds.certified.exact_map import ExactMap, Whole, whole_numbers
from lengthwise.limit.model import LimitTransformer


class ExactTables:
    """The tables of one model for types (symbol, residue), in their order."""

    def __init__(self, model: LimitTransformer, types: Sequence[tuple[int, int]]) -> None:
        layer = model.layers[0]
        embedding, positions = whole_numbers(model.embedding), whole_numbers(model.positions)
        below = max(embedding[1], positions[1])
        self.inputs: Whole = np.array(
            [
                embedding[0][symbol] * (below // embedding[1])
                + positions[0][at % model.period] * (below // positions[1])
                for symbol, at in types
            ],
            dtype=object,
        ).reshape(len(types), model.width)
        values = [whole_numbers(head.value) for head in layer.heads]
        value_scale = max((scale for _, scale in values), default=1)
        added = [self.inputs.dot((value * (value_scale // scale)).T) for value, scale in values]
        self.added: list[Whole] = added
        """For each head and type, what is added to the query; the inputs times a matrix, in units of their own."""
        unembedding, unembedding_scale = whole_numbers(model.unembedding)
        hidden, hidden_scale = whole_numbers(layer.hidden)
        bias, bias_scale = whole_numbers(layer.bias)
        outer, outer_scale = whole_numbers(layer.output)
        common = math.lcm(unembedding_scale, hidden_scale)
        self.scale = math.lcm(common * below * value_scale, bias_scale)
        spare = self.scale // (below * value_scale)
        read = unembedding * (spare // unembedding_scale)
        before = hidden * (spare // hidden_scale)
        self.read_query, self.before_query = (each.dot(self.inputs.T) * value_scale for each in (read, before))
        self.before_query = self.before_query + (bias * (self.scale // bias_scale))[:, None]
        self.read_added = [read.dot(each.T) for each in added]
        self.before_added = [before.dot(each.T) for each in added]
        self.outer, self.outer_scale = unembedding.dot(outer), unembedding_scale * outer_scale

    def map(
        self, query: int, hits_only: Mapping[int, Mapping[int, int]], columns: Sequence[Mapping[int, int]]
    ) -> ExactMap:
        """The output at a query as a function of shares.

        Args:
            query: The type of the last symbol.
            hits_only: For each head that attends to some of the last symbols only, how many it attends to by type.
            columns: For each place of the shares, the heads that attend to it, with the type of key it stands for.

        Returns:
            The map, before units that are always on or always off are taken out.

        """
        share = math.lcm(*(sum(hits.values()) for hits in hits_only.values())) if hits_only else 1
        offset, bends = self.read_query[:, query] * share, self.before_query[:, query] * share
        for head, hits in hits_only.items():
            for kind, count in hits.items():
                part = share // sum(hits.values()) * count
                offset = offset + self.read_added[head][:, kind] * part
                bends = bends + self.before_added[head][:, kind] * part
        linear = np.zeros((len(self.read_query), len(columns)), dtype=object)
        hidden = np.zeros((len(self.before_query), len(columns)), dtype=object)
        for place, heads in enumerate(columns):
            for head, kind in heads.items():
                linear[:, place] = linear[:, place] + self.read_added[head][:, kind] * share
                hidden[:, place] = hidden[:, place] + self.before_added[head][:, kind] * share
        return ExactMap(offset, linear, bends, hidden, self.outer, self.scale * share, self.outer_scale)
