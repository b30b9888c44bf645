"""The automaton of a language with the witness of a no marked on it.

A group is a word that cycles through states; a flip-flop is two words that reset the automaton to one of two states; a
balance is a path between two states whose counts are made of counts of loops. The edges that these words take are
marked, and the states between which a program would have to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.drawing import Mark, describe, sink_of, to_svg
from lengthwise.regular.witnesses.kinds import Balance, FlipFlop, Group, Letters, written
from lengthwise.study.expectation import expected
from lengthwise.study.published_beside import language_of
from lengthwise.study.wording import listed

if TYPE_CHECKING:
    from lengthwise.study.result import Study

MOST_STATES = 12
"""Larger automata are not drawn."""
COLOURS = ("var(--mark-1, #f0b27a)", "var(--mark-2, #7fb8e6)", "var(--mark-3, #8fd3b6)")


@dataclass(frozen=True)
class Legend:
    """What a colour stands for."""

    colour: str
    text: str


@dataclass(frozen=True)
class MarkedAutomaton:
    """A drawing with its legend."""

    title: str
    svg: str
    legend: tuple[Legend, ...]
    note: str
    """What is not drawn."""
    argument: tuple[str, ...] = ()
    """The witness in words, line by line."""


@dataclass(frozen=True)
class _Marked:
    text: str
    states: frozenset[int]
    edges: frozenset[tuple[int, int]]


def marked_automata(study: Study) -> tuple[tuple[MarkedAutomaton, ...], str]:
    """The automaton for each different witness, or once without any; and why it is not drawn if it is not."""
    language = language_of(study.subject)
    if language is None:
        return (), ""
    automaton = language.automaton
    if len(automaton) > MOST_STATES:
        return (), f"The minimal automaton has {len(automaton)} states, too many to be drawn here."
    found: dict[object, tuple[list[str], Group | FlipFlop | Balance]] = {}
    for scheme in study.schemes:
        witness = expected(study.verdict, scheme.key).witness
        if isinstance(witness, Group | FlipFlop | Balance):
            found.setdefault(witness.explain(), ([], witness))[0].append(scheme.name)
    if not found:
        return (_drawn(automaton, f"Automaton of {study.subject.title}", ()),), ""
    return tuple(
        _drawn(
            automaton,
            f"Why not {listed(names, 'or')}: {WITNESSES[witness.kind]}",
            tuple(_marked(automaton, witness)),
            sentences(witness.explain()),
        )
        for names, witness in found.values()
    ), ""


def sentences(explained: str) -> tuple[str, ...]:
    """The lines of an argument; one that ends with a comma goes on in the next."""
    return tuple(explained.replace(",\n", ", ").splitlines())


WITNESSES = {
    "group": "a word that cycles through states",
    "flip-flop": "two words that reset the automaton",
    "balance": "two states that counts do not tell apart",
}


def _drawn(
    automaton: Automaton, title: str, marked: Sequence[_Marked], argument: tuple[str, ...] = ()
) -> MarkedAutomaton:
    marks = [Mark(colour, each.states, each.edges) for colour, each in zip(COLOURS, marked, strict=False)]
    legend = tuple(Legend(colour, each.text) for colour, each in zip(COLOURS, marked, strict=False))
    sink = sink_of(automaton)
    note = "" if sink is None else "Symbols without an edge lead to a state that rejects for ever, which is not drawn."
    spoken = " ".join(f"{each.text}." for each in marked)
    return MarkedAutomaton(title, to_svg(automaton, f"{title}. {spoken} {describe(automaton)}", marks), legend, note,
                           argument)  # fmt: skip


def _marked(automaton: Automaton, witness: Group | FlipFlop | Balance) -> Iterator[_Marked]:
    match witness:
        case Group():
            yield from _group(automaton, witness)
        case FlipFlop():
            yield from _flip_flop(automaton, witness)
        case Balance():
            yield from _balance(automaton, witness)


def _walk(automaton: Automaton, state: int, word: Letters) -> list[int]:
    """The states that a word runs through, with the first and the last."""
    states = [state]
    for symbol in word:
        states.append(automaton.table[states[-1]][automaton.symbols.index(symbol)])
    return states


def _edges(*walks: Sequence[int]) -> frozenset[tuple[int, int]]:
    return frozenset(pair for walk in walks for pair in pairwise(walk))


def _after(automaton: Automaton, word: Letters) -> int:
    return _walk(automaton, automaton.start, word)[-1]


def _group(automaton: Automaton, witness: Group) -> Iterator[_Marked]:
    state = _after(automaton, witness.access)
    passed = [state]
    walks = []
    for _ in range(witness.order):
        walks.append(_walk(automaton, passed[-1], witness.cycle))
        passed.append(walks[-1][-1])
    states = frozenset(passed[: witness.order])
    named = listed([str(each) for each in passed[: witness.order]])
    yield _Marked(
        f"{written(witness.cycle)}, read {witness.order} times, runs through the states {named} and back",
        states,
        _edges(*walks),
    )
    if witness.identity is not None:
        walks = [_walk(automaton, each, witness.identity) for each in sorted(states)]
        yield _Marked(f"{written(witness.identity)} leaves each of these states as it is", frozenset(), _edges(*walks))


def _flip_flop(automaton: Automaton, witness: FlipFlop) -> Iterator[_Marked]:
    one = _after(automaton, witness.access)
    other = _walk(automaton, one, witness.second)[-1]
    for word, target in ((witness.first, one), (witness.second, other)):
        walks = [_walk(automaton, state, word) for state in (one, other)]
        yield _Marked(
            f"{written(word)} leads to state {target}, from state {one} as from state {other}",
            frozenset({target}),
            _edges(*walks),
        )
    if witness.identity is not None:
        walks = [_walk(automaton, state, witness.identity) for state in (one, other)]
        yield _Marked(f"{written(witness.identity)} leaves both states as they are", frozenset(), _edges(*walks))


def _balance(automaton: Automaton, witness: Balance) -> Iterator[_Marked]:
    pair = [_after(automaton, witness.places[place].access) for place in witness.pair]
    yield _Marked(
        f"states {pair[0]} and {pair[1]}, which {written(witness.suffix)} tells apart", frozenset(pair), frozenset()
    )
    between = next((each for each in witness.identities if {each.path.start, each.end} == set(witness.pair)), None)
    if between is None:
        return
    start = _after(automaton, witness.places[between.path.start].access)
    word = _read(witness, between.path.blocks)
    yield _Marked(f"{written(word)} leads from one to the other", frozenset(), _edges(_walk(automaton, start, word)))
    walks = [
        _walk(automaton, _after(automaton, witness.places[loop.start].access), _read(witness, loop.blocks))
        for _, loop in between.loops
    ]
    loops = listed([written(_read(witness, loop.blocks)) for _, loop in between.loops])
    yield _Marked(f"the loops {loops}, whose counts add up to the same", frozenset(), _edges(*walks))


def _read(witness: Balance, blocks: Sequence[int]) -> Letters:
    return tuple(symbol for block in blocks for symbol in witness.blocks[block].word)
