"""A smaller program with the same values."""

from lengthwise.crasp.simplify.rewriting import simplify

__all__ = ["simplify"]
