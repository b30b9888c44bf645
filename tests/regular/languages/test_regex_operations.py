"""Complement, intersection and difference in regexes, against Brzozowski's derivatives and plain sets of words."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.regular.languages.automaton import Automaton, StateLimitError
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton
from tests.regular import expressions
from tests.regular.expressions import Expression

LONGEST = 8
WORDS = ["".join(word) for length in range(LONGEST + 1) for word in product("ab", repeat=length)]


def automaton(regex: str, symbols: str = "ab", limit: int = 20_000) -> Automaton:
    return regex_automaton(parse_regex(regex, Alphabet(tuple(symbols))), limit)


def words(regex: str) -> set[str]:
    machine = automaton(regex)
    return {word for word in WORDS if machine.accepts(word)}


# ------------------------------------------------------------------------------------------------- meaning


@pytest.mark.parametrize(
    ("regex", "belongs"),
    [
        ("~(a*)", lambda word: "b" in word),
        ("~((a|b)*ab(a|b)*)", lambda word: "ab" not in word),
        ("((aa)*)-((aaa)*)", lambda word: "b" not in word and len(word) % 2 == 0 and len(word) % 3 != 0),
        ("(b*(ab*ab*)*)&(a*(ba*ba*)*)", lambda word: word.count("a") % 2 == 0 and word.count("b") % 2 == 0),
        ("(.*)-(a*)-(b*)", lambda word: "a" in word and "b" in word),
        ("(.*a)&(b.*)&(.{4})", lambda word: len(word) == 4 and word[0] == "b" and word[-1] == "a"),
        ("~(a*)&(.{2})", lambda word: len(word) == 2 and "b" in word),
        ("~((a*)&(.{2}))", lambda word: word != "aa"),
        ("(.{2})-~(a*)", lambda word: word == "aa"),
        ("(.*)-(~(~(a*)))", lambda word: "b" in word),
        ("b(~(.*a.*))b|a", lambda word: word == "a" or (len(word) >= 2 and set(word) == {"b"})),
        ("~(.*)", lambda word: False),
        ("~(∅)", lambda word: True),
        ("~(())", lambda word: word != ""),
        ("(a)&(b)", lambda word: False),
        ("(((a)&(b))|a)b", lambda word: word == "ab"),
        ("(((a|b)&(a))*)", lambda word: "b" not in word),
        (" ( a b ) - ( b a ) ", lambda word: word == "ab"),
    ],
)
def test_an_operation_has_the_words_that_python_says(regex: str, belongs: Callable[[str], bool]) -> None:
    assert words(regex) == {word for word in WORDS if belongs(word)}


def random_pair(rng: random.Random, size: int) -> tuple[str, Expression]:
    """A regex and the same language as an expression of the oracle; operations stand anywhere in it."""
    if size <= 1:
        return rng.choice(
            [
                ("a", ("a", "a")),
                ("b", ("a", "b")),
                ("[ab]", expressions.one_of("ab")),
                (".*", expressions.EVERYTHING),
                ("()", expressions.EMPTY),
            ]
        )
    kind = rng.choice(["~", "&", "-", "|", ".", ".", "*", "?", "{2}"])
    if kind in "~*?{2}":
        text, part = random_pair(rng, size - 1)
        return {
            "~": (f"(~({text}))", expressions.complement(part)),
            "*": (f"({text})*", expressions.star(part)),
            "?": (f"({text})?", expressions.union(part, expressions.EMPTY)),
            "{2}": (f"({text}){{2}}", expressions.sequence(part, part)),
        }[kind]
    left = rng.randint(1, size - 1)
    (one, first), (two, second) = random_pair(rng, left), random_pair(rng, size - left)
    return {
        "&": (f"(({one})&({two}))", expressions.intersection(first, second)),
        "-": (f"(({one})-({two}))", expressions.intersection(first, expressions.complement(second))),
        "|": (f"({one}|{two})", expressions.union(first, second)),
        ".": (f"{one}{two}", expressions.sequence(first, second)),
    }[kind]


def test_operations_anywhere_in_random_regexes_give_the_automaton_of_the_derivatives() -> None:
    rng = random.Random(17)
    operations = 0
    for _ in range(400):
        regex, expression = random_pair(rng, rng.randint(2, 7))
        assert automaton(regex) == expressions.automaton(expression, "ab").minimal(), regex
        operations += any(operator in regex for operator in "~&-")
    assert operations > 200


def test_a_complement_is_over_all_symbols_that_the_whole_regex_names() -> None:
    machine = regex_automaton(parse_regex("(~(a))|bc"))
    assert machine.symbols == ("a", "b", "c")
    assert machine.accepts("c")
    assert machine.accepts("ab")
    assert not machine.accepts("a")


def test_operators_in_quotes_escapes_and_classes_are_symbols() -> None:
    machine = regex_automaton(parse_regex(r"""a"-"b\&'~'[&~-]"""))
    assert machine.symbols == ("&", "-", "a", "b", "~")
    assert machine.accepts("a-b&~-")
    assert not machine.accepts("ab")


# ---------------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize(
    "regex",
    [
        "~((a|b)*a(a|b){16})",
        "((a{211})*)&((a{223})*)&((a{227})*)",
        "(((a{101})*)&((a{103})*)){2,}b",
        "(~(b*a{90})){250}",
    ],
)
def test_an_operation_that_becomes_too_large_ends_in_the_error_of_the_limit(regex: str) -> None:
    with pytest.raises(StateLimitError, match=r"more than the limit of 20000; describe a smaller language"):
        automaton(regex)


def test_operations_together_stay_below_the_limit() -> None:
    many = "|".join(f"((a{{{number}}})-(b))" for number in range(1, 20))
    assert len(automaton(many)) == 21
    with pytest.raises(StateLimitError, match="the operations inside the regex have"):
        automaton(many, limit=100)


def test_a_larger_limit_admits_a_larger_product() -> None:
    with pytest.raises(StateLimitError, match="the product of two automata"):
        automaton("((a{7})*)&((a{11})*)", "a", limit=76)
    assert len(automaton("((a{7})*)&((a{11})*)", "a", limit=77)) == 77


def test_operations_nest_as_deep_as_groups_do() -> None:
    assert automaton("~(" * 100 + "a" + ")" * 100) == automaton("a")
