"""The 17 languages of Table 2 and PARITY as tasks: 10⁵ random words each, against automata that were written by hand.

An automaton here is what has to be remembered of a word, and how a symbol changes it, in plain Python from the
definitions in appendix E.1.1; None stands for words that nothing completes. Only running many words at once uses NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lengthwise.regular import languages
from lengthwise.subjects import task_of
from lengthwise.tasks import LanguageTask
from tests.regular.languages.test_language_catalogue import DEFINITIONS

WORDS = 100_000
LONGEST = 500


@dataclass(frozen=True)
class Rule:
    """A language as what is remembered of a word."""

    symbols: str
    start: Any
    read: Callable[[Any, str], Any]
    ends: Callable[[Any], bool]


def in_turn(word: str, symbols: str = "ab") -> Rule:
    """A word again and again: what is remembered is the place in it."""
    return Rule(
        symbols, 0, lambda place, symbol: (place + 1) % len(word) if symbol == word[place] else None, lambda p: p == 0
    )


def depth(n: int) -> Rule:
    def read(open_brackets: int, symbol: str) -> int | None:
        after = open_brackets + (1 if symbol == "a" else -1)
        return after if 0 <= after <= n else None

    return Rule("ab", 0, read, lambda open_brackets: open_brackets == 0)


def blocks_in_order(order: str) -> Rule:
    """Blocks of these symbols, any of which may be empty; remembered is the number of the current one."""
    return Rule(
        "".join(sorted(set(order))), 0, lambda block, symbol: _at_or_after(order, symbol, block), lambda _: True
    )


def _at_or_after(order: str, symbol: str, block: int) -> int | None:
    found = order.find(symbol, block)
    return None if found < 0 else found


def no_odd_ones_before_odd_zeros(kind: str, symbol: str) -> str | None:
    """Kinds: even (no odd block of ones is open), odd (one is), and behind one, zeros of an odd or even number."""
    table: dict[str, dict[str, str | None]] = {
        "even": {"0": "even", "1": "odd"},
        "odd": {"0": "odd zeros", "1": "even"},
        "odd zeros": {"0": "even zeros", "1": None},
        "even zeros": {"0": "odd zeros", "1": "odd"},
    }
    return table[kind][symbol]


def each_in_turn(seen: str, symbol: str) -> str | None:
    """The last letter, where the next one is the same or the one behind it in the alphabet."""
    follows = {"": "a", "a": "b", "b": "c", "c": "d", "d": "e"}
    return symbol if symbol == seen or symbol == follows.get(seen) else None


def around_a_d(seen: bool, symbol: str) -> bool | None:
    if symbol == "d":
        return None if seen else True
    return seen if symbol in ("bc" if seen else "ab") else None


RULES: dict[str, Rule] = {
    "tomita-1": in_turn("1", "01"),
    "tomita-2": in_turn("10", "01"),
    "tomita-3": Rule("01", "even", no_odd_ones_before_odd_zeros, lambda kind: kind != "odd zeros"),
    "tomita-4": Rule(
        "01", 0, lambda zeros, symbol: 0 if symbol == "1" else zeros + 1 if zeros < 2 else None, lambda _: True
    ),
    "tomita-5": Rule(
        "01", (0, 0), lambda odd, symbol: (1 - odd[0], odd[1] ^ int(symbol)), lambda odd: odd == (0, 0)
    ),
    "tomita-6": Rule("01", 0, lambda lead, symbol: (lead + (1 if symbol == "0" else -1)) % 3, lambda lead: lead == 0),
    "tomita-7": blocks_in_order("0101"),
    "d2": depth(2),
    "d3": depth(3),
    "d4": depth(4),
    "d12": depth(12),
    "parity": Rule("ab", 0, lambda odd, symbol: odd ^ (symbol == "a"), lambda odd: odd == 0),
    "aa-star": in_turn("aa"),
    "aaaa-star": in_turn("aaaa"),
    "abab-star": in_turn("abab"),
    "abcde": Rule("abcde", "", each_in_turn, lambda seen: seen == "e"),
    "ab-d-bc": Rule("abcd", False, around_a_d, lambda seen: seen),
    "012-02": Rule(
        "012", False, lambda zero, symbol: zero if symbol == "2" else symbol == "0", lambda zero: zero
    ),
}  # fmt: skip


class Automaton:
    """A rule as a table, for many words at once."""

    def __init__(self, rule: Rule) -> None:
        order: dict[Hashable, int] = {rule.start: 0}
        moves: list[list[Any]] = []
        for state in order_growing(order):
            moves.append([None if state is None else rule.read(state, symbol) for symbol in rule.symbols])
            for target in moves[-1]:
                order.setdefault(target, len(order))
        order.setdefault(None, len(order))
        states = list(order)
        if len(moves) < len(states):
            moves.append([None] * len(rule.symbols))
        self.table = np.array([[order[target] for target in row] for row in moves])
        self.dead = order[None]
        ends = np.array([state is not None and rule.ends(state) for state in states])
        self.allowed = np.column_stack([self.table != self.dead, ends])

    def next_sets(self, words: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Behind every symbol of every word: which may follow, and whether the word may end."""
        states = np.zeros(len(words), dtype=np.int64)
        found = np.empty((*words.shape, self.allowed.shape[1]), dtype=bool)
        for place in range(words.shape[1]):
            states = self.table[states, words[:, place]]
            found[:, place] = self.allowed[states]
        return found


def order_growing(order: dict[Hashable, int]) -> Any:
    """The keys of a dictionary to which more are added on the way."""
    place = 0
    while place < len(order):
        yield list(order)[place]
        place += 1


@pytest.mark.parametrize("name", languages())
def test_the_automata_written_by_hand_are_those_of_the_definitions(name: str) -> None:
    rule = RULES[name]
    for length in range({2: 10, 3: 7, 4: 6, 5: 6}[len(rule.symbols)] + 1):
        for word in map("".join, product(rule.symbols, repeat=length)):
            state = rule.start
            for symbol in word:
                state = None if state is None else rule.read(state, symbol)
            assert (state is not None and rule.ends(state)) == DEFINITIONS[name](word)


def plan(task: LanguageTask) -> list[tuple[int, int]]:
    """Lengths and numbers of words: most of training lengths, fewer up to 150, and some of 500 symbols."""
    short, middle = task.lengths(50), [length for length in task.lengths(150) if length > 50]
    few = [short[place] for place in sorted({*np.linspace(0, len(short) - 1, 16).astype(int).tolist()})]
    longer = [middle[place] for place in (0, len(middle) // 2, -1)]
    found = [(length, 3_000) for length in longer] + [(task.lengths(LONGEST)[-1], 500)]
    left = WORDS - sum(count for _, count in found)
    return [*((length, -(-left // len(few))) for length in few), *found]


@pytest.mark.slow
@pytest.mark.parametrize("name", languages())
def test_a_hundred_thousand_words_and_their_next_symbol_sets_agree_with_the_automaton(name: str) -> None:
    task, automaton = task_of(name), Automaton(RULES[name])
    assert isinstance(task, LanguageTask)
    assert "".join(task.alphabet.symbols) == RULES[name].symbols
    rng = np.random.default_rng(1)
    total = 0
    for length, count in plan(task):
        batch = task.sample(length, count, rng)
        assert batch.tokens.shape == (count, length)
        wanted = automaton.next_sets(batch.tokens)
        assert wanted[:, -1, -1].all(), "every word is one of the language"
        assert np.array_equal(batch.targets, wanted)
        assert batch.mask.all()
        total += count
    assert total >= WORDS
    assert max(length for length, _ in plan(task)) > LONGEST - 4
