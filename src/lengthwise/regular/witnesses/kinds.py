"""Why a language is out of a class: three kinds of witnesses, printed so that a person can follow them.

*Group*: a word cycles through k >= 2 states, so a program would have to count modulo k. *Flip-flop*: two words reset
the machine to one of two states, so a program would have to know which came last. *Balance*: the number of times each
thing was read since the component was entered cannot tell two states apart, and neither can anything that counting
such numbers reveals. With windows and periods, the words of a witness must have one length and a word of that length
must leave the states alone (repeated often enough, it fills every window and every period).

Witnesses are plain data. `recheck` checks them by running words through the automaton, and shares no code with the
search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

Letters: TypeAlias = tuple[str, ...]
Class: TypeAlias = Literal["∅", "local", "periodic, local"]


def written(word: Sequence[str]) -> str:
    """A word as it is typed: symbols together if all are single characters, else with spaces; ε if empty."""
    if not word:
        return "ε"
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def contrast(first: Letters, second: Letters, first_is_in: bool) -> str:
    """The sentence that one of two words is in the language and the other is not."""
    inside, outside = (first, second) if first_is_in else (second, first)
    return f"For example, `{written(inside)}` is in the language and `{written(outside)}` is not."


@dataclass(frozen=True)
class Group:
    """After `access`, reading `cycle` again and again runs through `order` different states and returns."""

    fragment: Class
    access: Letters
    cycle: Letters
    order: int
    suffix: Letters
    """Tells the state after `access` from the one after `access cycle`."""
    first_is_in: bool
    """Whether `access suffix` is the one of the two words that is in the language."""
    identity: Letters | None = None
    """With windows: a word that leaves all these states alone (as long as `cycle` if there are periods)."""

    kind = "group"

    def explain(self) -> str:
        """The argument in words."""
        cycle = written(self.cycle)
        lines = [
            f"After reading `{written(self.access)}`, each further `{cycle}` leads to another state, "
            f"and {self.order} of them lead back to where they began.",
            contrast(self.access + self.suffix, self.access + self.cycle + self.suffix, self.first_is_in),
        ]
        if self.identity is None:
            lines.append(
                f"So a program would have to know the number of `{cycle}` modulo {self.order}; "
                "the comparisons of a program without positions become constant along such a word."
            )
        else:
            length = f", which has the same length {len(self.cycle)}," if self.fragment == "periodic, local" else ""
            lines += [
                f"The word `{written(self.identity)}`{length} changes none of these states.",
                f"So a program would have to count the `{cycle}` among `{cycle}` and `{written(self.identity)}` "
                f"modulo {self.order}, wherever they stand"
                + (": that is PARITY." if self.order == 2 else f": that is counting modulo {self.order}, like PARITY."),
            ]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The argument as plain data."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class FlipFlop:
    """Two words that reset two states: `first` leads both to the first of them, `second` both to the second."""

    fragment: Class
    access: Letters
    """Leads to the first state."""
    first: Letters
    second: Letters
    suffix: Letters
    """Tells the two states apart."""
    first_is_in: bool
    """Whether the suffix leads to acceptance from the first of the two states."""
    identity: Letters | None = None
    """With windows: a word that leaves both states alone (as long as the other two if there are periods)."""

    kind = "flip-flop"

    def explain(self) -> str:
        """The argument in words."""
        first, second, suffix = written(self.first), written(self.second), written(self.suffix)
        lines = [
            f"After reading `{written(self.access)}`, append any sequence of the words `{first}` and `{second}`: "
            "only the last of them matters,",
            f"because `{first}` leads to one state and `{second}` to another, whatever came before; "
            f"the suffix `{suffix}` tells the two apart.",
            contrast(
                self.access + self.second + self.first + self.suffix,
                self.access + self.first + self.second + self.suffix,
                self.first_is_in,
            ),
        ]
        if self.identity is None:
            lines.append(
                f"Counts of what was read do not show which of `{first}` and `{second}` came last, "
                "once both have been read often."
            )
        else:
            length = f", equally long ({len(self.first)})," if self.fragment == "periodic, local" else ""
            lines.append(
                f"The word `{written(self.identity)}`{length} changes neither state, so the last reset can lie beyond "
                "every window: that is the language Σ*be*."
            )
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The argument as plain data."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class Place:
    """A state, given by a word that leads there, and with windows the name of the block that leaves it alone."""

    access: Letters
    context: str | None
    group: int
    """Places of one group are those that counting is shown not to tell apart."""


@dataclass(frozen=True)
class Block:
    """What is read in one step: a letter, or with windows a word between two contexts."""

    word: Letters
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True)
class Walk:
    """Blocks (by number) read from a place (by number)."""

    start: int
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Identity:
    """multiple · Ψ(path) = Σ coefficient · Ψ(loop), where Ψ counts how often each (group, block) is read."""

    path: Walk
    end: int
    multiple: int
    loops: tuple[tuple[int, Walk], ...]


@dataclass(frozen=True)
class Balance:
    """Places in groups such that any two of a group are joined by a path whose counts are made of counts of loops."""

    fragment: Class
    places: tuple[Place, ...]
    blocks: tuple[Block, ...]
    contexts: dict[str, Letters]
    """With windows: the words that leave places alone, by name."""
    edges: tuple[tuple[int, int, int], ...]
    """Place, block, place: the edges that walks use."""
    identities: tuple[Identity, ...]
    pair: tuple[int, int]
    """Two places of one group."""
    suffix: Letters
    """Tells them apart."""
    first_is_in: bool
    """Whether the suffix leads to acceptance from the first of them."""

    kind = "balance"

    def explain(self) -> str:
        """The argument in words, with the identity of the pair spelled out."""
        one, other = self.places[self.pair[0]], self.places[self.pair[1]]
        sizes: dict[int, int] = {}
        for place in self.places:
            sizes[place.group] = sizes.get(place.group, 0) + 1
        groups = sum(size > 1 for size in sizes.values())
        lines = [
            f"The words `{written(one.access)}` and `{written(other.access)}` lead to two different states, "
            "and each can be reached from the other.",
            contrast(one.access + self.suffix, other.access + self.suffix, self.first_is_in),
            "Count how often each thing was read, where `thing` is a "
            + ("letter" if self.fragment == "∅" else f"block of {len(self.blocks[0].word)} letters or more")
            + " together with what is already known of the state.",
        ]
        shown = self._shown()
        if shown is not None:
            path = written(self._read(shown.path))
            loops = " ".join(
                f"{'-' if coefficient < 0 else '+'} {abs(coefficient)}·Ψ({written(self._read(loop))})"
                for coefficient, loop in shown.loops
            )
            multiple = f"{shown.multiple}·" if shown.multiple != 1 else ""
            lines.append(
                f"The counts along a path between the two are made of counts along loops, {multiple}Ψ({path}) = "
                f"{loops.removeprefix('+ ') or '0'},"
            )
            lines.append(
                "and every weighting of the counts that stays bounded is 0 on loops, so it is 0 on that path: "
                "counting does not tell the two states apart."
            )
        lines.append(
            f"The same holds for all states that are not told apart ({_counted(groups, 'group')} of them, "
            f"{_counted(len(self.identities), 'identity', 'identities')}), "
            "so nothing is gained by counting again what was learnt."
        )
        return "\n".join(lines)

    def _shown(self) -> Identity | None:
        for identity in self.identities:
            if {identity.path.start, identity.end} == set(self.pair):
                return identity
        return None

    def _read(self, walk: Walk) -> Letters:
        return tuple(symbol for block in walk.blocks for symbol in self.blocks[block].word)

    def as_json(self) -> dict[str, Any]:
        """The argument as plain data."""
        return {"kind": self.kind, **asdict(self)}
