"""Deciding one regular language: the three answers, each with a proved program or a re-checked witness.

The order is that of decreasing cheapness: C-RASP[∅] by Theorem 1; if it contains the language, so do the others.
Otherwise Theorem 2 decides C-RASP[periodic, local], and then C-RASP[local]. A no for the largest class is one for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lengthwise.crasp import Program
from lengthwise.regular.deciding.ape import SemigroupDecision, decide_semigroup
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.fast_no import fast_no
from lengthwise.regular.deciding.machine import Machine, machine
from lengthwise.regular.deciding.nope import decide_nope
from lengthwise.regular.deciding.proved import member_by_equality, outside_by_witness
from lengthwise.regular.deciding.verdict import Answer, Verdict
from lengthwise.regular.deciding.windows import stages
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.proofs import Member, Proof
from lengthwise.regular.proofs.check import reads_only_counts
from lengthwise.regular.prover import compare
from lengthwise.regular.synthesis.from_refinement import synthesize
from lengthwise.regular.witnesses.kinds import Balance, FlipFlop, Group
from lengthwise.regular.witnesses.search import nope_witness, semigroup_witness
from lengthwise.resources import LimitError, TimeLimitError

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
    """The verdict on the language of an automaton.

    Args:
        automaton: The automaton of the language.
        acceptance: Where words are accepted: at their `last` symbol, or at an end marker, `eos`.
        budget: What may be spent.
        title: What the verdict calls the language.

    Returns:
        The three answers, each with a program or a reason.

    Example:
        >>> from lengthwise.regular import Language
        >>> decide_automaton(Language.from_regex("(aa)*").automaton).nope.kind
        'no'

    """
    budget = budget or Budget()
    with budget.in_force():
        try:
            small = automaton.minimal()
            decider = _Decider(small, acceptance, budget)
        except TimeLimitError as problem:
            unknown = Answer("unknown", str(problem))
            return Verdict(title, unknown, unknown, unknown, acceptance)
        nope = decider.nope()
        ape = decider.ape()
        local = decider.local(ape)
    contains = "contains" if small.start in small.accepting else "does not contain"
    return Verdict(title, nope, ape, local, acceptance, (EMPTY_WORD.format(contains),))


@dataclass(frozen=True)
class _Made:
    """A program and what is known of it."""

    program: Program | None
    equality: Proof | None
    """That it is equal to the language."""
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
        try:
            decision = decide_nope(self.automaton, acceptance)
        except LimitError as problem:
            return Answer("unknown", str(problem))
        if decision.yes:
            made = self._program(decision.machine, (1,), local=False)
            return self._yes("counting tells the states of every component apart (Theorem 1)", made, "∅", acceptance)
        return self._no(lambda: nope_witness(decision, self.budget), "∅", acceptance)

    def _plain(self) -> Answer:
        """Membership in C-RASP[∅] with acceptance at the last symbol, which the two larger classes build on."""
        if self._without_positions is None:
            self._without_positions = self._nope("last")
        return self._without_positions

    def ape(self) -> Answer:
        """Membership in C-RASP[periodic, local]."""
        if self._plain().kind == "yes":
            return self._inherited(self._plain(), "periodic, local")
        decision = decide_semigroup(self.machine, True, self.budget)
        if decision.kind == "unknown":
            return self._beyond_caps(decision)
        if decision.kind == "no":
            return self._no(lambda: semigroup_witness(decision, self.budget), "periodic, local")
        periods = _divisors(decision.semigroup.length or 1 if decision.semigroup is not None else 1)
        made = self._program(self.machine, periods)
        why = "blocks of the stable semigroup can be followed by counting (Theorem 2)"
        return self._yes(why, made, "periodic, local")

    def local(self, ape: Answer) -> Answer:
        """Membership in C-RASP[local]."""
        if self._plain().kind == "yes":
            return self._inherited(self._plain(), "local")
        if ape.kind == "no":
            proof = None if ape.witness is None else outside_by_witness(self.automaton, "local", "last", ape.witness)
            reason = "not even in C-RASP[periodic, local]"
            return Answer("no", reason, None, ape.witness, proof is not None, None, proof)
        decision = decide_semigroup(self.machine, False, self.budget)
        if decision.kind == "unknown":
            return Answer("unknown", decision.cap)
        if decision.kind == "no":
            return self._no(lambda: semigroup_witness(decision, self.budget), "local")
        if ape.program is not None and "periodic" not in ape.program.fragment:
            return replace(self._inherited(ape, "local"), reason=ape.reason, ground=ape.ground)
        made = self._program(self.machine, (1,))
        return self._yes("blocks of letters can be followed by counting (Theorem 2 without periods)", made, "local")

    # ------------------------------------------------------------------------------------------------- pieces

    def _yes(self, why: str, made: _Made, fragment: str, acceptance: Acceptance = "last") -> Answer:
        proof = member_by_equality(fragment, acceptance, made.equality)
        ground = ""
        if made.program is None:
            reason = f"{why}; no program was built, because {made.problem}"
        elif proof is not None:
            ground = why
            reason = f"{why}, and the program is proved equal to the language at every length"
        else:
            reason = f"{why}; the program agrees with the language on every word up to length {made.checked_to}"
        return Answer("yes", reason, made.program, None, proof is not None, made.checked_to, proof, ground)

    def _inherited(self, answer: Answer, fragment: str) -> Answer:
        """A yes for a smaller class as one for a larger."""
        proof = None
        if answer.proof is not None:
            proof = replace(answer.proof, claim=Member(self.automaton, fragment, "last"))
        return replace(answer, reason="already in C-RASP[∅]", proof=proof, proved=proof is not None, ground="")

    def _no(
        self, find: Callable[[], Group | FlipFlop | Balance], fragment: str, acceptance: Acceptance = "last"
    ) -> Answer:
        try:
            witness = find()
        except LimitError as problem:
            return Answer("no", f"refinement keeps two states together; no witness was built, because {problem}")
        proof = outside_by_witness(self.automaton, fragment, acceptance, witness)
        return Answer("no", _summary(witness), None, witness, proof is not None, None, proof)

    def _beyond_caps(self, decision: SemigroupDecision) -> Answer:
        """What can still be said when Theorem 2 does not fit the budget: a short witness, or a program."""
        try:
            witness = fast_no(self.machine, self.budget)
        except LimitError:
            witness = None
        if witness is not None:
            return self._no(lambda: witness, "periodic, local")
        made = self._program(self.machine, (1, 2, 3, 4))
        if made.equality is not None:
            return self._yes("a program was found", made, "periodic, local")
        return Answer("unknown", decision.cap)

    def _program(self, wanted: Machine, periods: tuple[int, ...], local: bool = True) -> _Made:
        """The smaller of the programs for the language and for its complement, with its proof."""
        try:
            found = stages(wanted, periods, self.budget, local)
            if found is None:  # pragma: no cover - a yes has a view that separates
                return _Made(None, None, None, "no period and window were found")
            both = [_simplified(synthesize(wanted, found, self.budget, accept), wanted) for accept in (True, False)]
        except LimitError as problem:
            return _Made(None, None, None, str(problem))
        program = min(both, key=lambda candidate: (candidate.size, candidate.depth, len(str(candidate))))
        left = self.budget.left
        seconds = self.budget.proof if left is None else min(self.budget.proof, left)
        proof = compare(program, self.automaton, states=self.budget.configurations, seconds=seconds)
        if proof.equal is False:  # pragma: no cover - would be a bug
            raise AssertionError(f"the synthesized program is wrong on {proof.difference}")
        return _Made(program, proof.proof, proof.checked_to)


def _simplified(program: Program, wanted: Machine) -> Program:
    """The simplified program; at an end marker only if it still reads nothing but counts up to the last symbol."""
    simple = program.simplify()
    return program if wanted.acceptance == "eos" and not reads_only_counts(simple) else simple


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
