"""Checking the arguments against the tasks of Table 3 of Huang et al., as far as they can be run.

These tasks are no regular languages. Each argument is a proof in words (`explain` of its witness); what is checked are
its instances up to a size, or the regular language that it reduces to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lengthwise.regular.algorithmic.communication import CommunicationWitness
from lengthwise.regular.algorithmic.induction_head import InductionWitness
from lengthwise.regular.algorithmic.nearly_tied_tracks import interleave_automaton, is_input
from lengthwise.regular.proofs.errors import ProofError
from lengthwise.regular.proofs.witnesses import recheck, witness_of
from lengthwise.regular.witnesses.kinds import Balance

LARGEST = 10
"""The largest size of instances that is checked."""


def check_task(task: str, fragment: str, argument: Mapping[str, Any]) -> None:
    """Raise a `ProofError` unless the instances of the argument against a task hold.

    Args:
        task: The name of the task in Table 3, such as `copy-repeat`.
        fragment: The fragment that is shown not to have a program.
        argument: `size`, up to which instances are checked; for the interleaved majority the `witness`.

    Raises:
        ProofError: If there is no argument against the task and the fragment, or an instance fails.

    """
    size = argument["size"]
    if argument["kind"] != "instances" or not 1 <= size <= LARGEST:
        raise ProofError(f"an argument about a task has instances up to a size from 1 to {LARGEST}")
    if task in ("copy-repeat", "addition"):
        if not CommunicationWitness(task).recheck(size):
            raise ProofError("two first halves are not told apart by what follows them")
    elif task == "copy-unique" and fragment == "∅":
        if not InductionWitness().recheck(size):
            raise ProofError("the words do not lead where the argument says")
    elif task == "binary-majority-interleave" and fragment in ("∅", "local"):
        _check_interleaved(argument["witness"])
    else:
        raise ProofError(f"there is no argument that {task} has no program in C-RASP[{fragment}]")


def _check_interleaved(data: Any) -> None:
    """Counting does not tell two inputs of the task apart that have different answers."""
    witness = witness_of(dict(data)) if isinstance(data, Mapping) else data
    if not isinstance(witness, Balance) or witness.fragment != "∅":
        raise ProofError("the interleaved majority needs a balance witness against C-RASP[∅]")
    recheck(witness, interleave_automaton(), "eos")
    for place in witness.pair:
        word = [*witness.places[place].access, *witness.suffix]
        if not is_input([int(symbol) for symbol in word]):
            raise ProofError("a word of the witness is no input of the task")
