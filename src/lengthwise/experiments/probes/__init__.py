"""Statistical probes: how many samples a transformer needs to find the few bits that a label depends on.

Edelman et al., section 5 and appendix C. `Cell` is what is trained, `measure` trains it, `run` keeps the outcomes of
many; the numbers that the figures show are computed from kept outcomes alone (`success`, `critical`, `scaling`,
`information`).
`Example` and `follow` are for a few trials whose training curves are looked at. `Online` and `watch` are the same for
parities that are learned from fresh batches (`transition`).
"""

from lengthwise.experiments.probes.cell import (
    Cell,
    Curve,
    Curves,
    Example,
    Examples,
    Online,
    Outcome,
    Outcomes,
    ProbeModel,
    TrainingCurve,
)
from lengthwise.experiments.probes.critical import Critical, Success, critical, successes
from lengthwise.experiments.probes.experiment import ProbeFigure, Probes, grid, run, summarise, summarise_online
from lengthwise.experiments.probes.function import HiddenFunction, ProbeError, function_of, names
from lengthwise.experiments.probes.information import Information, information
from lengthwise.experiments.probes.scaling import Scaling, scaling
from lengthwise.experiments.probes.transition import Transition, Transitions, transition, transitions
from lengthwise.experiments.probes.trials import follow, measure, watch

__all__ = [
    "Cell",
    "Critical",
    "Curve",
    "Curves",
    "Example",
    "Examples",
    "HiddenFunction",
    "Information",
    "Online",
    "Outcome",
    "Outcomes",
    "ProbeError",
    "ProbeFigure",
    "ProbeModel",
    "Probes",
    "Scaling",
    "Success",
    "TrainingCurve",
    "Transition",
    "Transitions",
    "critical",
    "follow",
    "function_of",
    "grid",
    "information",
    "measure",
    "names",
    "run",
    "scaling",
    "successes",
    "summarise",
    "summarise_online",
    "transition",
    "transitions",
    "watch",
]
