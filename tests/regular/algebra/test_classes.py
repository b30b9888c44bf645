"""The classical classes against their equations, against languages generated to lie in them, and against Table 2."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice, pairwise
from random import Random

import pytest

from lengthwise.regular.algebra.classes import Classes, classify
from lengthwise.regular.algebra.dot_depth import knast_failure
from lengthwise.regular.algebra.green import Green
from lengthwise.regular.algebra.monoid import MonoidLimitError, TransitionMonoid
from lengthwise.regular.languages.automaton import Automaton, paired
from tests.regular import algebra_oracle as oracle
from tests.regular import expressions as ex
from tests.regular.small_automata import minimal_automata_up_to, random_automaton


@cache
def random_automata() -> list[Automaton]:
    sizes = [random_automaton(Random(seed), ("a", "b", "c")[: 1 + seed % 3], 5) for seed in range(90)]
    small = [found for place, found in enumerate(minimal_automata_up_to(3)) if place % 19 == 0]
    return [found for found in (*sizes, *small) if len(TransitionMonoid(found)) <= 40]


def star_free_automata(count: int, seed: int = 0) -> list[Automaton]:
    rng = Random(seed)
    samples = (ex.automaton(ex.star_free(rng, "ab"[: 1 + n % 2], 3 + n % 9), "ab"[: 1 + n % 2]) for n in range(count))
    return [found.minimal() for found in samples]


def run(automaton: Automaton, *words: tuple[str, ...]) -> tuple[int, ...]:
    """What the words, one after the other, do to all states of the minimal automaton."""
    minimal = automaton.minimal()
    ids = [minimal.symbols.index(symbol) for word in words for symbol in word]
    return tuple(minimal.run(ids, state) for state in range(len(minimal)))


# ----------------------------------------------------------------------------------- the laws, by definition


def test_star_free_r_trivial_l_trivial_and_da_are_the_classes_of_their_equations() -> None:
    for found in random_automata():
        classes = classify(found)
        assert classes.star_free == oracle.is_star_free(found)
        assert classes.r_trivial == oracle.is_r_trivial(found)
        assert classes.l_trivial == oracle.is_l_trivial(found)
        assert classes.j_trivial == (oracle.is_r_trivial(found) and oracle.is_l_trivial(found))
        assert classes.da == oracle.is_da(found)


def test_ac0_means_that_the_words_of_no_length_contain_a_group() -> None:
    for found in random_automata():
        classes = classify(found)
        assert classes.ac0 == oracle.is_quasi_aperiodic(found, 2 * classes.sizes.stability_index)


def test_dot_depth_0_is_nilpotence() -> None:
    for found in (*random_automata(), *star_free_automata(40)):
        assert (classify(found).dot_depth == "0") == oracle.is_nilpotent(found)


def aperiodic_and_tiny(automata: list[Automaton], most: int) -> list[Automaton]:
    return [
        found
        for found in automata
        if len(oracle.semigroup(found)) <= most and oracle.is_star_free(found)
    ]  # fmt: skip


def assert_knast_as_defined(automata: list[Automaton]) -> None:
    verdicts = set()
    for found in automata:
        expected = oracle.satisfies_knast(found)
        verdicts.add(expected)
        assert (knast_failure(Green(TransitionMonoid(found))) is None) == expected
        assert (classify(found).dot_depth == ">=2") != expected
    assert verdicts == {True, False}


def test_dot_depth_1_is_knasts_law_over_all_idempotents_and_all_elements() -> None:
    """The oracle tries every idempotent: one for each highest D-class is enough."""
    assert_knast_as_defined(aperiodic_and_tiny([*random_automata(), *star_free_automata(60)], 12))


@pytest.mark.slow
def test_dot_depth_1_is_knasts_law_for_all_automata_with_three_states() -> None:
    assert_knast_as_defined(aperiodic_and_tiny(minimal_automata_up_to(3), 20))


def test_the_larger_classes_contain_the_smaller() -> None:
    for found in (*random_automata(), *star_free_automata(100, seed=1)):
        classes = classify(found)
        assert classes.j_trivial == (classes.r_trivial and classes.l_trivial)
        assert classes.da or not (classes.r_trivial or classes.l_trivial)
        assert classes.star_free or not classes.da
        assert classes.ac0 or not classes.star_free
        assert (classes.dot_depth is None) == (not classes.star_free)
        assert classes.dot_depth in ("0", "1") or not classes.j_trivial


def test_the_empty_word_makes_no_difference() -> None:
    for found in random_automata()[:80]:
        other = Automaton(  # a new start, which nothing leads to, with the other output
            found.symbols,
            (*found.table, found.table[found.start]),
            len(found),
            found.accepting if found.start in found.accepting else found.accepting | {len(found)},
        )
        one, two = classify(found), classify(other)
        for name in ("star_free", "ac0", "r_trivial", "l_trivial", "j_trivial", "da", "dot_depth"):
            assert getattr(one, name) == getattr(two, name), name


# --------------------------------------------------------------------------------- languages made to be inside


def test_expressions_without_a_star_are_star_free() -> None:
    for found in star_free_automata(150):
        assert classify(found).star_free


def test_boolean_combinations_of_scattered_words_are_piecewise_testable() -> None:
    for seed in range(60):
        rng = Random(seed)
        symbols = "abc"[: 1 + seed % 3]
        basics = [ex.scattered(ex.random_word(rng, symbols, 3)) for _ in range(rng.randint(1, 3))]
        classes = classify(ex.automaton(ex.boolean_combination(rng, basics), symbols))
        assert classes.j_trivial
        assert classes.dot_depth in ("0", "1")


def dot_depth_one(seed: int, longest: int, most: int) -> Automaton:
    """A Boolean combination of languages w₀Σ*w₁Σ*…wₖ."""
    rng = Random(seed)
    symbols = "abc"[: 2 + seed % 2]
    basics = [
        ex.factors([ex.random_word(rng, symbols, longest) for _ in range(rng.randint(1, 3))])
        for _ in range(rng.randint(1, most))
    ]
    return ex.automaton(ex.boolean_combination(rng, basics), symbols)


def test_boolean_combinations_of_words_with_gaps_have_dot_depth_at_most_1() -> None:
    found = {classify(dot_depth_one(seed, longest=2, most=2)).dot_depth for seed in range(60)}
    assert found == {"0", "1"}


def test_larger_boolean_combinations_of_words_with_gaps_have_dot_depth_at_most_1() -> None:
    for seed in range(200):
        try:
            assert classify(dot_depth_one(seed, longest=4, most=4), limit=5000).dot_depth in ("0", "1")
        except MonoidLimitError:
            continue


def test_finite_languages_and_their_complements_have_dot_depth_0() -> None:
    for seed in range(30):
        rng = Random(seed)
        finite = ex.union(*(ex.word(ex.random_word(rng, "ab", 4)) for _ in range(3)))
        assert classify(ex.automaton(finite, "ab")).dot_depth == "0"
        assert classify(ex.automaton(ex.complement(finite), "ab")).dot_depth == "0"


def test_each_class_is_closed_under_boolean_operations() -> None:
    ordered = {"0": 0, "1": 1, ">=1": 1, ">=2": 2}
    samples = [found for found in random_automata() if found.symbols == ("a", "b") and len(found) <= 4][:30]
    for one, two in islice(pairwise(samples), 25):
        pair, states = paired(one, two)
        both = Automaton(
            pair.symbols,
            pair.table,
            0,
            frozenset(n for n, (p, q) in enumerate(states) if p in one.accepting and q in two.accepting),
        )
        left, right, meet = classify(one), classify(two), classify(both)
        for name in ("star_free", "ac0", "r_trivial", "l_trivial", "j_trivial", "da"):
            assert getattr(meet, name) or not (getattr(left, name) and getattr(right, name)), name
        if left.dot_depth and right.dot_depth and meet.dot_depth:
            assert ordered[meet.dot_depth] <= max(ordered[left.dot_depth], ordered[right.dot_depth])


# ------------------------------------------------------------------------------------------------- Table 2

BITS = ex.one_of("01")
ONE, ZERO = ("a", "1"), ("a", "0")
ODD_ONES = ex.sequence(ONE, ex.star(ex.word("11")))
ODD_ZEROS = ex.sequence(ZERO, ex.star(ex.word("00")))
SUM_OF_THREE = Automaton(("0", "1"), ((1, 2), (2, 0), (0, 1)), 0, frozenset({0}))
EVEN_BOTH = Automaton(("0", "1"), ((1, 2), (0, 3), (3, 0), (2, 1)), 0, frozenset({0}))
BLOCKS = ex.sequence(*(ex.sequence(("a", letter), ex.star(("a", letter))) for letter in "abcde"))

TABLE_2 = {
    "Tomita 1": (ex.automaton(ex.star(ONE), "01"), True, "1", True),
    "Tomita 2": (ex.automaton(ex.star(ex.word("10")), "01"), True, "1", True),
    "Tomita 3": (
        ex.automaton(
            ex.complement(ex.sequence(ex.EVERYTHING, ZERO, ODD_ONES, ODD_ZEROS, ONE, ex.EVERYTHING)), "01"
        ),
        False, None, True,
    ),
    "Tomita 4": (ex.automaton(ex.complement(ex.factors(["", "000", ""])), "01"), True, "1", True),
    "Tomita 5": (EVEN_BOTH, False, None, False),
    "Tomita 6": (SUM_OF_THREE, False, None, False),
    "Tomita 7": (ex.automaton(ex.sequence(*(ex.star(bit) for bit in (ZERO, ONE) * 2)), "01"), True, "1", True),
    "D_2": (ex.automaton(ex.bounded_dyck(2), "ab"), True, ">=2", True),
    "D_3": (ex.automaton(ex.bounded_dyck(3), "ab"), True, ">=2", True),
    "D_4": (ex.automaton(ex.bounded_dyck(4), "ab"), True, ">=2", True),
    "D_12": (ex.automaton(ex.bounded_dyck(12), "ab"), True, ">=2", True),
    "PARITY": (Automaton(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0})), False, None, False),
    "(aa)*": (ex.automaton(ex.star(ex.word("aa")), "ab"), False, None, True),
    "(aaaa)*": (ex.automaton(ex.star(ex.word("aaaa")), "ab"), False, None, True),
    "(abab)*": (ex.automaton(ex.star(ex.word("abab")), "ab"), False, None, True),
    "aa*bb*cc*dd*ee*": (ex.automaton(BLOCKS, "abcde"), True, "1", True),
    "{a,b}*d{b,c}*": (
        ex.automaton(ex.sequence(ex.star(ex.one_of("ab")), ("a", "d"), ex.star(ex.one_of("bc"))), "abcd"),
        True, "1", True,
    ),
    "{0,1,2}*02*": (
        ex.automaton(ex.sequence(ex.star(ex.one_of("012")), ZERO, ex.star(("a", "2"))), "012"), True, ">=2", True,
    ),
}  # fmt: skip
"""The last three columns as printed, but with >=2 for every dot-depth from 2 on."""


@pytest.mark.parametrize("name", TABLE_2)
def test_table_2_has_the_right_star_free_dot_depth_and_ac0_columns(name: str) -> None:
    found, star_free, dot_depth, ac0 = TABLE_2[name]
    classes = classify(found)
    assert (classes.star_free, classes.dot_depth, classes.ac0) == (star_free, dot_depth, ac0)


def test_known_languages_have_their_known_classes() -> None:
    last_b = classify(ex.automaton(ex.factors(["", "b"]), "ab"))
    first_b = classify(ex.automaton(ex.factors(["b", ""]), "ab"))
    contains_ab = classify(ex.automaton(ex.factors(["", "ab", ""]), "abc"))
    assert (last_b.r_trivial, last_b.l_trivial, last_b.da, last_b.dot_depth) == (False, True, True, "1")
    assert (first_b.r_trivial, first_b.l_trivial, first_b.da, first_b.dot_depth) == (True, False, True, "1")
    assert (contains_ab.da, contains_ab.dot_depth) == (False, "1")


def test_the_monoid_of_d12_has_820_elements_and_91_idempotents() -> None:
    sizes = classify(TABLE_2["D_12"][0]).sizes
    assert (sizes.states, sizes.monoid, sizes.semigroup, sizes.idempotents) == (14, 820, 819, 91)
    assert (sizes.stability_index, sizes.stable_semigroup) == (24, 413)


# ----------------------------------------------------------------------------------------------- witnesses


def check_failures(automaton: Automaton, classes: Classes) -> None:
    """Run the words of every failure through the automaton."""
    outside = {name for name in ("star_free", "ac0", "r_trivial", "l_trivial", "j_trivial", "da")
               if not getattr(classes, name)}  # fmt: skip
    assert set(classes.failures) - {"dot_depth"} == outside
    assert ("dot_depth" in classes.failures) == (classes.dot_depth == ">=2")
    for name, failure in classes.failures.items():
        words = dict(failure.words)
        x = words["x"]
        match name:
            case "star_free":
                assert run(automaton, *[x] * 1000) != run(automaton, *[x] * 1001)
            case "ac0":
                assert len(x) == len(words["e"])
                powers = run(automaton, *[x] * 1000), run(automaton, *[x] * 1001)
                assert powers[0] != powers[1]
                for power in (1000, 1001):
                    assert run(automaton, *[x] * power, words["e"]) == run(automaton, *[x] * power)
            case "r_trivial":
                assert run(automaton, x, words["u"]) != run(automaton, x)
                assert run(automaton, x, words["u"], words["v"]) == run(automaton, x)
            case "l_trivial":
                assert run(automaton, words["u"], x) != run(automaton, x)
                assert run(automaton, words["v"], words["u"], x) == run(automaton, x)
            case "da":
                assert run(automaton, x, words["y"], x) == run(automaton, x) != run(automaton, x, x)
            case "dot_depth":
                e, f, y, z, t = (words[letter] for letter in "efyzt")
                assert all(words[letter] for letter in "efxyzt")
                for idempotent in (e, f):
                    assert run(automaton, idempotent, idempotent) == run(automaton, idempotent)
                for word in (x, z):
                    assert run(automaton, e, word, f) == run(automaton, word)
                for word in (y, t):
                    assert run(automaton, f, word, e) == run(automaton, word)
                start, end = (*x, *y) * 100, (*z, *t) * 100
                assert run(automaton, start, x, t, end) != run(automaton, start, end)
            case "j_trivial":
                assert failure in (classes.failures.get("r_trivial"), classes.failures.get("l_trivial"))


def test_the_words_of_every_failure_do_what_is_said_of_them() -> None:
    automata = [*random_automata()[:120], *star_free_automata(40, seed=2), *(row[0] for row in TABLE_2.values())]
    for found in automata:
        check_failures(found, classify(found))


def test_a_failure_is_printed_in_words() -> None:
    parity = classify(TABLE_2["PARITY"][0])
    assert parity.failures["star_free"].explain() == "x = a: the powers of x run into a cycle of 2 different actions"
    assert parity.failures["ac0"].explain().startswith("x = a, e = b: ")
    long = Automaton(("one", "two"), ((1, 0), (0, 1)), 0, frozenset({0}))
    assert classify(long).failures["r_trivial"].explain().startswith("x = ε, u = one, v = one: ")


def test_classes_are_plain_data_with_stable_keys() -> None:
    plain = classify(TABLE_2["D_2"][0]).as_json()
    assert json.loads(json.dumps(plain)) == plain
    assert list(plain) == [
        "star_free", "ac0", "r_trivial", "l_trivial", "j_trivial", "da", "dot_depth", "sizes", "failures",
    ]  # fmt: skip
    assert plain["dot_depth"] == ">=2"
    assert plain["failures"]["da"]["words"] == {"x": ["a"], "y": ["b"]}


# --------------------------------------------------------------------------------------------------- caps


def test_a_monoid_beyond_the_limit_is_refused() -> None:
    with pytest.raises(MonoidLimitError, match="more than 100 elements"):
        classify(TABLE_2["D_12"][0], limit=100)


def test_a_star_free_language_too_large_for_knasts_law_has_dot_depth_at_least_1() -> None:
    """The 6435 maps of eight states that keep their order are generated by steps up and down, one state at a time."""
    steps = [{low: low + 1} for low in range(7)] + [{low + 1: low} for low in range(7)]
    table = tuple(tuple(step.get(state, state) for step in steps) for state in range(8))
    found = Automaton(tuple("abcdefghijklmn"), table, 0, frozenset({1, 3, 5, 7}))
    classes = classify(found)
    assert classes.sizes.monoid == 6435
    assert (classes.star_free, classes.j_trivial, classes.dot_depth) == (True, False, ">=1")
    assert "dot_depth" not in classes.failures


def test_knasts_law_is_refused_beyond_its_cap() -> None:
    with pytest.raises(MonoidLimitError, match="at most 10 elements"):
        knast_failure(Green(TransitionMonoid(TABLE_2["D_3"][0].minimal())), largest=10)
