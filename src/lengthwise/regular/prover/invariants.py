"""Writing down what a search found as an inductive invariant that `lengthwise.regular.proofs` can check.

A configuration of the search has forgotten what no longer matters: comparisons that are settled are gone from its mode.
The checker reads whole programs, so it has to be told what was settled, as far as it still matters (`relevance`): which
thresholds were reached for good, and which never will be. That depends on the way to a configuration; two ways that
settled different things that matter are two configurations of the invariant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover.abstraction import Abstraction
from lengthwise.regular.prover.formulas import TRUE, Atom, Literal, Past
from lengthwise.regular.prover.modes import Settled
from lengthwise.regular.prover.relevance import Clause, Facts, Relevance, Thrift
from lengthwise.regular.prover.search import Explorer
from lengthwise.resources import Deadline

Interval: TypeAlias = tuple[int | None, int | None]
Following: TypeAlias = list[list[tuple[int, Settled]]]
Pair: TypeAlias = tuple[int, int, Facts]
"""The automaton's state, a configuration of the search, and what was settled on the way to it."""


def searched_invariant(
    explorer: Explorer, automaton: Automaton, thrift: Thrift, most: int, deadline: Deadline
) -> dict[str, Any] | None:
    """The invariant of a finished search, every value known exactly; None if it has more than `most` configurations."""

    def following(number: int) -> Following:
        return [[(target, settled)] for _, target, settled in explorer.successors(number)]

    def intervals(number: int) -> list[Interval]:
        return [(value, value) for value in explorer.configurations[number][3]]

    return _Writer(explorer, automaton, thrift, following, intervals).write(0, [], most, deadline)


def abstract_invariant(
    abstraction: Abstraction, automaton: Automaton, thrift: Thrift, most: int, deadline: Deadline
) -> dict[str, Any] | None:
    """The invariant of an abstraction, far values as half-open intervals."""

    def following(number: int) -> Following:
        return [targets for _, targets in abstraction.successors(number) or []]

    relations = [
        [[form, weight] for form, weight in zip(forms, vector, strict=True) if weight]
        for forms, vectors in abstraction.equations.items()
        for vector in vectors
    ]
    writer = _Writer(abstraction.explorer, automaton, thrift, following, abstraction.intervals)
    return writer.write(abstraction.first, relations, most, deadline)


class _Writer:
    def __init__(
        self,
        explorer: Explorer,
        automaton: Automaton,
        thrift: Thrift,
        following: Callable[[int], Following],
        intervals: Callable[[int], Sequence[Interval]],
    ) -> None:
        self.explorer, self.automaton, self.following, self.intervals = explorer, automaton, following, intervals
        self.system = explorer.system
        self.relevance = Relevance(self.system, thrift)
        self.clauses: dict[Clause, int] = {}
        self._facts: dict[Settled, tuple[dict[int, Interval], dict[int, tuple[int, int]]]] = {}

    def write(
        self, first: int, relations: Sequence[Sequence[Sequence[int]]], most: int, deadline: Deadline
    ) -> dict[str, Any] | None:
        relevant = self.relevance.of
        start: Pair = (self.automaton.start, first, relevant((self.explorer.settled, frozenset())))
        order: dict[Pair, int] = {start: 0}
        pairs = [start]
        rows: list[list[Any]] = []
        for state, number, facts in pairs:  # grows while it is read
            if len(pairs) > most or deadline.passed():
                return None
            following = []
            for target, options in zip(self.automaton.table[state], self.following(number), strict=True):
                places = []
                for successor, more in options:
                    pair: Pair = (target, successor, relevant((facts[0] | more, facts[1])) if more else facts)
                    place = order.get(pair)
                    if place is None:
                        place = order[pair] = len(pairs)
                        pairs.append(pair)
                    places.append(place)
                following.append(places)
            rows.append([*self._row(state, number, facts), following])
        return {
            "kind": "invariant",
            "forms": [[[*source, weight] for source, weight in terms] for _, terms in self.system.sums],
            "memories": [list(source) for source in self.system.sources],
            "relations": [self._scaled(terms) for terms in relations],
            "clauses": [[self._part(literal) for literal in clause] for clause in self.clauses],
            "configurations": rows,
        }

    def _scaled(self, terms: Sequence[Sequence[int]]) -> list[list[int]]:
        """A relation between forms as one between the sums that are multiples of them."""
        whole = 1
        for form, _ in terms:
            whole *= self.system.sums[form][0]
        return [[form, weight * (whole // self.system.sums[form][0])] for form, weight in terms]

    def _part(self, literal: Literal) -> list[int | None]:
        """The bounds of a form where a literal of a clause does not hold."""
        node = self.system.formulas.nodes[literal >> 1]
        assert isinstance(node, Atom)  # noqa: S101 - clauses consist of comparisons
        reached: Interval = (node.threshold, None) if literal & 1 else (None, node.threshold - 1)
        return [node.form, *self._bounds(node.form, reached)]

    def _row(self, state: int, number: int, facts: Facts) -> list[Any]:
        mode, residue, masks, _ = self.explorer.configurations[number]
        known, memories = self._known(facts[0])
        values = dict(known)
        values.update(zip(mode.forms, self.intervals(number), strict=True))
        bits = dict(memories)
        for memory, depth, mask in zip(mode.memories, mode.depths, masks, strict=True):
            bits[memory] = ((1 << depth) - 1, mask)
        return [
            state, residue, mode.modulus,
            [[form, *self._bounds(form, interval)] for form, interval in sorted(values.items())],
            [[memory, *masks] for memory, masks in sorted(bits.items())],
            sorted(self.clauses.setdefault(clause, len(self.clauses)) for clause in facts[1]),
        ]  # fmt: skip

    def _bounds(self, form: int, interval: Interval) -> Interval:
        factor = self.system.sums[form][0]
        low, high = (None if bound is None else factor * bound for bound in interval)
        return (low, high) if factor > 0 else (high, low)

    def _known(self, settled: Settled) -> tuple[dict[int, Interval], dict[int, tuple[int, int]]]:
        """What settled leaves say: an interval for each form, and known bits of memories."""
        if settled not in self._facts:
            values: dict[int, Interval] = {}
            memories: dict[int, tuple[int, int]] = {}
            for node, truth in settled:
                match self.system.formulas.nodes[node]:
                    case Atom(form, threshold):
                        low, high = values.get(form, (None, None))
                        if truth == TRUE:
                            low = threshold if low is None else max(low, threshold)
                        else:
                            high = threshold - 1 if high is None else min(high, threshold - 1)
                        values[form] = (low, high)
                    case Past(memory, distance):
                        # A memory is settled as a whole: what it records has become constant.
                        known = memories.get(memory, (0, 0))[0] | (1 << distance) - 1
                        memories[memory] = (known, known if truth == TRUE else 0)
            self._facts[settled] = values, memories
        return self._facts[settled]
