"""Checking an inductive invariant: two acceptors agree because every word leads to a configuration where they do.

A configuration says what is certain after some words: the automaton's state, the residue of the next position, an
interval for some linear forms of counts, some truths at the last positions, and some clauses: of the intervals that a
clause lists for some forms, at least one contains the form's value. The invariant is that every word leads
to some configuration of the list. It holds before the first symbol; each configuration names, for every symbol, those
that may follow, and the checker makes sure that they cover everything that can follow. Where the two sides answer alike
in every configuration, for every symbol, they agree on every non-empty word.

Nothing of the search is used, and nothing that it says is believed: an interval that is too narrow, a value that was
forgotten and comes back, a configuration that is missing make the proof fail.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, TypeAlias

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs.lowering import AtLeast, Interval, Lowered, Node
from lengthwise.regular.proofs.sides import ProofError
from lengthwise.regular.proofs.situation import EVERYTHING, Situation, is_empty, meet, moved
from lengthwise.resources import within_time

MOST_CASES = 4096
"""How many cases one step may be split into."""
WORK, WORK_EACH = 5_000_000, 1_000
"""How many comparisons of cases with configurations a proof may take, and how many more for each configuration."""
MOST_TRUTHS = 10_000_000
"""How many truths of shared situations are kept, at most."""
MOST_BITS = 5_000_000
"""How many truths all configurations may remember together."""
MOST_BREAKS = 64
"""How many values of a form one comparison may tell apart before situations are no longer shared."""

Box: TypeAlias = dict[int, Interval]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is certain after some words, and which configurations may follow on each symbol."""

    state: int
    residue: int
    modulus: int
    values: tuple[tuple[int, Interval], ...]
    bits: tuple[tuple[tuple[int, int], bool], ...]
    clauses: tuple[int, ...]
    following: tuple[tuple[int, ...], ...]


def check_invariant(
    programs: Sequence[Program], automaton: Automaton | None, symbols: Sequence[str], argument: Mapping[str, Any]
) -> int:
    """Raise a `ProofError` unless the argument shows that the sides agree on all non-empty words.

    Args:
        programs: One program, which is compared with the automaton, or two, which are compared with each other.
        automaton: The automaton over these symbols, if there is one program.
        symbols: The alphabet of the words.
        argument: The invariant, as in the documented format: `forms`, `memories`, `relations`, `configurations`.

    Returns:
        The number of configurations.

    Raises:
        ProofError: If some step of the argument does not hold.

    """
    checker = _Checker(programs, automaton, symbols, argument)
    checker.check()
    return len(checker.configurations)


class _Checker:
    def __init__(
        self,
        programs: Sequence[Program],
        automaton: Automaton | None,
        symbols: Sequence[str],
        argument: Mapping[str, Any],
    ) -> None:
        if len(programs) != (2 if automaton is None else 1):
            raise ProofError("an invariant is about a program and an automaton, or about two programs")
        self.automaton = automaton
        self.lowered = Lowered(programs, symbols)
        self.always = self.lowered.always
        self.forms = [self._form(terms) for terms in argument["forms"]]
        memories = [self.lowered.memory(self._truth(program, place)) for program, place in argument["memories"]]
        self.relations = [self._relation(terms) for terms in argument["relations"]]
        self.clauses = [self._clause(parts) for parts in argument["clauses"]]
        self._bits = 0
        self.configurations = [self._configuration(row, memories) for row in argument["configurations"]]
        self._breaks = _breaks(self.lowered)
        self._situations: dict[tuple[object, ...], Situation] = {}
        self._work = WORK + WORK_EACH * len(self.configurations)

    # ----------------------------------------------------------------------------------- reading the argument

    def _truth(self, program: int, place: int) -> tuple[Node, ...]:
        try:
            return self.lowered.truths[program][place]
        except (IndexError, KeyError):
            raise ProofError(
                f"program {program} has no Boolean operation {place} on which its verdict depends"
            ) from None

    def _form(self, terms: Sequence[Sequence[int]]) -> tuple[int, int]:
        """The form of Σ coefficient · (how often an operation held), and how many times it the sum is."""
        counters: dict[int, int] = {}
        for program, place, coefficient in terms:
            counter = self.lowered.counter(self._truth(program, place))
            if counter is None:
                raise ProofError(f"operation {place} of program {program} is not counted by any of them")
            counters[counter] = counters.get(counter, 0) + coefficient
        return self.lowered.form(tuple(sorted((counter, factor) for counter, factor in counters.items() if factor)))

    def _relation(self, terms: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
        """A combination of forms that is always 0: every input adds 0 to it."""
        weights: dict[int, int] = {}
        for place, coefficient in terms:
            form, factor = self.forms[place]
            if factor:
                weights[form] = weights.get(form, 0) + coefficient * factor
        for place in range(len(self.lowered.inputs)):
            total = 0
            bits: dict[Node, int] = {}
            for form, weight in weights.items():
                constant, parts = self.lowered.forms[form][place]
                total += weight * constant
                for node, part in parts:
                    bits[node] = bits.get(node, 0) + weight * part
            if total or any(bits.values()):
                raise ProofError("a relation between forms does not hold: some symbol changes it")
        return tuple(sorted((form, weight) for form, weight in weights.items() if weight))

    def _clause(self, parts: Sequence[Sequence[Any]]) -> tuple[tuple[tuple[int, Interval], ...], frozenset[Node]]:
        """Half-open intervals of forms, one of which contains its form's value, and the comparisons that fail there."""
        intervals: list[tuple[int, Interval]] = []
        nodes: list[Node] = []
        for place, low, high in parts:
            form, factor = self.forms[place]
            least, most = _scaled((low, high), factor) if factor else EVERYTHING
            if (least is None) == (most is None):
                raise ProofError("a clause has a part that does not bound its form on one side")
            intervals.append((form, (least, most)))
            nodes.append(self.lowered.at_least(form, most + 1) if most is not None else 0)
            if least is not None:
                nodes[-1] = self.lowered.at_least(form, least) ^ 1
        return tuple(intervals), frozenset(nodes)

    def _configuration(self, row: Sequence[Any], memories: Sequence[int]) -> Configuration:
        state, residue, modulus, values, bits, clauses, following = row
        if any(not 0 <= clause < len(self.clauses) for clause in clauses):
            raise ProofError("a configuration names a clause that does not exist")
        if modulus < 1 or self.lowered.modulus % modulus or not 0 <= residue < modulus:
            raise ProofError(f"{residue} modulo {modulus} is no class of residues that the programs tell apart")
        states = 1 if self.automaton is None else len(self.automaton)
        if not 0 <= state < states or len(following) != self.lowered.width:
            raise ProofError("a configuration names a state that does not exist, or does not follow every symbol")
        box: Box = {}
        for place, low, high in values:
            form, factor = self.forms[place]
            if factor:
                box[form] = meet(box.get(form, EVERYTHING), _scaled((low, high), factor))
        known: dict[tuple[int, int], bool] = {}
        for place, mask, truths in bits:
            self._bits += mask.bit_length()
            if self._bits > MOST_BITS:
                raise ProofError("the configurations remember too much to be checked")
            for distance in range(mask.bit_length()):
                if mask >> distance & 1:
                    truth = bool(truths >> distance & 1)
                    if known.setdefault((memories[place], distance + 1), truth) is not truth:
                        raise ProofError("a configuration remembers one thing as true and as false")
        return Configuration(
            state, residue, modulus, tuple(sorted(box.items())), tuple(sorted(known.items())), tuple(clauses),
            tuple([tuple(targets) for targets in following]),
        )  # fmt: skip

    # ---------------------------------------------------------------------------------------------- checking

    def check(self) -> None:
        """Check the beginning and every step."""
        if not self.configurations:
            raise ProofError("the proof has no configurations")
        self._begins(self.configurations[0])
        for number, configuration in enumerate(within_time(self.configurations)):
            if any(not 0 <= target < len(self.configurations) for row in configuration.following for target in row):
                raise ProofError(f"configuration {number} is followed by one that does not exist")
            modulus = lcm(self.lowered.period, configuration.modulus)
            for residue in range(configuration.residue, modulus, configuration.modulus):
                self._steps(number, configuration, (residue, modulus))

    def _begins(self, first: Configuration) -> None:
        start = 0 if self.automaton is None else self.automaton.start
        inside = all(_contains(interval, 0) for _, interval in first.values)
        inside = inside and not any(bit for _, bit in first.bits)
        for clause in first.clauses:
            inside = inside and any(_contains(interval, 0) for _, interval in self.clauses[clause][0])
        if first.state != start or 1 % first.modulus != first.residue or not inside:
            raise ProofError("the first configuration does not hold before the first symbol")

    def _situation(self, configuration: Configuration, position: tuple[int, int]) -> Situation:
        """The situation; one for all configurations with values between the same thresholds."""
        regions = []
        for form, (low, high) in configuration.values:
            breaks = self._breaks.get(form)
            if breaks is None:
                regions.append((form, low, high))
            else:
                below = None if low is None else bisect_right(breaks, low)
                regions.append((form, below, None if high is None else bisect_right(breaks, high)))
        key = (position, configuration.bits, configuration.clauses, tuple(regions))
        found = self._situations.get(key)
        if found is None:
            if len(self._situations) * len(self.lowered.nodes) > MOST_TRUTHS:
                self._situations.clear()
            found = self._situations[key] = self._exactly(configuration, position)
        return found

    def _exactly(self, configuration: Configuration, position: tuple[int, int]) -> Situation:
        """The situation of one configuration."""
        values = {form: meet(interval, self.always[form]) for form, interval in configuration.values}
        clauses: dict[Node, list[frozenset[Node]]] = {}
        for number in configuration.clauses:
            nodes = self.clauses[number][1]
            clauses.setdefault(min(nodes, default=0), []).append(nodes)
        return Situation(self.lowered, position, values, dict(configuration.bits), clauses)

    def _steps(self, number: int, configuration: Configuration, position: tuple[int, int]) -> None:
        shared = self._situation(configuration, position)
        own: Box = dict(configuration.values)
        residue = position[0] % self.lowered.period
        for symbol in range(self.lowered.width):
            place = residue * self.lowered.width + symbol
            state = 0 if self.automaton is None else self.automaton.table[configuration.state][symbol]
            if self._agrees(shared, place, state) and any(
                self._leads(shared, configuration, own, place, state, self.configurations[target])
                for target in configuration.following[symbol]
            ):
                continue
            targets = [
                self.configurations[target]
                for target in configuration.following[symbol]
                if self.configurations[target].state == state and _follows(position, self.configurations[target])
            ]
            self._split(number, symbol, self._exactly(configuration, position), configuration, place, state, targets)

    def _agrees(self, situation: Situation, place: int, state: int) -> bool | None:
        """Whether both sides answer alike; None if that is not known."""
        outputs = [output[place] for output in self.lowered.outputs]
        if self.automaton is not None:
            found = situation.truth(outputs[0])
            return None if found is None else found == (state in self.automaton.accepting)
        if outputs[0] == outputs[1]:
            return True
        first, second = map(situation.truth, outputs)
        return None if first is None or second is None else first == second

    def _leads(
        self,
        situation: Situation,
        source: Configuration,
        own: Box,
        place: int,
        state: int,
        target: Configuration,
    ) -> bool:
        """Whether everything that follows lies in one configuration."""
        if target.state != state or not _follows(situation.position, target):
            return False

        def moves_into(form: int, wanted: Interval) -> bool:
            low, high = wanted
            interval = own.get(form)
            least, most = self.always[form] if interval is None else interval
            fall, rise = situation.step(form, place)
            return (low is None or (least is not None and least + fall >= low)) and (
                high is None or (most is not None and most + rise <= high)
            )

        if not all(moves_into(form, interval) for form, interval in target.values):
            return False
        for clause in target.clauses:
            if not self._kept(situation, source, place, clause) and not any(
                moves_into(form, interval) for form, interval in self.clauses[clause][0]
            ):
                return False
        return all(self._bit(situation, place, *key) is truth for key, truth in target.bits)

    def _kept(self, situation: Situation, source: Configuration, place: int, clause: int) -> bool:
        """Whether a clause held before, and no part of it that held can fail after the step."""
        if clause not in source.clauses:
            return False
        for form, (low, _) in self.clauses[clause][0]:
            fall, rise = situation.step(form, place)
            if fall < 0 if low is not None else rise > 0:
                return False
        return True

    def _bit(self, situation: Situation, place: int, memory: int, distance: int) -> bool | None:
        """What is remembered after the step."""
        if distance == 1:
            return situation.truth(self.lowered.memories[memory][place])
        return situation.bits.get((memory, distance - 1))

    # ------------------------------------------------------------------------------------------- case by case

    def _split(
        self,
        number: int,
        symbol: int,
        whole: Situation,
        source: Configuration,
        place: int,
        state: int,
        targets: Sequence[Configuration],
    ) -> None:
        """Check a step case by case, telling apart what is unknown as far as it matters."""
        waiting = [whole]
        for _ in range(MOST_CASES):
            if not waiting:
                return
            situation = waiting.pop()
            self._spend(1 + len(targets) + len(self.lowered.nodes) // 50)
            if self._impossible(situation.values):
                continue
            agree = self._agrees(situation, place, state)
            if agree is False:
                raise ProofError(f"the sides answer differently in configuration {number} on symbol {symbol + 1}")
            if agree and self._covered(situation, source, place, targets):
                continue
            unknown = self._unknown(situation, place, targets, agree)
            cases = [] if unknown is None else list(situation.cases(unknown))
            if not cases:
                raise ProofError(f"what follows configuration {number} on symbol {symbol + 1} is not in the list")
            waiting.extend(cases)
        raise ProofError(f"configuration {number} has too many cases on symbol {symbol + 1} to be checked")

    def _spend(self, work: int) -> None:
        self._work -= work
        if self._work < 0:
            raise ProofError("the proof has too many cases to be checked")

    def _unknown(
        self, situation: Situation, place: int, targets: Sequence[Configuration], agree: bool | None
    ) -> Node | None:
        """Something unknown that matters for the step."""
        if agree is None:
            wanted = [output[place] for output in self.lowered.outputs]
        else:
            wanted = []
            for target in targets:
                parts = [part for clause in target.clauses for part in self.clauses[clause][0]]
                for form, _ in (*target.values, *parts):
                    wanted += [node for node, _ in self.lowered.forms[form][place][1]]
                wanted += [self.lowered.memories[memory][place] for (memory, back), _ in target.bits if back == 1]
        return next((node for node in wanted if situation.truth(node) is None), None)

    def _covered(
        self, situation: Situation, source: Configuration, place: int, targets: Sequence[Configuration]
    ) -> bool:
        """Whether everything that follows lies in some of the configurations, together."""
        parts_of = {clause: self.clauses[clause][0] for target in targets for clause in target.clauses}
        forms = {form for target in targets for form, _ in target.values} | set(situation.values)
        forms |= {form for parts in parts_of.values() for form, _ in parts}
        whole: Box = {
            form: meet(moved(situation.interval(form), situation.step(form, place)), self.always[form])
            for form in forms
        }
        fitting = [
            dict(target.values)
            for target in targets
            if all(self._bit(situation, place, *key) is truth for key, truth in target.bits)
            and all(
                self._kept(situation, source, place, clause)
                or any(_inside(whole, {form: interval}) for form, interval in parts_of[clause])
                for clause in target.clauses
            )
        ]
        waiting = [whole]
        for _ in range(MOST_CASES):
            if not waiting:
                return True
            box = waiting.pop()
            self._spend(1 + len(fitting))
            if self._impossible(box) or any(_inside(box, target) for target in fitting):
                continue
            parts = next(_cuts(box, fitting), None)
            if parts is None:
                return False
            waiting.extend(parts)
        return False

    def _impossible(self, box: Mapping[int, Interval]) -> bool:
        """Whether no word has such values: an interval is empty, or a relation cannot be 0."""
        if any(map(is_empty, box.values())):
            return True
        for relation in self.relations:
            low: int | None = 0
            high: int | None = 0
            for form, weight in relation:
                least, most = box.get(form, self.always[form])
                if weight < 0:
                    least, most = most, least
                low = None if low is None or least is None else low + weight * least
                high = None if high is None or most is None else high + weight * most
            if (low is not None and low > 0) or (high is not None and high < 0):
                return True
        return False


def _scaled(interval: Interval, factor: int) -> Interval:
    """The values of a form whose multiple by the factor lies in an interval."""
    low, high = interval
    if factor < 0:
        low, high, factor = None if high is None else -high, None if low is None else -low, -factor
    return None if low is None else -(-low // factor), None if high is None else high // factor


def _follows(position: tuple[int, int], target: Configuration) -> bool:
    """Whether the position after one with this residue is known to have the residue of a configuration."""
    residue, modulus = position
    return modulus % target.modulus == 0 and (residue + 1) % target.modulus == target.residue


def _contains(interval: Interval, value: int) -> bool:
    low, high = interval
    return (low is None or low <= value) and (high is None or high >= value)


def _inside(box: Box, target: Box) -> bool:
    for form, (low, high) in target.items():
        least, most = box[form]
        if (low is not None and (least is None or least < low)) or (high is not None and (most is None or most > high)):
            return False
    return True


def _cuts(box: Box, targets: Sequence[Box]) -> Iterator[tuple[Box, Box]]:
    """Ways to cut a box in two along the border of a configuration that it meets."""
    for target in targets:
        if any(is_empty(meet(box[form], interval)) for form, interval in target.items()):
            continue
        for form, (low, high) in target.items():
            least, most = box[form]
            if low is not None and (least is None or least < low):
                yield {**box, form: (least, low - 1)}, {**box, form: (low, most)}
            if high is not None and (most is None or most > high):
                yield {**box, form: (least, high)}, {**box, form: (high + 1, most)}


def _breaks(lowered: Lowered) -> dict[int, list[int]]:
    """For each form the values at which some comparison changes; none for a form with too many of them."""
    found: dict[int, set[int]] = {}
    crowded: set[int] = set()
    for content in lowered.nodes:
        if not isinstance(content, AtLeast) or not content.factor:
            continue
        low = content.constant + sum(min(weight, 0) for _, weight in content.bits)
        high = content.constant + sum(max(weight, 0) for _, weight in content.bits)
        if high - low > MOST_BREAKS:
            crowded.add(content.form)
            continue
        for total in range(low, high + 1):
            at = -(total // content.factor) if content.factor > 0 else total // -content.factor + 1
            found.setdefault(content.form, set()).add(at)
    return {form: sorted(found.get(form, ())) for form in range(len(lowered.forms)) if form not in crowded}
