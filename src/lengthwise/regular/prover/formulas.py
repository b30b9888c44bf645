"""Boolean formulas over what a program remembers, each built once.

A formula is a number, its *literal*: twice its node, plus one if negated; so `literal ^ 1` is its negation, 0 is false
and 1 is true. A node is a conjunction of literals or a leaf. Leaves speak of the word read so far, not of the symbol
being read: a linear form has reached a threshold, a formula held some positions ago, the position has a residue.
Equal formulas mostly get equal literals, and always mean the same if they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lengthwise.errors import LengthwiseError

Literal: TypeAlias = int
FALSE: Literal = 0
TRUE: Literal = 1
LARGEST = 200_000
"""The most nodes there may be."""
LONGEST_RESOLVED = 6
"""The longest clauses that are looked at in pairs."""


class TooComplexError(LengthwiseError):
    """A program is too large once its conditionals and windows are expanded."""


@dataclass(frozen=True, slots=True)
class Atom:
    """The linear form with this number is at least the threshold."""

    form: int
    threshold: int


@dataclass(frozen=True, slots=True)
class Past:
    """The remembered formula with this number held so many positions before the one being read."""

    operand: int
    distance: int


@dataclass(frozen=True, slots=True)
class Residue:
    """The position being read is one of `residues` modulo `modulus`."""

    modulus: int
    residues: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All of these literals, two or more, increasing."""

    operands: tuple[Literal, ...]


Node: TypeAlias = Atom | Past | Residue | Conjunction | None


class Formulas:
    """A store of formulas. Operands have smaller numbers than what is built from them."""

    def __init__(self) -> None:
        self.nodes: list[Node] = [None]
        self.leaves: list[int] = []
        """The nodes that are leaves."""
        self.supports: list[int] = [0]
        """For each node the leaves under it, as the bits of an integer: bit k stands for the k-th leaf."""
        self._known: dict[Node, int] = {None: 0}

    def leaf(self, node: Atom | Past | Residue) -> Literal:
        """The literal of a leaf."""
        return self._add(node)

    def _add(self, node: Node) -> Literal:
        number = self._known.get(node)
        if number is None:
            number = self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.supports.append(self._support(node, number))
            if number > LARGEST:
                raise TooComplexError("the program is too large to be compared with all its cases taken apart")
        return 2 * number

    def _support(self, node: Node, number: int) -> int:
        if not isinstance(node, Conjunction):
            self.leaves.append(number)
            return 1 << (len(self.leaves) - 1)
        support = 0
        for literal in node.operands:
            support |= self.supports[literal >> 1]
        return support

    def disjunction(self, literals: Iterable[Literal]) -> Literal:
        """Some of these hold."""
        return self.conjunction(literal ^ 1 for literal in literals) ^ 1

    def choice(self, condition: Literal, then: Literal, otherwise: Literal) -> Literal:
        """One or the other, as the condition says."""
        if then == otherwise:
            return then
        return self.disjunction((self.conjunction((condition, then)), self.conjunction((condition ^ 1, otherwise))))

    def different(self, left: Literal, right: Literal) -> Literal:
        """Exactly one of the two holds."""
        return self.choice(left, right ^ 1, right)

    def conjunction(self, literals: Iterable[Literal]) -> Literal:
        """All of these hold. What follows from the other operands is left out."""
        facts = _Facts(self.nodes)
        clauses: list[tuple[Literal, ...]] = []
        waiting = list(literals)
        while True:
            while waiting:
                literal = waiting.pop()
                node = self.nodes[literal >> 1]
                if not isinstance(node, Conjunction):
                    if not facts.add(literal):
                        return FALSE
                elif literal & 1:
                    clauses.append(node.operands)
                    facts.clauses.add(literal)
                else:
                    waiting.extend(node.operands)
            if not clauses:
                break
            remaining: list[tuple[Literal, ...]] = []
            for clause in clauses:
                # The negation of a conjunction: some literal of the clause fails.
                verdicts = [facts.verdict(literal) for literal in clause]
                if False in verdicts:
                    continue
                left = tuple(literal for literal, verdict in zip(clause, verdicts, strict=True) if verdict is None)
                if not left:
                    return FALSE
                if len(left) > 1:
                    remaining.append(left)
                else:
                    waiting.append(left[0] ^ 1)
            clauses = remaining
            if waiting:
                continue
            resolved = _resolved(clauses)
            if resolved is None:
                break
            clauses = resolved
        operands = facts.literals()
        operands.update(self._add(Conjunction(clause)) ^ 1 for clause in set(clauses))
        if any(literal ^ 1 in operands for literal in operands):
            return FALSE
        if len(operands) < 2:
            return operands.pop() if operands else TRUE
        return self._add(Conjunction(tuple(sorted(operands))))

    # ------------------------------------------------------------------------------------------- reading

    def reachable(self, roots: Iterable[Literal]) -> list[int]:
        """The nodes that some literals are built from, themselves included, operands first, without the constant."""
        found: set[int] = {0}
        stack = [literal >> 1 for literal in roots]
        while stack:
            number = stack.pop()
            if number not in found:
                found.add(number)
                node = self.nodes[number]
                if isinstance(node, Conjunction):
                    stack.extend(literal >> 1 for literal in node.operands)
        found.discard(0)
        return sorted(found)

    def leaves_under(self, nodes: Iterable[int]) -> int:
        """The leaves under some nodes, as bits."""
        support = 0
        for number in nodes:
            support |= self.supports[number]
        return support

    def replaced(self, roots: Iterable[int], leaves: Mapping[int, Literal]) -> dict[int, Literal]:
        """What becomes of those nodes, among some and all under them, that change when leaves become constants."""
        changed = dict(leaves)
        touched = self.leaves_under(leaves)
        affected: set[int] = set()
        stack = list(roots)
        while stack:
            number = stack.pop()
            node = self.nodes[number]
            if isinstance(node, Conjunction) and number not in affected and self.supports[number] & touched:
                affected.add(number)
                stack.extend([literal >> 1 for literal in node.operands])
        for number in sorted(affected):
            node = self.nodes[number]
            if isinstance(node, Conjunction):
                parts = [changed.get(part >> 1, part & ~1) ^ (part & 1) for part in node.operands]
                changed[number] = self.conjunction(parts)
        return changed


def _resolved(clauses: Sequence[tuple[Literal, ...]]) -> list[tuple[Literal, ...]] | None:
    """Clauses in which ¬(P ∧ x) and ¬(P ∧ ¬x) have become ¬P, once; None if there are no such two."""
    if len(clauses) < 2:
        return None
    known = {frozenset(clause) for clause in clauses if len(clause) <= LONGEST_RESOLVED}
    for clause in known:
        for literal in clause:
            twin = clause - {literal} | {literal ^ 1}
            if twin in known:
                rest = [other for other in clauses if set(other) not in (clause, twin)]
                return [*rest, tuple(sorted(clause - {literal}))]
    return None


class _Facts:
    """Literals that hold together, thresholds of one form merged into an interval."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.others: set[Literal] = set()
        self.clauses: set[Literal] = set()
        """Negated conjunctions that hold, too."""
        self.least: dict[int, tuple[int, Literal]] = {}
        """The highest threshold each form has reached."""
        self.most: dict[int, tuple[int, Literal]] = {}
        """The lowest threshold each form has not reached."""

    def add(self, literal: Literal) -> bool:
        """Take a leaf, negated or not, or a constant; False if it contradicts the others."""
        node = self.nodes[literal >> 1]
        if isinstance(node, Atom):
            form, entry = node.form, (node.threshold, literal)
            if literal & 1:
                self.most[form] = min(entry, self.most.get(form, entry))
            else:
                self.least[form] = max(entry, self.least.get(form, entry))
            return not (form in self.least and form in self.most and self.least[form][0] >= self.most[form][0])
        if node is None:
            return literal == TRUE
        self.others.add(literal)
        return literal ^ 1 not in self.others

    def verdict(self, literal: Literal) -> bool | None:
        """Whether a literal holds, given these."""
        node = self.nodes[literal >> 1]
        if isinstance(node, Atom):
            if node.form in self.least and self.least[node.form][0] >= node.threshold:
                return not literal & 1
            if node.form in self.most and self.most[node.form][0] <= node.threshold:
                return bool(literal & 1)
            return None
        if literal in self.others or literal in self.clauses:
            return True
        return False if literal ^ 1 in self.others or literal ^ 1 in self.clauses else None

    def literals(self) -> set[Literal]:
        """All of them, without those that follow from others."""
        bounds = (literal for side in (self.least, self.most) for _, literal in side.values())
        return {*self.others, *bounds}
