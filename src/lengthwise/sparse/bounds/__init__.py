"""Theorem 4.3 of Golowich et al., printed and repaired, with everything that makes the difference executable."""

from lengthwise.sparse.bounds.block_ratio import block_ratio
from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError
from lengthwise.sparse.bounds.far_planting import far_planting
from lengthwise.sparse.bounds.instance import Instance
from lengthwise.sparse.bounds.lemma_c1 import HidingBlock
from lengthwise.sparse.bounds.measured import Promise, promises
from lengthwise.sparse.bounds.mixing import mixing
from lengthwise.sparse.bounds.necessity import printed_without_realizability, proposition_c3
from lengthwise.sparse.bounds.placement_coverage import far_mass, placement_coverage
from lengthwise.sparse.bounds.theorem_4_3 import printed_value, repaired_value, score_ratio, theorem_4_3
from lengthwise.sparse.bounds.unbounded_scores import unbounded_scores

__all__ = [
    "Extrapolation",
    "HidingBlock",
    "Instance",
    "Promise",
    "SparsityBoundError",
    "block_ratio",
    "far_mass",
    "far_planting",
    "mixing",
    "placement_coverage",
    "printed_value",
    "printed_without_realizability",
    "promises",
    "proposition_c3",
    "repaired_value",
    "score_ratio",
    "theorem_4_3",
    "unbounded_scores",
]
