"""Statistical probes: how many samples a transformer needs to find the few bits that a label depends on.

Edelman et al., section 5 and appendix C. `Cell` is what is trained, `measure` trains it, `run` keeps the outcomes of
many; the numbers that the figures show are computed from kept outcomes alone (`success`, `critical`, `scaling`,
`information`).
`Example` and `follow` are for a few trials whose training curves are looked at. `Online` and `watch` are the same for
parities that are learned from fresh batches (`transition`).
"""

from lengthwise.lab.probes.cell import Cell, ProbeModel
from lengthwise.lab.probes.critical import Critical, critical
from lengthwise.lab.probes.example import Example, Examples, TrainingCurve, follow
from lengthwise.lab.probes.function import HiddenFunction, ProbeError, function_of, names
from lengthwise.lab.probes.information import Information, information
from lengthwise.lab.probes.online import Curves, Online, watch
from lengthwise.lab.probes.outcome import Curve, Outcome, Outcomes
from lengthwise.lab.probes.scaling import Scaling, scaling
from lengthwise.lab.probes.success import Success, successes
from lengthwise.lab.probes.sweep import grid, run
from lengthwise.lab.probes.transition import Transition, Transitions, transition, transitions
from lengthwise.lab.probes.trials import measure

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
    "ProbeModel",
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
    "transition",
    "transitions",
    "watch",
]
