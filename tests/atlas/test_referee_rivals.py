"""Rivals and identification lengths of small programs, compared with all expressions, none of them from an atlas."""

from __future__ import annotations

import random
from itertools import product

import pytest

import lengthwise as lw
from lengthwise import crasp
from tests.atlas import referee
from tests.atlas.expressions import Tree, holds, trees

LONGEST = {"ab": 9, "abc": 5}


def written(tree: Tree) -> str:
    kind, *parts = tree
    match kind, [written(part) if isinstance(part, tuple) else part for part in parts]:
        case "symbol", [symbol]:
            return f'"{symbol}"'
        case "true", _:
            return "true"
        case "period", [modulus, rest]:
            return f"i % {modulus} == {rest}"
        case "not", [inner]:
            return f"!({inner})"
        case "least", [inner, least]:
            return f"(#({inner}) >= {least})"
        case "compare", [left, right]:
            return f"(#({left}) >= #({right}))"
        case _, [left, right]:
            return f"({left} {'&&' if kind == 'and' else '||'} {right})"
    raise AssertionError(tree)


def program(expression: str, symbols: str = "ab") -> crasp.Program:
    return crasp.parse(f"alphabet {' '.join(map(repr, symbols))}\nY = {expression}\n".replace("'", '"'))


@pytest.mark.parametrize(("symbols", "fragment"), [("ab", ()), ("ab", ("periodic",)), ("abc", ())])
def test_rivals_and_identification_lengths_are_those_of_all_small_expressions(
    symbols: str, fragment: tuple[str, ...]
) -> None:
    rng = random.Random(len(symbols))
    words = ["".join(word) for length in range(1, LONGEST[symbols] + 1) for word in product(symbols, repeat=length)]
    every = [new for _, new in zip(range(5), referee.levels(words, symbols, fragment), strict=False)]
    for _ in range(6):
        tree = rng.choice(trees(rng.choice([3, 5]), frozenset(fragment), symbols))
        right = tuple(holds(tree, word) for word in words)
        complexity = next(level for level, new in every if right in new)
        first = [
            (level, next(len(word) for word, a, b in zip(words, right, values, strict=True) if a != b))
            for level, new in every[:complexity]
            for values in new - {right}
        ]
        subject, names = program(written(tree), symbols), " ".join(fragment)
        found = lw.rivals(subject, 1, most=10_000, fragment=names, test_lengths=[3])
        assert found.complete
        assert found.complexity == complexity
        listed = sorted((rival.member.complexity, len(rival.difference)) for rival in found.rivals)
        assert listed == sorted(pair for pair in first if pair[1] > 1)
        known = lw.identification(subject, fragment=names).as_json()
        assert known["exact"]
        assert known["length"] == max((length for _, length in first), default=0)
        assert known["strict_length"] == max((length for level, length in first if level < complexity), default=0)


def test_a_list_of_rivals_that_is_called_complete_has_the_one_that_was_merged() -> None:
    right = program('#(#("b" || #(# "b" >= 2) >= # "a") >= # "a") >= 1')
    other = program('#(# "b" >= #("a" && # "a" >= #(# "b" >= 2))) >= 1')
    apart = (word for length in range(1, 12) for word in product("ab", repeat=length))
    difference = next(word for word in apart if right.accepts(word) != other.accepts(word))
    assert "".join(difference) == "aaabbaabbab"
    found = lw.rivals(right, 10, most=10_000, fragment="", test_lengths=[20])
    assert found.complexity == lw.rivals(other, 10, fragment="", test_lengths=[20]).complexity == 16
    known = [rival.member.program for rival in found.rivals]
    rows = [*product("ab", repeat=11), tuple("aabaabaabaabbaababbbb")]
    assert not found.complete or any(all(each.accepts(word) == other.accepts(word) for word in rows) for each in known)


def test_a_rival_of_an_output_differs_from_what_may_follow_and_not_from_a_horizon() -> None:
    # Any symbol may follow any prefix of a word of majority, so `true` is right for the output "0".
    assert crasp.load("majority").accepts("1" * 40 + "0")
    witness = lw.identification("majority", asks="next").as_json()["witness"]
    assert witness is None or (witness["output"], witness["expression"]) != ("0", "true")
