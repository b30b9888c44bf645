"""How many samples? Covering numbers and generalization bounds of attention, from norms.

The theorems of Edelman et al. with every constant, repaired where they had to be, the printed forms beside them. Each
function gives a `Capacity`: `covering` bounds the logarithm of its covering number, `generalization` how far training
error and risk are apart, `samples_needed` from how many samples on that is small.
"""

from lengthwise.bounds.capacity.depth import LayerNorms, network
from lengthwise.bounds.capacity.from_state import from_decoder, from_encoder
from lengthwise.bounds.capacity.function_class import Capacity, Cover
from lengthwise.bounds.capacity.generalization import generalization, samples_needed
from lengthwise.bounds.capacity.head import HeadNorms, attention_head, self_attention
from lengthwise.bounds.capacity.linear import linear, matrices, matrices_by_sum
from lengthwise.bounds.capacity.norms import MapNorms, head_norms, layer_norms
from lengthwise.bounds.capacity.parts import SHARP_SOFTMAX, SOFTMAX
from lengthwise.bounds.capacity.requirements import CapacityError
from lengthwise.bounds.capacity.residual import AttentionNorms, BlockNorms, ResidualNorms, residual

__all__ = [
    "SHARP_SOFTMAX",
    "SOFTMAX",
    "AttentionNorms",
    "BlockNorms",
    "Capacity",
    "CapacityError",
    "Cover",
    "HeadNorms",
    "LayerNorms",
    "MapNorms",
    "ResidualNorms",
    "attention_head",
    "from_decoder",
    "from_encoder",
    "generalization",
    "head_norms",
    "layer_norms",
    "linear",
    "matrices",
    "matrices_by_sum",
    "network",
    "residual",
    "samples_needed",
    "self_attention",
]
