"""The languages of Table 2 against their definitions, said in plain Python, and against what the table says.

The examples in docstrings are true.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from importlib import import_module
from itertools import groupby, pairwise, product
from pathlib import Path

import pytest

from lengthwise.crasp import library
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular.languages.catalogue import DEEPEST, TABLE, TableRow, get_language, languages, table_row
from lengthwise.regular.languages.language import Language, NextSymbols


def tomita_3(word: str) -> bool:
    """No odd block of ones directly before an odd block of zeros."""
    blocks = [(symbol, len(list(group))) for symbol, group in groupby(word)]
    return not any(
        symbol == "1" and length % 2 == 1 and following % 2 == 1
        for (symbol, length), (_, following) in pairwise(blocks)
    )


def bounded_dyck(n: int) -> Callable[[str], bool]:
    """Never below 0 nor above n, and 0 in the end."""

    def holds(word: str) -> bool:
        heights = [word[:end].count("a") - word[:end].count("b") for end in range(len(word) + 1)]
        return min(heights) >= 0 and max(heights) <= n and heights[-1] == 0

    return holds


def abcde(word: str) -> bool:
    return "".join(sorted(word)) == word and set(word) == set("abcde")


def ab_d_bc(word: str) -> bool:
    before, d, behind = word.partition("d")
    return bool(d) and set(before) <= set("ab") and set(behind) <= set("bc")


def zero_then_twos(word: str) -> bool:
    return word.rstrip("2").endswith("0")


DEFINITIONS: dict[str, Callable[[str], bool]] = {
    "tomita-1": lambda word: "0" not in word,
    "tomita-2": lambda word: word == "10" * (len(word) // 2),
    "tomita-3": tomita_3,
    "tomita-4": lambda word: "000" not in word,
    "tomita-5": lambda word: len(word) % 2 == 0 and word.count("1") % 2 == 0,
    "tomita-6": lambda word: (word.count("0") - word.count("1")) % 3 == 0,
    "tomita-7": lambda word: len([symbol for symbol, _ in groupby("0" + word)]) <= 4,
    "d2": bounded_dyck(2),
    "d3": bounded_dyck(3),
    "d4": bounded_dyck(4),
    "d12": bounded_dyck(12),
    "parity": lambda word: word.count("a") % 2 == 0,
    "aa-star": lambda word: "b" not in word and len(word) % 2 == 0,
    "aaaa-star": lambda word: "b" not in word and len(word) % 4 == 0,
    "abab-star": lambda word: word == "abab" * (len(word) // 4),
    "abcde": abcde,
    "ab-d-bc": ab_d_bc,
    "012-02": zero_then_twos,
}
LONGEST = {2: 10, 3: 7, 4: 6, 5: 6}
"""How long the compared words are, by the number of symbols."""


def short_words(language: Language) -> list[str]:
    symbols = language.alphabet.symbols
    lengths = range(LONGEST[len(symbols)] + 1)
    return ["".join(word) for length in lengths for word in product(symbols, repeat=length)]


@pytest.mark.parametrize("name", languages())
def test_a_language_is_the_one_that_its_definition_describes(name: str) -> None:
    language = get_language(name)
    assert [word for word in short_words(language) if language.accepts(word) != DEFINITIONS[name](word)] == []


def test_the_depth_of_d12_is_reached_and_not_exceeded() -> None:
    language = get_language("d12")
    assert language.accepts("a" * 12 + "b" * 12)
    assert not language.accepts("a" * 13 + "b" * 13)


@pytest.mark.parametrize("name", [name for name in languages() if name in library.names()])
def test_the_programs_of_the_library_accept_the_languages_of_the_same_name(name: str) -> None:
    language, program = get_language(name), library.get(name)
    assert set(program.alphabet) == set(language.alphabet)
    for word in short_words(language)[1:600]:
        assert program.accepts(word) == language.accepts(word)


def test_most_languages_have_a_program_in_the_library() -> None:
    assert sum(name in library.names() for name in languages()) >= 13


def test_tomita_3_is_the_one_of_the_benchmark_and_not_the_printed_pattern() -> None:
    language = get_language("tomita-3")
    assert [word for word in ("10", "010", "101", "1000") if language.accepts(word)] == []
    assert [word for word in ("100", "0110", "1001", "1") if not language.accepts(word)] == []
    assert language.next_symbols("10") == NextSymbols(frozenset("0"), False)
    printed = ~Language.from_regex(".*01(11)*0(00)*1.*", "01")
    assert (language - printed).is_empty
    assert (printed - language).shortest_word == "10"


def test_the_three_readings_of_tomita_3_agree_with_table_2() -> None:
    printed = ~Language.from_regex(".*01(11)*0(00)*1.*", "01")
    anywhere_later = ~Language.from_regex("(.*0)?1(11)*(0.*1)?0(00)*(1.*)?", "01")
    for language in (get_language("tomita-3"), printed, anywhere_later):
        classes = language.classes()
        assert (classes.star_free, classes.ac0) == (False, True)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_the_classes_of_a_language_are_those_of_table_2(row: TableRow) -> None:
    classes = row.language.classes()
    assert (classes.star_free, classes.ac0) == (row.star_free, row.ac0)
    if row.dot_depth is None:
        assert classes.dot_depth is None
    else:
        assert classes.dot_depth == (str(row.dot_depth) if row.dot_depth <= 1 else ">=2")


def test_table_2_is_complete_and_consistent() -> None:
    assert [row.number for row in TABLE if row.number is not None] == list(range(1, 18))
    assert [row.name for row in TABLE if row.number is None] == ["parity"]
    for row in TABLE:
        assert row.star_free == (row.dot_depth is not None)
        assert row.ape or not row.nope
        assert row.star_free or not row.nope
        assert row.ac0 or not row.ape
        assert row.language.title == row.name
        assert table_row(row.name) is row


def test_every_depth_has_a_language() -> None:
    assert get_language("d:12") == get_language("d12")
    assert len(get_language("d30").automaton) == 32
    assert get_language("d30").accepts("a" * 30 + "b" * 30)
    with pytest.raises(LengthwiseError, match=f"from 0 to {DEEPEST}, not 101"):
        get_language("d101")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tomita3", "there is no language 'tomita3'; did you mean tomita-3 or"),
        ("Parity", "did you mean parity"),
        ("dyck", "there is no language 'dyck'"),
        ("qqqq", "there are tomita-1, tomita-2"),
    ],
)
def test_an_unknown_name_gets_the_nearest_ones(name: str, message: str) -> None:
    for ask in (get_language, table_row):
        with pytest.raises(UnknownNameError, match=re.escape(message)):
            ask(name)


MODULES = [
    "alphabet",
    "regular.languages.regex",
    "regular.languages.regex_automaton",
    "regular.languages.language",
    "regular.languages.dfa_files",
    "regular.languages.att_files",
    "regular.languages.learning.predicates",
    "regular.languages.learning.learned",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(import_module(f"lengthwise.{name}"))
    assert tried > 0
    assert failed == 0
