"""Quantities of models that theorems speak of: margins, constants, complexities."""
