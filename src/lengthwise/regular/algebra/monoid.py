"""The transition monoid of an automaton: what each word does to all states at once.

Elements are numbered in the order of their shortest words (shorter first, then by symbol); element 0 is the identity,
which the empty word denotes. Products are read left to right: `x · y` does x first. For a minimal automaton this is the
syntactic monoid of its language.

Behind the two decisions with windows there are semigroups, with a non-empty word for every element. C-RASP[periodic,
local] sees the stable semigroup S = η(Σˢ), whose elements all have words of one length s; C-RASP[local] sees S₊ =
η(Σ⁺).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.resources import LimitError, check_time

Action: TypeAlias = bytes | tuple[int, ...]
"""Where every state goes. Bytes (padded to 256 with fixed points) compose by one table look-up in C."""


class MonoidLimitError(LimitError):
    """The monoid has more elements than allowed."""


def _compose_bytes(first: Action, second: Action) -> Action:
    return first.translate(second)  # type: ignore[union-attr, arg-type]


def _compose_tuples(first: Action, second: Action) -> Action:
    return tuple(map(second.__getitem__, first))


class TransitionMonoid:
    """All actions of words on the states of an automaton, closed under composition by breadth-first search."""

    def __init__(self, automaton: Automaton, limit: int = 100_000) -> None:
        states = len(automaton)
        self.states = states
        small = states <= 256
        self._compose: Callable[[Action, Action], Action] = _compose_bytes if small else _compose_tuples
        size = 256 if small else states
        pack: Callable[[list[int]], Action] = bytes if small else tuple
        letters = [
            pack([automaton.table[state][symbol] if state < states else state for state in range(size)])
            for symbol in range(len(automaton.symbols))
        ]
        identity = pack(list(range(size)))
        self.actions: list[Action] = [identity]
        """What every element does to the states."""
        self.index: dict[Action, int] = {identity: 0}
        self.parents: list[tuple[int, int]] = [(-1, -1)]
        """The element and symbol that make each element's shortest word."""
        self.right: list[list[int]] = []
        """The right Cayley graph: `right[x][symbol]` is x followed by that symbol."""
        self.identity_is_a_word = False
        """Whether some non-empty word acts as the identity."""
        often = max(1, 65_536 // size)
        actions, index, compose = self.actions, self.index, self._compose
        for number, action in enumerate(actions):  # grows while it is read
            if number % often == 0:
                check_time()
            row = []
            for symbol, letter in enumerate(letters):
                product = compose(action, letter)
                found = index.get(product)
                if found is None:
                    found = len(actions)
                    if found >= limit:
                        raise MonoidLimitError(f"the transition monoid has more than {limit} elements")
                    index[product] = found
                    actions.append(product)
                    self.parents.append((number, symbol))
                elif found == 0:
                    self.identity_is_a_word = True
                row.append(found)
            self.right.append(row)

    def __len__(self) -> int:
        return len(self.actions)

    def multiply(self, first: int, second: int) -> int:
        """The element `first · second`."""
        return self.index[self._compose(self.actions[first], self.actions[second])]

    def apply(self, state: int, element: int) -> int:
        """Where an element takes a state."""
        return self.actions[element][state]

    def word(self, element: int) -> tuple[int, ...]:
        """The shortest word of an element, as symbol ids (the empty one for the identity)."""
        ids: list[int] = []
        while element:
            element, symbol = self.parents[element]
            ids.append(symbol)
        return tuple(reversed(ids))

    def nonempty_word(self, element: int) -> tuple[int, ...]:
        """A shortest non-empty word of an element of the semigroup S₊."""
        if element:
            return self.word(element)
        for other, row in enumerate(self.right):  # shorter words first
            if 0 in row:
                return (*self.word(other), row.index(0))
        raise ValueError("no non-empty word acts as the identity")

    def idempotent_power(self, element: int) -> int:
        """x^ω: the idempotent among the powers of x."""
        power = element
        seen = {power: 1}
        exponent = 1
        while True:
            power = self.multiply(power, element)
            exponent += 1
            if power in seen:
                break
            seen[power] = exponent
        period = exponent - seen[power]
        target = -(-seen[power] // period) * period
        return next(element for element, number in seen.items() if number == target)

    def period(self, element: int) -> int:
        """The length of the cycle that the powers of x run into: 1 iff x generates no group but the trivial one."""
        seen: dict[int, int] = {}
        power, exponent = element, 1
        while power not in seen:
            seen[power] = exponent
            power = self.multiply(power, element)
            exponent += 1
        return exponent - seen[power]

    @cached_property
    def semigroup(self) -> tuple[int, ...]:
        """S₊: the elements that are the action of some non-empty word."""
        return tuple(range(0 if self.identity_is_a_word else 1, len(self)))

    @cached_property
    def idempotents(self) -> tuple[int, ...]:
        """The elements e = e · e among the actions of non-empty words."""
        return tuple(x for x in self.semigroup if self.multiply(x, x) == x)


class StableSemigroup:
    """S = η(Σˢ) for the stability index s, the least s >= 1 with η(Σˢ) = η(Σ²ˢ); closed under products."""

    def __init__(self, monoid: TransitionMonoid, longest: int = 10_000) -> None:
        self.monoid = monoid
        layers: list[dict[int, tuple[int, int]]] = [{0: (-1, -1)}]
        seen: dict[frozenset[int], int] = {}
        repeat = 0
        while True:
            check_time()
            layer: dict[int, tuple[int, int]] = {}
            for element in layers[-1]:
                for symbol, product in enumerate(monoid.right[element]):
                    if product not in layer:
                        layer[product] = (element, symbol)
            layers.append(layer)
            length = len(layers) - 1
            key = frozenset(layer)
            if key in seen:
                first, repeat = seen[key], length - seen[key]
                break
            seen[key] = length
            if length > longest:
                raise MonoidLimitError(f"the stability index exceeds {longest}")
        self.index = -(-first // repeat) * repeat
        """The stability index s."""
        while len(layers) <= self.index:  # the layer of length s, continued with words of exactly that length
            check_time()
            layer = {}
            for element in layers[-1]:
                for symbol, product in enumerate(monoid.right[element]):
                    layer.setdefault(product, (element, symbol))
            layers.append(layer)
        self._layers = layers[: self.index + 1]
        self.elements: tuple[int, ...] = tuple(sorted(self._layers[-1]))
        """The elements of S, as elements of the monoid."""

    def layer(self, length: int) -> tuple[int, ...]:
        """η(Σ^length) for a length from 1 to s: the elements that some word of this length has."""
        return tuple(sorted(self._layers[length]))

    def word(self, element: int, length: int | None = None) -> tuple[int, ...]:
        """A word of this length (or of length s) with this action, as symbol ids."""
        ids: list[int] = []
        for layer in reversed(self._layers[1 : (self.index if length is None else length) + 1]):
            element, symbol = layer[element]
            ids.append(symbol)
        return tuple(reversed(ids))


@dataclass(frozen=True)
class Semigroup:
    """A subsemigroup of a transition monoid."""

    monoid: TransitionMonoid
    elements: tuple[int, ...]
    word: Callable[[int], tuple[int, ...]]
    """A non-empty word of an element, as symbol ids."""
    length: int | None
    """The length that all these words have, if it is the same."""
    shorter: Callable[[], Iterator[tuple[tuple[int, ...], Callable[[int], tuple[int, ...]]]]]
    """Sets of elements whose words may stand beside each other in a witness, those with shorter words first."""

    @property
    def idempotents(self) -> list[int]:
        """The elements e = e · e."""
        multiply = self.monoid.multiply
        return [x for x in self.elements if multiply(x, x) == x]


def stable(monoid: TransitionMonoid) -> Semigroup:
    """S = η(Σˢ) with s the stability index."""
    found = StableSemigroup(monoid)

    def shorter() -> Iterator[tuple[tuple[int, ...], Callable[[int], tuple[int, ...]]]]:
        for length in range(1, found.index + 1):
            yield found.layer(length), lambda element, length=length: found.word(element, length)  # type: ignore[misc]

    return Semigroup(monoid, found.elements, found.word, found.index, shorter)


def plain(monoid: TransitionMonoid) -> Semigroup:
    """S₊ = η(Σ⁺)."""
    return Semigroup(
        monoid, monoid.semigroup, monoid.nonempty_word, None, lambda: iter([(monoid.semigroup, monoid.nonempty_word)])
    )
