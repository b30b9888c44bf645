"""Term (8) of Huang et al., Definition 5: how strongly positions as such attend to each other.

    Σ_layers Σ_heads Σ_j |p_1^T K^T Q p_j|²

It discourages attention between positions that are further apart than any two that were trained together, which is
where learned positions go wrong on longer inputs. The paper asks products to be the same for all offsets; training does
not see to that, so the sum is averaged over all first positions i ≤ j here, which is the same thing where products
depend on j - i alone and there is no end. The authors' program does the same.

The paper's transformers have neither layer norms nor a scale of attention, and trained ones do. So there are two terms:

| of | products |
|---|---|
| `vectors` | p_i^T K^T Q p_j as it is printed, which a smaller p makes smaller though layer norms may undo that |
| `logits` | the part of a logit that they are: p_i and p_j normed as the layer norms, times the scale, without log N |

With layer norms the second is larger by orders of magnitude for small p: 2·10⁵ times for a new GPT-2 of width 64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from lengthwise.errors import LengthwiseError
from lengthwise.nn import seedwise

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder


Products = Literal["logits", "vectors"]


def position_penalty(model: Decoder, of: Products = "logits") -> Tensor:
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
        seen, factor = vectors, 1.0
        if of == "logits":
            seen, factor = layer.attention_norm(vectors), model.attention_factor(layer)
        for query, key in zip(layer.by_head("query"), layer.by_head("key"), strict=True):
            asked = seedwise.linear(seen, query) * factor
            products = seedwise.linear(asked, seedwise.linear(seen, key))
            # Causal attention: the query j is not before the key i.
            squares = torch.stack([each.square().tril().sum() for each in products.unbind()])
            total = total + squares / places
    return total
