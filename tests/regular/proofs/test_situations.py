"""Situations against Definition 8: certain things are right, and with exact values everything is certain."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lengthwise.crasp import Program
from lengthwise.regular.proofs.lowering import AtLeast, Earlier, Interval, Lowered
from lengthwise.regular.proofs.situation import Situation
from tests.regular.proofs.generated import LETTERS, Generator, phased_word, verdicts

MODULI = (1, 2, 3, 4, 5, 7, 97, 101, 1009)
"""Small periods, and such that inputs do not tell all residues apart."""


class Run:
    """Programs read along a word: the values of all forms and everything that was remembered."""

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self.values = [0] * len(lowered.forms)
        self.past: list[list[bool]] = [[] for _ in lowered.memories]
        self.position = 1
        self.longest = max((node.distance for node in lowered.nodes if isinstance(node, Earlier)), default=0)

    def bits(self) -> dict[tuple[int, int], bool]:
        """All remembered truths; before the first position nothing held."""
        return {
            (memory, back): held[-back] if back <= len(held) else False
            for memory, held in enumerate(self.past)
            for back in range(1, self.longest + 1)
        }

    def place(self, symbol: int) -> int:
        """The input of a symbol at this position."""
        return self.position % self.lowered.period * self.lowered.width + symbol

    def exact(self) -> Situation:
        """Everything known."""
        position = (self.position % self.lowered.modulus, self.lowered.modulus)
        values = {form: (value, value) for form, value in enumerate(self.values)}
        return Situation(self.lowered, position, values, self.bits(), {})

    def vague(self, rng: Random) -> Situation:
        """Something known, and clauses that hold."""
        modulus = rng.choice([self.lowered.period, self.lowered.modulus])
        values: dict[int, Interval] = {}
        for form, value in enumerate(self.values):
            if rng.random() < 0.7:
                low = None if rng.random() < 0.3 else value - rng.choice((0, 0, 1, 3, 20))
                high = None if rng.random() < 0.3 else value + rng.choice((0, 0, 1, 3, 20))
                values[form] = low, high
        bits = {key: held for key, held in self.bits().items() if rng.random() < 0.6}
        clauses: dict[int, list[frozenset[int]]] = {}
        compared = [
            2 * number for number, node in enumerate(self.lowered.nodes) if isinstance(node, AtLeast) and not node.bits
        ]
        exact = self.exact()
        for _ in range(3 if len(compared) > 1 else 0):
            nodes = frozenset(node ^ rng.randint(0, 1) for node in rng.sample(compared, 2))
            if not all(exact.truth(node) for node in nodes):
                clauses.setdefault(min(nodes), []).append(nodes)
        return Situation(self.lowered, (self.position % modulus, modulus), values, bits, clauses)

    def read(self, symbol: int) -> None:
        """Go on by one position."""
        situation, place = self.exact(), self.place(symbol)
        steps = [situation.step(form, place) for form in range(len(self.values))]
        assert all(least == most for least, most in steps)
        recorded = [situation.truth(memory[place]) for memory in self.lowered.memories]
        assert None not in recorded
        self.values = [value + least for value, (least, _) in zip(self.values, steps, strict=True)]
        for held, truth in zip(self.past, recorded, strict=True):
            held.append(bool(truth))
        self.position += 1


def contains(situation: Situation, run: Run) -> bool:
    """Whether what is known is true of a run."""
    bits = run.bits()
    return all(
        (low is None or low <= run.values[form]) and (high is None or run.values[form] <= high)
        for form, (low, high) in situation.values.items()
    ) and all(bits[key] == held for key, held in situation.bits.items())


def follow(rng: Random, programs: list[Program], letters: tuple[str, ...], word: tuple[str, ...]) -> int:
    lowered = Lowered(programs, letters)
    run = Run(lowered)
    right = [verdicts(program, word) for program in programs]
    checked = 0
    for place, letter in enumerate(word):
        symbol = letters.index(letter)
        exact, vague = run.exact(), run.vague(rng)
        for program, expected in enumerate(right):
            node = lowered.outputs[program][run.place(symbol)]
            assert exact.truth(node) is expected[place]
            found = vague.truth(node)
            assert found is None or found is expected[place]
            waiting: list[Any] = [vague]
            for _ in range(12):
                if not waiting or waiting[0].truth(node) is not None:
                    break
                halves = list(waiting.pop().cases(node))
                waiting = [half for half in halves if contains(half, run)]
                assert not halves or len(waiting) == 1
            assert not waiting or waiting[0].truth(node) in (None, expected[place])
            checked += 1
        for form in range(len(lowered.forms)):
            least, most = vague.step(form, run.place(symbol))
            assert least <= exact.step(form, run.place(symbol))[0] <= most
        run.read(symbol)
        for form, (low, high) in enumerate(lowered.always):
            assert low is None or low <= run.values[form]
            assert high is None or run.values[form] <= high
    return checked


def many(seed: int, count: int, thresholds: int) -> int:
    rng = Random(seed)
    checked = 0
    for _ in range(count):
        letters = LETTERS[: rng.randint(1, 3)]
        generator = Generator(rng, letters, thresholds=thresholds, moduli=rng.sample(MODULI, 3))
        programs = [generator.program(rng.randint(1, 4), rng.randint(1, 4)) for _ in range(rng.randint(1, 2))]
        shuffled = tuple(rng.sample(letters, len(letters)))
        if rng.random() < 0.5:
            word = tuple(rng.choice(letters) for _ in range(rng.randint(1, 14)))
        else:
            word = phased_word(rng, letters, 4, thresholds + 3)
        checked += follow(rng, programs, shuffled, word)
    return checked


@pytest.mark.parametrize("seed", range(4))
def test_what_a_situation_says_is_what_the_definition_says(seed: int) -> None:
    assert many(seed, 150, 6) > 1_000


@pytest.mark.slow
def test_what_a_situation_says_is_what_the_definition_says_with_large_thresholds() -> None:
    assert many(99, 500, 30) > 10_000
