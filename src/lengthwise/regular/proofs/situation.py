"""What is certain about a program's next step when only intervals of its counts are known.

A *situation* is the residue of the position being read, an interval for some forms, some remembered truths, and
clauses: sets of comparisons that do not hold all together. Every node then is true, false or unknown, and what a symbol
adds to a form lies in an interval. Nothing is guessed: an unknown comparison is unknown because both outcomes are
possible as far as all this tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from lengthwise.regular.proofs.lowering import All, AtLeast, Earlier, Interval, Lowered, Node

Bits: TypeAlias = Mapping[tuple[int, int], bool]
"""What is known of memories, by memory and distance."""
Clauses: TypeAlias = Mapping[Node, Sequence[frozenset[Node]]]
"""Sets of nodes that do not hold all together, by one node of each."""

EVERYTHING: Interval = (None, None)
DEEPEST = 200
"""How deep nodes may be nested to be evaluated from the top, which leaves out what does not matter."""
_UNSEEN: Any = object()


def meet(first: Interval, second: Interval) -> Interval:
    """The values that lie in both intervals."""
    lows = [low for low in (first[0], second[0]) if low is not None]
    highs = [high for high in (first[1], second[1]) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def moved(interval: Interval, step: tuple[int, int]) -> Interval:
    """Where values of an interval are after a step."""
    low, high = interval
    return None if low is None else low + step[0], None if high is None else high + step[1]


def is_empty(interval: Interval) -> bool:
    """Whether no value lies in an interval."""
    return interval[0] is not None and interval[1] is not None and interval[0] > interval[1]


class Situation:
    """The truth of nodes where forms lie in intervals and some memories are known."""

    def __init__(
        self,
        lowered: Lowered,
        position: tuple[int, int],
        values: Mapping[int, Interval],
        bits: Bits,
        clauses: Clauses,
    ) -> None:
        self.position = position
        """The residue of the position being read, and the modulus."""
        self.lowered, self.values, self.bits, self.clauses = lowered, values, bits, clauses
        self._truths: dict[int, bool | None] = {0: False}
        self._steps: dict[tuple[int, int], tuple[int, int]] = {}

    def interval(self, form: int) -> Interval:
        """What is known of a form before the position is read."""
        known = self.values.get(form)
        return self.lowered.always[form] if known is None else known

    def truth(self, node: Node) -> bool | None:
        """Whether a node holds; None if that is not known."""
        number = node >> 1
        found = self._truths.get(number, _UNSEEN)
        if found is _UNSEEN:
            found = self._evaluate(number)
        return found if found is None else found ^ bool(node & 1)

    def _evaluate(self, root: int) -> bool | None:
        """The truth of a node. Programs may nest deeper than Python does; then what a node is made of comes first."""
        if self.lowered.heights[root] > DEEPEST:
            for number in self.lowered.under(root):
                if number not in self._truths:
                    self._compute(number)
        return self._compute(root)

    def _compute(self, number: int) -> bool | None:
        truths = self._truths
        content = self.lowered.nodes[number]
        found: bool | None = True
        if isinstance(content, All):
            for part in content.parts:
                truth = truths.get(part >> 1, _UNSEEN)
                if truth is _UNSEEN:
                    truth = self._compute(part >> 1)
                if truth is None:
                    found = None
                elif truth is bool(part & 1):
                    found = False
                    break
            if found is None and self.clauses and self._excluded(content.parts):
                found = False
        elif isinstance(content, AtLeast):
            found = self._at_least(content)
        elif isinstance(content, Earlier):
            found = self.bits.get((content.memory, content.distance))
        elif content is not None:
            residue, modulus = self.position
            found = None if modulus % content.modulus else residue % content.modulus in content.residues
        truths[number] = found
        return found

    def _excluded(self, parts: Sequence[Node]) -> bool:
        """Whether a clause says that these nodes do not hold all together."""
        whole: set[Node] = set()
        for part in parts:
            for clause in self.clauses.get(part, ()):
                whole = whole or set(parts)
                if clause <= whole:
                    return True
        return False

    def _at_least(self, content: AtLeast) -> bool | None:
        low, high = self._total(content.constant, content.bits)
        if content.factor:
            least, most = self.interval(content.form)
            if content.factor < 0:
                least, most = most, least
            if least is not None and low + content.factor * least >= 0:
                return True
            return False if most is not None and high + content.factor * most < 0 else None
        return True if low >= 0 else False if high < 0 else None

    def _total(self, constant: int, bits: tuple[tuple[Node, int], ...]) -> tuple[int, int]:
        low = high = constant
        for node, weight in bits:
            truth = self._truths.get(node >> 1, _UNSEEN)
            if truth is _UNSEEN:
                truth = self._compute(node >> 1)
            if truth is None:
                low, high = low + min(weight, 0), high + max(weight, 0)
            elif truth:
                low, high = low + weight, high + weight
        return low, high

    def step(self, form: int, place: int) -> tuple[int, int]:
        """The least and the most that an input, by its place, adds to a form."""
        found = self._steps.get((form, place))
        if found is None:
            constant, bits = self.lowered.forms[form][place]
            for node, _ in bits:
                self.truth(node)
            found = self._steps[form, place] = self._total(constant, bits)
        return found

    # --------------------------------------------------------------------------------- telling cases apart

    def cases(self, node: Node) -> Iterator[Situation]:
        """Two situations that together are this one, in which something is known on which an unknown node depends."""
        while True:
            content = self.lowered.nodes[node >> 1]
            if isinstance(content, All):
                node = next(part for part in content.parts if self.truth(part) is None)
            elif isinstance(content, AtLeast):
                unknown = next((bit for bit, _ in content.bits if self.truth(bit) is None), None)
                if unknown is None:
                    yield from self._halves(content)
                    return
                node = unknown
            elif isinstance(content, Earlier):
                for truth in (False, True):
                    bits = {**self.bits, (content.memory, content.distance): truth}
                    yield Situation(self.lowered, self.position, self.values, bits, self.clauses)
                return
            else:
                return

    def _halves(self, content: AtLeast) -> Iterator[Situation]:
        total, _ = self._total(content.constant, content.bits)
        if content.factor > 0:
            cut = -(total // content.factor)  # the least value for which the comparison holds
        else:
            cut = total // -content.factor + 1  # the least value for which it fails
        for half in ((None, cut - 1), (cut, None)):
            values = {**self.values, content.form: meet(self.interval(content.form), half)}
            yield Situation(self.lowered, self.position, values, self.bits, self.clauses)
