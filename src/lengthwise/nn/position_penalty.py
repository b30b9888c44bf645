"""Term (8) of Huang et al., Definition 5: how strongly positions as such attend to each other.

    Σ_layers Σ_heads Σ_j |p_1^T K^T Q p_j|²

It discourages attention between positions that are further apart than any two that were trained together, which is
where learned positions go wrong on longer inputs. The paper asks products to be the same for all offsets; training does
not see to that, so the sum is averaged over all first positions i ≤ j here, which is the same thing where products
depend on j - i alone and there is no end. Products count as the logits that they are, with the scale of the attention
but without log N, and if there are layer norms the vectors are normed as the layer would norm them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn import seedwise

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder


def position_penalty(model: Decoder) -> Tensor:
    """The term for each seed (seeds,)."""
    vectors = model.positions.vectors_by_place()
    if vectors is None:
        raise LengthwiseError(
            f"the position scheme {model.config.position!r} adds no vectors, so there are no products of theirs "
            "to be kept small"
        )
    places = vectors.shape[1]
    total = vectors.new_zeros(len(vectors))
    for layer in model.layers:
        if not layer.heads:
            continue
        seen = layer.attention_norm(vectors)
        for query, key in zip(layer.by_head("query"), layer.by_head("key"), strict=True):
            asked = seedwise.linear(seen, query) * model.attention_factor(layer)
            products = seedwise.linear(asked, seedwise.linear(seen, key))
            # Causal attention: the query j is not before the key i.
            squares = torch.stack([each.square().tril().sum() for each in products.unbind()])
            total = total + squares / places
    return total
