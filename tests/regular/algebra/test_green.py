"""Green's relations against their definition: equal ideals."""

from __future__ import annotations

from random import Random

from lengthwise.regular.algebra.green import Green, shortest_path
from lengthwise.regular.algebra.monoid import TransitionMonoid
from tests.regular import algebra_oracle as oracle
from tests.regular.expressions import automaton, bounded_dyck
from tests.regular.small_automata import minimal_automata_up_to, random_automaton

AUTOMATA = [
    found
    for found in [
        *(random_automaton(Random(seed), ("a", "b", "c")[: 2 + seed % 2], 4) for seed in range(40)),
        *(found for place, found in enumerate(minimal_automata_up_to(3)) if place % 17 == 0),
    ]
    if len(TransitionMonoid(found)) <= 25
]


def elements(monoid: TransitionMonoid) -> list[tuple[int, ...]]:
    return [tuple(monoid.apply(state, x) for state in range(monoid.states)) for x in range(len(monoid))]


def grouped(keys: list[frozenset[tuple[int, ...]]]) -> set[frozenset[int]]:
    return {frozenset(x for x, other in enumerate(keys) if other == key) for key in keys}


def test_the_classes_of_r_l_and_j_are_those_of_equal_ideals() -> None:
    for found in AUTOMATA:
        green = Green(TransitionMonoid(found))
        actions = elements(green.monoid)
        everything = oracle.monoid(found)
        right = [frozenset(oracle.times(x, y) for y in everything) for x in actions]
        left = [frozenset(oracle.times(y, x) for y in everything) for x in actions]
        both = [frozenset(oracle.times(y, z) for y in everything for z in ideal) for ideal in right]
        assert {frozenset(members) for members in green.r_classes} == grouped(right)
        assert {frozenset(members) for members in green.l_classes} == grouped(left)
        assert {frozenset(members) for members in green.d_classes} == grouped(both)
        assert {frozenset(members) for members in green.h_classes} == {
            one & other for one in grouped(right) for other in grouped(left) if one & other
        }


def test_the_number_of_a_class_is_its_place_in_the_list() -> None:
    for found in AUTOMATA:
        green = Green(TransitionMonoid(found))
        for numbers, classes in (
            (green.r_class, green.r_classes),
            (green.l_class, green.l_classes),
            (green.d_class, green.d_classes),
        ):
            assert all(x in classes[number] for x, number in enumerate(numbers))


def test_the_left_cayley_graph_puts_the_letter_in_front() -> None:
    for found in AUTOMATA:
        green = Green(TransitionMonoid(found))
        actions = elements(green.monoid)
        for x, row in enumerate(green.left):
            assert [actions[y] for y in row] == [oracle.times(a, actions[x]) for a in oracle.letters(found)]


def test_a_d_class_is_regular_iff_all_of_its_elements_have_a_weak_inverse() -> None:
    for found in AUTOMATA:
        green = Green(TransitionMonoid(found))
        actions = elements(green.monoid)
        for x, action in enumerate(actions):
            has_inverse = any(oracle.times(action, y, action) == action for y in actions)
            assert green.regular[green.d_class[x]] == has_inverse


def test_every_idempotent_lies_below_a_highest_one_and_no_two_highest_are_comparable() -> None:
    for found in AUTOMATA:
        green = Green(TransitionMonoid(found))
        actions = elements(green.monoid)
        everything = oracle.monoid(found)

        ideals = [
            {oracle.times(y, x, z) for y in everything for z in everything} if e in green.monoid.idempotents else set()
            for e, x in enumerate(actions)
        ]
        highest = green.highest_idempotents
        assert all(any(actions[e] in ideals[top] for top in highest) for e in green.monoid.idempotents)
        assert all(actions[e] not in ideals[f] for e in highest for f in highest if e != f)
        assert set(highest) <= set(green.monoid.idempotents)


def test_the_monoid_of_d12_has_one_d_class_for_each_number_of_levels() -> None:
    green = Green(TransitionMonoid(automaton(bounded_dyck(12), "ab").minimal()))
    assert sorted(map(len, green.d_classes)) == [1, *(size * size for size in range(1, 14))]
    assert all(green.regular)
    assert len(green.h_classes) == len(green.monoid)


def test_a_shortest_path_leads_where_it_says() -> None:
    for found in AUTOMATA[:20]:
        monoid = TransitionMonoid(found)
        for x in range(len(monoid)):
            assert shortest_path(monoid.right, 0, x) == monoid.word(x)
