"""How often words show that two languages differ, exactly: by counting paths of the product of two automata.

A model that learned a rival Q in place of P is found out by a word on which their answers differ. What is asked at a
prefix is which symbols may come next and whether the word may end (`next`, for words of P) or only the latter
(`accept`, for all words over the alphabet). A pair of states is *good* if both automata answer alike there. Of the
A_ℓ words of length ℓ, G_ℓ meet good pairs only, so δ_ℓ = 1 - G_ℓ / A_ℓ is the share of words that show the difference.
Before the first symbol nothing is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton, StateLimitError
from lengthwise.regular.prover.alphabets import common_symbols, over
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.search import Explorer

Asks: TypeAlias = Literal["accept", "next"]
Where: TypeAlias = Literal["prefixes", "end"]
MOST_STATES = 20_000
HIDDEN = 0.05
"""The probability of a wrong choice that is put up with."""
HARMLESS = Fraction(1, 100)
"""A rival that fewer words than this show at the target length does no harm there."""


def shown(
    subject: Program | Automaton,
    rival: Program | Automaton,
    lengths: Sequence[int],
    asks: Asks = "next",
    where: Where = "prefixes",
) -> dict[int, Fraction]:
    """The share of the words of each length that show the difference between a subject and a rival.

    Args:
        subject: P. A program that counts is followed as far as the lengths need.
        rival: Q.
        lengths: The lengths of the words.
        asks: `next`: uniform words of P, asked what may come next and whether they may end; `accept`: uniform words
            over the alphabet, asked whether they may end.
        where: Whether they are asked at every prefix or at the end only.

    Returns:
        δ_ℓ for each of the lengths that words have.

    Raises:
        LengthwiseError: The two read different alphabets, or a program reaches too many configurations.

    Example:
        >>> from lengthwise import crasp
        >>> {length: str(share) for length, share in shown(crasp.load("d1"), crasp.load("d2"), [2, 4]).items()}
        {2: '1', 4: '1'}

    """
    if not lengths or min(lengths) < 1:
        raise LengthwiseError("words have at least one symbol; give lengths from 1 on")
    symbols = common_symbols((subject, rival), None)
    horizon = max(lengths) if asks == "accept" else 2 * max(lengths)
    first, second = (_automaton(each, horizon, symbols) for each in (subject, rival))
    if asks == "next":
        return _by_paths(first, second, lengths, where, Trimmed(first), Trimmed(second))
    return _by_paths(first, second, lengths, where, None, None)


class Trimmed:
    """What may come after each state of an automaton: the symbols that lead on to some word, and the end."""

    def __init__(self, automaton: Automaton) -> None:
        alive = set(automaton.accepting)
        sources: list[list[int]] = [[] for _ in automaton.table]
        for state, row in enumerate(automaton.table):
            for target in row:
                sources[target].append(state)
        waiting = list(alive)
        while waiting:
            for source in sources[waiting.pop()]:
                if source not in alive:
                    alive.add(source)
                    waiting.append(source)
        self.alive = alive
        self.next = [
            (tuple(target in alive for target in row), state in automaton.accepting)
            for state, row in enumerate(automaton.table)
        ]


def _by_paths(
    first: Automaton,
    second: Automaton,
    lengths: Sequence[int],
    where: Where,
    own: Trimmed | None,
    other: Trimmed | None,
) -> dict[int, Fraction]:
    """Words and words without a difference, counted over pairs of states; without trimming, for `accept`."""

    def good(pair: tuple[int, int]) -> bool:
        if own is None or other is None:
            return (pair[0] in first.accepting) == (pair[1] in second.accepting)
        return own.next[pair[0]] == other.next[pair[1]]

    alike: dict[tuple[int, int], bool] = {}
    everything: dict[tuple[int, int], int] = {(first.start, second.start): 1}
    unseen = dict(everything)
    found: dict[int, Fraction] = {}
    wanted = set(lengths)
    for length in range(1, max(lengths) + 1):
        everything = _stepped(everything, first, second, own)
        unseen = _stepped(unseen, first, second, own)
        for pair in unseen:
            if pair not in alike:
                alike[pair] = good(pair)
        kept = {pair: count for pair, count in unseen.items() if alike[pair]}
        if where == "prefixes":
            unseen = kept
        if length in wanted:
            ends = [
                sum(count for pair, count in part.items() if own is None or pair[0] in first.accepting)
                for part in (everything, kept)
            ]
            if ends[0]:
                found[length] = 1 - Fraction(ends[1], ends[0])
    return found


def _stepped(
    counts: dict[tuple[int, int], int], first: Automaton, second: Automaton, own: Trimmed | None
) -> dict[tuple[int, int], int]:
    """The numbers of words, by the pair of states they lead to, with one symbol more."""
    found: dict[tuple[int, int], int] = {}
    for (state, other), count in counts.items():
        for pair in zip(first.table[state], second.table[other], strict=True):
            if own is None or pair[0] in own.alive:
                found[pair] = found.get(pair, 0) + count
    return found


def _automaton(side: Program | Automaton, horizon: int, symbols: tuple[str, ...]) -> Automaton:
    if isinstance(side, Automaton):
        found = over(side, symbols)
        return found if isinstance(found, Automaton) else side
    return automaton_up_to(side, horizon, symbols)


def automaton_up_to(program: Program, length: int, symbols: tuple[str, ...] | None = None) -> Automaton:
    """An automaton that is right on all words of at most a length, and rejects what needs more configurations.

    Args:
        program: A program that accepts words.
        length: The length.
        symbols: The symbols of the words, for a program whose alphabet is open.

    Returns:
        The automaton; if finitely many configurations are all there are, it is right on longer words as well.

    Raises:
        LengthwiseError: There are too many configurations.

    Example:
        >>> from lengthwise import crasp
        >>> automaton_up_to(crasp.load("majority"), 4).accepts("1100")
        True

    """
    alphabet = common_symbols((program,), symbols)
    explorer = Explorer(system_of([program], alphabet))
    order = {(program.accepts(()), 0): 0}
    pairs = list(order)
    table: list[tuple[int, ...]] = []
    level, end = 0, 1
    for place, (_, number) in enumerate(pairs):
        if place == end:
            level, end = level + 1, len(pairs)
        if level == length:
            break
        row = []
        for output, target, _ in explorer.successors(number):
            pair = (output, target)
            if pair not in order:
                if len(pairs) >= MOST_STATES:
                    raise StateLimitError(f"a program has at least {len(pairs)} configurations", MOST_STATES)
                order[pair] = len(pairs)
                pairs.append(pair)
            row.append(order[pair])
        table.append(tuple(row))
    if len(table) < len(pairs):
        sink = len(pairs)
        table.extend([(sink,) * len(alphabet)] * (len(pairs) + 1 - len(table)))
    accepting = frozenset(place for place, (output, _) in enumerate(pairs) if output)
    return Automaton(alphabet, tuple(table), 0, accepting)


# -------------------------------------------------------------------------------------------- hidden and faint


def mean(shares: dict[int, Fraction]) -> Fraction:
    """δ_N: the mean over the lengths that words have."""
    return sum(shares.values(), start=Fraction(0)) / max(1, len(shares))


def hidden_length(shares: Sequence[dict[int, Fraction]], words: int, target: int) -> int | None:
    """N_data: the least training length from which on, up to a target, no rival is likely to stay hidden.

    A rival that a word shows with probability δ_N stays hidden in all of `words` independent words with probability
    (1 - δ_N)^words. From N_data on these sum to at most 5 %, over the rivals that more than 1 % of the words of the
    target length show; others do no harm there, and δ_N may fall with N.

    Args:
        shares: For each rival δ_ℓ for all lengths up to the target.
        words: How many words are drawn.
        target: The target length.

    Returns:
        The length; None if a rival is likely to stay hidden even at the target.

    Example:
        >>> hidden_length([{1: Fraction(0), 2: Fraction(1), 3: Fraction(1)}], 100, 3)
        2

    """
    harmful = [each for each in shares if each.get(target, Fraction(0)) > HARMLESS]
    found: int | None = None
    totals = [Fraction(0)] * len(harmful)
    seen = [0] * len(harmful)
    for length in range(1, target + 1):
        hidden = 0.0
        for place, each in enumerate(harmful):
            if length in each:
                totals[place] += each[length]
                seen[place] += 1
            share = totals[place] / seen[place] if seen[place] else Fraction(0)
            hidden += float(1 - share) ** words
        if hidden > HIDDEN:
            found = None
        elif found is None:
            found = length
    return found
