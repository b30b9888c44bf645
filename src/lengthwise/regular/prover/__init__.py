"""Proving that two acceptors agree at every length."""

from lengthwise.regular.prover.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
