"""The algorithmic tasks of Huang et al., Table 3: which C-RASP expresses them, with a program or a reason.

A task reads SOS x SEP y EOS (App. E.2; `task_programs` says what solving it means). Where the paper has a proof sketch,
the answer here is a program that can be run, or an argument that can be re-checked.

Binary Majority Interleave is not in C-RASP[∅]: the cell of Table 3 that Huang et al. leave open ("none found"). Three
tracks are interleaved; after SEP the majority of the first is asked for. The inputs are those whose length is a
multiple of three and in which no track is tied, so it does not help that C-RASP[∅] cannot check the length. Follow only
words along which every track's lead (ones less zeros) stays between -1 and 1: a finite machine with states (position
modulo 3, three leads). It is strongly connected, and turning the tracks round is a symmetry that keeps all letters, so
counting learns little more than the sum of the leads. Refinement (Theorem 1) keeps two states with opposite majorities
of the first track equal; the no-argument of Theorem 1 then gives two inputs of the task with different answers on which
a given program agrees. The witness is checked like every other.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from lengthwise.crasp import Program, library
from lengthwise.errors import UnknownNameError
from lengthwise.regular.algorithmic.arguments import InductionWitness, interleave_automaton, is_input
from lengthwise.regular.algorithmic.communication import CommunicationWitness
from lengthwise.regular.algorithmic.task_programs import binary_majority, interleaved_majority, majority
from lengthwise.regular.deciding.decider import decide_automaton
from lengthwise.regular.deciding.machine import machine
from lengthwise.regular.deciding.proved import FRAGMENT_NAMES
from lengthwise.regular.deciding.refine import refine
from lengthwise.regular.deciding.verdict import Answer, Verdict, Witness
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs import Proof, ProofError, TaskAnswer
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


@dataclass(frozen=True)
class PaperRow:
    """A row of Table 3 as printed."""

    nope: Literal["yes", "no", "none found"]
    """C-RASP[∅]."""
    ape: Literal["yes", "no"]
    """C-RASP[periodic, local]."""
    ac0: Literal["yes", "no"]


@dataclass(frozen=True)
class AlgorithmicTask:
    """One task of App. E.2."""

    title: str
    description: str
    """One line."""
    example: str
    """A whole sequence, without SOS."""
    paper: PaperRow
    verdict: Callable[[], Verdict]
    regular: str | None = None
    """The regular expression of the language that the task asks about, if there is one."""


CHECKED_SIZE = 6
"""Up to which size the instances of an argument are checked."""


def task_names() -> tuple[str, ...]:
    """The names of the tasks, in the order of Table 3.

    Returns:
        The names.

    Example:
        >>> "sort" in task_names()
        True

    """
    return tuple(_TASKS)


def get_task(name: str) -> AlgorithmicTask:
    """The task of this name."""
    if name not in _TASKS:
        near = difflib.get_close_matches(name.lower(), _TASKS) or _TASKS
        raise UnknownNameError(f"there is no algorithmic task {name!r}; there is {', '.join(near)}")
    return _TASKS[name]


def paper_row(name: str) -> PaperRow:
    """What Table 3 says about a task."""
    return get_task(name).paper


def decide_task(name: str) -> Verdict:
    """Which C-RASP expresses a task: the three answers, with programs and witnesses.

    Args:
        name: The name of a task of Huang et al., Table 3, such as `sort`.

    Returns:
        The three answers, each with a program or a reason.

    Example:
        >>> decide_task("sort").ape.kind
        'yes'

    """
    return get_task(name).verdict()


def _verdict(name: str, nope: Answer, ape: Answer, local: Answer, *notes: str) -> Verdict:
    return Verdict(name, nope, ape, local, "last", (get_task(name).description, *notes))


def _yes(reason: str, program: Program, checked_to: int) -> Answer:
    return Answer("yes", reason, program, checked_to=checked_to)


def _no(task: str, fragment: str, reason: str, witness: Witness) -> Answer:
    """A no whose argument is in words, with its instances up to a size replayed."""
    argument: dict[str, Any] = {"kind": "instances", "size": CHECKED_SIZE}
    proof = Proof(
        TaskAnswer(task, fragment), {**argument, "witness": witness} if isinstance(witness, Balance) else argument
    )
    try:
        proof.check()
    except ProofError:  # pragma: no cover - would be a bug; the answer must not hide it
        return Answer("no", reason, witness=witness)
    return Answer("no", reason, witness=witness, proved=True, proof=proof)


# --------------------------------------------------------------------------------------------- majorities


def _binary_majority() -> Verdict:
    answer = _yes("a single difference of counts decides", binary_majority(), checked_to=12)
    return _verdict("binary-majority", answer, answer, answer)


def _majority() -> Verdict:
    answer = _yes("one count for each symbol and their maximum decide", majority(), checked_to=3)
    note = "The library program `majority` is the language of the words with at least as many 1s as 0s: also C-RASP[∅]."
    return _verdict("majority", answer, answer, answer, note)


def spread_out(word: str, reach: int) -> str:
    """An interleaved input with the same labels in which no window of `reach` positions sees two bits of the word.

    Every bit stands between stretches of 01 whose length is a multiple of 6, so each track gets as many 0s as 1s from
    them, and the bits of the word stay on their tracks. A program of C-RASP[local] is one of C-RASP[∅] over the windows
    that its relations see, all together of some reach; on these inputs such a window depends on one bit and on the
    place around it, so counting windows is counting bits, and the program gives one of C-RASP[∅] for the task itself.
    """
    stretch = "01" * 3 * (reach // 6 + 1)
    return "".join(stretch + bit + stretch for bit in word)


def _interleave() -> Verdict:
    name = "binary-majority-interleave"
    ape = _yes("a periodic predicate separates the tracks", interleaved_majority(), checked_to=12)
    nope = _no(name, "∅", INTERLEAVED, interleave_witness())
    reason = "on inputs whose bits are spread out windows see nothing new, and C-RASP[∅] cannot do it"
    return _verdict(name, nope, ape, _no(name, "local", f"{reason}: {nope.reason}", interleave_witness()))


# ---------------------------------------------------------------------------------------- sorting, copying

_FINITE = (
    "Over a fixed alphabet there are finitely many inputs without repeated symbols, "
    "so the claim is about a task without that promise."
)


def _sort() -> Verdict:
    reason = "the next symbol is the smallest that the output has fewer times than the input"
    answer = _yes(reason, library.get("sort"), checked_to=5)
    return _verdict("sort", answer, answer, answer, f"{_FINITE} The program sorts inputs with repeated symbols, too.")


def _copy_unique() -> Verdict:
    reason = "an induction head that answers on all inputs decides a regular language outside C-RASP[∅]"
    nope = _no("copy-unique", "∅", reason, InductionWitness())
    ape = _yes(
        "an induction head: predict what followed on the current symbol, found by a window of one position",
        library.get("unique-copy"),
        checked_to=3,
    )
    return _verdict(
        "copy-unique",
        nope,
        ape,
        ape,
        f"{_FINITE} Decided is the paper's first formalization (App. E.2.2): the induction head on every input.",
        "If only inputs without repeated symbols count, the answer for C-RASP[∅] is yes, for every alphabet: "
        "`task_programs.copy_by_first_occurrence` needs no positions. Table 3 does not hold for that reading.",
    )


def _communication(name: str, reason: str) -> Verdict:
    answers = [_no(name, fragment, reason, CommunicationWitness(name)) for fragment in FRAGMENT_NAMES.values()]
    return _verdict(name, answers[0], answers[2], answers[1])


def _copy_repeat() -> Verdict:
    reason = "what comes next depends on N bits of the first half, and a program remembers O(log N) of them"
    return _communication("copy-repeat", reason)


def _addition() -> Verdict:
    return _communication("addition", "adding 0 is copying, for which a program remembers too little")


# ------------------------------------------------------------------------------------------------- parity

_PARITY = Automaton(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))


def _parity() -> Verdict:
    found = decide_automaton(_PARITY)
    return _verdict("parity", found.nope, found.ape, found.local, *found.notes)


_TASKS: dict[str, AlgorithmicTask] = {
    "binary-majority": AlgorithmicTask(
        "Binary Majority",
        "Behind x SEP write the bit that x has more often, then EOS; x has an unequal number of 0s and 1s.",
        "0 1 1 SEP 1 EOS",
        PaperRow("yes", "yes", "no"),
        _binary_majority,
    ),
    "binary-majority-interleave": AlgorithmicTask(
        "Binary Majority Interleave",
        "Behind x SEP write for each of three interleaved words the bit that it has more often, then EOS.",
        "1 0 1 1 1 0 1 0 0 SEP 1 0 0 EOS",
        PaperRow("none found", "yes", "no"),
        _interleave,
    ),
    "majority": AlgorithmicTask(
        "Majority",
        "Behind x SEP write the letter, one of 26, that x has most often, then EOS; one letter is most frequent.",
        "c b a b SEP b EOS",
        PaperRow("yes", "yes", "no"),
        _majority,
    ),
    "sort": AlgorithmicTask(
        "Sort",
        "Behind x SEP write the numbers of x in increasing order, then END.",
        "4 1 3 SEP 1 3 4 END",
        PaperRow("yes", "yes", "yes"),
        _sort,
    ),
    "copy-unique": AlgorithmicTask(
        "Copy (unique)",
        "Behind # x # write x and then #; no symbol is repeated in x.",
        "# c a b # c a b #",
        PaperRow("no", "yes", "yes"),
        _copy_unique,
    ),
    "copy-repeat": AlgorithmicTask(
        "Copy (repeat)",
        "Behind x SEP write x, then EOS; x is a word of two letters that may be repeated.",
        "b a b SEP b a b EOS",
        PaperRow("no", "no", "yes"),
        _copy_repeat,
    ),
    "parity": AlgorithmicTask(
        "Parity",
        "Decide whether a word over {a, b} has an even number of a.",
        "a b a",
        PaperRow("no", "no", "no"),
        _parity,
        regular="b*(ab*ab*)*",
    ),
    "addition": AlgorithmicTask(
        "Addition",
        "Behind x + y =, binary numbers, write their sum, then EOS.",
        "1 0 1 + 1 0 = 1 1 1 EOS",
        PaperRow("no", "no", "yes"),
        _addition,
    ),
}
