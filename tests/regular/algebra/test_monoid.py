"""The transition monoid and the stable semigroup against their definitions."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from lengthwise.regular.algebra.monoid import MonoidLimitError, StableSemigroup, TransitionMonoid
from lengthwise.regular.languages.automaton import Automaton
from tests.regular import algebra_oracle as oracle
from tests.regular.expressions import automaton, bounded_dyck
from tests.regular.small_automata import minimal_automata_up_to, random_automaton

RANDOM = [random_automaton(Random(seed), ("a", "b", "c")[: 1 + seed % 3], 5) for seed in range(40)]
SMALL = [found for place, found in enumerate(minimal_automata_up_to(3)) if place % 31 == 0]
AUTOMATA = [*RANDOM, *SMALL]


def action(monoid: TransitionMonoid, element: int) -> tuple[int, ...]:
    return tuple(monoid.apply(state, element) for state in range(monoid.states))


def test_the_elements_are_the_actions_of_all_words() -> None:
    for found in AUTOMATA:
        monoid = TransitionMonoid(found)
        assert {action(monoid, x) for x in range(len(monoid))} == oracle.monoid(found)
        assert len(oracle.monoid(found)) == len(monoid)


def test_the_semigroup_has_the_actions_of_the_non_empty_words_and_its_idempotents_are_their_own_squares() -> None:
    for found in AUTOMATA:
        monoid = TransitionMonoid(found)
        expected = oracle.semigroup(found)
        assert {action(monoid, x) for x in monoid.semigroup} == expected
        assert {action(monoid, x) for x in monoid.idempotents} == {e for e in expected if oracle.times(e, e) == e}


def test_products_are_read_from_left_to_right() -> None:
    for found in AUTOMATA:
        monoid = TransitionMonoid(found)
        rng = Random(0)
        for _ in range(50):
            x, y = rng.randrange(len(monoid)), rng.randrange(len(monoid))
            assert action(monoid, monoid.multiply(x, y)) == oracle.times(action(monoid, x), action(monoid, y))


def test_the_word_of_an_element_acts_like_it_and_is_the_first_of_the_shortest() -> None:
    for found in AUTOMATA[::3]:
        monoid = TransitionMonoid(found)
        met: dict[tuple[int, ...], tuple[int, ...]] = {}
        length = 0
        while len(met) < len(monoid):
            for word in product(range(len(found.symbols)), repeat=length):
                met.setdefault(tuple(found.run(word, state) for state in range(len(found))), word)
            length += 1
        assert {action(monoid, x): monoid.word(x) for x in range(len(monoid))} == met


def test_the_non_empty_word_of_an_element_is_not_empty_and_acts_like_it() -> None:
    for found in AUTOMATA:
        monoid = TransitionMonoid(found)
        for x in monoid.semigroup:
            word = monoid.nonempty_word(x)
            assert word
            assert tuple(found.run(word, state) for state in range(len(found))) == action(monoid, x)


def test_idempotent_powers_and_periods_are_those_of_the_sequence_of_powers() -> None:
    for found in AUTOMATA:
        monoid = TransitionMonoid(found)
        for x in range(len(monoid)):
            powers = [action(monoid, x)]
            while len(powers) < 40:
                powers.append(oracle.times(powers[-1], powers[0]))
            assert action(monoid, monoid.idempotent_power(x)) == oracle.omega(powers[0])
            assert monoid.period(x) == len(set(powers[20:]))


def test_the_stability_index_is_the_least_length_whose_actions_those_of_twice_the_length_repeat() -> None:
    for found in AUTOMATA:
        stable = StableSemigroup(TransitionMonoid(found))
        layers = oracle.layers(found, 2 * stable.index)
        assert [s for s in range(1, stable.index + 1) if layers[s - 1] == layers[2 * s - 1]] == [stable.index]
        assert {action(stable.monoid, x) for x in stable.elements} == layers[stable.index - 1]


def test_words_of_the_stable_semigroup_have_its_length_and_act_like_their_element() -> None:
    for found in AUTOMATA:
        stable = StableSemigroup(TransitionMonoid(found))
        for x in stable.elements:
            word = stable.word(x)
            assert len(word) == stable.index
            assert tuple(found.run(word, state) for state in range(len(found))) == action(stable.monoid, x)


def test_an_automaton_with_more_states_than_a_byte_counts_has_the_monoid_of_a_cycle() -> None:
    count = 300
    cycle = Automaton(("a",), tuple(((state + 1) % count,) for state in range(count)), 0, frozenset({0}))
    monoid = TransitionMonoid(cycle)
    assert len(monoid) == count
    assert monoid.identity_is_a_word
    assert monoid.period(1) == count
    assert monoid.multiply(200, 150) == 50
    assert StableSemigroup(monoid).index == count


def test_a_monoid_as_large_as_the_limit_is_built_and_a_larger_one_refused() -> None:
    d12 = automaton(bounded_dyck(12), "ab").minimal()
    assert len(TransitionMonoid(d12, limit=820)) == 820
    with pytest.raises(MonoidLimitError, match="more than 819 elements"):
        TransitionMonoid(d12, limit=819)
