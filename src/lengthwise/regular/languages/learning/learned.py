"""The automaton of a Python predicate, found by asking about words (Angluin 1987).

An automaton is built from the answers and compared with the predicate on

1. all words up to a length n,
2. longer words of a sample: all repetitions of words of up to three symbols, and random ones, and
3. unless n is large beside its number of states s: every word u·v·w, where u is the access word of a state, v any word
   of up to k+1 symbols, and w a suffix that tells the state after u·v from others (Chow 1978, Petrenko 1991).

A difference gives a new state, and everything is compared again. Two different automata with s and t states differ on
a word of at most s+t-2 symbols, so after (1) any other automaton that agrees with the predicate has at least n+3-s
states. After (3) it has at least s+k+1: in one with at most s+k, every state is reached by some u·v with |v| ≤ k, and
the suffixes map these states, with their transitions, to those of the automaton that was found. An automaton is given
only if any other one needs at least two states more, be it by n ≥ 2s-1 or by k ≥ 1. Otherwise there is none to give: if
a language is not regular, the smallest automaton for its words up to n has at least (n+3)/2 states for infinitely many
n (Karp 1967). The sample adds no guarantee; it finds what only shows on long words, such as primes.

States are told apart by a classification tree (Kearns and Vazirani). Every inner node has
a suffix, every leaf a state with an access word. A word is sifted down by asking, at each node, whether it belongs to
the language with the suffix after it. Two states differ by the suffix of the node at which their paths part, so every
automaton of the language has at least as many states as there are leaves. Counterexamples are analysed by binary search
(Rivest and Schapire 1993), each giving one new state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.language import as_alphabet
from lengthwise.regular.languages.learning.predicates import OutOfBudgetError, Predicate, Questions

Ids: TypeAlias = tuple[int, ...]


@dataclass(eq=False)
class _Node:
    parent: _Node | None
    suffix: Ids | None = None
    """What an inner node asks about; None at a leaf."""
    state: int = -1
    children: dict[bool, _Node] = field(default_factory=dict)


class ClassificationTree:
    """The states of a language that are known so far, and the automaton they form.

    The access word of a state is that of another one and a symbol, so it leads to this state in the automaton too.
    """

    def __init__(self, ask: Callable[[Ids], bool], symbols: tuple[str, ...]) -> None:
        self.ask, self.symbols = ask, symbols
        self.access: list[Ids] = []
        self._leaves: list[_Node] = []
        self._targets: list[list[_Node]] = []
        self._root = _Node(None, suffix=())
        self._sifted(self._root, ())

    def __len__(self) -> int:
        return len(self.access)

    def automaton(self) -> Automaton:
        """The automaton over the states, with new ones where a transition leads to none of those known before."""
        for state, targets in enumerate(self._targets):  # grows while it is read
            for symbol, node in enumerate(targets):
                targets[symbol] = self._sifted(node, (*self.access[state], symbol))
        table = tuple(tuple(node.state for node in targets) for targets in self._targets)
        accepting = frozenset(state for state, word in enumerate(self.access) if self.ask(word))
        return Automaton(self.symbols, table, 0, accepting)

    def refine(self, automaton: Automaton, word: Ids) -> None:
        """Add a state because of a word about which the language and the present automaton disagree."""
        states = [automaton.start]
        for symbol in word:
            states.append(automaton.table[states[-1]][symbol])
        wanted = self.ask(word)
        low, high = 0, len(word)  # right if replaced by an access word up to `low`, wrong up to `high`
        while high - low > 1:
            middle = (low + high) // 2
            if self.ask(self.access[states[middle]] + word[middle:]) == wanted:
                low = middle
            else:
                high = middle
        self._split(states[high], word[high:], (*self.access[states[low]], word[low]), wanted)

    def suffixes(self, state: int) -> list[Ids]:
        """What tells a state from all others; the empty word, which tells whether it accepts, comes last."""
        found: list[Ids] = []
        node = self._leaves[state].parent
        while node is not None:
            found.append(node.suffix or ())
            node = node.parent
        return found

    def _sifted(self, node: _Node, word: Ids) -> _Node:
        """The leaf that a word belongs to, from a node that is known to be on its way."""
        while node.suffix is not None:
            answer = self.ask(word + node.suffix)
            if answer not in node.children:
                node.children[answer] = self._leaf(node, word)
            node = node.children[answer]
        return node

    def _leaf(self, parent: _Node, word: Ids) -> _Node:
        leaf = _Node(parent, state=len(self.access))
        self.access.append(word)
        self._leaves.append(leaf)
        self._targets.append([self._root] * len(self.symbols))
        return leaf

    def _split(self, state: int, suffix: Ids, word: Ids, answer: bool) -> None:
        """Put a state and a new one, with this access word, below an inner node where the state's leaf was."""
        node = self._leaves[state]
        old = self._leaves[state] = _Node(node, state=state)
        node.suffix, node.state = suffix, -1
        node.children = {answer: self._leaf(node, word), not answer: old}


MOST_WORDS = 100_000
"""The most words that are asked about, unless a caller says otherwise."""
MOST_STATES = 200
"""The most states of an automaton that is found, unless a caller says otherwise."""
LONGEST = 400
"""The length up to which all words are tried by themselves, however few there are."""
DEEPEST = 3
"""The most states beyond its own for which an automaton is checked by (3)."""
SAMPLE = 500
"""How many random words are tried by (2)."""
SAMPLE_LENGTH = 100
"""The length of the longest words of (2), unless four times the number of states is more."""


class NotLearnedError(LengthwiseError):
    """No automaton was found for a predicate; every automaton of it has at least `states` states."""

    def __init__(self, message: str, states: int) -> None:
        self.states = states
        super().__init__(message)


@dataclass(frozen=True)
class Learned:
    """An automaton that agrees with a predicate on all words that were tried. Nothing is proved about other words."""

    automaton: Automaton
    """The minimal automaton, states in breadth-first order."""
    checked_to: int
    """The length up to which all words were tried."""
    words_asked: int
    """How many words the predicate was asked about."""
    rivals_from: int
    """Any other automaton that agrees with the predicate on these words has at least so many states."""
    name: str
    """The name of the predicate."""

    @property
    def sentence(self) -> str:
        """What was checked, and that it is no proof."""
        count = len(self.automaton)
        states = f"{count} state{'' if count == 1 else 's'}"
        return (
            f"checked to length {self.checked_to}, not proved: {self.name} agrees with an automaton of {states} on all "
            f"words up to that length ({self.words_asked} words asked); any other automaton that agrees with it on "
            f"these has at least {self.rivals_from} states"
        )


def learned_automaton(
    predicate: Predicate,
    alphabet: Alphabet | Iterable[str],
    up_to: int | None = None,
    *,
    words: int = MOST_WORDS,
    states: int = MOST_STATES,
    seconds: float | None = None,
) -> Learned:
    """Find the minimal automaton of a predicate, checked on all words up to a length.

    Args:
        predicate: A function from a word to True or False. Words are strings if all symbols are single characters, else
            tuples of symbols; the empty word is asked about too. Each word is asked about once.
        alphabet: The symbols; text is read as `parse_alphabet` does.
        up_to: The length up to which all words are tried; by default the largest for which they are at most half of
            `words`.
        words: The most words that are asked about.
        states: The most states that the automaton may have.
        seconds: The time after which to stop asking; None for no limit.

    Returns:
        The automaton, with the length to which it is checked.

    Raises:
        NotLearnedError: If no automaton was found within the limits, as for languages that are not regular.
        PredicateError: If the predicate raises an exception or returns something else than True or False.
        LengthwiseError: If the limits leave no words to try.

    Example:
        >>> found = learned_automaton(lambda word: word.count("a") % 3 == 0, "ab")
        >>> len(found.automaton), found.checked_to
        (3, 14)

    """
    if not callable(predicate):
        kind = type(predicate).__name__
        raise LengthwiseError(f"a predicate is a function from words to True or False, not an object of type {kind}")
    symbols = as_alphabet(alphabet).symbols
    length = _length(len(symbols), up_to, words)
    ask = Questions(predicate, symbols, words, seconds)
    tree = None
    try:
        tree = ClassificationTree(ask, symbols)
        comparison = _Comparison(ask, length)
        while True:
            automaton = tree.automaton()
            if len(tree) > states:
                raise OutOfBudgetError(f"at most {states} are allowed")
            difference, depth = comparison.of(tree, automaton)
            if difference is None:
                break
            while difference is not None:
                tree.refine(automaton, difference)
                automaton = tree.automaton()
                difference = difference if _differs(ask, automaton, difference) else None
                if len(tree) > states:
                    break
    except OutOfBudgetError as error:
        raise _failure(ask.name, 1 if tree is None else len(tree), str(error)) from None
    count = len(automaton)
    rivals = max(length + 3 - count, count + depth + 1)
    return Learned(automaton.minimal(), length, len(ask.answers), rivals, ask.name)


def _failure(name: str, count: int, reason: str) -> NotLearnedError:
    least = f"every automaton of its language has at least {count} state{'' if count == 1 else 's'}"
    hint = "the language may not be regular; otherwise allow more with words= and states="
    return NotLearnedError(f"no automaton was found for {name}: {least}, and {reason}; {hint}", count)


def _length(symbols: int, up_to: int | None, words: int) -> int:
    """The length up to which all words are tried."""
    if words < 1 or (up_to is not None and up_to < 0):
        raise LengthwiseError(f"words= must be at least 1 and up_to= at least 0, got {words} and {up_to}")
    count, length = 1, 0
    while length < (LONGEST if up_to is None else up_to):
        count += symbols ** (length + 1)
        if up_to is None and count > words // 2:
            break
        if count > words:
            what = f"there are more than {words} words of up to {up_to} symbols"
            raise LengthwiseError(f"{what}, the most that are asked about; lower up_to= or raise words=")
        length += 1
    return length


class _Comparison:
    """Compares automata with a predicate; the answers about all short words are kept as arrays, a layer a length."""

    def __init__(self, ask: Questions, length: int) -> None:
        self.ask, self.length = ask, length
        self.repeated: dict[Ids, list[bool]] = {}
        lengths = range(length + 1, max(SAMPLE_LENGTH, length) + 2)
        rng = np.random.default_rng(0)
        self.sample = [
            tuple(rng.integers(len(ask.symbols), size=rng.choice(lengths)).tolist())
            for _ in range(min(SAMPLE, ask.words // 10))
        ]
        self.layers: list[np.ndarray[tuple[int], np.dtype[np.bool_]]] = []

    def of(self, tree: ClassificationTree, automaton: Automaton) -> tuple[Ids | None, int]:
        """A word about which they disagree, if one is found; and the number of states k of (3) that was checked."""
        depth, found = 0, self._short(automaton)
        if found is None:
            found = self._repeated(automaton)
        if found is None:
            found = self._random(automaton)
        while found is None and depth < DEEPEST and self._is_needed(tree, automaton, depth + 1):
            suite = _suite(tree, automaton, depth + 1)
            found = next((word for word, expected in suite if self.ask(word) != expected), None)
            depth += found is None
        return found, depth

    def _repeated(self, automaton: Automaton) -> Ids | None:
        """The first repetition of a short word, of (2), about which they disagree."""
        longest, width = max(SAMPLE_LENGTH, 4 * len(automaton)), len(automaton.symbols)
        for size in (1, 2, 3):
            if width**size * longest > self.ask.words // 10:
                return None
            for word in product(range(width), repeat=size):
                answers = self.repeated.setdefault(word, [])
                state = automaton.start
                for length in range(1, longest + 1):
                    state = automaton.table[state][word[(length - 1) % size]]
                    if len(answers) < length:
                        answers.append(self.ask((word * length)[:length]))
                    if answers[length - 1] != (state in automaton.accepting):
                        return (word * length)[:length]
        return None

    def _random(self, automaton: Automaton) -> Ids | None:
        """The first random word, of (2), about which they disagree."""
        return next((word for word in self.sample if _differs(self.ask, automaton, word)), None)

    def _is_needed(self, tree: ClassificationTree, automaton: Automaton, depth: int) -> bool:
        """Whether (3) with this depth says more than all short words do, and is affordable if it may be left out."""
        count, width = len(automaton), len(automaton.symbols)
        if count + depth + 1 <= self.length + 3 - count:
            # Even so a greater depth may say more, but only at a greater cost.
            return False
        if depth == 1 and self.length < 2 * count - 1:
            return True
        longest = max(len(tree.suffixes(state)) for state in range(count))
        middles: int = sum(width**size for size in range(depth + 2))
        return count * middles * longest <= self.ask.left // 2

    def _short(self, automaton: Automaton) -> Ids | None:
        """The first word up to the length about which they disagree."""
        table = np.array(automaton.table)
        accepting = np.isin(np.arange(len(automaton)), list(automaton.accepting))
        states = np.array([automaton.start])
        for size in range(self.length + 1):
            if len(self.layers) == size:
                words = product(range(len(automaton.symbols)), repeat=size)
                self.layers.append(np.fromiter((self.ask(word) for word in words), dtype=np.bool_, count=len(states)))
            different = np.flatnonzero(self.layers[size] != accepting[states])
            if different.size:
                return _digits(int(different[0]), len(automaton.symbols), size)
            states = table[states].reshape(-1)
        return None


def _differs(ask: Questions, automaton: Automaton, word: Ids) -> bool:
    return ask(word) != (automaton.run(word) in automaton.accepting)


def _suite(tree: ClassificationTree, automaton: Automaton, depth: int) -> Iterator[tuple[Ids, bool]]:
    """The words u·v·w of (3), with what the automaton says; newest states first, since differences are near them."""
    suffixes = [tree.suffixes(state) for state in range(len(automaton))]
    for state in reversed(range(len(automaton))):
        for size in range(depth + 2):
            for middle in product(range(len(automaton.symbols)), repeat=size):
                word, reached = tree.access[state] + middle, automaton.run(middle, state)
                for suffix in suffixes[reached]:
                    yield word + suffix, automaton.run(suffix, reached) in automaton.accepting


def _digits(number: int, base: int, size: int) -> Ids:
    """The word that is so far on in the list of all words of a length."""
    found = []
    for _ in range(size):
        number, digit = divmod(number, base)
        found.append(digit)
    return tuple(reversed(found))
