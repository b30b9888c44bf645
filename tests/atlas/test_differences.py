"""The share of words that show a difference, against all words of small lengths."""

from fractions import Fraction
from itertools import product

import pytest

from lengthwise import crasp
from lengthwise.atlas.differences import automaton_up_to, hidden_length, shown
from lengthwise.regular import Language

PAIRS = [
    ("(ab)*", "a*b*"),
    ("a*b*", "(a|b)*"),
    ("(a|b)*a", "(a|b)*ab|a*"),
    ("(aa|b)*", "(a|b)*"),
    ("(ab|ba)*", "(ab)*"),
]


def _asked(language: Language, prefix: str, asks: str) -> tuple[bool, ...]:
    """What is right after a prefix, by trying all continuations up to the number of states."""
    if asks == "accept":
        return (language.accepts(prefix),)
    longest = len(language.automaton)

    def live(word: str) -> bool:
        return any(
            language.accepts(word + "".join(rest)) for size in range(longest) for rest in product("ab", repeat=size)
        )

    return (live(prefix + "a"), live(prefix + "b"), language.accepts(prefix))


@pytest.mark.parametrize("asks", ["accept", "next"])
@pytest.mark.parametrize("where", ["prefixes", "end"])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_shares_are_those_of_all_words(left: str, right: str, asks: str, where: str) -> None:
    subject, rival = (Language.from_regex(each, "ab") for each in (left, right))
    found = shown(subject.automaton, rival.automaton, range(1, 6), asks, where)  # type: ignore[arg-type]
    for length in range(1, 6):
        words = ["".join(word) for word in product("ab", repeat=length)]
        words = [word for word in words if asks == "accept" or subject.accepts(word)]
        assert (length in found) == bool(words)
        if words:
            ends = [
                [word[:end] for end in (range(1, length + 1) if where == "prefixes" else [length])] for word in words
            ]
            apart = sum(any(_asked(subject, each, asks) != _asked(rival, each, asks) for each in row) for row in ends)
            assert found[length] == Fraction(apart, len(words))


def test_dyck_1_is_faint_beside_d_12_and_right_on_the_measured_shares_of_longer_words() -> None:
    lengths = range(2, 151, 2)
    found = shown(crasp.load("d:12"), crasp.load("d:80"), lengths)
    bins = [[float(1 - found[n]) for n in lengths if low <= n <= low + 49] for low in (1, 51, 101)]
    assert [round(100 * sum(each) / len(each), 2) for each in bins] == [99.70, 90.51, 74.44]


def test_a_program_that_counts_is_followed_up_to_a_length_and_agrees_with_its_runs() -> None:
    program = crasp.load("dyck1")
    automaton = automaton_up_to(program, 8)
    for length in range(1, 9):
        for word in map("".join, product("()", repeat=length)):
            assert automaton.accepts(word) == program.accepts(word)
    assert not automaton.accepts("(" * 9 + ")" * 9)


def test_a_rival_that_is_shown_rarely_hides_from_few_words() -> None:
    rare = {1: Fraction(0), 2: Fraction(0), 3: Fraction(1, 10), 4: Fraction(1, 10)}
    # At 3 the mean is 1/30: (29/30)^100 = 3.4 %; at 4 it is 1/20.
    assert hidden_length([rare], 100, 4) == 3
    assert hidden_length([rare], 10, 4) is None
    assert hidden_length([rare, rare], 100, 4) == 4
    harmless = {length: Fraction(1, 1000) for length in range(1, 5)}
    assert hidden_length([harmless], 1, 4) == 1
