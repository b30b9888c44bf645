"""Theorem 4.3 of Golowich et al., printed and repaired, with everything that makes the difference executable."""

from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError
from lengthwise.sparse.bounds.instance import Instance, proposition_c3
from lengthwise.sparse.bounds.measured import Promise, promises
from lengthwise.sparse.bounds.quantities import block_ratio, far_mass, mixing, placement_coverage
from lengthwise.sparse.bounds.theorem_4_3 import printed_value, repaired_value, score_ratio, theorem_4_3

__all__ = [
    "Extrapolation",
    "Instance",
    "Promise",
    "SparsityBoundError",
    "block_ratio",
    "far_mass",
    "mixing",
    "placement_coverage",
    "printed_value",
    "promises",
    "proposition_c3",
    "repaired_value",
    "score_ratio",
    "theorem_4_3",
]
