"""Position coupling (Golowich et al., section 4.1 and appendix D): PC[·] on words, ensembles and hypotheses."""

from lengthwise.sparse.coupling.conditions import Violation, violations
from lengthwise.sparse.coupling.coupled_ensemble import (
    couple,
    couple_class,
    couple_hypothesis,
    coupled_ensemble,
    coupled_loss,
    coupled_parts,
    coupled_sample,
    strong_failure,
)
from lengthwise.sparse.coupling.coupling import CoupledVocabulary, Coupling, CouplingError, expand, gathering
from lengthwise.sparse.coupling.examples import CoupledTask, across_halves, digit_with_carry

__all__ = [
    "CoupledTask",
    "CoupledVocabulary",
    "Coupling",
    "CouplingError",
    "Violation",
    "across_halves",
    "couple",
    "couple_class",
    "couple_hypothesis",
    "coupled_ensemble",
    "coupled_loss",
    "coupled_parts",
    "coupled_sample",
    "digit_with_carry",
    "expand",
    "gathering",
    "strong_failure",
    "violations",
]
