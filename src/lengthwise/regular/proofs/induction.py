"""Checking a proof by induction over the length: invariants that every symbol keeps, and from which agreement follows.

The argument lists linear facts about the forms, memories, residue and automaton state, single ones or one under the
condition of another, and a depth k. If the facts and the agreement of both sides hold k times in a row, they hold once
more: Z3 decides each such step over all integers. The first k steps are run. The formulas given to Z3 are built here
from the nodes of `lowering`; that Z3 answers "unsatisfiable" rightly is trusted.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from itertools import product
from time import monotonic
from typing import Any

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs.lowering import All, AtLeast, Earlier, Lowered, Node
from lengthwise.regular.proofs.sides import ProofError
from lengthwise.regular.proofs.situation import Situation

MOST_STEPS = 2_000
"""How many sequences of symbols an induction step may have."""
MOST_TERMS = 5_000_000
"""How many terms of Z3 all steps together may have."""
SECONDS = 120
"""How long Z3 may take over all steps."""


def check_induction(
    programs: Sequence[Program], automaton: Automaton | None, symbols: Sequence[str], argument: Mapping[str, Any]
) -> int:
    """Raise a `ProofError` unless the argument shows that the sides agree on all non-empty words.

    Args:
        programs: One program, which is compared with the automaton, or two, which are compared with each other.
        automaton: The automaton over these symbols, if there is one program.
        symbols: The alphabet of the words.
        argument: `depth`, `forms`, `memories` and `facts`, as in the documented format.

    Returns:
        The number of facts.

    Raises:
        ProofError: If some step of the argument does not hold, or Z3 cannot decide it.

    """
    checker = _Checker(programs, automaton, symbols, argument)
    checker.check()
    return len(checker.facts)


class _Frame:
    """What is known between two symbols, in Z3's terms; the residue and the automaton's state are numbers."""

    def __init__(self, values: list[Any], bits: dict[tuple[int, int], Any], residue: int, state: int) -> None:
        self.values, self.bits, self.residue, self.state = values, bits, residue, state
        self.known: dict[int, Any] = {}


class _Checker:
    def __init__(
        self,
        programs: Sequence[Program],
        automaton: Automaton | None,
        symbols: Sequence[str],
        argument: Mapping[str, Any],
    ) -> None:
        self.z3: Any = importlib.import_module("z3")
        self.lowered = Lowered(programs, symbols)
        width = len(symbols)
        self.automaton = automaton or Automaton(tuple(symbols), ((0,) * width,), 0, frozenset())
        self.alone = automaton is None
        self.depth = int(argument["depth"])
        self.facts = argument["facts"]
        self.forms = [self._form(terms) for terms in argument["forms"]]
        self.memories = [self.lowered.memory(self.lowered.truths[one][place]) for one, place in argument["memories"]]
        self.longest = dict.fromkeys(range(len(self.lowered.memories)), 1)
        for content in self.lowered.nodes:
            if isinstance(content, Earlier):
                self.longest[content.memory] = max(self.longest[content.memory], content.distance)
        if self.lowered.period != self.lowered.modulus:
            raise ProofError("the programs tell too many residues apart for an induction")
        steps = self.lowered.modulus * len(self.automaton) * width**self.depth if 1 <= self.depth <= 8 else 0
        if not 0 < steps <= MOST_STEPS:
            raise ProofError("an induction has a depth of at least 1, and not too many steps")
        parts = len(self.lowered.nodes) + sum(self.longest.values()) + len(self.lowered.forms) + len(self.facts)
        if steps * self.depth * parts > MOST_TERMS:
            raise ProofError("the programs or the facts are too many for an induction of that depth")
        self.deadline = monotonic() + SECONDS

    def _form(self, terms: Sequence[Sequence[int]]) -> tuple[int, int]:
        counters: dict[int, int] = {}
        for program, place, coefficient in terms:
            counter = self.lowered.counter(self.lowered.truths[program][place])
            if counter is None:
                raise ProofError(f"operation {place} of program {program} is not counted by any of them")
            counters[counter] = counters.get(counter, 0) + coefficient
        return self.lowered.form(tuple(sorted((counter, factor) for counter, factor in counters.items() if factor)))

    def check(self) -> None:
        """Run the first steps, then ask Z3 about all others."""
        try:
            self._base()
            self._all_steps()
        except self.z3.Z3Exception:
            raise ProofError("a fact is no linear combination of what is known") from None

    def _all_steps(self) -> None:
        places = product(range(self.lowered.modulus), range(len(self.automaton)))
        words = list(product(range(self.lowered.width), repeat=self.depth))
        for residue, state in places:
            for word in words:
                self._step(residue, state, word)

    # -------------------------------------------------------------------------------------------------- base

    def _base(self) -> None:
        """The facts hold before the first `depth` symbols, and the sides agree on words of at most so many."""
        zero = dict.fromkeys(range(len(self.lowered.forms)), 0)
        layer: list[tuple[dict[int, int], dict[tuple[int, int], bool], int, int]] = [
            (zero, {}, 1 % self.lowered.modulus, self.automaton.start)
        ]
        for _ in range(self.depth):
            following = []
            for values, bits, residue, state in layer:
                known = {
                    (memory, back): bits.get((memory, back), False)
                    for memory, longest in self.longest.items()
                    for back in range(1, longest + 1)
                }
                exact = {form: (value, value) for form, value in values.items()}
                situation = Situation(self.lowered, (residue, self.lowered.modulus), exact, known, {})
                if not all(self._holds(fact, values, known, residue, state) for fact in self.facts):
                    raise ProofError("a fact does not hold at the beginning")
                for symbol in range(self.lowered.width):
                    place = residue * self.lowered.width + symbol
                    target = self.automaton.table[state][symbol]
                    outputs = [situation.truth(output[place]) for output in self.lowered.outputs]
                    expected = outputs[1] if self.alone else target in self.automaton.accepting
                    if outputs[0] is None or outputs[0] != expected:
                        raise ProofError("the sides differ on a short word")
                    moved = {form: value + situation.step(form, place)[0] for form, value in values.items()}
                    after = {
                        (memory, back): bool(situation.truth(self.lowered.memories[memory][place]))
                        if back == 1
                        else known[memory, back - 1]
                        for memory, back in known
                    }
                    following.append((moved, after, (residue + 1) % self.lowered.modulus, target))
            layer = following

    def _holds(
        self, fact: Any, values: Mapping[int, int], bits: Mapping[tuple[int, int], bool], residue: int, state: int
    ) -> bool:
        condition, consequence = fact
        return bool(
            (condition is not None and not self._linear(condition, values, bits, residue, state))
            or self._linear(consequence, values, bits, residue, state)
        )

    def _linear(self, part: Any, values: Any, bits: Any, residue: Any, state: Any) -> Any:
        """A linear fact, of numbers or of Z3's terms: [[kind, number, …, coefficient], …], constant, equality."""
        terms, total, equality = part
        for kind, *place, coefficient in terms:
            if kind == "form":
                form, factor = self.forms[place[0]]
                total = total + coefficient * factor * values[form] if factor else total
            elif kind == "bit":
                bit = bits[self.memories[place[0]], place[1]]
                total = total + coefficient * (int(bit) if isinstance(bit, bool) else self.z3.If(bit, 1, 0))
            elif kind in ("residue", "state"):
                total = total + coefficient * (residue if kind == "residue" else state)
            else:
                raise ProofError(f"a fact speaks of {kind!r}, which is none of form, bit, residue and state")
        return total == 0 if equality else total >= 0

    # -------------------------------------------------------------------------------------------------- step

    def _step(self, residue: int, state: int, word: Sequence[int]) -> None:
        z3 = self.z3
        solver = z3.SolverFor("QF_LIA")
        solver.set("timeout", max(1, int(1000 * (self.deadline - monotonic()))))
        frame = _Frame(
            [z3.Int(f"form{number}") for number in range(len(self.lowered.forms))],
            {
                (memory, back): z3.Bool(f"bit{memory}.{back}")
                for memory, longest in self.longest.items()
                for back in range(1, longest + 1)
            },
            residue,
            state,
        )
        for symbol in word:
            solver.add(*[self._fact(fact, frame) for fact in self.facts], self._agree(frame))
            frame = self._after(frame, symbol, solver)
        solver.add(z3.Not(z3.And([self._agree(frame), *[self._fact(fact, frame) for fact in self.facts]])))
        verdict = solver.check()
        if verdict != z3.unsat:
            raise ProofError("the facts are not kept by every symbol" if verdict == z3.sat else "Z3 decides too late")

    def _fact(self, fact: Any, frame: _Frame) -> Any:
        condition, consequence = fact
        known = frame.values, frame.bits, frame.residue, frame.state
        then = self._linear(consequence, *known)
        return then if condition is None else self.z3.Implies(self._linear(condition, *known), then)

    def _agree(self, frame: _Frame) -> Any:
        outputs = []
        for symbol, target in enumerate(self.automaton.table[frame.state]):
            place = frame.residue * self.lowered.width + symbol
            found = [self._truth(output[place], frame) for output in self.lowered.outputs]
            wanted = found[1] if self.alone else self.z3.BoolVal(target in self.automaton.accepting)
            outputs.append(found[0] == wanted)
        return self.z3.And(outputs)

    def _after(self, frame: _Frame, symbol: int, solver: Any) -> _Frame:
        z3 = self.z3
        place = frame.residue * self.lowered.width + symbol
        values = []
        for value, steps in zip(frame.values, self.lowered.forms, strict=True):
            constant, bits = steps[place]
            following = z3.FreshInt("form")
            added = [z3.If(self._truth(node, frame), weight, 0) for node, weight in bits]
            solver.add(following == z3.Sum([value, z3.IntVal(constant), *added]))
            values.append(following)
        bits_after = {
            (memory, back): self._truth(self.lowered.memories[memory][place], frame)
            if back == 1
            else frame.bits[memory, back - 1]
            for memory, back in frame.bits
        }
        residue = (frame.residue + 1) % self.lowered.modulus
        return _Frame(values, bits_after, residue, self.automaton.table[frame.state][symbol])

    def _truth(self, node: Node, frame: _Frame) -> Any:
        z3 = self.z3
        for number in self.lowered.under(node >> 1):
            if number in frame.known:
                continue
            match self.lowered.nodes[number]:
                case All(parts):
                    frame.known[number] = z3.And([self._literal(part, frame) for part in parts])
                case AtLeast(form, factor, bits, constant):
                    terms = [z3.If(self._literal(bit, frame), weight, 0) for bit, weight in bits]
                    if factor:
                        terms.append(factor * frame.values[form])
                    frame.known[number] = z3.Sum([z3.IntVal(constant), *terms]) >= 0
                case Earlier(memory, distance):
                    frame.known[number] = frame.bits[memory, distance]
                case None:
                    frame.known[number] = z3.BoolVal(False)
        return self._literal(node, frame)

    def _literal(self, node: Node, frame: _Frame) -> Any:
        if node >> 1 not in frame.known:
            frame.known[node >> 1] = self.z3.BoolVal(False)
        found = frame.known[node >> 1]
        return self.z3.Not(found) if node & 1 else found
