"""Programs of depth 1 as conditions on counts, against runs of the programs on all words up to a length."""

from itertools import product

import numpy as np
import pytest

from lengthwise import crasp
from lengthwise.crasp import Program
from lengthwise.regular.prover.depth_one import (
    NotDepthOneError,
    all_counts,
    depth_one,
    lattice_radius,
    shortest_difference,
)

COUNTS = ['#"a"', '#"b"', "#true", '#!"a"', "1", "2", '#"a" - #"b"', '2 * #"b"', 'min(#"a", #"b")', '#[j < i] "a"']


def _formula(rng: np.random.Generator) -> Program:
    def compared() -> str:
        left, right = rng.choice(COUNTS, size=2)
        return f"{left} {rng.choice(['<', '<=', '==', '!=', '>=', '>'])} {right}"

    parts = [compared() for _ in range(int(rng.integers(1, 4)))] + [rng.choice(['"a"', '"b"', '!"a"'])]
    text = f"({parts[0]})"
    for part in parts[1:]:
        text = f"({text} {rng.choice(['&&', '||'])} {rng.choice(['', '!'])}({part}))"
    return crasp.parse(f'alphabet "a" "b"\nY = {text}')


def _words(length: int) -> list[tuple[str, ...]]:
    return [word for size in range(1, length + 1) for word in product("ab", repeat=size)]


def test_the_conditions_say_what_the_program_says_on_all_short_words() -> None:
    rng = np.random.default_rng(21)
    for _ in range(60):
        program = _formula(rng)
        cases = depth_one(program).cases
        for word in _words(6):
            counts = np.array([[word.count("a"), word.count("b")]])
            assert cases["ab".index(word[-1])].accepts(counts)[0] == program.accepts(word), (str(program), word)


def test_a_shortest_difference_is_one_and_none_is_shorter() -> None:
    rng = np.random.default_rng(22)
    equal = 0
    for _ in range(60):
        left, right = _formula(rng), _formula(rng)
        found = shortest_difference(left, right)
        shortest = next((word for word in _words(9) if left.accepts(word) != right.accepts(word)), None)
        if found is None:
            equal += 1
            assert shortest is None
        else:
            assert left.accepts(found) != right.accepts(found)
            assert len(found) == (len(shortest) if shortest else len(found))
            assert shortest or len(found) > 9
    assert equal < 60


def test_programs_that_agree_within_the_radius_are_equal_and_those_that_differ_do_so_within_it() -> None:
    rng = np.random.default_rng(23)
    for _ in range(25):
        left, right = _formula(rng), _formula(rng)
        cases = [depth_one(each) for each in (left, right)]
        weight = max(each.largest[0] for each in cases)
        bound = max(each.largest[1] for each in cases)
        counts = all_counts(2, lattice_radius(2, weight, bound))
        agree = all(
            (cases[0].cases[last].accepts(rows) == cases[1].cases[last].accepts(rows)).all()
            for last in (0, 1)
            for rows in (counts[counts[:, last] > 0],)
        )
        assert agree == (shortest_difference(left, right) is None)


def test_all_counts_are_those_of_words_shorter_ones_first() -> None:
    found = all_counts(3, 4)
    assert {tuple(row) for row in found.tolist()} == {
        (a, b, c) for a in range(5) for b in range(5) for c in range(5) if a + b + c <= 4
    }
    assert len(found) == 35
    assert (np.diff(found.sum(axis=1)) >= 0).all()


def test_a_late_difference_is_found() -> None:
    left = crasp.parse('alphabet "a" "b"\nY = #"a" >= 40 && #"b" >= 3')
    right = crasp.parse('alphabet "a" "b"\nY = #"a" >= 40 && #"b" >= 3 && #"a" + 30 >= #"b"')
    found = shortest_difference(left, right)
    assert found is not None
    assert len(found) == 40 + 71
    assert left.accepts(found) != right.accepts(found)


@pytest.mark.parametrize("name", ["dyck1", "aa-star", "contains-ab"])
def test_other_programs_are_refused(name: str) -> None:
    with pytest.raises(NotDepthOneError, match="depth 1"):
        depth_one(crasp.load(name))
