"""Binary Majority Interleave is not in C-RASP[∅]: the cell of Table 3 that Huang et al. leave open ("none found").

Three tracks are interleaved; after SEP the majority of the first is asked for. The inputs are those whose length is a
multiple of three and in which no track is tied, so it does not help that C-RASP[∅] cannot check the length. Follow only
words along which every track's lead (ones less zeros) stays between -1 and 1: a finite machine with states (position
modulo 3, three leads). It is strongly connected, and turning the tracks round is a symmetry that keeps all letters, so
counting learns little more than the sum of the leads. Refinement (Theorem 1) keeps two states with opposite majorities
of the first track equal; the no-argument of Theorem 1 then gives two inputs of the task with different answers on which
a given program agrees. The witness is checked like every other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from lengthwise.regular.algorithmic.nearly_tied_tracks import interleave_automaton, is_input
from lengthwise.regular.deciding.machine import machine
from lengthwise.regular.deciding.refine import refine
from lengthwise.regular.witnesses.balance import component_balance
from lengthwise.regular.witnesses.kinds import Balance


@cache
def interleave_witness() -> Balance:
    """Two inputs of the task with different answers that counting does not tell apart, as a balance witness."""
    wanted = machine(interleave_automaton(), "eos")
    component = next(component for component in wanted.components if 0 in component)
    refinement = refine(len(component), wanted.inside(component))
    inputs = [place for place in range(len(component)) if is_input(wanted.access()[component[place]])]
    for one, other in _pairs(inputs):
        answers = {wanted.outputs[component[place]][-1] for place in (one, other)}
        if refinement.classes[one] == refinement.classes[other] and len(answers) == 2:
            return component_balance(wanted, component, refinement, (one, other))
    raise ValueError("refinement separates all inputs with different answers")


INTERLEAVED = (
    "balance: on inputs whose tracks stay nearly tied, counting cannot tell which track leads "
    "(the paper found no program; this shows that there is none)"
)
"""Why there is no program of C-RASP[∅], in one sentence."""


def _pairs(places: list[int]) -> Iterator[tuple[int, int]]:
    return ((one, other) for index, one in enumerate(places) for other in places[index + 1 :])
