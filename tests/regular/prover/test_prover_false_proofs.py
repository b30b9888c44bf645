"""Proofs that a careless prover would accept: each of these pairs differs, and the first difference is known.

A comparison of counts is settled once no symbol can change its truth. Every pair below breaks a prover that settles too
early, forgets too much, or takes a count for what it is not.
"""

from __future__ import annotations

import pytest

from lengthwise.crasp import parse
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.prover import compare

AB, ABC, ABCD = ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")

FALSE_PROOFS = {
    # X is settled as soon as a b was read, but its truth still decides: dropping it from the key merges ab and b.
    "a settled comparison still decides": (
        """
        alphabet "a" "b" "c" "d"
        B = # "b" >= 1
        X = #("a" && !B) >= 1
        Y = #("c" && B) >= 1
        Z = #("d" && B) >= 1
        Accept = !Y || X && Z || !X && !Z
        """,
        # before the first b; after it; then with c, with d, with both
        Automaton(ABCD, ((0, 1, 0, 0), (1, 1, 2, 3), (2, 2, 2, 4), (3, 3, 4, 3), (4,) * 4), 0, frozenset({0, 1, 2, 3})),
        "abc",
    ),
    # The conditional chooses anew at every position: this is Q_a, not "an a was read".
    "a conditional is not a counter": (
        'alphabet "a" "b"\nAccept = (# "a" if "a" else 0) >= 1',
        Automaton(AB, ((1, 0), (1, 1)), 0, frozenset({1})),
        "ab",
    ),
    # A local count falls again: an a directly before some b is more than an a somewhere before it.
    "a local count is never settled by what it holds": (
        'alphabet "a" "b" "c"\nP = #[j == i-1] "a"\nAccept = #("b" && P >= 1) >= 1',
        Automaton(ABC, ((1, 0, 0), (1, 2, 1), (2, 2, 2)), 0, frozenset({2})),
        "acb",
    ),
    # At the first a the strict count is still 0, so A holds there, once. Settled before the update, it never would.
    "values are looked at after the update": (
        'alphabet "a" "b"\nA = "a" && #[j < i] "a" == 0\nAccept = # A >= 1',
        Automaton(AB, ((0, 0),), 0, frozenset()),
        "a",
    ),
    # The other half of the same: A must be dead behind the first a, or # A == 2 would look possible but late.
    "a counter is dead only behind its last increment": (
        'alphabet "a" "b"\nA = "a" && #[j < i] "a" == 0\nAccept = # A == 1 && "b"',
        Automaton(AB, ((1, 0), (1, 2), (1, 0)), 0, frozenset({2})),
        "abb",
    ),
    # The smaller of two unbounded counts is at least 2 iff both are; the greater one does not matter.
    "a minimum needs both sides": (
        'alphabet "a" "b"\nAccept = min(# "a", # "b") >= 2',
        Automaton(AB, ((1, 0), (2, 1), (2, 2)), 0, frozenset({2})),
        "aa",
    ),
    # The last positive increment of a difference is not settled while the other side can still fall.
    "a difference is settled only when one side is dead": (
        'alphabet "a" "b" "c"\nB = # "c" == 0\nAccept = #("a" && B) - #("b" && B) >= 1',
        # one ahead, from then on true
        Automaton(ABC, ((1, 2, 3), (1, 1, 1), (2, 2, 2), (3, 3, 3)), 0, frozenset({1})),
        "ab",
    ),
    # Nothing before the word counts as read: the second position does not see an a two positions back.
    "positions before the start hold nothing": (
        'alphabet "a" "b"\nAccept = #[j == i-2] !"a" == 0',
        # the symbol two back was an a; states are the last two symbols, missing ones taken for b
        Automaton(AB, ((1, 0), (3, 2), (1, 0), (3, 2)), 0, frozenset({2, 3})),
        "a",
    ),
    # A periodic predicate never dies, even if it is false now.
    "a residue comes back": (
        'alphabet "a" "b"\nAccept = #("a" && i % 5 == 0) >= 1',
        Automaton(AB, ((0, 0),), 0, frozenset()),
        "aaaaa",
    ),
    # All of one alphabet: #true - #a counts the b, so the sum of both cannot be told from the length.
    "equal increments are one form, unequal ones are not": (
        'alphabet "a" "b"\nAccept = # true - # "a" == # "b" && # true - 2 * # "a" == 0',
        Automaton(AB, ((1, 2), (3, 0), (0, 3), (3, 3)), 0, frozenset({0})),
        "aabb",
    ),
}


@pytest.mark.parametrize("name", FALSE_PROOFS)
def test_a_false_proof_is_not_accepted(name: str) -> None:
    text, automaton, first = FALSE_PROOFS[name]
    program = parse(text)
    found = compare(program, automaton)
    assert (found.equal, found.difference) == (False, tuple(first))
    assert program.accepts(first) != automaton.accepts(first)


TRUE_PROOFS = {
    "the conditional is the letter test": (
        'alphabet "a" "b"\nAccept = (# "a" if "a" else 0) >= 1',
        Automaton(AB, ((1, 0), (1, 0)), 0, frozenset({1})),
    ),
    "an a directly before this position": (
        'alphabet "a" "b" "c"\nAccept = #[j == i-1] "a" >= 1',
        Automaton(ABC, ((1, 0, 0), (2, 3, 3), (2, 3, 3), (1, 0, 0)), 0, frozenset({2, 3})),
    ),
    "the first a": (
        'alphabet "a" "b"\nAccept = "a" && #[j < i] "a" == 0',
        Automaton(AB, ((1, 0), (2, 2), (2, 2)), 0, frozenset({1})),
    ),
    "the first a was read": (
        'alphabet "a" "b"\nA = "a" && #[j < i] "a" == 0\nAccept = # A == 1',
        Automaton(AB, ((1, 0), (1, 1)), 0, frozenset({1})),
    ),
    "a memory of a formula that died is empty at last": (
        # C holds at the first position only, so its memory is empty from the third on, and the count is settled.
        'alphabet "a" "b"\nC = #[j < i] true == 0\nM = #[j == i-1] C >= 1\nAccept = #("a" && M) >= 1',
        Automaton(AB, ((1, 1), (2, 3), (2, 2), (3, 3)), 0, frozenset({2})),
    ),
    "a minimum of two unbounded counts": (
        'alphabet "a" "b"\nAccept = min(# "a", # "b") >= 1',
        Automaton(AB, ((1, 2), (1, 3), (3, 2), (3, 3)), 0, frozenset({3})),
    ),
    "large moduli": (
        'alphabet "a"\nAccept = i % 601 == 3 && i % 607 == 5 && # true <= 4',
        Automaton(("a",), ((0,),), 0, frozenset()),
    ),
}


@pytest.mark.parametrize("name", TRUE_PROOFS)
def test_the_true_sibling_of_a_false_proof_is_accepted(name: str) -> None:
    text, automaton = TRUE_PROOFS[name]
    assert compare(parse(text), automaton).equal
