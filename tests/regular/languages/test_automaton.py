"""Automata: minimal ones are unique, components come in order, bad tables are refused."""

import random
from itertools import product

import networkx
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton, components, paired


def random_automaton(rng: random.Random, states: int, symbols: str = "ab") -> Automaton:
    table = tuple(tuple(rng.randrange(states) for _ in symbols) for _ in range(states))
    accepting = frozenset(state for state in range(states) if rng.random() < 0.5)
    return Automaton(tuple(symbols), table, rng.randrange(states), accepting)


def words(symbols: str, longest: int) -> list[str]:
    return ["".join(word) for length in range(longest + 1) for word in product(symbols, repeat=length)]


def test_a_minimal_automaton_accepts_the_same_words_and_is_as_small_as_its_residuals() -> None:
    rng = random.Random(1)
    for _ in range(100):
        automaton = random_automaton(rng, rng.randint(1, 5))
        small = automaton.minimal()
        assert all(small.accepts(word) == automaton.accepts(word) for word in words("ab", 6))
        residuals = {tuple(automaton.accepts(u + v) for v in words("ab", 4)) for u in words("ab", 4)}
        assert len(small) == len(residuals)
        assert small.minimal() == small


def test_equal_languages_have_equal_minimal_automata() -> None:
    rng = random.Random(2)
    for _ in range(50):
        automaton = random_automaton(rng, 4)
        order = rng.sample(range(4), 4)
        renamed = Automaton(
            automaton.symbols,
            tuple(tuple(order[target] for target in automaton.table[order.index(place)]) for place in range(4)),
            order[automaton.start],
            frozenset(order[state] for state in automaton.accepting),
        )
        assert renamed.minimal() == automaton.minimal()


def test_components_are_those_of_networkx_each_before_those_that_lead_to_it() -> None:
    rng = random.Random(3)
    for _ in range(300):
        size = rng.randint(1, 9)
        graph = [[rng.randrange(size) for _ in range(rng.randint(0, 3))] for _ in range(size)]
        found = components(graph)
        reference = networkx.DiGraph([(u, v) for u in range(size) for v in graph[u]])
        reference.add_nodes_from(range(size))
        assert sorted(found) == sorted(sorted(part) for part in networkx.strongly_connected_components(reference))
        place = {node: number for number, part in enumerate(found) for node in part}
        assert all(place[v] <= place[u] for u in range(size) for v in graph[u])


def test_a_long_path_does_not_overflow_the_stack() -> None:
    assert len(components([[node + 1] for node in range(50_000)] + [[]])) == 50_001


def test_pairs_run_both_automata_at_once() -> None:
    rng = random.Random(4)
    left, right = random_automaton(rng, 3), random_automaton(rng, 4)
    product_automaton, pairs = paired(left, right)
    for word in words("ab", 5):
        ids = [int(symbol == "b") for symbol in word]
        assert pairs[product_automaton.run(ids)] == (left.run(ids), right.run(ids))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((), ((),), 0, frozenset()), "at least one symbol"),
        ((("a", "a"), ((0, 0),), 0, frozenset()), "lists each once"),
        ((("a",), ((0,),), 1, frozenset()), "start state 1"),
        ((("a",), ((2,),), 0, frozenset()), "state 0 needs one target"),
        ((("a",), ((0,),), 0, frozenset({3})), "accepting state"),
    ],
)
def test_a_malformed_automaton_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        Automaton(*arguments)  # type: ignore[arg-type]


def test_automata_over_different_symbols_are_not_paired() -> None:
    with pytest.raises(LengthwiseError, match="different symbols"):
        paired(Automaton(("a",), ((0,),), 0, frozenset()), Automaton(("b",), ((0,),), 0, frozenset()))
