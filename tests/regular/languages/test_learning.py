"""Automata of Python predicates, against random automata and against languages that have none."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.learning import Learned, NotLearnedError, learned_automaton
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton


def random_table(rng: random.Random, states: int, width: int) -> tuple[list[list[int]], set[int]]:
    table = [[rng.randrange(states) for _ in range(width)] for _ in range(states)]
    return table, {state for state in range(states) if rng.random() < 0.5}


def runs(table: Sequence[Sequence[int]], accepting: set[int], symbols: str) -> Callable[[str], bool]:
    """A predicate that runs an automaton over its table."""

    def predicate(word: str) -> bool:
        state = 0
        for symbol in word:
            state = table[state][symbols.index(symbol)]
        return state in accepting

    return predicate


def same_language(table: Sequence[Sequence[int]], accepting: set[int], found: Automaton) -> bool:
    """Whether an automaton agrees with a table at every length: all pairs of states that a word reaches together."""
    seen = {(0, found.start)}
    work = [(0, found.start)]
    while work:
        one, other = work.pop()
        if (one in accepting) != (other in found.accepting):
            return False
        for pair in zip(table[one], found.table[other], strict=True):
            if pair not in seen:
                seen.add(pair)
                work.append(pair)
    return True


@pytest.mark.parametrize("symbols", ["a", "ab", "abc"])
def test_the_automaton_of_a_small_random_automaton_is_found_exactly(symbols: str) -> None:
    rng = random.Random(len(symbols))
    for _ in range(15):
        table, accepting = random_table(rng, rng.randint(1, 8), len(symbols))
        found = learned_automaton(runs(table, accepting, symbols), symbols, words=20_000)
        assert same_language(table, accepting, found.automaton)
        assert found.automaton == found.automaton.minimal()


def test_an_automaton_is_right_unless_the_language_needs_as_many_states_as_a_rival() -> None:
    rng = random.Random(5)
    right = wrong = 0
    for _ in range(400):
        states = rng.randint(2, 12)
        table, accepting = random_table(rng, states, 2)
        # So few words that the sample of long ones is all but empty: what is tested is the guarantee without it.
        length, words = rng.randint(1, 4), rng.randint(60, 350)
        found, least = learned_or_bound(runs(table, accepting, "ab"), length, words)
        assert least <= states
        if found is not None:
            assert found.rivals_from >= len(found.automaton) + 2
            if same_language(table, accepting, found.automaton):
                right += 1
            else:
                assert states >= found.rivals_from
                wrong += 1
    assert right > 100
    assert wrong > 0


def learned_or_bound(predicate: Callable[[str], bool], length: int, words: int) -> tuple[Learned | None, int]:
    """What was learned, or None, and a number of states that every automaton of the language has."""
    try:
        found = learned_automaton(predicate, "ab", up_to=length, words=words)
    except NotLearnedError as error:
        return None, error.states
    return found, len(found.automaton)


@pytest.mark.parametrize(
    "regex", ["(ab)*", "b*(ab*ab*)*", "(a(a(ab)*b)*b)*", "~((a|b)*aba(a|b)*)", "(a|b)*a(a|b){3}", "∅"]
)
def test_a_regex_as_a_predicate_gives_its_own_automaton(regex: str) -> None:
    wanted = regex_automaton(parse_regex(regex, Alphabet(("a", "b"))))
    found = learned_automaton(wanted.accepts, "ab")
    assert found.automaton == wanted


def test_what_only_shows_on_long_words_is_found_by_the_sample() -> None:
    found = learned_automaton(lambda word: word.count("a") % 30 == 0, "ab")
    assert len(found.automaton) == 30
    assert found.checked_to == 14
    assert found.rivals_from >= 32


def test_all_words_up_to_the_length_agree_and_each_was_asked_about_once() -> None:
    asked: list[str] = []

    def predicate(word: str) -> bool:
        asked.append(word)
        return re.fullmatch("(aab|b)*", word) is not None

    found = learned_automaton(predicate, "ab", up_to=9)
    assert found.checked_to == 9
    assert found.words_asked == len(asked) == len(set(asked))
    assert sum(len(word) <= 9 for word in asked) == 2**10 - 1
    for word in asked:
        assert found.automaton.accepts(word) == (re.fullmatch("(aab|b)*", word) is not None)


def test_words_are_strings_if_symbols_are_characters_and_tuples_otherwise() -> None:
    kinds: set[type] = set()

    def predicate(word: Sequence[str]) -> bool:
        kinds.add(type(word))
        return word[-1:] in ("x", ("x",))

    assert learned_automaton(predicate, "x,y", up_to=5).automaton.symbols == ("x", "y")
    assert kinds == {str}
    kinds.clear()
    found = learned_automaton(predicate, "if x", up_to=5)
    assert kinds == {tuple}
    assert found.automaton.accepts(["if", "x"])
    kinds.clear()
    learned_automaton(predicate, [" ", "x"], up_to=5)
    assert kinds == {tuple}


# ------------------------------------------------------------------------------------------- not regular


def as_many(word: str) -> bool:
    half = len(word) // 2
    return word == "a" * half + "b" * half


def palindrome(word: str) -> bool:
    return word == word[::-1]


def prime(word: str) -> bool:
    return len(word) > 1 and all(len(word) % divisor for divisor in range(2, len(word)))


def power_of_two(word: str) -> bool:
    return len(word).bit_count() == 1


def more_a(word: str) -> bool:
    return 2 * word.count("a") > len(word)


@pytest.mark.parametrize("predicate", [as_many, palindrome, prime, power_of_two, more_a])
def test_a_language_that_is_not_regular_has_no_automaton(predicate: Callable[[str], bool]) -> None:
    with pytest.raises(NotLearnedError) as caught:
        learned_automaton(predicate, "ab", states=60)
    message = str(caught.value)
    assert f"no automaton was found for {predicate.__name__}: every automaton of its language has at least" in message
    assert "the language may not be regular" in message
    assert caught.value.states > 30


def test_the_number_of_states_in_the_refusal_is_a_lower_bound() -> None:
    with pytest.raises(NotLearnedError) as caught:
        learned_automaton(lambda word: word[-7:-6] == "a", "ab", states=100)
    assert 100 < caught.value.states <= 128
    assert len(learned_automaton(lambda word: word[-7:-6] == "a", "ab", states=128).automaton) == 128


def test_limits_end_the_search_in_a_sentence() -> None:
    with pytest.raises(NotLearnedError, match="and 40 words do not suffice to find one"):
        learned_automaton(palindrome, "ab", words=40)
    with pytest.raises(NotLearnedError, match="the time did not suffice"):
        learned_automaton(palindrome, "ab", seconds=0)
    with pytest.raises(LengthwiseError, match="more than 100000 words of up to 30 symbols"):
        learned_automaton(palindrome, "ab", up_to=30)
    with pytest.raises(LengthwiseError, match="at least 1"):
        learned_automaton(palindrome, "ab", words=0)
    with pytest.raises(LengthwiseError, match="not an object of type str"):
        learned_automaton("(ab)*", "ab")  # type: ignore[arg-type]


def test_the_sentence_says_checked_and_never_proved() -> None:
    found = learned_automaton(lambda word: len(word) % 2 == 0, "ab", up_to=5)
    assert isinstance(found, Learned)
    assert found.sentence.startswith(
        "checked to length 5, not proved: the predicate agrees with an automaton of 2 states"
    )
    assert found.sentence.endswith(f"has at least {found.rivals_from} states")
    assert found.rivals_from == 6
