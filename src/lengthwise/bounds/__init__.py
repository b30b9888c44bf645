"""Numbers from theorems: how long training inputs must be, and the short strings that stand in for long ones.

The repaired theorems of Izzo et al. with explicit constants, the printed forms beside them, and the certified length of
one model, which is exact; margins are for programs, whose answers jump.
"""

from lengthwise.bounds import capacity
from lengthwise.bounds.bound import Bound
from lengthwise.bounds.certified.certificate import Certified
from lengthwise.bounds.certified.length import certified
from lengthwise.bounds.margins.length import Margins, margins
from lengthwise.bounds.theorems.average import average, last_tokens
from lengthwise.bounds.theorems.average_estimate import AverageEstimate, Estimate, estimate_average
from lengthwise.bounds.theorems.count_evaluation import Counts, evaluate_counts
from lengthwise.bounds.theorems.simulation import Simulation, stand_in
from lengthwise.bounds.theorems.two_layer import best_stand_in, measured_slope, two_layer
from lengthwise.bounds.theorems.worst_case import worst_case, worst_case_formula

__all__ = [
    "AverageEstimate",
    "Bound",
    "Certified",
    "Counts",
    "Estimate",
    "Margins",
    "Simulation",
    "average",
    "best_stand_in",
    "capacity",
    "certified",
    "estimate_average",
    "evaluate_counts",
    "last_tokens",
    "margins",
    "measured_slope",
    "stand_in",
    "two_layer",
    "worst_case",
    "worst_case_formula",
]
