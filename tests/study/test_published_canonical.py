"""Languages that differ only in the names of their letters have one form, and no others do."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.regular import Language
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.study.published.canonical import MOST_LETTERS, canonical_form, used_letters, without_unused_letters


@st.composite
def languages(draw: st.DrawFn) -> Language:
    letters = draw(st.integers(1, 3))
    states = draw(st.integers(1, 4))
    row = st.tuples(*[st.integers(0, states - 1)] * letters)
    table = draw(st.tuples(*[row] * states))
    accepting = draw(st.frozensets(st.integers(0, states - 1)))
    return Language(Automaton(tuple("abc"[:letters]), table, 0, accepting))


def words_of(language: Language, length: int = 7) -> frozenset[str]:
    symbols = language.alphabet.symbols
    found = ("".join(word) for short in range(length + 1) for word in product(symbols, repeat=short))
    return frozenset(word for word in found if language.accepts(word))


@given(languages(), languages())
def test_two_languages_have_one_form_iff_their_words_are_the_same_under_some_renaming(
    left: Language, right: Language
) -> None:
    first, second = words_of(left), words_of(right)
    if not "".join(first) or not "".join(second):
        return
    letters = "".join(sorted({letter for word in first for letter in word}))
    others = sorted({letter for word in second for letter in word})
    # Minimal automata of up to four states that differ do so on a word of at most seven symbols.
    renamed = len(letters) == len(others) and any(
        {word.translate(str.maketrans(letters, "".join(order))) for word in first} == second
        for order in permutations(others)
    )
    assert (canonical_form(left.automaton) == canonical_form(right.automaton)) is renamed


@given(languages(), st.permutations("xyz"))
def test_a_renamed_language_has_the_form_of_the_original(language: Language, names: list[str]) -> None:
    own = language.automaton
    renamed = Automaton(tuple(names[: len(own.symbols)]), own.table, own.start, own.accepting)
    reordered = Language(renamed).over(sorted(renamed.symbols)).automaton
    assert canonical_form(reordered) == canonical_form(own)


@given(languages())
def test_letters_that_occur_in_no_word_are_dropped_and_no_others(language: Language) -> None:
    words = words_of(language)
    assert set(used_letters(language.automaton)) == {letter for word in words for letter in word}
    small = without_unused_letters(language.automaton)
    if small is not None:
        assert words_of(Language(small)) == words


@pytest.mark.parametrize("regex", ["∅", "()", "a?b?c?d?e?"])
def test_a_language_without_letters_or_with_too_many_has_no_form(regex: str) -> None:
    assert MOST_LETTERS == 4
    assert canonical_form(Language.from_regex(regex, "abcde").automaton) is None
