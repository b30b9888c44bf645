"""Regexes against Python's own: its matcher on fixed ones, its parser with plain sets of words on random ones."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from itertools import product
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.alphabet import Alphabet
from lengthwise.regular.languages.automaton import Automaton, StateLimitError
from lengthwise.regular.languages.regex import DEEPEST, LONGEST, MOST_TIMES, RegexError, parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton
from tests.regular.regexes import as_python, random_regex, regexes

AB = Alphabet(("a", "b"))


def automaton(regex: str, symbols: Iterable[str] | None = None) -> Automaton:
    return regex_automaton(parse_regex(regex, None if symbols is None else Alphabet(tuple(symbols))))


def words(symbols: str, longest: int) -> Iterable[str]:
    return ("".join(word) for length in range(longest + 1) for word in product(symbols, repeat=length))


def accepted(machine: Automaton, longest: int) -> set[str]:
    return {word for word in words("".join(machine.symbols), longest) if machine.accepts(word)}


# ------------------------------------------------------------------------------------------------- meaning

FIXED = [
    "a", "ab", "a|b", "a|bc", "ab|c", "(a|b)c", "a*", "a+", "a?", "ab*", "(ab)*", "a*b*", "(a*b*)*", "(a|b)*abb",
    "()", "()|a", "a()b", "(a|())(b|())", "a{2}", "a{0}b", "a{0,0}|b", "a{2,}", "a{1,3}", "(ab){2,3}", "(a|bc){2}",
    "(a?){3}", "(a*){2,}", "(a?b?){2,3}", "(a|b){0,2}c", "[ab]", "[a-c]*b", "[abc]{2}", "[ab][bc]", "[b-c]+a?",
    "(a{2}b){2}|c*", "((a|b)(a|b))*", "(a(b(c)?)?)?", "b*(ab*ab*)*", "(a|b|c)*abc", "a{3}|a{5}", "(aa|aab|b)*",
]  # fmt: skip


@pytest.mark.parametrize("regex", FIXED)
def test_a_regex_accepts_what_pythons_matcher_accepts(regex: str) -> None:
    pattern = re.compile(regex)
    assert accepted(automaton(regex, "abc"), 6) == {word for word in words("abc", 6) if pattern.fullmatch(word)}


def joined(left: set[str], right: set[str], longest: int) -> set[str]:
    return {first + second for first in left for second in right if len(first) + len(second) <= longest}


def words_of(tree: Any, longest: int) -> set[str]:
    """The short words of a regex as Python parses it: its matcher would backtrack for ages on nested repetitions."""
    found = {""}
    for operation, argument in tree:
        match str(operation), argument:
            case "LITERAL", int(code):
                part = {chr(code)}
            case "IN", list(members):
                part = {chr(code) for _, code in members}
            case "BRANCH", (_, list(branches)):
                part = set().union(*(words_of(branch, longest) for branch in branches))
            case "SUBPATTERN", (_, _, _, inside):
                part = words_of(inside, longest)
            case "MAX_REPEAT", (least, most, inside):
                once, part = words_of(inside, longest), {""}
                for _ in range(least):
                    part = joined(part, once, longest)
                for _ in range(min(int(most) - least, longest)):
                    part = part | joined(part, once, longest)
            case _:
                raise AssertionError(operation)
        found = joined(found, part, longest)
    return found


@settings(max_examples=50)
@given(regexes(("a", "b", "c"), most=10))
def test_a_random_regex_has_the_words_that_its_definition_gives(regex: str) -> None:
    assert accepted(automaton(regex, "abc"), 4) == words_of(_parser.parse(regex), 4)


def test_many_random_regexes_have_the_words_that_their_definition_gives() -> None:
    rng = random.Random(7)
    for _ in range(100):
        regex = random_regex(rng, "ab", 1 + rng.randrange(12))
        assert accepted(automaton(regex, "ab"), 6) == words_of(_parser.parse(regex), 6), regex


@settings(max_examples=50)
@given(regexes(("if", "x", "*"), most=8))
def test_a_quoted_symbol_is_one_symbol(regex: str) -> None:
    letters = {"if": "i", "x": "x", "*": "s"}
    machine = automaton(regex, letters)
    found = words_of(_parser.parse(as_python(regex, letters)), 3)
    for word in (list(w) for length in range(4) for w in product(letters, repeat=length)):
        assert machine.accepts(word) == ("".join(letters[symbol] for symbol in word) in found)


def test_the_automaton_is_as_small_as_automata_lib_makes_it() -> None:
    rng = random.Random(3)
    for _ in range(60):
        regex = random_regex(rng, "ab", 1 + rng.randrange(8))
        machine = automaton(regex, "ab")
        nfa = NFA.from_regex(regex, input_symbols={"a", "b"})
        smallest = DFA.from_nfa(nfa).to_complete().minify(retain_names=False)
        assert len(machine) == len(smallest.states), regex


@pytest.mark.parametrize(
    ("regex", "same"),
    [
        (" ( a | b ) *\n a ", "(a|b)*a"),
        ("Σ*a.", "[ab]*a[ab]"),
        ("[^a]*", "b*"),
        ("[^ab]|a", "a"),
        ("∅|ab", "ab"),
        ("(a|ε)b", "a?b"),
        ("a{02,3}", "aaa?"),
        ("a { 2 , 3 }", "aaa?"),
        ("\"a\"'b'", "ab"),
        ("['a''b']", "[ab]"),
        ("[ a b ]", "[ab]"),
    ],
)
def test_two_ways_of_writing_the_same_language(regex: str, same: str) -> None:
    assert automaton(regex, "ab") == automaton(same, "ab")


def test_operators_can_be_symbols() -> None:
    machine = automaton(r"\*[\]\-^+]\(\"'|'\-\\")
    assert set(machine.symbols) == set('*]-^+("|-\\')
    assert machine.accepts(["*", "]", "(", '"', "|", "-", "\\"])
    assert automaton(r"\^a\$").symbols == ("$", "^", "a")
    assert automaton("^a", "a^").accepts("^a")


def test_without_an_alphabet_the_symbols_are_those_named_and_sorted() -> None:
    assert automaton("(10)*").symbols == ("0", "1")
    assert automaton("b{0}'if'|[c-e]").symbols == ("b", "c", "d", "e", "if")


# -------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("regex", "column", "reason"),
    [
        ("a))", 2, "closes nothing"),
        ("(a", 1, "'(' is not closed"),
        ("a|", 2, "an alternative is empty"),
        ("|a", 1, "an alternative is empty"),
        ("(a|)b", 4, "write () for the empty word"),
        ("(|a)", 2, "an alternative is empty"),
        ("*a", 1, "nothing before this '*'"),
        ("(+a)", 2, "nothing before this '+'"),
        ("a|?b", 3, "nothing before this '?'"),
        ("a*+", 3, "two repetitions stand in a row"),
        ("a{2}?", 5, "two repetitions stand in a row"),
        ("{a,b}*", 1, "write [ab] for a choice"),
        ("d{b,c}*", 2, "write [ab] for a choice"),
        ("{2}a", 1, "nothing before this '{'"),
        ("a{,3}", 2, "braces repeat"),
        ("a{2", 2, "braces repeat"),
        ("a{3,2}", 2, "at least 3 and at most 2 times is never"),
        ("a{1000000}", 2, f"{MOST_TIMES} times is the most"),
        ("a{1,1001}", 2, f"{MOST_TIMES} times is the most"),
        ("ab}", 3, "closes nothing"),
        ("ab]", 3, "closes nothing"),
        ("[ab", 1, "'[' is not closed"),
        ("[a-", 1, "'[' is not closed"),
        ("[]", 1, "class is empty"),
        ("[a,b]", 3, "a class has no commas"),
        ("[z-a]", 2, "not a range"),
        ("['if'-z]", 2, "not a range"),
        ("a'if", 2, "close it with '"),
        ("a''", 2, "at least one character"),
        ("ab\\", 3, "a lone backslash"),
        (r"\d", 1, "means nothing"),
        ("^ab$", 1, "describes whole words"),
        ("ab$", 3, "describes whole words"),
        ("a^n b^n", 2, "write a{3} to repeat"),
        ("a^", 2, "'^' has no meaning here"),
        ("a,b", 2, "write a|b or [ab]"),
        ("(a)∩(b)", 4, "write (A)&(B)"),
        ("copy-uniqe", 5, "write (A)-(B) for the difference"),
        ("a-b", 2, "or \\- for the symbol"),
        ("-(a)", 1, "must stand between two groups"),
        ("(a)-", 4, "must stand between two groups"),
        ("(a)-b", 4, "must stand between two groups"),
        ("(a)--(b)", 4, "must stand between two groups"),
        ("a-(b)", 2, "must stand between two groups"),
        ("a&b", 2, "write (A)&(B) for the intersection"),
        ("(a)*&(b)", 5, "must stand between two groups"),
        ("[ab]&(b)", 5, "must stand between two groups"),
        ("c(a)&(b)", 5, "more than a group stands before this '&'"),
        ("c|(a)-(b)", 6, "more than a group stands before this '-'"),
        ("(a)&(b)c", 8, "put the intersection into parentheses"),
        ("(a)-(b)*", 8, "put the difference into parentheses"),
        ("(a)-(b)|c", 8, "put the difference into parentheses"),
        ("(a)&(b)-(c)", 8, "an intersection and a difference stand side by side"),
        ("((a)-(b)&(c))", 9, "an intersection and a difference stand side by side"),
        ("~a", 1, "write ~(A) for the complement"),
        ("b~", 2, "must stand before a group"),
        ("~~(a)", 1, "must stand before a group"),
        ("~(a)*", 5, "write (~(A))* or ~((A)*)"),
        ("~(a){2}", 5, "write (~(A)){2} or ~((A){2})"),
        ("~(a", 2, "'(' is not closed"),
        ("~(())", 1, "names no symbol"),
        (".", 1, "no alphabet is given"),
        ("aΣ*", 2, "no alphabet is given"),
        ("a[^a]", 2, "no alphabet is given"),
        ("", 1, "the regex is empty"),
        (" \n", 1, "the regex is empty"),
        ("()", 1, "names no symbol"),
        ("(" * (DEEPEST + 1) + "a", DEEPEST + 1, f"more than {DEEPEST} groups"),
        ("a" * (LONGEST + 1), LONGEST + 1, f"at most {LONGEST} are read"),
    ],
)
def test_a_bad_regex_is_refused_with_its_place_and_a_hint(regex: str, column: int, reason: str) -> None:
    with pytest.raises(RegexError) as caught:
        parse_regex(regex)
    assert str(caught.value).startswith(f"regex, column {column}: ")
    assert reason in str(caught.value)
    assert caught.value.column == column


def test_the_message_points_at_the_place() -> None:
    with pytest.raises(RegexError) as caught:
        parse_regex("(ac*", AB)
    assert str(caught.value) == (
        "regex, column 3: 'c' is not in the alphabet {a, b}; use only its symbols, or add this one to it\n  (ac*\n    ^"
    )


def test_a_long_regex_is_quoted_only_around_the_place() -> None:
    with pytest.raises(RegexError) as caught:
        parse_regex("x" * 300 + ")" + "y" * 300)
    _, shown, caret = str(caught.value).split("\n")
    assert len(shown) <= 102
    assert shown[caret.index("^")] == ")"


@given(st.text("ab()[]{}|*+?.,-^$~&Σ12\\\"' \n", max_size=16))
def test_any_text_is_read_or_refused_with_a_regex_error(text: str) -> None:
    column = 1
    try:
        alphabet = parse_regex(text, AB).alphabet
    except RegexError as problem:
        alphabet, column = AB, problem.column
    assert alphabet == AB
    assert 1 <= column <= len(text) + 1


# ---------------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize(
    ("regex", "states"), [("([ab]{16})*", 16), ("(a|b)*a(a|b){9}", 1024), ("(a|b){300}", 302), ("((a|b)*b)?", 2)]
)
def test_sizes_that_are_known(regex: str, states: int) -> None:
    assert len(automaton(regex, "ab")) == states


@pytest.mark.slow
def test_an_automaton_of_thousands_of_states_can_be_made() -> None:
    assert len(automaton("(a|b)*a(a|b){12}", "ab")) == 8192


def test_groups_nest_as_deep_as_allowed() -> None:
    machine = automaton("(" * DEEPEST + "a" + "|b)*" * DEEPEST, "ab")
    assert len(machine) == 1


@pytest.mark.parametrize("regex", ["(a|b)*a(a|b){16}", "((a{1000}){1000}){1000}", "((((){1000}){1000}|a){1000}){30}"])
def test_the_error_of_a_regex_that_is_too_large_names_the_cap_and_how_to_raise_it(regex: str) -> None:
    with pytest.raises(StateLimitError, match=r"more than the limit of 20000; describe a smaller language"):
        automaton(regex, "ab")


def test_a_higher_limit_admits_more_states() -> None:
    regex = parse_regex("(a|b)*a(a|b){5}", AB)
    with pytest.raises(StateLimitError, match="limit of 63"):
        regex_automaton(regex, limit=63)
    assert len(regex_automaton(regex, limit=64)) == 64
