"""Sparse functional attention (Golowich et al., Definition 3.3): evaluation, attention heads, risk minimisation."""

from lengthwise.sparse.functional.attention import SparseAttention
from lengthwise.sparse.functional.heads import AttentionHead, embedding_dimension, from_sparse, to_sparse
from lengthwise.sparse.functional.keys import FunctionKey, Key, ShapeKey, TokenKey
from lengthwise.sparse.functional.losses import SampledLoss, exact_loss, output_law, sampled_losses
from lengthwise.sparse.functional.risk import (
    LengthGeneralization,
    Members,
    attention_class,
    from_samples,
    length_generalization,
    training_lengths,
)
from lengthwise.sparse.functional.tables import HypothesisError
from lengthwise.sparse.functional.values import ValueTable

__all__ = [
    "AttentionHead",
    "FunctionKey",
    "HypothesisError",
    "Key",
    "LengthGeneralization",
    "Members",
    "SampledLoss",
    "ShapeKey",
    "SparseAttention",
    "TokenKey",
    "ValueTable",
    "attention_class",
    "embedding_dimension",
    "exact_loss",
    "from_samples",
    "from_sparse",
    "length_generalization",
    "output_law",
    "sampled_losses",
    "to_sparse",
    "training_lengths",
]
