"""Green's relations: which actions of words can be turned into one another by reading more.

x R y if each is the other followed by something, x L y if each is something followed by the other, x J y if each is the
other with something on both sides, x H y if both x R y and x L y. In a finite monoid J is also D, the composition of R
and L. The classes are the strongly connected components of the right, left and two-sided Cayley graphs.

The relations of S₊, the actions of non-empty words, are these restricted to S₊: both are defined by multiplying with
elements of the monoid M, and M is S₊ with an identity. Where no non-empty word acts as the identity, {identity} is a
class of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cached_property

from lengthwise.regular.algebra.monoid import TransitionMonoid
from lengthwise.regular.languages.automaton import components


class Green:
    """Green's relations of a transition monoid: a class number for each element, and the classes themselves."""

    def __init__(self, monoid: TransitionMonoid) -> None:
        self.monoid = monoid

    @cached_property
    def left(self) -> list[list[int]]:
        """The left Cayley graph: `left[x][symbol]` is that symbol followed by x."""
        right = self.monoid.right
        graph = [list(right[0])]
        for parent, symbol in self.monoid.parents[1:]:  # shorter words first, so the row of the parent is there
            graph.append([right[product][symbol] for product in graph[parent]])
        return graph

    @cached_property
    def r_classes(self) -> list[list[int]]:
        """The classes of R, elements in increasing order."""
        return components(self.monoid.right)

    @cached_property
    def l_classes(self) -> list[list[int]]:
        """The classes of L."""
        return components(self.left)

    @cached_property
    def d_classes(self) -> list[list[int]]:
        """The classes of D = J, every class after those below it: what longer words can still become."""
        return components([[*after, *before] for after, before in zip(self.monoid.right, self.left, strict=True)])

    @cached_property
    def h_classes(self) -> list[list[int]]:
        """The classes of H."""
        found: dict[tuple[int, int], list[int]] = {}
        for element, pair in enumerate(zip(self.r_class, self.l_class, strict=True)):
            found.setdefault(pair, []).append(element)
        return list(found.values())

    @cached_property
    def r_class(self) -> list[int]:
        """The number of each element's class in `r_classes`."""
        return _numbers(self.r_classes)

    @cached_property
    def l_class(self) -> list[int]:
        """The number of each element's class in `l_classes`."""
        return _numbers(self.l_classes)

    @cached_property
    def d_class(self) -> list[int]:
        """The number of each element's class in `d_classes`."""
        return _numbers(self.d_classes)

    @cached_property
    def regular(self) -> tuple[bool, ...]:
        """For each class of D, whether it holds an idempotent; then every x in it has some y with x · y · x = x."""
        multiply = self.monoid.multiply
        return tuple(any(multiply(x, x) == x for x in members) for members in self.d_classes)

    @cached_property
    def highest_idempotents(self) -> tuple[int, ...]:
        """One idempotent of S₊ from each of its regular D-classes with no regular D-class above."""
        chosen: list[int] = []
        dominated: set[int] = set()
        idempotents = set(self.monoid.idempotents)
        for number in range(len(self.d_classes) - 1, -1, -1):  # from the top down
            members = self.d_classes[number]
            own = [x for x in members if x in idempotents]
            if number not in dominated:
                if not own:
                    continue
                chosen.append(own[0])
            for x in members:
                dominated.update(self.d_class[y] for y in (*self.monoid.right[x], *self.left[x]))
        return tuple(sorted(chosen))


def shortest_path(graph: Sequence[Sequence[int]], start: int, end: int) -> tuple[int, ...]:
    """The labels of a shortest path in a Cayley graph, which has to have one."""
    came: dict[int, tuple[int, int]] = {start: (-1, -1)}
    waiting = deque([start])
    while end not in came:
        node = waiting.popleft()
        for label, target in enumerate(graph[node]):
            if target not in came:
                came[target] = (node, label)
                waiting.append(target)
    labels = []
    while end != start:
        end, label = came[end]
        labels.append(label)
    return tuple(reversed(labels))


def _numbers(classes: list[list[int]]) -> list[int]:
    numbers = [0] * sum(map(len, classes))
    for number, members in enumerate(classes):
        for element in members:
            numbers[element] = number
    return numbers
