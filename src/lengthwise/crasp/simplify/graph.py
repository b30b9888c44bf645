"""A program as a graph of shared operations, in which one operation can stand in for another of the same value.

The nodes are the operations whose number is the `size` of a program, so a rewriting can be weighed exactly: what it
adds, and what nobody needs any more after it. `replace` refuses every rewriting that does not pay, whatever a rule
proposes; hence simplification ends and never makes a program larger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from lengthwise.crasp.running.magnitude import Affine, Range, exactly, length_range, longest_within
from lengthwise.crasp.running.operations import Kind, Operation, at_start
from lengthwise.crasp.syntax import MAX_INTEGER


@dataclass(frozen=True, slots=True)
class Bounds:
    """Integers between which a value lies at every position of every word; None where there is no such integer."""

    least: int | None
    most: int | None

    @classmethod
    def of(cls, found: Range) -> Bounds:
        """The bounds of a range over all positions, the virtual position 0 of the empty word included."""
        # No position is negative, so a bound that does not fall with the position is least at 0.
        return cls(
            found.low.constant if found.low.slope >= 0 else None,
            found.high.constant if found.high.slope <= 0 else None,
        )


def position_range(operation: Operation, parts: list[Range], counts_all: bool) -> Range:
    """A range of the value at position i as a function of i; `counts_all` for a count of every admitted position."""
    match operation.kind:
        case "count" if counts_all:
            return Range(Affine(1, 0), Affine(1, 0))
        case "before" if counts_all:
            return Range(Affine(1, -1), Affine(1, 0))
        case "min":
            high = min((part.high for part in parts), key=lambda end: (max(end.slope, 0), end.constant))
            return Range(parts[0].hull(parts[1]).low, high)
        case "max":
            low = max((part.low for part in parts), key=lambda end: (min(end.slope, 0), end.constant))
            return Range(low, parts[0].hull(parts[1]).high)
        case _:
            return length_range(operation, parts)


Node: TypeAlias = int

COUNTING: frozenset[Kind] = frozenset({"count", "before", "window"})
COMPARING: frozenset[Kind] = frozenset({"==", "!=", "<", "<="})
ATOMIC: frozenset[Kind] = frozenset({"symbol", "truth", "number"})
"""Written out wherever they are used; a name for one of them is never needed."""
LONGEST_WORD = 2**48
"""No word is longer, so counts need not stay exact beyond it."""
_COMMUTATIVE: frozenset[Kind] = frozenset({"and", "or", "==", "!=", "min", "max"})
_HERE = (0,)


class Graph:
    """Operations, who stands in for whom, and how often each is used by what is still needed."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.shown: list[tuple[Node, ...]] = []
        """The operands in the order in which they are written; in `operations` commutative ones are sorted."""
        self.uses: list[int] = []
        self.named: list[float] = []
        """The first statement that defines a node, infinite for one without a name."""
        self.since: list[int] = []
        """The first statement in which a node occurs."""
        self.start: list[int] = []
        """The value of a node on the empty word, at the virtual position 0, where every count is 0."""
        self.statement = 0
        """Where nodes that are added now occur first."""
        self.size = 0
        self.budget: float = inf
        self.bold = False
        self.improved = False
        """Whether a rewriting was accepted because it pays."""
        self.exact: float = -1
        """The longest word on which counts must stay exact (`magnitude`)."""
        self._known: dict[Operation, Node] = {}
        self._stand_in: list[Node] = []
        self._ranges: list[tuple[Range, Range]] = []
        self._longest: list[float] = []
        self._weights: list[int] = []
        self._weight = 0
        self._local_for_nothing = 0
        self._inexact = 0
        self._soon_exists: set[Node] = set()
        """Comparisons with 0 that are the only uses of that number: all of them together can become `exists`."""

    # ------------------------------------------------------------------------------------------ reading

    def find(self, node: Node) -> Node:
        """What stands in for a node, in the end."""
        last = node
        while self._stand_in[last] != last:
            last = self._stand_in[last]
        while self._stand_in[node] != last:
            self._stand_in[node], node = last, self._stand_in[node]
        return last

    def operation(self, node: Node) -> Operation:
        """The operation of a node or of its stand-in."""
        return self.operations[self.find(node)]

    def operands(self, node: Node) -> tuple[Node, ...]:
        """The operands as written."""
        return tuple(map(self.find, self.shown[self.find(node)]))

    def kind(self, node: Node) -> Kind:
        """What a node is."""
        return self.operation(node).kind

    def is_number(self, node: Node, value: int) -> bool:
        """Whether a node is this constant."""
        operation = self.operation(node)
        return operation.kind == "number" and operation.value == value

    def is_named(self, node: Node, user: Node) -> bool:
        """Whether `user` refers to a node by its name wherever it occurs."""
        return self.kind(node) not in ATOMIC and self.named[self.find(node)] < self.since[self.find(user)]

    def is_open(self, node: Node) -> bool:
        """Whether what a node consists of can be written elsewhere without writing long expressions twice."""
        node = self.find(node)
        rank = self.named[node]
        return rank == inf or (
            self.bold
            and all(
                self._is_short(part) or self.named[self.find(part)] < rank for part in self.operations[node].operands
            )
        )

    def _is_short(self, node: Node) -> bool:
        operation = self.operation(node)
        size = len(operation.operands) + len(operation.numbers)
        return operation.kind in ATOMIC or (size <= 2 and all(self.kind(part) in ATOMIC for part in operation.operands))

    def exists(self, node: Node) -> Node | None:
        """The count C of a node that says C >= 1, i.e. of `exists`."""
        operation = self.operation(node)
        if operation.kind == "<=" and self.is_number(operation.operands[0], 1):
            count = self.find(operation.operands[1])
            return count if self.kind(count) in COUNTING else None
        return None

    def is_here(self, node: Node) -> bool:
        """Whether a node is `#[j == i] b`, which looks local and is not: 1 where b holds, except on the empty word."""
        operation = self.operation(node)
        return operation.kind == "window" and operation.numbers == _HERE and not self.start[operation.operands[0]]

    def existing(self, kind: Kind, operands: tuple[Node, ...], value: int = 0) -> Node | None:
        """The node of an operation that is needed already, if it is."""
        node = self._known.get(_keyed(kind, tuple(map(self.find, operands)), value, ()))
        return node if node is not None and self.find(node) == node and self.uses[node] else None

    def bounds(self, terms: Iterable[tuple[Node, int]]) -> Bounds:
        """Bounds of Σ factor · node."""
        total = exactly(0)
        for node, factor in terms:
            total = total.plus(self._ranges[self.find(node)][0].times(factor))
        return Bounds.of(total)

    # ----------------------------------------------------------------------------------------- building

    def add(
        self,
        kind: Kind,
        operands: tuple[Node, ...] = (),
        value: int = 0,
        numbers: tuple[int, ...] = (),
        shown: tuple[Node, ...] | None = None,
    ) -> Node:
        """The node of an operation, made if there is none yet."""
        operands = tuple(map(self.find, operands))
        operation = _keyed(kind, operands, value, numbers)
        if operation in self._known:
            node = self.find(self._known[operation])
            self.since[node] = min(self.since[node], self.statement)
            return node
        node = len(self.operations)
        self._known[operation] = node
        self.operations.append(operation)
        self.shown.append(operands if shown is None else tuple(map(self.find, shown)))
        self.uses.append(0)
        self.named.append(inf)
        self.since.append(self.statement)
        self._stand_in.append(node)
        parts = [self._ranges[part] for part in operation.operands]
        counts_all = kind in COUNTING and self.operation(operands[0]) == Operation("truth", (), 1)
        tight = position_range(operation, [part[0] for part in parts], counts_all)
        loose = length_range(operation, [part[1] for part in parts])
        self._ranges.append((tight, loose))
        self._longest.append(longest_within(loose, MAX_INTEGER))
        self.start.append(at_start(operation, [self.start[part] for part in operation.operands]))
        self._weights.append(self._heaviness(operation))
        return node

    def truth(self, value: bool) -> Node:
        """⊤ or ⊥."""
        return self.add("truth", value=int(value))

    def number(self, value: int) -> Node:
        """An integer."""
        return self.add("number", value=value)

    def total(self, terms: Iterable[tuple[Node, int]], constant: int) -> Node:
        """Σ factor · node + constant, in the one form it has."""
        kept = [(node, factor) for node, factor in terms if factor]
        if not kept:
            return self.number(constant)
        if constant == 0 and len(kept) == 1 and kept[0][1] == 1:
            return self.find(kept[0][0])
        order = tuple(node for node, _ in kept)
        nodes, factors = zip(*sorted(kept), strict=True)
        return self.add("sum", nodes, constant, factors, order)

    # ---------------------------------------------------------------------------------------- replacing

    def retain(self, node: Node) -> None:
        """Count one more use of a node."""
        stack = [node]
        while stack:
            place = self.find(stack.pop())
            self.uses[place] += 1
            if self.uses[place] == 1:
                self._weigh(place, 1)
                stack.extend(self.operations[place].operands)

    def release(self, node: Node) -> None:
        """Count one use less; what nobody uses any more is no longer part of the program."""
        stack = [node]
        while stack:
            place = self.find(stack.pop())
            self.uses[place] -= 1
            if not self.uses[place]:
                self._weigh(place, -1)
                stack.extend(self.operations[place].operands)

    def replace(self, old: Node, new: Node, whatever: bool = False) -> bool:
        """Let a node of the same value stand in for another if that pays, or whatever it costs; whether it did."""
        old, new = self.find(old), self.find(new)
        if old == new:
            return False
        before, moved = self.measure(), self.uses[old]
        self.retain(new)
        self.uses[old] = 0
        self._weigh(old, -1)
        for part in self.operations[old].operands:
            self.release(part)
        pays = self.measure() < before and self.size <= self.budget and not self._inexact
        if pays or whatever or (old in self._soon_exists and self.exists(new) is not None):
            self.uses[new] += moved - 1
            self._stand_in[old] = new
            self.improved = self.improved or not whatever
            self.named[new] = min(self.named[new], self.named[old])
            self.since[new] = min(self.since[new], self.since[old])
            return True
        for part in self.operations[old].operands:
            self.retain(part)
        self._weigh(old, 1)
        self.uses[old] = moved
        self.release(new)
        return False

    def refreshed(self, node: Node) -> Node:
        """A node after its operands were replaced: the same operation on their stand-ins."""
        node = self.find(node)
        operation, shown = self.operations[node], self.shown[node]
        if all(self._stand_in[part] == part for part in operation.operands):
            return node
        self.statement = self.since[node]
        if operation.kind == "sum":
            factors: dict[Node, int] = {}
            for part, factor in zip(operation.operands, operation.numbers, strict=True):
                factors[self.find(part)] = factors.get(self.find(part), 0) + factor
            terms = [(part, factors[part]) for part in dict.fromkeys(map(self.find, shown))]
            if len(terms) < len(shown):
                fresh = self.total(terms, operation.value)
                self.replace(node, fresh, whatever=True)
                return self.find(fresh)
            operands, numbers = zip(*sorted(terms), strict=True)
        else:
            operands, numbers = tuple(map(self.find, operation.operands)), operation.numbers
        key = _keyed(operation.kind, operands, operation.value, numbers)
        if key in self._known:
            fresh = self.find(self._known[key])
            self.replace(node, fresh, whatever=True)
            return fresh
        # The node keeps its place, so that those above it need not be looked at again.
        self._known[key] = node
        self.operations[node], self.shown[node] = key, tuple(map(self.find, shown))
        weight = self._heaviness(key)
        self._weight += (weight - self._weights[node]) * (self.uses[node] > 0)
        self._weights[node] = weight
        return node

    def settle(self, budget: int, bold: bool) -> None:
        """From now on, refuse what makes the program larger than `budget` or lets counts overflow 64 bits earlier."""
        needed = [node for node, uses in enumerate(self.uses) if uses]
        self.exact = min((self._longest[node] for node in needed), default=-1)
        self.exact = min(self.exact, LONGEST_WORD)
        self.budget, self.bold = budget, bold
        zero = self.existing("number", (), 0)
        if bold and zero is not None:
            nonzero = {node for node in needed if self._is_nonzero(node, zero)}
            if len(nonzero) == self.uses[zero]:
                self._soon_exists = nonzero

    def _is_nonzero(self, node: Node, zero: Node) -> bool:
        """Whether a node says C > 0 or C != 0, so that it can be written with `exists`."""
        operation = self.operations[node]
        if operation.kind == "<":
            return operation.operands[0] == zero and self.kind(operation.operands[1]) in COUNTING
        return operation.kind == "!=" and any(
            operation.operands[place] == zero and self.kind(operation.operands[1 - place]) in COUNTING
            for place in (0, 1)
        )

    # --------------------------------------------------------------------------------------- accounting

    def measure(self) -> tuple[int, int, int]:
        """What a rewriting must make smaller: needless windows, then operations, then text."""
        return self._local_for_nothing, self.size, self._weight

    def _weigh(self, node: Node, sign: int) -> None:
        self.size += sign
        self._weight += sign * self._weights[node]
        self._local_for_nothing += sign * self.is_here(node)
        self._inexact += sign * (self._longest[node] < self.exact)

    def _heaviness(self, operation: Operation) -> int:
        """What decides between programs of the same size: the shorter text, and `exists` before comparisons."""
        parts = len(operation.operands)
        match operation.kind:
            case "symbol" | "truth" | "number":
                return 0
            case "periodic":
                return operation.value + len(operation.numbers)
            case "sum":
                bits = sum(abs(factor).bit_length() for factor in operation.numbers)
                return 1 + parts + bits + (operation.value != 0)
            case "<=" if self.is_number(operation.operands[0], 1) and self.kind(operation.operands[1]) in COUNTING:
                return 0
            case "==" | "!=" | "<" | "<=":
                return 3
            case _:
                return 1 + parts + len(operation.numbers)


def _keyed(kind: Kind, operands: tuple[Node, ...], value: int, numbers: tuple[int, ...]) -> Operation:
    return Operation(kind, tuple(sorted(operands)) if kind in _COMMUTATIVE else operands, value, numbers)
