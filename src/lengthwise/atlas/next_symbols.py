"""The identification length of next-symbol prediction: after each prefix of a word, what may follow, and may it end?

A model of it is several functions, one for each symbol and one for the end, and its complexity is the sum of theirs.
They are asked at the non-empty prefixes of words of the language only, and a prefix is seen in training when a word
that begins with it is: so a difference counts with the length of the shortest such word. A rival may pay for an output
that is more complex than needed with another that is simpler and wrong.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lengthwise.atlas.atlas import Atlas
from lengthwise.atlas.differences import Trimmed, automaton_up_to
from lengthwise.atlas.identification import Identification, Witness
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Automaton
from lengthwise.resources import Deadline

END = ""
"""The output that says whether the word may end."""
HORIZON = 40
"""Languages that are not known to be regular are looked at up to words of this length."""
UNSEEN = 10**9
MOST_LATE = 60
"""How many functions that are right on short words are compared further."""


def identification_of_next(
    subject: Program | Automaton,
    symbols: tuple[str, ...],
    fragment: frozenset[str] = frozenset(),
    *,
    complexity: int = 13,
    depth: int | None = None,
    encoding: str = "symbols",
    deadline: Deadline | None = None,
) -> Identification:
    """Find from which length on words identify what may follow their prefixes; always a lower bound.

    Args:
        subject: What accepts the words; a program whose language is not regular is followed up to a length.
        symbols: The alphabet.
        fragment: A subset of {"periodic", "local"}.
        complexity: The largest complexity of one output.
        depth: The largest depth of the programs; None for any.
        encoding: The complexity: `symbols`, `bits` or `heads`.
        deadline: When to stop.

    Returns:
        The length with its witnesses.

    Raises:
        LengthwiseError: The language has no word, or the class is too large.

    Example:
        >>> from lengthwise import crasp
        >>> identification_of_next(crasp.load("d2"), ("a", "b"), complexity=9).length
        4

    """
    left = None if deadline is None else deadline.left()
    atlas = Atlas.build(fragment, symbols, complexity, encoding=encoding, seconds=left, depth=depth)
    search = _Search(subject, atlas, deadline or Deadline(None))
    known = [cost for cost in search.right if cost is not None]
    complete = len(known) == len(search.names)
    limit = sum(known) if complete else None
    best, strict = search.last(limit), search.last(None if limit is None else limit - 1)
    costs = " + ".join(str(cost) if cost is not None else f"more than {atlas.complexity}" for cost in search.right)
    return Identification(
        0 if best is None else best[0], False, 0 if strict is None else strict[0], "next",
        f"{atlas.grammar.sentence}; one program for each symbol and the end, complexities {costs}",
        limit, atlas.complexity, None, len(atlas), 0, len(atlas),
        None if best is None else best[1], None if strict is None else strict[1], None,
    )  # fmt: skip


class _Search:
    """What is known of all functions of an atlas as outputs of a model of next symbols."""

    def __init__(self, subject: Program | Automaton, atlas: Atlas, deadline: Deadline) -> None:
        self.atlas, self.deadline = atlas, deadline
        self.symbols = atlas.words.symbols
        self.names = (*self.symbols, END)
        found = subject if isinstance(subject, Automaton) else automaton_up_to(subject, HORIZON, self.symbols)
        ids = np.asarray(found.alphabet.encode(list(self.symbols))).tolist()
        table = tuple(tuple(row[each] for each in ids) for row in found.table)
        self.automaton = Automaton(self.symbols, table, found.start, found.accepting)
        self.trimmed = Trimmed(self.automaton)
        if self.automaton.start not in self.trimmed.alive:
            raise LengthwiseError("the language has no word, so nothing follows any prefix")
        self.completions = _completions(self.automaton)
        self.open: set[int] = set()
        """The states after which words longer than the horizon might be in the language, for all that is known."""
        if isinstance(subject, Program) and len(automaton_up_to(subject, HORIZON + 1, self.symbols).table) > len(table):
            self.open = _leading_to(self.automaton, len(table) - 1)
        self.lengths = self.on_short_words()
        self.right: list[int | None] = [self.settle(place) for place in range(len(self.names))]
        """The least complexity of each output; None if no function of the atlas is right."""

    def answer(self, state: int, place: int) -> bool | None:
        """What is right after a prefix that leads to a state; None if only words beyond the horizon can tell."""
        following, may_end = self.trimmed.next[state]
        if place == len(self.symbols):
            return may_end
        return following[place] or (None if self.automaton.table[state][place] in self.open else False)

    def on_short_words(self) -> npt.NDArray[np.int64]:
        """For each function and output, the length of the shortest word that shows a difference at a short prefix."""
        reach = self.atlas.words.trie_length
        states = [
            self.automaton.run(self.automaton.alphabet.encode(word).tolist()) for word in self.atlas.words.short(reach)
        ]
        live = np.array([state in self.trimmed.alive for state in states])
        seen = np.array([len(word) for word in self.atlas.words.short(reach)])
        seen = seen + np.array([self.completions.get(state, 0) for state in states])
        given = [[self.answer(state, place) for place in range(len(self.names))] for state in states]
        known = np.array([[answer is not None for answer in row] for row in given])
        right = np.array([[bool(answer) for answer in row] for row in given])
        live &= seen <= reach
        parts = []
        for _, rows in self.atlas.blocks():
            answers = self.atlas.words.answers(rows, reach)[:, live]
            shown = [
                np.where((answers != right[live, place]) & known[live, place], seen[live], UNSEEN).min(
                    axis=1, initial=UNSEEN
                )
                for place in range(len(self.names))
            ]
            parts.append(np.stack(shown, axis=1))
        return np.concatenate(parts)

    def settle(self, place: int) -> int | None:
        """Compare the functions that short words do not rule out, simplest first, until one is right."""
        for tried, number in enumerate(np.flatnonzero(self.lengths[:, place] == UNSEEN).tolist()):
            if tried >= MOST_LATE or self.deadline.passed():
                return None
            word = self.word(number, place)
            if word is None:
                return int(self.atlas.complexities[number])
            self.lengths[number, place] = len(word)
        return None

    def last(self, limit: int | None) -> tuple[int, Witness] | None:
        """The largest length that some rival of at most a complexity needs, with what is wrong in it."""
        wrong = self.lengths < UNSEEN
        for length in sorted({int(each) for each in self.lengths[wrong]}, reverse=True):
            for place, name in enumerate(self.names):
                late = np.flatnonzero(wrong[:, place] & (self.lengths[:, place] >= length))
                if len(late) and self.affordable(int(late[0]), place, length, limit):
                    word = self.word(int(late[0]), place)
                    if word is not None:
                        return length, Witness(self.atlas.member(int(late[0])), word, name)
        return None

    def affordable(self, number: int, place: int, length: int, limit: int | None) -> bool:
        """Whether the other outputs, right or wrong no earlier, leave room for this function."""
        if limit is None:
            return True
        complexities = self.atlas.complexities
        total = int(complexities[number])
        for other in range(len(self.names)):
            if other != place:
                total += int(complexities[self.lengths[:, other] >= length].min())
        return total <= limit

    def word(self, number: int, place: int) -> tuple[str, ...] | None:
        """A shortest word with a prefix at which a function is wrong; None if there is none up to the horizon."""
        other = automaton_up_to(self.atlas.member(number).program, HORIZON, self.symbols)
        pairs: dict[tuple[int, int], tuple[int, ...]] = {(self.automaton.start, other.start): ()}
        level = list(pairs)
        best: tuple[int, ...] | None = None
        while level and len(pairs[level[0]]) < HORIZON and (best is None or len(pairs[level[0]]) < len(best)):
            following = []
            for pair in level:
                for symbol in range(len(self.symbols)):
                    state, second = self.automaton.table[pair[0]][symbol], other.table[pair[1]][symbol]
                    if state not in self.trimmed.alive or (state, second) in pairs:
                        continue
                    path = pairs[state, second] = (*pairs[pair], symbol)
                    following.append((state, second))
                    right = self.answer(state, place)
                    if right is not None and (second in other.accepting) != right:
                        whole = (*path, *self.completion(state))
                        if len(whole) <= HORIZON and (best is None or len(whole) < len(best)):
                            best = whole
            level = following
        return None if best is None else tuple(self.symbols[symbol] for symbol in best)

    def completion(self, state: int) -> tuple[int, ...]:
        """A shortest way from a live state to the end of a word."""
        path = []
        while self.completions[state]:
            row = self.automaton.table[state]
            symbol = next(at for at, to in enumerate(row) if self.completions.get(to) == self.completions[state] - 1)
            path.append(symbol)
            state = row[symbol]
        return tuple(path)


def _leading_to(automaton: Automaton, state: int) -> set[int]:
    """The states from which a state can be reached."""
    found, more = {state}, True
    while more:
        new = {source for source, row in enumerate(automaton.table) if source not in found and found & {*row}}
        found, more = found | new, bool(new)
    return found


def _completions(automaton: Automaton) -> dict[int, int]:
    """How many symbols it takes from each state to the end of a word."""
    found = dict.fromkeys(automaton.accepting, 0)
    more = True
    while more:
        more = False
        for state, row in enumerate(automaton.table):
            least = min((found[target] + 1 for target in row if target in found), default=None)
            if least is not None and least < found.get(state, UNSEEN):
                found[state], more = least, True
    return found
