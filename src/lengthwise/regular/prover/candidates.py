"""Facts that may hold whenever a transition system pauses between two symbols, guessed from runs.

A state is a vector: the values of the forms, the bits of the memories, the residue of the next position and the state
of an automaton that reads along. A candidate is one linear fact, or one under the condition of another. What holds on
all sampled states is guessed to hold always; whether it does is for `induction` to prove.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from lengthwise.exact_linear import null_space
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover.enumeration import exhaustive_length
from lengthwise.regular.prover.modes import Mode
from lengthwise.regular.prover.plan import Masks, Values

State = tuple[Values, Masks, int, int]
"""The values of the forms, the memories, the residue of the next position and the automaton's state."""
MOST_CANDIDATES = 2_000
MOST_FACTS = 60
"""How many facts are paired with each other as condition and consequence."""
FARTHEST = 3
"""How far from 0 a guessed bound of a difference may lie."""
ALL_UP_TO = 500
"""All words are sampled up to a length that has about so many."""
RUNS = 60
LONGEST_RUN = 40


@dataclass(frozen=True)
class Fact:
    """Σ coefficient · variable + constant is 0, or at least 0."""

    terms: tuple[tuple[int, int], ...]
    constant: int
    equality: bool = False

    def holds(self, vector: Sequence[int]) -> bool:
        """Whether it holds of a state."""
        total = sum(factor * vector[variable] for variable, factor in self.terms) + self.constant
        return total == 0 if self.equality else total >= 0


@dataclass(frozen=True)
class Candidate:
    """A fact, guessed to hold always, or wherever another one does."""

    condition: Fact | None
    consequence: Fact

    def holds(self, vector: Sequence[int]) -> bool:
        """Whether it holds of a state."""
        return (self.condition is not None and not self.condition.holds(vector)) or self.consequence.holds(vector)


def vector_of(mode: Mode, state: State) -> list[int]:
    """A state as one vector of numbers."""
    values, masks, residue, place = state
    bits = [mask >> shift & 1 for mask, depth in zip(masks, mode.depths, strict=True) for shift in range(depth)]
    return [*values, *bits, residue, place]


def step(mode: Mode, automaton: Automaton, state: State, symbol: int) -> State:
    """The state after one more symbol."""
    values, masks, residue, place = state
    _, increments, new_masks = mode.moves(residue, masks, values)[symbol]
    added = tuple(value + increment for value, increment in zip(values, increments, strict=True))
    return added, new_masks, (residue + 1) % mode.modulus, automaton.table[place][symbol]


def start(mode: Mode, automaton: Automaton) -> State:
    """The state before anything was read."""
    return (0,) * len(mode.forms), (0,) * len(mode.memories), 1 % mode.modulus, automaton.start


def sampled(mode: Mode, automaton: Automaton, seed: int = 0) -> list[State]:
    """Distinct states on all short words and on some long ones, first met first."""
    rng = random.Random(seed)  # noqa: S311 - samples, not secrets
    found: dict[State, None] = {}
    for word in _words(mode.width, rng):
        state = start(mode, automaton)
        found[state] = None
        for symbol in word:
            state = step(mode, automaton, state, symbol)
            found[state] = None
    return list(found)


def _words(width: int, rng: random.Random) -> Iterator[Sequence[int]]:
    yield from product(range(width), repeat=exhaustive_length(width, ALL_UP_TO))
    for _ in range(RUNS):
        weights = [rng.random() ** 3 + 0.01 for _ in range(width)]
        yield rng.choices(range(width), weights, k=LONGEST_RUN)
        blocks: list[int] = []
        while len(blocks) < LONGEST_RUN:
            blocks.extend([rng.randrange(width)] * rng.randint(1, 8))
        yield blocks
    for repeat in range(1, 8):  # every symbol equally often, in order: words that many counting languages contain
        yield [symbol for symbol in range(width) for _ in range(repeat)] * 2


def candidates(mode: Mode, automaton: Automaton, states: Sequence[State]) -> list[Candidate]:
    """What may hold always, judged by some states that can be reached."""
    vectors = np.array([vector_of(mode, state) for state in states], dtype=np.int64)
    forms = len(mode.forms)
    found: dict[Candidate, None] = {}
    everywhere = _null_space(vectors)
    for fact in everywhere:
        found[Candidate(None, fact)] = None
    for fact in _bounds(vectors[:, :forms]):
        found[Candidate(None, fact)] = None
    facts = _literals(mode, automaton)[:MOST_FACTS]
    truths = np.stack([_holds(fact, vectors) for fact in facts], axis=1) if facts else np.zeros((len(vectors), 0), bool)
    often = truths.sum(axis=0).tolist()
    for fact, number in zip(facts, often, strict=True):
        if number == len(vectors):
            found[Candidate(None, fact)] = None
    open_facts = [place for place, number in enumerate(often) if 0 < number < len(vectors)]
    failures = truths.T.astype(np.int64) @ (~truths).astype(np.int64)
    for first in open_facts:
        for second in open_facts:
            if failures[first, second] == 0 and not _follows(facts[first], facts[second]):
                found[Candidate(facts[first], facts[second])] = None
    for place in open_facts:
        for fact in _null_space(vectors[truths[:, place]]):
            if not _holds(fact, vectors).all():
                found[Candidate(facts[place], fact)] = None
    return list(found)[:MOST_CANDIDATES]


def _follows(condition: Fact, consequence: Fact) -> bool:
    """Whether one fact follows from another by itself: the same terms, and a bound that is no stricter."""
    return (
        condition.terms == consequence.terms
        and not condition.equality
        and not consequence.equality
        and condition.constant <= consequence.constant
    )


def _holds(fact: Fact, vectors: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    total = np.full(len(vectors), fact.constant, dtype=np.int64)
    for variable, factor in fact.terms:
        total += factor * vectors[:, variable]
    return total == 0 if fact.equality else total >= 0


def _literals(mode: Mode, automaton: Automaton) -> list[Fact]:
    """Facts about single variables: thresholds that the system asks for, remembered bits, residue and state."""
    forms = len(mode.forms)
    bits = sum(mode.depths)
    residue, place = forms + bits, forms + bits + 1
    found: list[Fact] = []
    for slot, atoms in enumerate(mode.atoms):
        for threshold, _ in atoms:
            found += _both(slot, threshold)
    for slot, atoms in enumerate(mode.atoms):
        near = {threshold + change for threshold, _ in atoms for change in (-1, 1)} | {0, 1}
        for threshold in sorted(near - {threshold for threshold, _ in atoms}):
            found += _both(slot, threshold)
    for bit in range(forms, forms + bits):
        found += _both(bit, 1)
    if mode.modulus > 1:
        found += [Fact(((residue, 1),), -number, True) for number in range(min(mode.modulus, 12))]
    if len(automaton) > 1:
        found += [Fact(((place, 1),), -number, True) for number in range(min(len(automaton), 12))]
    return list(dict.fromkeys(found))


def _both(variable: int, threshold: int) -> tuple[Fact, Fact]:
    return Fact(((variable, 1),), -threshold), Fact(((variable, -1),), threshold - 1)


def _bounds(values: npt.NDArray[np.int64]) -> Iterator[Fact]:
    """Bounds near 0 of forms, and of sums and differences of two forms."""
    count = values.shape[1]
    combinations: list[tuple[tuple[int, int], ...]] = [((slot, 1),) for slot in range(count)]
    for first in range(count):
        for second in range(first + 1, count):
            combinations += [((first, 1), (second, 1)), ((first, 1), (second, -1))]
    for terms in combinations[:400]:
        column = sum((factor * values[:, slot] for slot, factor in terms), np.zeros(len(values), dtype=np.int64))
        for sign in (1, -1):
            least = int((sign * column).min())
            if abs(least) <= FARTHEST:
                yield Fact(tuple((slot, sign * factor) for slot, factor in terms), -least)


def _null_space(vectors: npt.NDArray[np.int64]) -> list[Fact]:
    """All linear equalities between the variables that hold on some states: a basis of them, exactly."""
    if len(vectors) <= vectors.shape[1] + 2:
        return []
    rows = np.concatenate([np.ones((len(vectors), 1), dtype=np.int64), vectors], axis=1)
    chosen = [0]
    while True:  # a state that breaks an equality of the others is independent of them, so this ends
        basis = null_space([dict(enumerate(row)) for row in rows[chosen].tolist()], rows.shape[1])
        broken = np.flatnonzero((rows @ np.array(basis, dtype=np.int64).reshape(-1, rows.shape[1]).T).any(axis=1))
        if not len(broken):
            break
        chosen.append(int(broken[0]))
    facts = [
        Fact(tuple((place, number) for place, number in enumerate(numbers) if number), constant, True)
        for constant, *numbers in basis
    ]
    return [fact for fact in facts if fact.terms]
