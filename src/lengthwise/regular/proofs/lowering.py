"""Programs as the checker of proofs reads them: what each symbol at each residue adds to counts, and what is put out.

An *input* is a symbol read at a position with some residue. For every input, each Boolean of a program becomes a
*node*: a number, where `node ^ 1` is the negation, 0 is false and 1 is true. Nodes are conjunctions of nodes,
comparisons of a
linear form of counts with a bound, or the truth of a Boolean some positions ago. Counts that a comparison includes at
the present position are part of its bound: `#P >= 3` is "the number of earlier positions where P held, plus [P], is at
least 3".

A *form* is a linear combination of counters of earlier positions. It is known by what every input adds to it, so two
combinations to which every input adds the same are one form, in one program or in two.

This module shares no code with the search for proofs (`lengthwise.regular.prover`). Both read `Program.listing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import Any, TypeAlias, TypeVar

from lengthwise.crasp import Program
from lengthwise.crasp.running.operations import Operation
from lengthwise.regular.proofs.sides import ProofError

FALSE, TRUE = 0, 1
MOST_INPUTS = 2_000
"""How many inputs are told apart; beyond that, residues of large moduli are nodes."""
MOST_NODES = 500_000
MOST_STEPS = 1_000_000
"""How many steps of forms, one for each input, are kept."""
MOST_WORK = 10_000_000
"""How many terms of counts may be added up while programs are read."""
LARGEST_CHOICE = 10_000
"""How many counts a count may choose from, by conditionals, minima and maxima inside each other."""

Node: TypeAlias = int
Terms: TypeAlias = tuple[tuple[int, int], ...]
"""Pairs of a number (of a counter, node, form) and its coefficient, increasing and without zeros."""
Step: TypeAlias = tuple[int, Terms]
"""What one input adds to a form: a constant, and a weight for each of some nodes if it holds."""
Signature: TypeAlias = tuple[Step, ...]
"""What every input adds to a form."""
Interval: TypeAlias = tuple[int | None, int | None]
"""The least and the greatest value; None where there is no bound."""


@dataclass(frozen=True, slots=True)
class All:
    """All of these nodes hold."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """factor · form + Σ weight · [node] + constant >= 0; without a form if the factor is 0."""

    form: int
    factor: int
    bits: Terms
    constant: int


@dataclass(frozen=True, slots=True)
class Earlier:
    """The Boolean with this number of a memory held so many positions before the one being read."""

    memory: int
    distance: int


@dataclass(frozen=True, slots=True)
class InClass:
    """The position being read is one of these residues of a modulus."""

    modulus: int
    residues: tuple[int, ...]


Content: TypeAlias = All | AtLeast | Earlier | InClass
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class _Linear:
    """Σ coefficient · counter + Σ coefficient · [node] + constant, and choices that are not yet taken apart."""

    counters: Terms = ()
    bits: Terms = ()
    constant: int = 0
    choices: tuple[tuple[_Choice, int], ...] = ()
    size: int = field(default=1, compare=False)
    """How many counts it is made of when its choices are written out as a tree."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """The smaller or the greater of two counts, or the first where a node holds."""

    kind: str
    condition: Node
    first: _Linear
    second: _Linear


class Lowered:
    """Some programs over one alphabet, with everything that they compute as nodes, forms and memories."""

    def __init__(self, programs: Sequence[Program], symbols: Sequence[str]) -> None:
        self.width = len(symbols)
        self.nodes: list[Content | None] = [None]
        self.heights = [0]
        """How deep each node is nested."""
        self.forms: list[Signature] = []
        self.always: list[Interval] = []
        """Bounds of forms that hold after every word, because no input can break them: all forms begin at 0."""
        self.memories: list[tuple[Node, ...]] = []
        """What each input records in a memory."""
        self._numbers: dict[object, int] = {}
        self._counters: dict[tuple[Node, ...], int] = {}
        self._counted: list[tuple[Node, ...]] = []
        self._form_numbers: dict[Signature, int] = {}
        self._memory_numbers: dict[tuple[Node, ...], int] = {}
        self._combinations: dict[Terms, tuple[int, int]] = {}
        self._work = 0
        moduli = {step.value for program in programs for step in program.listing.operations if step.kind == "periodic"}
        self.modulus = lcm(*moduli)
        """How many residues of positions matter at all."""
        self.period = 1
        """How many of them inputs tell apart."""
        for modulus in sorted(moduli):
            if lcm(self.period, modulus) * self.width <= MOST_INPUTS:
                self.period = lcm(self.period, modulus)
        self.inputs = [(residue, symbol) for residue in range(self.period) for symbol in range(self.width)]
        self.truths: list[dict[int, tuple[Node, ...]]] = []
        """For each program, its Boolean operations by number: a node for every input."""
        self.outputs: list[tuple[Node, ...]] = [self._read(program, symbols) for program in programs]

    # ---------------------------------------------------------------------------------------- whole programs

    def _read(self, program: Program, symbols: Sequence[str]) -> tuple[Node, ...]:
        listing = program.listing
        if listing.accept is None:
            raise ProofError("a program defines no Boolean, so it accepts nothing")
        ids = [program.alphabet.index(symbol) for symbol in symbols]
        truths: dict[int, tuple[Node, ...]] = {}
        counts: dict[int, Sequence[_Linear]] = {}
        self.truths.append(truths)
        for number in listing.needed([listing.accept]):
            step = listing.operations[number]
            if step.is_count:
                counts[number] = self._count(step, truths, counts)
            else:
                truths[number] = self._truth(step, ids, truths, counts)
        return truths[listing.accept]

    def _truth(
        self,
        step: Operation,
        ids: Sequence[int],
        truths: Mapping[int, tuple[Node, ...]],
        counts: Mapping[int, Sequence[_Linear]],
    ) -> tuple[Node, ...]:
        match step.kind:
            case "symbol":
                return tuple([int(ids[symbol] == step.value) for _, symbol in self.inputs])
            case "truth":
                return (int(bool(step.value)),) * len(self.inputs)
            case "periodic" if self.period % step.value:
                return (self._node(InClass(step.value, step.numbers)),) * len(self.inputs)
            case "periodic":
                return tuple([int(residue % step.value in step.numbers) for residue, _ in self.inputs])
            case "not":
                return tuple([node ^ 1 for node in truths[step.operands[0]]])
            case "and":
                return self._each(self.all, zip(*(truths[part] for part in step.operands), strict=True))
            case "or":
                return self._each(self.any, zip(*(truths[part] for part in step.operands), strict=True))
            case kind:
                left, right = (counts[part] for part in step.operands)
                return self._each(lambda pair: self._compared(kind, *pair), zip(left, right, strict=True))

    def _each(self, function: Callable[[Any], _Value], rows: Iterable[tuple[Any, ...]]) -> tuple[_Value, ...]:
        """A function of every row, computed once for rows of the same nodes and counts."""
        known: dict[tuple[int, ...], _Value] = {}
        found = []
        for row in rows:
            # Counts are compared by identity: all of them are kept, and comparing their parts could take long.
            key = tuple([part if isinstance(part, int) else id(part) for part in row])
            if key not in known:
                known[key] = function(row)
            found.append(known[key])
        return tuple(found)

    def _compared(self, kind: str, left: _Linear, right: _Linear) -> Node:
        difference = self._sum([(right, 1), (left, -1)], 0)
        if kind == "<":
            return self._nonnegative(self._sum([(difference, 1)], -1))
        at_most = self._nonnegative(difference)
        if kind == "<=":
            return at_most
        equal = self.all((at_most, self._nonnegative(self._sum([(difference, -1)], 0))))
        return equal if kind == "==" else equal ^ 1

    def _count(
        self, step: Operation, truths: Mapping[int, tuple[Node, ...]], counts: Mapping[int, Sequence[_Linear]]
    ) -> Sequence[_Linear]:
        match step.kind:
            case "number":
                return [_Linear(constant=step.value)] * len(self.inputs)
            case "count" | "before":
                now = truths[step.operands[0]]
                number = self._counters.setdefault(now, len(self._counted))
                if number == len(self._counted):
                    self._counted.append(now)
                if step.kind == "before":
                    return [_Linear(((number, 1),))] * len(self.inputs)
                return self._each(lambda row: _bit(row[0], ((number, 1),)), zip(now))
            case "window":
                now = truths[step.operands[0]]
                past = [(_Linear(bits=((self._earlier(now, back), 1),)), 1) for back in step.numbers if back]
                here = now if step.numbers[0] == 0 else (FALSE,) * len(now)
                return self._each(lambda row: self._sum([*past, (_bit(row[0]), 1)], 0), zip(here))
            case "sum":
                columns = [counts[part] for part in step.operands]
                rows = zip(*columns, strict=True)
                return self._each(lambda row: self._sum(list(zip(row, step.numbers, strict=True)), step.value), rows)
            case "select":
                condition, first, second = step.operands
                rows3 = zip(truths[condition], counts[first], counts[second], strict=True)
                return self._each(lambda row: _chosen("select", *row), rows3)
            case kind:
                left, right = (counts[part] for part in step.operands)
                return self._each(lambda row: _chosen(kind, FALSE, *row), zip(left, right, strict=True))

    def _earlier(self, now: tuple[Node, ...], distance: int) -> Node:
        return self._node(Earlier(self.memory(now), distance))

    def memory(self, recorded: tuple[Node, ...]) -> int:
        """The number of the memory of where a Boolean held."""
        number = self._memory_numbers.setdefault(recorded, len(self.memories))
        if number == len(self.memories):
            self.memories.append(recorded)
        return number

    # ------------------------------------------------------------------------------------------------- nodes

    def _node(self, content: Content) -> Node:
        number = self._numbers.get(content)
        if number is None:
            number = self._numbers[content] = len(self.nodes)
            if number > MOST_NODES:
                raise ProofError("a program is too large to be read with all its cases taken apart")
            self.nodes.append(content)
            self.heights.append(1 + max([self.heights[part >> 1] for part in _parts(content)], default=0))
        return 2 * number

    def under(self, root: int) -> list[int]:
        """The numbers of the nodes that a node is made of, itself included, parts first."""
        found, waiting = {root}, [root]
        while waiting:
            for part in _parts(self.nodes[waiting.pop()]):
                if part >> 1 not in found:
                    found.add(part >> 1)
                    waiting.append(part >> 1)
        return sorted(found)

    def at_least(self, form: int, threshold: int) -> Node:
        """The node of form >= threshold."""
        return self._node(AtLeast(form, 1, (), -threshold))

    def all(self, parts: Iterable[Node]) -> Node:
        """The conjunction of some nodes."""
        found: set[Node] = set()
        for part in parts:
            if part == FALSE:
                return FALSE
            content = self.nodes[part >> 1]
            if isinstance(content, All) and not part & 1:
                found.update(content.parts)
            elif part != TRUE:
                found.add(part)
        if not self._settle(found) or any(part ^ 1 in found for part in found):
            return FALSE
        if len(found) < 2:
            return found.pop() if found else TRUE
        return self._node(All(tuple(sorted(found))))

    def _settle(self, parts: set[Node]) -> bool:
        """Use what some nodes of a conjunction say about others; False if they contradict each other."""
        for part in sorted(parts):
            content = self.nodes[part >> 1]
            if not isinstance(content, AtLeast) or not content.bits:
                continue
            known = [(weight, node in parts) for node, weight in content.bits if node in parts or node ^ 1 in parts]
            if known:
                rest = tuple([bit for bit in content.bits if bit[0] not in parts and bit[0] ^ 1 not in parts])
                total = content.constant + sum(weight for weight, holds in known if holds)
                parts.remove(part)
                new = self._comparison(content.form, content.factor, rest, total) ^ (part & 1)
                if new == FALSE:
                    return False
                inner = self.nodes[new >> 1]
                parts.update(inner.parts if isinstance(inner, All) and not new & 1 else {new} - {TRUE})
        reached: dict[int, int] = {}
        missed: dict[int, int] = {}
        for part in sorted(parts):
            content = self.nodes[part >> 1]
            if isinstance(content, AtLeast) and content.factor and not content.bits:
                form, threshold = content.form, -content.constant
                if part & 1:
                    missed[form] = min(threshold, missed.get(form, threshold))
                else:
                    reached[form] = max(threshold, reached.get(form, threshold))
        for part in list(parts):
            content = self.nodes[part >> 1]
            if isinstance(content, AtLeast) and content.factor and not content.bits:
                strictest = missed if part & 1 else reached
                if strictest[content.form] != -content.constant:
                    parts.remove(part)
        return not any(form in missed and missed[form] <= threshold for form, threshold in reached.items())

    def any(self, parts: Iterable[Node]) -> Node:
        """The disjunction of some nodes."""
        return self.all([part ^ 1 for part in parts]) ^ 1

    def _nonnegative(self, count: _Linear) -> Node:
        """The node of count >= 0. Choices are taken apart: a minimum is at least 0 iff both sides are."""
        if count.choices:
            (choice, factor), *rest = count.choices
            base = _Linear(count.counters, count.bits, count.constant, tuple(rest))
            first = self._nonnegative(self._sum([(base, 1), (choice.first, factor)], 0))
            second = self._nonnegative(self._sum([(base, 1), (choice.second, factor)], 0))
            if choice.kind == "select":
                return self.any((self.all((choice.condition, first)), self.all((choice.condition ^ 1, second))))
            both = (choice.kind == "min") == (factor > 0)
            return self.all((first, second)) if both else self.any((first, second))
        return self._comparison(*self.form(count.counters), count.bits, count.constant)

    def _comparison(self, form: int, factor: int, bits: Terms, constant: int) -> Node:
        """The node of factor · form + Σ weight · [bit] + constant >= 0; what is known without a word is left out."""
        weights = [factor, *(weight for _, weight in bits)] if factor else [weight for _, weight in bits]
        lowest = constant + sum(min(weight, 0) for _, weight in bits)
        highest = constant + sum(max(weight, 0) for _, weight in bits)
        least, most = self.always[form] if factor else (0, 0)
        if factor < 0:
            least, most = most, least
        if least is not None and lowest + factor * least >= 0:
            return TRUE
        if most is not None and highest + factor * most < 0:
            return FALSE
        if not factor and len(bits) == 1:
            node, weight = bits[0]
            return node if weight > 0 else node ^ 1
        divisor = gcd(*weights)
        factor, constant = factor // divisor, constant // divisor
        bits = tuple([(node, weight // divisor) for node, weight in bits])
        if (factor or bits[0][1]) < 0:  # -X >= t is the negation of X >= -t + 1
            opposite = tuple([(node, -weight) for node, weight in bits])
            return self._node(AtLeast(form, -factor, opposite, -constant - 1)) ^ 1
        return self._node(AtLeast(form, factor, bits, constant))

    # ------------------------------------------------------------------------------------------------- forms

    def form(self, counters: Terms) -> tuple[int, int]:
        """The form that a combination of counters is a multiple of, and that factor; 0 if it is always 0."""
        if counters not in self._combinations:
            steps = [self._step(counters, place) for place in range(len(self.inputs))]
            numbers = [number for constant, bits in steps for number in (constant, *(weight for _, weight in bits))]
            factor = gcd(*numbers)
            if factor == 0:
                self._combinations[counters] = 0, 0
                return 0, 0
            if next(number for number in numbers if number) < 0:
                factor = -factor
            if len(self.forms) * len(self.inputs) > MOST_STEPS:
                raise ProofError("a proof has too many forms")
            reduced = tuple(
                [(constant // factor, tuple([(node, w // factor) for node, w in bits])) for constant, bits in steps]
            )
            number = self._form_numbers.setdefault(reduced, len(self.forms))
            if number == len(self.forms):
                self.forms.append(reduced)
                self.always.append(_always(reduced))
            self._combinations[counters] = number, factor
        return self._combinations[counters]

    def _step(self, counters: Terms, place: int) -> Step:
        total = self._sum([(_bit(self._counted[counter][place]), factor) for counter, factor in counters], 0)
        return total.constant, total.bits

    def _sum(self, parts: Sequence[tuple[_Linear, int]], constant: int) -> _Linear:
        """Σ factor · count + constant."""
        counters: dict[int, int] = {}
        bits: dict[Node, int] = {}
        choices: list[tuple[_Choice, int]] = []
        size = 1
        for part, factor in parts:
            self._work += 1 + len(part.counters) + len(part.bits) + len(part.choices)
            if self._work > MOST_WORK:
                raise ProofError("a program is too large to be read with all its cases taken apart")
            constant += factor * part.constant
            for counter, weight in part.counters:
                counters[counter] = counters.get(counter, 0) + factor * weight
            for node, weight in part.bits:
                bits[node] = bits.get(node, 0) + factor * weight
            if factor:
                choices += [(choice, factor * weight) for choice, weight in part.choices]
                size += part.size - 1
        return _Linear(_terms(counters), _terms(bits), constant, tuple(choices), _limited(size))

    def counter(self, recorded: tuple[Node, ...]) -> int | None:
        """The number of the counter of a Boolean; None if no program counts it."""
        return self._counters.get(recorded)


def _always(steps: Signature) -> Interval:
    falls = any(constant + sum(min(weight, 0) for _, weight in bits) < 0 for constant, bits in steps)
    rises = any(constant + sum(max(weight, 0) for _, weight in bits) > 0 for constant, bits in steps)
    return None if falls else 0, None if rises else 0


def _parts(content: Content | None) -> Sequence[Node]:
    if isinstance(content, All):
        return content.parts
    return [node for node, _ in content.bits] if isinstance(content, AtLeast) else ()


def _bit(node: Node, counters: Terms = ()) -> _Linear:
    """[node], added to some counters; [not P] is 1 - [P]."""
    if node <= TRUE:
        return _Linear(counters, (), node)
    return _Linear(counters, ((node & ~1, -1 if node & 1 else 1),), node & 1)


def _terms(weights: Mapping[int, int]) -> Terms:
    return tuple(sorted([item for item in weights.items() if item[1]]))


def _chosen(kind: str, condition: Node, first: _Linear, second: _Linear) -> _Linear:
    if first == second or (kind == "select" and condition == TRUE):
        return first
    if kind == "select" and condition == FALSE:
        return second
    size = _limited(first.size + second.size + 1)
    return _Linear(choices=((_Choice(kind, condition, first, second), 1),), size=size)


def _limited(size: int) -> int:
    if size > LARGEST_CHOICE:
        raise ProofError("a count chooses from too many others to be read with all its cases taken apart")
    return size
