"""Positional functions: does a product fitted to φ(i, j) on short windows equal it on longer ones?

Huang et al., appendix G.2, Figures 5 and 6. `Cell` is what is fitted, `fit` fits it, and `lab.kept` keeps its
results; what the figures show is computed from kept results alone (`rows`, `judged`, `Summary`).
"""

from lengthwise.experiments.positional.cell import Cell
from lengthwise.experiments.positional.claims import Claim, Selection, judged
from lengthwise.experiments.positional.fitting import fit
from lengthwise.experiments.positional.function import (
    PositionalError,
    PositionalFunction,
    forms,
    function_of,
    register_form,
)
from lengthwise.experiments.positional.outcome import Fit, Fits, Look
from lengthwise.experiments.positional.published import PositionalFigure, catalogue
from lengthwise.experiments.positional.rows import Row, guesses, rows
from lengthwise.experiments.positional.summary import Summary

__all__ = [
    "Cell",
    "Claim",
    "Fit",
    "Fits",
    "Look",
    "PositionalError",
    "PositionalFigure",
    "PositionalFunction",
    "Row",
    "Selection",
    "Summary",
    "catalogue",
    "fit",
    "forms",
    "function_of",
    "guesses",
    "judged",
    "register_form",
    "rows",
]
