"""Deciding one regular language: the three answers, each with a proved program or a re-checked witness.

The order is that of decreasing cheapness: C-RASP[∅] by Theorem 1; if it contains the language, so do the others.
Otherwise Theorem 2 decides C-RASP[periodic, local], and then C-RASP[local]. A no for the largest class is one for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lengthwise.crasp import Program
from lengthwise.regular.ape import SemigroupDecision, decide_semigroup
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.budget import Budget, BudgetError
from lengthwise.regular.fast_no import fast_no
from lengthwise.regular.machine import Machine, machine
from lengthwise.regular.nope import decide_nope
from lengthwise.regular.prover import compare
from lengthwise.regular.proofs.witnesses import WitnessError, recheck
from lengthwise.regular.synthesis import synthesize
from lengthwise.regular.verdict import Acceptance, Answer, Verdict
from lengthwise.regular.windows import stages
from lengthwise.regular.witness_search import nope_witness, semigroup_witness
from lengthwise.regular.witnesses import Balance, FlipFlop, Group

EMPTY_WORD = (
    "The empty word has no last position, so programs are compared with the language on non-empty words; "
    "the language {} it."
)


def decide_automaton(
    automaton: Automaton,
    acceptance: Acceptance = "last",
    budget: Budget | None = None,
    title: str = "",
) -> Verdict:
    """The verdict on the language of an automaton."""
    small = automaton.minimal()
    decider = _Decider(small, acceptance, budget or Budget())
    nope = decider.nope()
    ape = decider.ape()
    local = decider.local(ape)
    contains = "contains" if small.start in small.accepting else "does not contain"
    return Verdict(title, nope, ape, local, acceptance, (EMPTY_WORD.format(contains),))


@dataclass(frozen=True)
class _Made:
    """A program and what is known of it."""

    program: Program | None
    proved: bool
    checked_to: int | None
    problem: str = ""


class _Decider:
    def __init__(self, automaton: Automaton, acceptance: Acceptance, budget: Budget) -> None:
        self.automaton = automaton
        self.acceptance = acceptance
        self.budget = budget
        self.machine = machine(automaton, "last")
        self._without_positions: Answer | None = None

    # ------------------------------------------------------------------------------------------------ answers

    def nope(self) -> Answer:
        """Membership in C-RASP[∅], under the given acceptance."""
        answer = self._nope(self.acceptance)
        if self.acceptance == "last":
            self._without_positions = answer
        return answer

    def _nope(self, acceptance: Acceptance) -> Answer:
        decision = decide_nope(self.automaton, acceptance)
        if decision.yes:
            made = self._program(decision.machine, (1,), local=False)
            return self._yes("counting tells the states of every component apart (Theorem 1)", made)
        return self._no(lambda: nope_witness(decision, self.budget), acceptance)

    def _plain(self) -> Answer:
        """Membership in C-RASP[∅] with acceptance at the last symbol, which the two larger classes build on."""
        if self._without_positions is None:
            self._without_positions = self._nope("last")
        return self._without_positions

    def ape(self) -> Answer:
        """Membership in C-RASP[periodic, local]."""
        if self._plain().kind == "yes":
            return self._inherited("C-RASP[∅]", self._plain())
        decision = decide_semigroup(self.machine, True, self.budget)
        if decision.kind == "unknown":
            return self._beyond_caps(decision)
        if decision.kind == "no":
            return self._no(lambda: semigroup_witness(decision, self.budget), "last")
        periods = _divisors(decision.semigroup.length or 1 if decision.semigroup is not None else 1)
        made = self._program(self.machine, periods)
        return self._yes("blocks of the stable semigroup can be followed by counting (Theorem 2)", made)

    def local(self, ape: Answer) -> Answer:
        """Membership in C-RASP[local]."""
        if self._plain().kind == "yes":
            return self._inherited("C-RASP[∅]", self._plain())
        if ape.kind == "no":
            return Answer("no", "not even in C-RASP[periodic, local]", None, ape.witness, ape.proved)
        decision = decide_semigroup(self.machine, False, self.budget)
        if decision.kind == "unknown":
            return Answer("unknown", f"{decision.cap}; raise it and try again")
        if decision.kind == "no":
            return self._no(lambda: semigroup_witness(decision, self.budget), "last")
        if ape.program is not None and "periodic" not in ape.program.fragment:
            return Answer("yes", ape.reason, ape.program, None, ape.proved, ape.checked_to)
        made = self._program(self.machine, (1,))
        return self._yes("blocks of letters can be followed by counting (Theorem 2 without periods)", made)

    # ------------------------------------------------------------------------------------------------- pieces

    def _yes(self, why: str, made: _Made) -> Answer:
        if made.program is None:
            reason = f"{why}; no program was built, because {made.problem}"
        elif made.proved:
            reason = f"{why}, and the program is proved equal to the language at every length"
        else:
            reason = f"{why}; the program agrees with the language on every word up to length {made.checked_to}"
        return Answer("yes", reason, made.program, None, made.proved, made.checked_to)

    def _inherited(self, smaller: str, answer: Answer) -> Answer:
        return Answer("yes", f"already in {smaller}", answer.program, None, answer.proved,
                      answer.checked_to)  # fmt: skip

    def _no(self, find: Callable[[], Group | FlipFlop | Balance], acceptance: Acceptance) -> Answer:
        try:
            witness = find()
        except BudgetError as problem:
            return Answer("no", f"refinement keeps two states together; no witness was built, because {problem}")
        try:
            recheck(witness, self.automaton, acceptance)
            proved = True
        except WitnessError:  # pragma: no cover - would be a bug; the answer must not hide it
            proved = False
        return Answer("no", _summary(witness), None, witness, proved)

    def _beyond_caps(self, decision: SemigroupDecision) -> Answer:
        """What can still be said when Theorem 2 does not fit the budget: a short witness, or a program."""
        try:
            witness = fast_no(self.machine, self.budget)
        except BudgetError:
            witness = None
        if witness is not None:
            return self._no(lambda: witness, "last")
        made = self._program(self.machine, (1, 2, 3, 4))
        if made.program is not None and made.proved:
            return self._yes("a program was found", made)
        return Answer("unknown", f"{decision.cap}; raise it and try again")

    def _program(self, wanted: Machine, periods: tuple[int, ...], local: bool = True) -> _Made:
        """The smaller of the programs for the language and for its complement, with its proof."""
        try:
            found = stages(wanted, periods, self.budget, local)
            if found is None:  # pragma: no cover - a yes has a view that separates
                return _Made(None, False, None, "no period and window were found")
            both = [synthesize(wanted, found, self.budget, accept).simplify() for accept in (True, False)]
        except BudgetError as problem:
            return _Made(None, False, None, str(problem))
        program = min(both, key=lambda candidate: (candidate.size, candidate.depth, len(str(candidate))))
        left = self.budget.left
        seconds = self.budget.proof if left is None else min(self.budget.proof, left)
        proof = compare(program, self.automaton, states=self.budget.states, seconds=seconds)
        if proof.equal is False:  # pragma: no cover - would be a bug
            raise AssertionError(f"the synthesized program is wrong on {proof.difference}")
        return _Made(program, proof.equal is True, proof.checked_to)


def _summary(witness: Group | FlipFlop | Balance) -> str:
    """One sentence on a witness."""
    match witness:
        case Group():
            return f"a group: a program would have to count a word modulo {witness.order}"
        case FlipFlop():
            return "a flip-flop: a program would have to know which of two words came last"
        case Balance():
            return "balance: counting cannot tell two states apart, however often it is nested"


def _divisors(number: int) -> tuple[int, ...]:
    return tuple(divisor for divisor in range(1, number + 1) if number % divisor == 0)
