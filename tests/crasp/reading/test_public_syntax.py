"""Programs in the syntax of the public C-RASP interpreter run here as they are, with the right verdicts.

Each is checked on every word up to some length against a definition of its language in plain Python.
"""

import re
from collections.abc import Callable
from itertools import product

import pytest

from lengthwise.crasp import parse

DYCK = """
// balanced brackets
opened = # "("
closed = # ")"
Violation = opened < closed
Never = (# Violation == 0)
Even = (opened == closed)
Both = Never && Even

"""

ANBNCN = """
bs_come_before_cs = #("b" && (#"c" == 0)) == #"b"
as_come_first = #("a" && (#("b" || "c") == 0)) == #"a"
balanced = (#"a" == #"b") && (#"b" == #"c")
result = bs_come_before_cs && as_come_first && balanced
"""

CONTAINS_AB = """
#import pred

after_a = #[pred] "a"
ab_ends_here = "b" && (after_a >= 1)
found = (#ab_ends_here >= 1)
"""

AA_STAR = """
#import pos_even
others = # !"a"
only_a = (others == 0)
accept = !pos_even && only_a   // positions count from 0 there, so the last of an even number is odd
"""

COPY4 = """
#import pred4
a_again = "a" && ((#[pred4] "a") == 1)
b_again = "b" && ((#[pred4] "b") == 1)
length = #true
copied = #a_again + #b_again
done = (copied + copied == length)
"""

INCREMENT = """
#import pred4
// least significant bit first: four bits, then their successor
ones = #"1"
here = (1 if "1" else 0)
ones_before = ones - here
length = #true
carry = (ones_before == length-1) || (length == 1)
bit_is_one = (carry || "1") && !(carry && "1")
bit_is_zero = !bit_is_one
right_ones = #("1" && ((#[pred4] bit_is_one) > 0))
right_zeros = #("0" && ((#[pred4] bit_is_zero) > 0))
accept = (2*(right_ones + right_zeros) == length)
"""


def balanced(word: str) -> bool:
    while "()" in word:
        word = word.replace("()", "")
    return not word


def incremented(word: str) -> bool:
    if len(word) != 8:
        return False
    value = int(word[3::-1], 2)
    return int(word[:3:-1], 2) == (value + 1) % 16


CASES: list[tuple[str, str, int, Callable[[str], bool]]] = [
    (DYCK, "()", 12, balanced),
    (ANBNCN, "abc", 8, lambda word: word == "".join(c * (len(word) // 3) for c in "abc")),
    (CONTAINS_AB, "abc", 8, lambda word: "ab" in word),
    (AA_STAR, "ab", 10, lambda word: bool(word) and re.fullmatch("(aa)*", word) is not None),
]


@pytest.mark.parametrize(("text", "symbols", "longest", "language"), CASES)
def test_a_public_program_decides_its_language(
    text: str, symbols: str, longest: int, language: Callable[[str], bool]
) -> None:
    program = parse(text)
    for length in range(1, longest + 1):
        for letters in product(symbols, repeat=length):
            word = "".join(letters)
            assert program.accepts(word) == language(word), word


@pytest.mark.parametrize(
    ("text", "symbols", "language"),
    [(COPY4, "ab", lambda word: word[:4] == word[4:]), (INCREMENT, "01", incremented)],
)
def test_a_public_program_with_pred4_decides_all_words_of_eight(
    text: str, symbols: str, language: Callable[[str], bool]
) -> None:
    program = parse(text)
    words = ["".join(letters) for letters in product(symbols, repeat=8)]
    assert [program.accepts(word) for word in words] == [language(word) for word in words]
    assert sum(map(language, words)) == 16


def test_the_increment_program_rejects_all_shorter_words() -> None:
    program = parse(INCREMENT)
    for length in range(1, 8):
        assert not any(program.accepts("".join(letters)) for letters in product("01", repeat=length))


def test_pos_even_means_odd_positions_and_so_the_empty_word_is_accepted() -> None:
    # At the virtual position 0 of the empty word `!pos_even` holds: 0 is not an odd position.
    assert parse(AA_STAR).accepts("")


def test_tokens_may_be_given_with_spaces_as_there() -> None:
    assert parse(DYCK).accepts("( ( ) ( ) )")
    assert parse(INCREMENT).accepts("1 0 1 0  0 1 1 0")
    assert not parse(INCREMENT).accepts("1 0 0 0  1 0 0 0")


def test_symbols_a_program_does_not_mention_are_legal() -> None:
    assert not parse(COPY4).accepts("a b c d a b c d")
    assert parse(DYCK).accepts("(x)")


def test_imports_of_one_program_do_not_leak_into_the_next() -> None:
    parse(CONTAINS_AB)
    with pytest.raises(Exception, match="pred is not imported"):
        parse('x = #[pred] "a" >= 1')
    with pytest.raises(Exception, match="pos_even is not defined"):
        parse("x = !pos_even")
