"""What has to be remembered of the comparisons that are settled: as little as possible, so that ways meet again.

Two ways to one configuration may have settled different things, most of which no longer matter. A stage of a program
is over because it was never entered and cannot be any more, or because it was left; what matters is that one of the two
holds. So two kinds of facts are kept: single comparisons, and *clauses*, of which at least one part holds. An invariant
that lists only what matters has fewer configurations. What is kept here is a choice, not a proof: if too little was
kept, the checker refuses the invariant.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from lengthwise.regular.prover.formulas import TRUE, Atom, Conjunction, Literal, Past
from lengthwise.regular.prover.modes import Settled
from lengthwise.regular.prover.normal_form import Increment, System, bounds

Clause: TypeAlias = tuple[Literal, ...]
"""Literals of comparisons that do not hold all together, increasing."""
Facts: TypeAlias = tuple[Settled, frozenset[Clause]]

NOTHING: Facts = (frozenset(), frozenset())


class Thrift(Enum):
    """How little is remembered: the first ways give smaller invariants, the last one leaves nothing out."""

    CLAUSES = "what matters, with clauses"
    COMPARISONS = "what matters, as single comparisons"
    EVERYTHING = "everything that is settled"


class Relevance:
    """The facts on which outputs, live forms and other relevant facts depend."""

    def __init__(self, system: System, thrift: Thrift) -> None:
        self.system, self.thrift = system, thrift
        self.monotone = [(least >= 0, most <= 0) for least, most in map(bounds, system.forms)]
        self._known: dict[Facts, Facts] = {}

    def of(self, facts: Facts) -> Facts:
        """The relevant ones among some facts."""
        if facts == NOTHING or self.thrift is Thrift.EVERYTHING:
            return facts
        if facts not in self._known:
            found = _Search(self, facts).run()
            self._known[facts] = found
            self._known.setdefault(found, found)
        return self._known[facts]


class _Search:
    def __init__(self, relevance: Relevance, facts: Facts) -> None:
        self.system, self.monotone = relevance.system, relevance.monotone
        self.with_clauses = relevance.thrift is Thrift.CLAUSES
        self.formulas, self.nodes = self.system.formulas, self.system.formulas.nodes
        self.settled = dict(facts[0])
        self.clauses: dict[Literal, list[frozenset[Literal]]] = {}
        for clause in facts[1]:
            self.clauses.setdefault(clause[0], []).append(frozenset(clause))
        self.touched = self.formulas.leaves_under({*self.settled, *(literal >> 1 for literal in self.clauses)})
        self.truths: dict[int, bool | None] = {0: False}
        self.waiting: list[int] = []
        self.seen: set[int] = {0}
        self.kept: set[int] = set()
        self.kept_clauses: set[Clause] = set()
        self.followed: set[tuple[str, int]] = set()

    def run(self) -> Facts:
        """Follow the outputs down to the facts that they depend on."""
        self._want(literal >> 1 for literal in self.system.outputs)
        while self.waiting:
            number = self.waiting.pop()
            match self.nodes[number]:
                case Conjunction(operands):
                    self._explain(number, operands)
                case Atom(form, _):
                    if number in self.settled:
                        self.kept.add(number)
                        self._keep(form, self.settled[number] == TRUE)
                    elif ("form", form) not in self.followed:
                        self.followed.add(("form", form))
                        self._want(literal >> 1 for _, bits in self.system.forms[form] for literal, _ in bits)
                case Past(memory, _):
                    if number in self.settled:
                        self.kept.add(number)
                    if ("memory", memory) not in self.followed:
                        self.followed.add(("memory", memory))
                        self._want(literal >> 1 for literal in self.system.remembered[memory])
        return frozenset((number, self.settled[number]) for number in self.kept), frozenset(self.kept_clauses)

    def _want(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number not in self.seen:
                self.seen.add(number)
                self.waiting.append(number)

    def _explain(self, number: int, operands: tuple[Literal, ...]) -> None:
        """What makes a conjunction false, or else everything in it."""
        if self._truth(number) is not False:
            self._want(literal >> 1 for literal in operands)
            return
        clause = self._clause(operands) if self.with_clauses else None
        if clause is not None:
            self.kept_clauses.add(clause)
            for literal in clause:
                node = self.nodes[literal >> 1]
                if isinstance(node, Atom):
                    self._keep(node.form, bool(literal & 1))
            return
        # That a conjunction is false for a reason inside of it is settled before it is known from a clause.
        false = [literal for literal in operands if self._holds(literal) is False]
        self._want(literal >> 1 for literal in false[:1])

    def _clause(self, operands: tuple[Literal, ...]) -> Clause | None:
        """Comparisons among the operands that do not hold all together, and never will; None if there are no two."""
        lasting = tuple(literal for literal in operands if self._lasting(literal))
        if len(lasting) < 2 or all(literal & 1 for literal in lasting):
            return None  # where some threshold was reached, that alone is as good
        held = any(self._holds(literal) is False for literal in lasting) or self._follows(frozenset(lasting))
        return lasting if held else None

    def _lasting(self, literal: Literal) -> bool:
        """Whether a comparison of a form that only rises or only falls stays false once it is false."""
        node = self.nodes[literal >> 1]
        if not isinstance(node, Atom) or not any(self.monotone[node.form]):
            return False
        reached = bool(literal & 1)  # the negation of "reached" is false where the threshold is reached
        if self.monotone[node.form][0 if reached else 1]:
            return True
        return all(self._unchanging(increment, reached) for increment in self.system.forms[node.form])

    def _unchanging(self, increment: Increment, reached: bool) -> bool:
        """Whether an input cannot lower a form that reached a threshold, or raise one that did not."""
        constant, bits = increment
        sign = 1 if reached else -1
        total = sign * constant
        for literal, weight in bits:
            truth = self._truth(literal >> 1)
            total += sign * weight if truth else 0 if truth is False else min(sign * weight, 0)
        return total >= 0

    def _keep(self, form: int, reached: bool) -> None:
        """What keeps a form from falling below a threshold that it reached, or from rising to one that it did not."""
        if self.monotone[form][0 if reached else 1] or ("kept", form) in self.followed:
            return
        self.followed.add(("kept", form))
        self._want(
            literal >> 1
            for _, bits in self.system.forms[form]
            for literal, _ in bits
            if self._truth(literal >> 1) is not None
        )

    # ------------------------------------------------------------------------------------------------- truth

    def _holds(self, literal: Literal) -> bool | None:
        truth = self._truth(literal >> 1)
        return None if truth is None else truth != bool(literal & 1)

    def _follows(self, literals: frozenset[Literal]) -> bool:
        """Whether a clause says that these literals do not hold all together."""
        return any(clause <= literals for first in literals for clause in self.clauses.get(first, ()))

    def _truth(self, root: int) -> bool | None:
        """Whether a node holds as far as the facts tell."""
        truths = self.truths
        waiting = [root]
        while waiting:
            number = waiting[-1]
            if number in truths:
                waiting.pop()
                continue
            node = self.nodes[number]
            if not isinstance(node, Conjunction) or not self.formulas.supports[number] & self.touched:
                truths[number] = self.settled[number] == TRUE if number in self.settled else None
                waiting.pop()
                continue
            missing = [literal >> 1 for literal in node.operands if literal >> 1 not in truths]
            if missing:
                waiting += missing
                continue
            verdicts = [
                None if truths[literal >> 1] is None else truths[literal >> 1] != bool(literal & 1)
                for literal in node.operands
            ]
            if False in verdicts or (self.clauses and self._follows(frozenset(node.operands))):
                truths[number] = False
            else:
                truths[number] = None if None in verdicts else True
            waiting.pop()
        return truths[root]
