"""Languages as values: their questions and operations against plain sets of words."""

from __future__ import annotations

import operator
import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError, WordError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.dfa_files import AutomatonError, to_json, to_table
from lengthwise.regular.languages.language import Language, NextSymbols
from tests.regular.regexes import random_regex, regexes

LONGEST = 6
WORDS = ["".join(word) for length in range(LONGEST + 1) for word in product("ab", repeat=length)]


def words(language: Language) -> set[str]:
    """The short words, found by asking for each; `LONGEST` is the limit of everything below."""
    return {word for word in WORDS if language.accepts(word)}


def of(regex: str, alphabet: str = "ab") -> Language:
    return Language.from_regex(regex, alphabet)


def some_languages(count: int, seed: int) -> list[Language]:
    rng = random.Random(seed)
    return [of(random_regex(rng, "ab", 1 + rng.randrange(7))) for _ in range(count)]


PAIRS = list(zip(some_languages(20, 1), some_languages(20, 2), strict=True))


# ---------------------------------------------------------------------------------------------- operations


def test_boolean_operations_are_those_of_sets_of_words() -> None:
    for left, right in PAIRS:
        assert words(left & right) == words(left) & words(right)
        assert words(left | right) == words(left) | words(right)
        assert words(left - right) == words(left) - words(right)
        assert words(left ^ right) == words(left) ^ words(right)
        assert words(~left) == set(WORDS) - words(left)


def test_laws_of_sets_hold_exactly() -> None:
    for left, right in PAIRS:
        assert ~(left & right) == ~left | ~right
        assert left - right == left & ~right
        assert left ^ right == (left | right) - (left & right)
        assert (left ^ right).is_empty == (left == right)
        assert left | left == left == ~~left
        assert (left - left).is_empty


def test_operators_on_languages_are_those_of_regexes() -> None:
    rng = random.Random(4)
    for _ in range(20):
        one, two = random_regex(rng, "ab", 1 + rng.randrange(7)), random_regex(rng, "ab", 1 + rng.randrange(7))
        assert of(one) & of(two) == of(f"({one})&({two})")
        assert of(one) - of(two) == of(f"({one})-({two})")
        assert ~of(one) == of(f"~({one})")


def test_the_reverse_has_the_words_read_backwards() -> None:
    for language, _ in PAIRS:
        assert words(language.reverse()) == {word[::-1] for word in words(language)}
        assert language.reverse().reverse() == language


@pytest.mark.parametrize("word", ["", "a", "ba", "aab"])
def test_quotients_take_a_word_off_either_end(word: str) -> None:
    short = [other for other in WORDS if len(other) + len(word) <= LONGEST]
    for language, _ in PAIRS:
        left, right = language.left_quotient(word), language.right_quotient(word)
        for other in short:
            assert left.accepts(other) == language.accepts(word + other)
            assert right.accepts(other) == language.accepts(other + word)


def test_the_inverse_image_has_the_words_whose_images_are_in_the_language() -> None:
    morphism = {"x": "ab", "y": "", "z": "a"}
    for language, _ in PAIRS[:8]:
        image = language.inverse_image(morphism)
        assert image.alphabet.symbols == ("x", "y", "z")
        for word in product("xyz", repeat=4):
            assert image.accepts(word) == language.accepts("".join(morphism[symbol] for symbol in word))


def test_languages_are_equal_iff_they_have_the_same_symbols_and_words() -> None:
    assert of("(a|b)*") == of("[ab]*") == Language.from_regex("(b*a*)*", "ba")
    assert hash(of("a*b")) == hash(Language.from_regex("a*b", "ba"))
    assert of("a*") != of("a+")
    assert Language.from_regex("a*") != of("a*")
    assert of("a*") != "a*"


def test_operations_need_the_same_symbols_in_any_order() -> None:
    assert of("a*") & Language.from_regex("(aa)*|b", "ba") == of("(aa)*")
    with pytest.raises(LengthwiseError, match=r"different alphabets, \{a, b\} and \{a\}; bring both to one"):
        of("a*") & Language.from_regex("a*")
    assert of("a*") & Language.from_regex("a*").over("ab") == of("a*")
    with pytest.raises(LengthwiseError, match="lacks 'b'"):
        of("a*").over("ac")
    for operation in (operator.and_, operator.or_, operator.sub, operator.xor):
        with pytest.raises(LengthwiseError, match="bring both to one with over"):
            operation(of("a*"), Language.from_regex("a*"))
        with pytest.raises(TypeError):
            operation(of("a*"), "a*")


# ----------------------------------------------------------------------------------------------- questions


def test_words_come_in_the_order_of_the_alphabet_and_are_counted() -> None:
    for language, _ in PAIRS:
        for length in range(LONGEST + 1):
            expected = [word for word in WORDS if len(word) == length and language.accepts(word)]
            assert list(language.words(length)) == expected
            assert language.count(length) == len(expected)
        assert language.lengths(LONGEST) == tuple(sorted({len(word) for word in words(language)}))
    assert list(Language.from_regex("[ab]{2}", "ba").words(2)) == ["bb", "ba", "ab", "aa"]
    assert list(of("a").words(-1)) == []


def test_the_shortest_word_comes_first() -> None:
    for language, _ in PAIRS:
        short = words(language)
        assert language.shortest_word == (min(short, key=lambda word: (len(word), word)) if short else None)
    assert of("∅").shortest_word is None
    assert of("∅").is_empty
    assert of("(a|b){30}b").shortest_word == "a" * 30 + "b"


def test_counts_are_exact_however_large() -> None:
    assert of("(a|b)*").count(500) == 2**500
    assert of("a*b*").count(3000) == 3001


def test_the_empty_word_is_told() -> None:
    assert of("a*").accepts_empty
    assert not of("a+").accepts_empty
    assert "" in of("a*")
    assert "ab" not in of("a*")


def test_words_of_longer_symbols_are_tuples() -> None:
    language = Language.from_regex('"if" x+')
    assert language.shortest_word == ("if", "x")
    assert language.accepts("if x x")
    assert language.accepts(("if", "x"))
    assert list(language.words(3)) == [("if", "x", "x")]
    assert Language.from_regex("' 'a").shortest_word == (" ", "a")


def can_follow(language: Language, prefix: str) -> NextSymbols:
    """By looking for completions; four more symbols reach a word from every state of these small automata."""
    rest = WORDS[:31]
    symbols = {symbol for symbol in "ab" if any(language.accepts(prefix + symbol + more) for more in rest)}
    return NextSymbols(frozenset(symbols), language.accepts(prefix))


def test_next_symbols_are_those_that_some_word_continues_with() -> None:
    for language in (of("(ab)*"), of("a*b*"), of("a{2}b?"), of("∅"), of("()"), of("(a|b)*"), of("(aab|b)*")):
        for prefix in WORDS[:31]:
            assert language.next_symbols(prefix) == can_follow(language, prefix)


def test_next_symbols_of_a_batch_are_those_of_every_prefix() -> None:
    ids = np.array(list(product((0, 1), repeat=4)))
    for language, _ in PAIRS:
        found = language.next_symbols_batch(ids)
        assert found.shape == (16, 5, 3)
        for word, rows in zip(ids.tolist(), found, strict=True):
            for length, row in enumerate(rows.tolist()):
                following = language.next_symbols(np.array(word[:length], dtype=int))
                assert row == ["a" in following.symbols, "b" in following.symbols, following.ends]
    with pytest.raises(LengthwiseError, match="two axes"):
        of("a*").next_symbols_batch(np.zeros(3, dtype=int))
    with pytest.raises(WordError):
        of("a*").next_symbols_batch(np.full((1, 2), 2))


def test_a_symbol_outside_the_alphabet_is_an_error() -> None:
    for ask in (of("a*").accepts, of("a*").next_symbols, of("a*").left_quotient):
        with pytest.raises(WordError, match="'c' at position 2"):
            ask("ac")


# ----------------------------------------------------------------------------------------- making, showing


@settings(max_examples=40)
@given(regexes())
def test_every_way_of_giving_an_automaton_gives_the_same_language(regex: str) -> None:
    language = of(regex)
    for source in (language.automaton, to_json(language.automaton), to_table(language.automaton)):
        assert Language.from_dfa(source) == language


def test_an_automaton_is_minimised() -> None:
    wasteful = Automaton(("a",), ((1,), (2,), (3,), (0,), (0,)), 0, frozenset({0, 2, 4}))
    assert Language.from_dfa(wasteful).automaton == Language.from_regex("(aa)*").automaton


def test_a_file_is_given_as_a_path(tmp_path: Path) -> None:
    path = tmp_path / "even.dfa"
    path.write_text(to_table(of("(aa)*").automaton))
    assert Language.from_dfa(path) == of("(aa)*")
    assert Language.from_dfa(path).title == str(path)


@pytest.mark.parametrize(
    ("source", "message"), [("(aa)*", "give a file as a Path"), (3, "not int"), (None, "not NoneType")]
)
def test_what_is_no_automaton_is_refused(source: object, message: str) -> None:
    with pytest.raises(AutomatonError, match=message):
        Language.from_dfa(source)


@pytest.mark.parametrize("alphabet", [Alphabet(("a", "b")), "ab", "a b", ["a", "b"], iter("ab")])
def test_an_alphabet_can_be_given_in_many_ways(alphabet: Sequence[str]) -> None:
    assert Language.from_regex("a*", alphabet).alphabet == Alphabet(("a", "b"))


def test_an_open_alphabet_is_refused() -> None:
    with pytest.raises(LengthwiseError, match="closed alphabet"):
        Language.from_regex("a", Alphabet(("a",), is_open=True))


def test_a_language_is_shown_on_one_line() -> None:
    assert str(of("(aa)*")) == "(aa)* over {a, b} (3 states)"
    assert repr(of("(a|b)*")) == "<Language (a|b)* over {a, b} (1 state)>"
    assert str(of("a*") & of("b*")) == "(a*) & (b*) over {a, b} (2 states)"
    assert str(~Language.from_dfa(of("a*").automaton)) == "a regular language over {a, b} (2 states)"
    assert len(str(of("|".join(["ab"] * 500)))) < 100


def test_a_language_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        of("a*").title = "other"  # type: ignore[misc]


def test_classes_are_those_of_the_minimal_automaton() -> None:
    assert of("(ab)*").classes().star_free
    assert not of("(aa)*").classes().star_free
