"""Proofs by induction over the length, for acceptors with unboundedly many configurations.

Guessed invariants (`candidates`) are thrown away until what is left is inductive together with "the outputs agree":
if it holds before a symbol, it holds after it (after k symbols in a row, for k-induction). Z3 decides each such step
over all integers. Only a proof is reported, once the checker has replayed it; a model of Z3 is a state that may never
be reached and refutes nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import lcm
from typing import Any

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs import Equal, Proof, ProofError
from lengthwise.regular.proofs.induction import check_induction
from lengthwise.regular.prover.alphabets import Acceptor, common_symbols, over
from lengthwise.regular.prover.candidates import Candidate, Fact, State, candidates, sampled, start, step, vector_of
from lengthwise.regular.prover.formulas import Atom, Conjunction, Literal, Past, Residue, TooComplexError
from lengthwise.regular.prover.modes import Mode
from lengthwise.regular.prover.normal_form import System, system_of
from lengthwise.regular.prover.search import Explorer
from lengthwise.resources import Deadline

DEEPEST = 3
"""The most symbols in a row that an induction step takes."""
MOST_STEPS = 300
"""How many sequences of symbols one induction step may look at."""


def prove_by_induction(
    left: Acceptor, right: Acceptor, symbols: tuple[str, ...] | None = None, seconds: float = 10.0
) -> Proof | None:
    """A proof of equality on all non-empty words; None says nothing."""
    deadline = Deadline(seconds)
    alphabet = common_symbols((left, right), symbols)
    sides = over(left, alphabet), over(right, alphabet)
    programs = [side for side in sides if isinstance(side, Program)]
    if not programs:
        return None
    nothing = Automaton(alphabet, ((0,) * len(alphabet),), 0, frozenset())
    given = next((side for side in sides if isinstance(side, Automaton)), None)
    automaton = nothing if given is None else given
    try:
        explorer = Explorer(system_of(programs, alphabet))
    except TooComplexError:
        return None
    mode = explorer.configurations[0][0]
    guesses = candidates(mode, automaton, sampled(mode, automaton))
    for depth in range(1, DEEPEST + 1):
        steps = mode.modulus * len(automaton) * mode.width**depth
        if deadline.passed() or steps > MOST_STEPS or not _agree_up_to(mode, automaton, depth):
            return None
        kept = _Induction(mode, automaton, depth, deadline).kept(guesses)
        if kept is not None:
            argument = _argument(explorer.system, mode, depth, [guesses[place] for place in sorted(kept)])
            try:
                check_induction(programs, given, alphabet, argument)
            except ProofError:
                continue
            return Proof(Equal(sides[0], sides[1], alphabet), argument)
    return None


def _argument(system: System, mode: Mode, depth: int, guesses: Sequence[Candidate]) -> dict[str, Any]:
    """Inductive guesses in the terms of the programs, as the checker reads them."""
    whole = lcm(*(factor for factor, _ in system.sums))
    variables: list[list[Any]] = [["form", form] for form in mode.forms]
    weights = [whole // system.sums[form][0] for form in mode.forms]
    for memory, longest in zip(mode.memories, mode.depths, strict=True):
        variables += [["bit", memory, distance] for distance in range(1, longest + 1)]
    variables += [["residue"], ["state"]]
    weights += [whole] * (len(variables) - len(weights))

    def plain(fact: Fact) -> list[Any]:
        terms = [[*variables[place], factor * weights[place]] for place, factor in fact.terms]
        return [terms, fact.constant * whole, fact.equality]

    return {
        "kind": "induction",
        "depth": depth,
        "forms": [[[*source, weight] for source, weight in terms] for _, terms in system.sums],
        "memories": [list(source) for source in system.sources],
        "facts": [
            [None if guess.condition is None else plain(guess.condition), plain(guess.consequence)] for guess in guesses
        ],
    }


def _agree(mode: Mode, automaton: Automaton, state: State) -> bool:
    """Whether the output on every next symbol is what the automaton says."""
    values, masks, residue, place = state
    moves = mode.moves(residue, masks, values)
    targets = automaton.table[place]
    return all(output == (target in automaton.accepting) for (output, _, _), target in zip(moves, targets, strict=True))


def _agree_up_to(mode: Mode, automaton: Automaton, depth: int) -> bool:
    """The base of the induction: the outputs agree on all words of at most `depth` symbols."""
    layer = {start(mode, automaton)}
    for _ in range(depth):
        if not all(_agree(mode, automaton, state) for state in layer):
            return False
        layer = {step(mode, automaton, state, symbol) for state in layer for symbol in range(mode.width)}
    return True


class _Induction:
    """The induction steps of one depth: every residue, automaton state and sequence of symbols."""

    def __init__(self, mode: Mode, automaton: Automaton, depth: int, deadline: Deadline) -> None:
        self.z3: Any = importlib.import_module("z3")
        self.mode, self.automaton, self.depth, self.deadline = mode, automaton, depth, deadline

    def kept(self, guesses: Sequence[Candidate]) -> set[int] | None:
        """The guesses that turn out to be inductive and show that the outputs agree always; None if there are none."""
        first = [vector_of(self.mode, state) for state in _first_states(self.mode, self.automaton, self.depth)]
        kept = {place for place, guess in enumerate(guesses) if all(guess.holds(vector) for vector in first)}
        places = product(range(self.mode.modulus), range(len(self.automaton)))
        words = list(product(range(self.mode.width), repeat=self.depth))
        queries = [_Query(self, guesses, residue, place, word) for residue, place in places for word in words]
        changed = True
        while changed:
            changed = False
            for query in queries:
                before = len(kept)
                if not query.weaken(kept):
                    return None
                changed = changed or len(kept) < before
        return kept


def _first_states(mode: Mode, automaton: Automaton, depth: int) -> list[State]:
    layer = [start(mode, automaton)]
    found = list(layer)
    for _ in range(depth - 1):
        layer = [step(mode, automaton, state, symbol) for state in layer for symbol in range(mode.width)]
        found += layer
    return found


class _Query:
    """One induction step: a residue, a state of the automaton and the symbols that are read."""

    def __init__(
        self, induction: _Induction, guesses: Sequence[Candidate], residue: int, place: int, word: Sequence[int]
    ) -> None:
        self.induction, self.guesses = induction, guesses
        self.residue, self.place, self.word = residue, place, word
        self.z3 = induction.z3
        self.solver: Any = None

    def _prepare(self) -> None:
        z3, mode, automaton = self.z3, self.induction.mode, self.induction.automaton
        self.solver = z3.SolverFor("QF_LIA")
        frames = [_Frame.first(z3, mode, self.residue, self.place)]
        for symbol in self.word:
            frames.append(frames[-1].after(symbol, automaton, self.solver))
        *before, last = frames
        self.frame = before[0]
        for frame in before:
            self.solver.add(frame.agrees(automaton))
        self.switches = [z3.Bool(f"kept{place}") for place in range(len(self.guesses))]
        failures = []
        for switch, guess in zip(self.switches, self.guesses, strict=True):
            for frame in before:
                self.solver.add(z3.Implies(switch, frame.candidate(guess)))
            failures.append(z3.And(switch, z3.Not(last.candidate(guess))))
        self.disagreement = z3.Bool("disagreement")
        self.failure = z3.Bool("failure")
        self.solver.add(z3.Implies(self.disagreement, z3.Not(last.agrees(automaton))))
        self.solver.add(z3.Implies(self.failure, z3.Or(failures)))

    def weaken(self, kept: set[int]) -> bool:
        """Throw away guesses until this step keeps the rest; False if the outputs may come to differ."""
        if self.solver is None:
            self._prepare()
        while self._check(kept, self.disagreement) is False:
            found = self._check(kept, self.failure)
            if found is not True:
                return found is False
            vector = self._reached(self.solver.model())
            failing = {place for place in kept if not self.guesses[place].holds(vector)}
            if not failing:  # cannot be, unless the model is not what the step computes; then trust nothing
                return False
            kept -= failing
        return False

    def _check(self, kept: set[int], goal: Any) -> bool | None:
        """Whether there is a model in which the guesses that are kept hold; None if Z3 does not know in time."""
        left = self.induction.deadline.left()
        if left is not None:
            self.solver.set("timeout", max(1, int(1000 * left)))
        switches = (switch if place in kept else self.z3.Not(switch) for place, switch in enumerate(self.switches))
        verdict = self.solver.check(*switches, goal)
        if verdict == self.z3.sat:
            return True
        return False if verdict == self.z3.unsat else None

    def _reached(self, model: Any) -> list[int]:
        mode, automaton = self.induction.mode, self.induction.automaton
        state = self.frame.state(model)
        for symbol in self.word:
            state = step(mode, automaton, state, symbol)
        return vector_of(mode, state)


@dataclass
class _Frame:
    """A state between two symbols, in Z3's terms; residue and automaton state are numbers."""

    z3: Any
    mode: Mode
    values: list[Any]
    bits: list[list[Any]]
    residue: int
    place: int
    known: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def first(cls, z3: Any, mode: Mode, residue: int, place: int) -> _Frame:
        """Any state with this residue and automaton state."""
        values = [z3.Int(f"value{slot}") for slot in range(len(mode.forms))]
        bits = [[z3.Bool(f"bit{memory}.{d}") for d in range(depth)] for memory, depth in enumerate(mode.depths)]
        return cls(z3, mode, values, bits, residue, place)

    def state(self, model: Any) -> State:
        """The state that a model gives."""
        values = tuple(model.eval(value, model_completion=True).as_long() for value in self.values)
        masks = []
        for memory in self.bits:
            truths = [self.z3.is_true(model.eval(bit, model_completion=True)) for bit in memory]
            masks.append(sum(1 << shift for shift, truth in enumerate(truths) if truth))
        return values, tuple(masks), self.residue, self.place

    def after(self, symbol: int, automaton: Automaton, solver: Any) -> _Frame:
        """The state after a symbol; its values are new variables that the solver ties to these."""
        z3, mode = self.z3, self.mode
        place = self._input(symbol)
        values = []
        for value, increments in zip(self.values, mode.increments, strict=True):
            constant, weights = increments[place]
            terms = [z3.If(self.truth(literal), weight, 0) for literal, weight in weights]
            following = z3.FreshInt("value")
            solver.add(following == z3.Sum([value, z3.IntVal(constant), *terms]))
            values.append(following)
        bits = [
            [self.truth(recorded[place]), *memory[:-1]]
            for memory, recorded in zip(self.bits, mode.recorded, strict=True)
        ]
        residue = (self.residue + 1) % mode.modulus
        return _Frame(z3, mode, values, bits, residue, automaton.table[self.place][symbol])

    def _input(self, symbol: int) -> int:
        return (self.residue % self.mode.period) * self.mode.width + symbol

    def agrees(self, automaton: Automaton) -> Any:
        """The output on every next symbol is what the automaton says."""
        outputs = []
        for symbol, target in enumerate(automaton.table[self.place]):
            output = self.truth(self.mode.outputs[self._input(symbol)])
            outputs.append(output if target in automaton.accepting else self.z3.Not(output))
        return self.z3.And(outputs)

    def candidate(self, candidate: Candidate) -> Any:
        """A guessed invariant at this state."""
        consequence = self.fact(candidate.consequence)
        if candidate.condition is None:
            return consequence
        return self.z3.Implies(self.fact(candidate.condition), consequence)

    def fact(self, fact: Fact) -> Any:
        """A linear fact at this state."""
        z3 = self.z3
        variables = [*self.values, *(z3.If(bit, 1, 0) for memory in self.bits for bit in memory)]
        variables += [z3.IntVal(self.residue), z3.IntVal(self.place)]
        total = z3.Sum([z3.IntVal(fact.constant), *(factor * variables[place] for place, factor in fact.terms)])
        return total == 0 if fact.equality else total >= 0

    def truth(self, literal: Literal) -> Any:
        """A formula at this state."""
        z3 = self.z3
        formulas = self.mode.formulas
        for number in formulas.reachable([literal]):
            if number in self.known:
                continue
            match formulas.nodes[number]:
                case Atom(form, threshold):
                    self.known[number] = self.values[self.mode.forms.index(form)] >= threshold
                case Past(memory, distance):
                    self.known[number] = self.bits[self.mode.memories.index(memory)][distance - 1]
                case Residue(modulus, residues):
                    self.known[number] = z3.BoolVal(self.residue % modulus in residues)
                case Conjunction(operands):
                    self.known[number] = z3.And([self._known(operand) for operand in operands])
        return self._known(literal)

    def _known(self, literal: Literal) -> Any:
        expression = self.known[literal >> 1] if literal >> 1 else self.z3.BoolVal(False)
        return self.z3.Not(expression) if literal & 1 else expression
