"""Programs in smaller fragments: found where there are some, proved equal, never invented."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, library, parse
from lengthwise.regular.deciding.fragments import decide_program, smaller_fragments
from lengthwise.regular.prover import compare
from lengthwise.regular.prover.congruence import proved_equal

AB = 'alphabet "a" "b"\n'

NEEDLESS = {
    "a window that a scattered word replaces": (
        AB + 'A = exists ("b" && exists[j == i-1] "a")', set(),
    ),
    "the same beside counts that no automaton can follow": (
        AB + 'X = exists ("b" && exists[j == i-1] "a")\nA = X && # "a" >= # "b"', set(),
    ),
    "the same without a name for the regular part": (
        AB + 'A = exists ("b" && exists[j == i-1] "a") && # "a" >= # "b"', set(),
    ),
    "a count in a window": (
        AB + 'P = #[j == i-1] "a"\nC = #("b" && P >= 1)\nA = C >= 1', set(),
    ),
    "both residues together": (
        AB + 'A = #(i % 2 == 0 && "a") + #(i % 2 == 1 && "a") >= # "b"', set(),
    ),
    "a residue that a stronger condition implies": (
        AB + 'A = # "a" > # "b" || i % 2 == 0 && # "a" > # "b" + 1', set(),
    ),
    "a window that is kept where a residue is not needed": (
        AB + 'V = exists ("b" && exists[j == i-1] "b")\nA = !V && # "a" >= # "b" && (i % 3 == 0 || i % 3 != 0)',
        {"local"},
    ),
    "a residue that is kept where a window is not needed": (
        AB + 'V = exists ("b" && exists[j == i-1] "a")\nA = V && #("a" && i % 2 == 0) >= # "b"', {"periodic"},
    ),
    "an open alphabet": (
        'A = # "a" >= # "b" && (exists[j == i-1] "a" || true)', set(),
    ),
    "predictions": (
        AB + 'next "a" = exists ("b" && exists[j == i-1] "a")\nnext "b" = # "a" > # "b" && (i % 2 == 0 || i % 2 == 1)',
        set(),
    ),
}  # fmt: skip


def same_values(one: Program, other: Program, longest: int) -> bool:
    """Whether two programs agree on all words up to a length, the empty one included, and on some long ones."""
    symbols = [*one.alphabet.symbols, *(["?"] if one.alphabet.is_open else [])]
    rng = Random(1)
    words = [list(word) for length in range(longest + 1) for word in product(symbols, repeat=length)]
    words += [rng.choices(symbols, k=rng.randint(50, 150)) for _ in range(20)]
    for word in words:
        if one.listing.accept is not None and one.accepts(word) != other.accepts(word):
            return False
        if one.predicts and (one.next_tokens(word) != other.next_tokens(word)):
            return False
    return not one.predicts or one.first_tokens() == other.first_tokens()


@pytest.mark.parametrize("name", NEEDLESS)
def test_relations_that_are_not_needed_are_removed(name: str) -> None:
    text, least = NEEDLESS[name]
    program = parse(text)
    found = smaller_fragments(program)
    assert found
    assert found[0].fragment == least
    for smaller in found:
        assert smaller.fragment < program.fragment
        assert same_values(program, smaller, 5 if program.alphabet.is_open else 7)


@pytest.mark.parametrize("name", ["aa-star", "aaaa-star", "abab-star", "tomita-4", "majority-interleave"])
def test_nothing_smaller_is_found_for_programs_that_need_their_relations(name: str) -> None:
    assert smaller_fragments(library.get(name)) == []


def test_a_library_program_with_a_needless_window_loses_it() -> None:
    [smaller] = smaller_fragments(library.get("contains-ab"))
    assert smaller.fragment == frozenset()
    assert compare(smaller, library.get("contains-ab")).equal is True


@pytest.mark.slow
def test_induction_heads_keep_their_windows() -> None:
    for name in ("induction-all", "induction-argmax", "unique-copy"):
        assert smaller_fragments(library.get(name), seconds=5) == []


def test_a_difference_that_shows_only_on_long_words_is_not_overlooked() -> None:
    program = parse(AB + 'A = # "a" < 60 || exists[j == i-1] "b"')
    assert smaller_fragments(program) == []


def test_a_program_without_positional_relations_has_no_smaller_fragment() -> None:
    assert smaller_fragments(library.get("majority")) == []


def test_a_candidate_counts_only_if_the_prover_agrees() -> None:
    asked = []

    def refuse(left: Program, right: Program, symbols: tuple[str, ...], seconds: float) -> None:
        asked.append((left, right))

    assert smaller_fragments(library.get("contains-ab"), prove=refuse) == []
    assert asked


def test_no_time_means_no_candidates() -> None:
    assert smaller_fragments(library.get("contains-ab"), seconds=0) == []


def pieces() -> st.SearchStrategy[str]:
    """Boolean expressions over {a, b} with windows, residues and counts."""
    leaves = st.sampled_from(
        ['"a"', '"b"', "i % 2 == 0", "i % 3 == 1", 'exists[j == i-1] "a"', 'exists "b"', '# "a" > # "b"',
         'exists[j<i] "a"', '#[j >= i-1] "a" >= 1', "true"]
    )  # fmt: skip
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(" && ".join).map("({})".format),
            st.tuples(inner, inner).map(" || ".join).map("({})".format),
            inner.map("!({})".format),
            inner.map("exists ({})".format),
        ),
        max_leaves=4,
    )


@settings(max_examples=30, deadline=None)
@given(st.lists(pieces(), min_size=1, max_size=2))
def test_whatever_is_found_for_a_random_program_is_smaller_and_equal(expressions: list[str]) -> None:
    program = parse(AB + "\n".join(f"A_{place} = {text}" for place, text in enumerate(expressions)))
    for smaller in smaller_fragments(program, seconds=1):
        assert smaller.fragment < program.fragment
        assert same_values(program, smaller, 7)


# ------------------------------------------------------------------------------------------------- verdicts


def test_a_program_is_a_yes_for_its_own_fragment() -> None:
    verdict = decide_program(library.get("majority-interleave"))
    assert (verdict.nope.kind, verdict.local.kind, verdict.ape.kind) == ("unknown", "unknown", "yes")
    assert verdict.ape.program == library.get("majority-interleave")
    assert verdict.ape.proved
    assert "periodic" in verdict.nope.reason
    assert verdict.subject == "majority-interleave"


def test_a_program_without_positions_is_a_yes_for_all() -> None:
    verdict = decide_program(library.get("dyck1"))
    assert {answer.kind for answer in (verdict.nope, verdict.local, verdict.ape)} == {"yes"}


def test_a_smaller_fragment_is_a_yes_with_its_program() -> None:
    text, _ = NEEDLESS["a window that is kept where a residue is not needed"]
    verdict = decide_program(parse(text))
    assert (verdict.nope.kind, verdict.local.kind, verdict.ape.kind) == ("unknown", "yes", "yes")
    assert verdict.local.program is not None
    assert verdict.local.program.fragment == {"local"}
    assert verdict.ape.program == parse(text)


# ----------------------------------------------------------------------------------------------- congruence


def by_comparing(left: Program, right: Program) -> bool:
    found = compare(left, right, seconds=2)
    return found.equal is True and not found.empty_differs


def test_programs_are_equal_if_the_parts_in_which_they_differ_are() -> None:
    one = parse(AB + 'X = "a" && !"b"\nA = #X >= # "b"')
    other = parse(AB + 'X = "a"\nA = #X >= # "b"')
    assert proved_equal(one, other, by_comparing)


def test_programs_are_not_proved_equal_if_an_output_depends_on_parts_that_differ() -> None:
    one = parse(AB + 'X = "a"\nA = #X >= # "b"')
    other = parse(AB + 'X = "b"\nA = #X >= # "b"')
    assert not proved_equal(one, other, by_comparing)


def test_parts_that_differ_do_not_matter_where_no_output_uses_them() -> None:
    one = parse(AB + 'X = "a"\nA = # "a" >= # "b"')
    other = parse(AB + 'X = "b"\nA = # "a" >= # "b"')
    assert proved_equal(one, other, by_comparing)


def test_a_name_that_is_defined_again_has_its_last_meaning() -> None:
    one = parse(AB + 'X = "a"\nX = "b"\nA = #X >= # "a"')
    other = parse(AB + 'X = "b"\nX = "b"\nA = #X >= # "a"')
    assert proved_equal(one, other, by_comparing)
    last = parse(AB + 'X = "b"\nX = "a"\nA = #X >= # "a"')
    assert not proved_equal(one, last, by_comparing)


def test_predictions_have_to_be_equal_too() -> None:
    one = parse(AB + 'A = # "a" >= # "b"\nnext "a" = exists "a"')
    other = parse(AB + 'A = # "a" >= # "b"\nnext "a" = exists "b"')
    assert not proved_equal(one, other, by_comparing)


def test_programs_over_different_alphabets_or_of_different_shape_are_not_compared() -> None:
    one = parse(AB + 'A = # "a" >= # "b"')
    assert not proved_equal(one, parse('alphabet "a" "b" "c"\nA = # "a" >= # "b"'), by_comparing)
    assert not proved_equal(one, parse(AB + 'B = # "a" >= # "b"'), by_comparing)
    assert not proved_equal(one, parse(AB + 'A = # "a"\nB = A >= # "b"'), by_comparing)
    assert not proved_equal(parse(AB + 'A = # "a" >= # "b"\nB = "a"'), parse(AB + 'A = # "a"\nB = "a"'), by_comparing)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ('# "a" >= # "b"', '# "a" > # "b"'),
        ('# "a" + # "b" >= 3', '# "a" - # "b" >= 3'),
        ('2 * # "a" >= # "b"', '3 * # "a" >= # "b"'),
        ('min(# "a", # "b") >= 3', 'max(# "a", # "b") >= 3'),
        ('#[j<i] "a" >= # "b"', '# "a" >= # "b"'),
        ("i % 2 == 0", "i % 2 == 1"),
    ],
)
def test_expressions_that_differ_in_their_own_kind_are_not_taken_for_equal(left: str, right: str) -> None:
    assert not proved_equal(parse(AB + f"A = {left}"), parse(AB + f"A = {right}"), lambda one, other: False)
    assert not proved_equal(parse(AB + f"A = {left}"), parse(AB + f"A = {right}"), by_comparing)
