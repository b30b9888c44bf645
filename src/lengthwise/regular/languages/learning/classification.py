"""A classification tree: words that lead to different states, and why they do (Kearns and Vazirani).

Every inner node has a suffix, every leaf a state with an access word. A word is sifted down by asking, at each node,
whether it belongs to the language with the suffix behind it. Two states differ by the suffix of the node at which their
paths part, so every automaton of the language has at least as many states as there are leaves. Counterexamples are
analysed by binary search (Rivest and Schapire 1993), each giving one new state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from lengthwise.regular.languages.automaton import Automaton

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
