"""Models of the papers written down by hand, each with its target and a bound on its error."""

from lengthwise.limit.constructions.construction import Construction
from lengthwise.limit.constructions.counting import mod_p_task, simple_task
from lengthwise.limit.constructions.in_context import induction_head, k_gram
from lengthwise.limit.constructions.named import NAMED, named_construction

__all__ = ["NAMED", "Construction", "induction_head", "k_gram", "mod_p_task", "named_construction", "simple_task"]
