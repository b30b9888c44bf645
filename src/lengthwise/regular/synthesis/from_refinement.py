"""From a refinement to a program: the constructive half of Theorems 1 and 2.

Stages are passed in order. A stage is *entered* where an earlier one is left for it; from then on its potentials are
linear forms in counts of what was read since, and tell in which node the machine is. Nothing is circular: the
potentials ignore exits, so they are right up to the first exit, which is therefore found at the right place; after it
`left` holds for good. Edges that leave a stage must not help to separate its nodes, so weights are demanded on inside
edges only. All counts are strict, #[j < i], except where an end marker would be read (`eos`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import lcm

from lengthwise.crasp import Program, Q, any_of, build, count, exists, i, j, truth
from lengthwise.crasp.frontend import BoolValue, CountValue
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.machine import Machine
from lengthwise.regular.deciding.windows import Node, Stage, View, projected, reachable, successor
from lengthwise.regular.synthesis.contexts import Contexts
from lengthwise.regular.synthesis.letter_tests import (
    UNSEEN,
    Feature,
    Sample,
    letter_feature,
    potential_feature,
    residue_feature,
    separating,
)
from lengthwise.resources import within_time


@dataclass
class _Built:
    """What is known of a stage once it is built."""

    stage: Stage
    members: list[Node]
    """Its nodes, in the view that all stages share."""
    inside: BoolValue
    """The stage was entered and not left, when the current position is read."""
    features: list[Feature]
    """Letters, residues, then all potentials."""
    values: dict[Node, tuple[int, ...]]
    """The potentials of every node."""
    gone: BoolValue | None = None
    """Where the stage is left for the first time, and perhaps somewhere later."""
    after: BoolValue = field(default_factory=truth)
    """The same as `inside` after the current position (only for `eos`)."""
    potentials_after: list[CountValue] = field(default_factory=list)


def synthesize(wanted: Machine, stages: Sequence[Stage], budget: Budget, accept: bool = True) -> Program:
    """A program for the words the machine accepts (or, with `accept` false, built from those it rejects)."""
    return _Synthesis(wanted, stages, budget, accept).program()


class _Synthesis:
    def __init__(self, wanted: Machine, stages: Sequence[Stage], budget: Budget, accept: bool) -> None:
        self.machine = wanted
        self.stages = stages
        self.budget = budget
        self.polarity = accept
        period = lcm(*(stage.view.period for stage in stages))
        self.view = reduce(lambda view, stage: view.joined(stage.view, period), stages, View(period, Contexts()))
        self.window = self.view.contexts.window
        self.symbols = range(len(wanted.symbols))
        self.nodes = reachable(wanted, self.view, budget)
        holders = [(stage.view, frozenset(stage.nodes)) for stage in stages]
        self.stage_of = {
            node: next(number for number, (view, held) in enumerate(holders) if projected(node, view) in held)
            for node in within_time(self.nodes)
        }
        self.all_wanted = {state for state, output in wanted.constant.items() if output == accept}
        self.names: dict[str, BoolValue | CountValue] = {}
        self.built: dict[int, _Built] = {}

    # ------------------------------------------------------------------------------------------------ program

    def program(self) -> Program:
        start = self.nodes[0]
        if start[0] in self.machine.constant:
            return build(truth(self.machine.constant[start[0]]), alphabet=self.machine.symbols)
        for number in range(len(self.stages)):
            self._build(number)
        accepted = self._accepted()
        decides = accepted if self.polarity else ~accepted
        return build(decides, predict=None, alphabet=self.machine.symbols, title="", **self.names)

    def _accepted(self) -> BoolValue:
        """Where a wanted output stands."""
        eos = self.machine.acceptance == "eos"
        at_once = all(
            self._output(state, symbol)
            for state in range(len(self.machine))
            if state not in self.all_wanted
            for symbol in self.symbols
            if self.machine.table[state][symbol] in self.all_wanted
        )
        parts: list[BoolValue] = []
        entered = self._event(lambda target: target[0] in self.all_wanted)
        if entered is not None:
            parts.append(exists(entered) if at_once or eos else exists(entered, j < i))
        for built in self.built.values():
            if eos:
                states: list[Sample] = [
                    (built.values[node], self.machine.outputs[node[0]][-1] == self.polarity)
                    for node in built.stage.nodes
                ]
                test = separating(states, [potential_feature(form) for form in built.potentials_after])
                if test is not None:
                    parts.append(built.after & test)
                continue
            samples = [
                (self._known(built, node, symbol), self._output(node[0], symbol))
                for node in built.members
                for symbol in self.symbols
                if not (at_once and self.machine.table[node[0]][symbol] in self.all_wanted)
            ]
            test = separating(samples, built.features)
            if test is not None:
                parts.append(built.inside & test)
        return any_of(parts)

    # ------------------------------------------------------------------------------------------------- stages

    def _build(self, number: int) -> None:
        stage = self.stages[number]
        members = [node for node in self.nodes if self.stage_of[node] == number]
        if not members or members[0][0] in self.machine.constant:
            return
        self.budget.check()
        initial = self.stage_of[self.nodes[0]] == number
        entered = None if initial else self._event(lambda target: self.stage_of[target] == number)
        if not initial and entered is None:
            return
        before = truth() if entered is None else exists(entered, j < i)
        if entered is not None:
            self.names[f"in{number + 1}"] = before
        built = _Built(stage, members, before, self._letters(), dict.fromkeys(stage.nodes, ()))
        own = {node: place for place, node in enumerate(stage.nodes)}
        entries = self._entries(number)
        for level in stage.refinement.levels:
            forms: list[tuple[CountValue, CountValue]] = []
            shifted: list[list[int]] = []
            for vector in level.potentials:
                values = _shifted(vector, [own[entry] for entry in entries])
                forms.append(self._potential(number, built, values, own, entered))
                shifted.append(values)
            for node in stage.nodes:
                built.values[node] += tuple(values[own[node]] for values in shifted)
            for strict, inclusive in forms:
                built.features.append(potential_feature(strict))
                built.potentials_after.append(inclusive)
                self.names[f"balance{sum(name.startswith('balance') for name in self.names) + 1}"] = strict
        leaving = separating(
            [
                (self._known(built, node, symbol), self._next(node, symbol) != number)
                for node in members
                for symbol in self.symbols
            ],
            built.features,
        )
        built.after = truth() if entered is None else exists(entered)
        if leaving is not None:
            gone = built.gone = _both(before if entered is not None else None, leaving)
            left = exists(gone, j < i)
            self.names[f"left{number + 1}"] = left
            built.inside = _both(before if entered is not None else None, ~left)
            built.after = _both(built.after if entered is not None else None, ~exists(gone))
        self.built[number] = built

    def _potential(
        self, number: int, built: _Built, values: Sequence[int], own: dict[Node, int], entered: BoolValue | None
    ) -> tuple[CountValue, CountValue]:
        """The linear form whose value is the potential of the node, before and after the current position."""
        stage = built.stage
        weights: dict[int, list[Sample]] = {}
        edges: list[tuple[tuple[Hashable, ...], int]] = []
        for node in within_time(built.members):
            for symbol in self.symbols:
                target = successor(self.machine, node, symbol, self.view)
                if self.stage_of[target] == number:
                    step = values[own[projected(target, stage.view)]] - values[own[projected(node, stage.view)]]
                    edges.append((self._known(built, node, symbol), step))
        for weight in sorted({weight for _, weight in edges if weight}):
            weights[weight] = [(known, other == weight) for known, other in edges]
        terms: list[tuple[int, BoolValue]] = []
        for weight, samples in weights.items():
            test = separating(samples, built.features)
            if test is not None:
                terms.append((weight, _both(built.inside if entered is not None else None, test)))
        for value in sorted({values[own[entry]] for entry in self._entries(number)} - {0}):

            def has_value(target: Node, value: int = value) -> bool:
                return self.stage_of[target] == number and values[own[projected(target, stage.view)]] == value

            event = self._event(has_value, once=True)
            if event is not None:
                terms.append((value, event))
        strict = _form([(weight, count(test, j < i)) for weight, test in terms])
        return strict, _form([(weight, count(test)) for weight, test in terms])

    def _next(self, node: Node, symbol: int) -> int:
        """The stage after reading a symbol."""
        return self.stage_of[successor(self.machine, node, symbol, self.view)]

    def _entries(self, number: int) -> list[Node]:
        """The nodes at which a stage is entered, in its own view."""
        view = self.stages[number].view
        found: dict[Node, None] = {}
        if self.stage_of[self.nodes[0]] == number:
            found[projected(self.nodes[0], view)] = None
        for node in within_time(self.nodes):
            if self.stage_of[node] != number and self.stage_of[node] in self.built:
                for symbol in self.symbols:
                    if self._next(node, symbol) == number:
                        found[projected(successor(self.machine, node, symbol, self.view), view)] = None
        return list(found)

    def _event(self, leads: Callable[[Node], bool], once: bool = False) -> BoolValue | None:
        """Where an earlier stage is left for a target of this kind; unless `once`, it may hold again later."""
        parts: list[BoolValue] = []
        for number, built in self.built.items():
            samples: list[Sample] = []
            exits: list[bool] = []
            for node in within_time(built.members):
                for symbol in self.symbols:
                    target = successor(self.machine, node, symbol, self.view)
                    away = self.stage_of[target] != number
                    if away:
                        exits.append(leads(target))
                    samples.append((self._known(built, node, symbol), away and leads(target)))
            test = separating(samples, built.features)
            if built.gone is not None and all(exits) and not once:
                parts.append(built.gone)
            elif test is not None:
                parts.append(built.inside & test)
        return any_of(parts) if parts else None

    # ----------------------------------------------------------------------------------------------- features

    def _letters(self) -> list[Feature]:
        """The current letter, the letters before it, and the residue."""
        symbols = self.machine.symbols
        features = [letter_feature(1.0, [Q(symbol) for symbol in symbols])]
        for back in range(1, self.window + 1):
            features.append(letter_feature(1.5 + 0.1 * back, [exists(Q(symbol), j == i - back) for symbol in symbols]))
        if self.view.period > 1:
            features.append(residue_feature(self.view.period))
        return features

    def _known(self, built: _Built, node: Node, symbol: int) -> tuple[Hashable, ...]:
        """What can be read when a symbol is read at a node: in the same order as the features."""
        _, residue, letters = node
        beyond = None if self.view.contexts.is_whole(letters) else UNSEEN
        back = [letters[-distance] if distance <= len(letters) else beyond for distance in range(1, self.window + 1)]
        periodic = [residue] if self.view.period > 1 else []
        return (symbol, *back, *periodic, *built.values[projected(node, built.stage.view)])

    # ------------------------------------------------------------------------------------------------ outputs

    def _output(self, state: int, symbol: int) -> bool:
        return self.machine.outputs[state][symbol] == self.polarity


def _both(first: BoolValue | None, second: BoolValue) -> BoolValue:
    return second if first is None else first & second


def _form(terms: Iterable[tuple[int, CountValue]]) -> CountValue:
    total: CountValue | None = None
    for weight, counted in sorted(terms, key=lambda term: -term[0]):
        if total is None:
            total = counted if weight == 1 else weight * counted
        elif weight < 0:
            total = total - (counted if weight == -1 else -weight * counted)
        else:
            total = total + (counted if weight == 1 else weight * counted)
    if total is None:
        raise ValueError("a potential that never changes separates nothing")
    return total


def _shifted(vector: Sequence[int], entries: Sequence[int]) -> list[int]:
    """The potential less its most frequent value at the entries, so that most of them need no correction."""
    values = [vector[entry] for entry in entries]
    base = max(values, key=lambda value: (values.count(value), -abs(value))) if values else 0
    return [value - base for value in vector]
