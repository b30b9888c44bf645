"""Positional functions: does a product fitted to φ(i, j) on short windows equal it on longer ones?

Huang et al., appendix G.2, Figures 5 and 6. `Cell` is what is fitted, `fit` fits it, `Positional` is the experiment of
a figure file; what the figures show is computed from kept results alone (`rows`, `judged`, `PositionalReport`).
"""

from lengthwise.experiments.positional.cell import Cell, Fit, Fits, Look
from lengthwise.experiments.positional.claims import Claim, Row, Selection, guesses, judged, rows
from lengthwise.experiments.positional.experiment import Positional, PositionalFigure, PositionalReport
from lengthwise.experiments.positional.fitting import fit
from lengthwise.experiments.positional.function import (
    PositionalError,
    PositionalFunction,
    forms,
    function_of,
    register_form,
)

__all__ = [
    "Cell",
    "Claim",
    "Fit",
    "Fits",
    "Look",
    "Positional",
    "PositionalError",
    "PositionalFigure",
    "PositionalFunction",
    "PositionalReport",
    "Row",
    "Selection",
    "fit",
    "forms",
    "function_of",
    "guesses",
    "judged",
    "register_form",
    "rows",
]
