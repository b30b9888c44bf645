"""Programs for the algorithmic tasks of Huang et al. (App. E.2) that the library does not have.

A task reads SOS x SEP y EOS and is scored on y and EOS. SOS is position 0, which no program sees; so an input is x SEP,
and a program solves the task if at SEP and at every symbol of y it predicts exactly the next one. What it predicts
elsewhere, or after an input that the task excludes, does not count.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

from lengthwise.crasp import Program, parse
from lengthwise.crasp.showing.printer import quoted

SEPARATOR = "SEP"
END = "EOS"


def _alphabet(symbols: Sequence[str]) -> str:
    return f"alphabet {' '.join(map(quoted, (*symbols, SEPARATOR, END)))}"


_DONE = 'next "EOS" = exists[j<i] "SEP" && !"EOS"  // the label is written'


def binary_majority() -> Program:
    """After x SEP: the bit that x has more often, then EOS. A single difference of counts suffices."""
    lines = [
        _alphabet("01"),
        'D = #("1" && !exists "SEP") - #("0" && !exists "SEP")  // by how much the ones lead',
        'next "0" = "SEP" && D < 0  // the zeros lead',
        'next "1" = "SEP" && D > 0  // the ones lead',
        _DONE,
    ]
    return parse("\n".join(lines), title="binary-majority")


def majority(symbols: Sequence[str] = string.ascii_lowercase) -> Program:
    """After x SEP: the symbol that x has most often, then EOS; where several tie, all of them."""
    lines = [_alphabet(symbols)]
    counts = []
    for place, symbol in enumerate(symbols, 1):
        counts.append(f"C_{place}")
        lines.append(f'{counts[-1]} = #({quoted(symbol)} && !exists "SEP")  // how many {symbol} the input has')
    most = counts[0]
    for place, count in enumerate(counts[1:], 2):
        lines.append(f"M_{place} = max({most}, {count})  // the largest of {place} counts")
        most = f"M_{place}"
    for symbol, count in zip(symbols, counts, strict=True):
        lines.append(f'next {quoted(symbol)} = "SEP" && {count} == {most}  // no symbol is more frequent')
    return parse("\n".join([*lines, _DONE]), title="majority")


def interleaved_majority(tracks: int = 3) -> Program:
    """After x SEP: for each of the interleaved tracks of x the bit that it has more often, then EOS.

    Track r holds the positions i ≡ r modulo the number of tracks; only this needs a periodic predicate.
    """
    lines = [_alphabet("01"), 'W = #(exists "SEP")  // symbols from the separator on: which label comes next']
    for track in range(1, tracks + 1):
        here = f'&& i % {tracks} == {track % tracks} && !exists "SEP"'
        lines.append(f'D_{track} = #("1" {here}) - #("0" {here})  // by how much the ones lead on track {track}')
    for bit, relation in (("0", "<"), ("1", ">")):
        labels = [f"W == {track} && D_{track} {relation} 0" for track in range(1, tracks + 1)]
        lines.append(f"next {quoted(bit)} = {' || '.join(labels)}")
    lines.append(f'next "EOS" = W == {tracks + 1}  // all labels are written')
    return parse("\n".join(lines), title="binary-majority-interleave")


def copy_by_first_occurrence(symbols: Sequence[str]) -> Program:
    """After x SEP, for x without a repeated symbol: copies x, then EOS, in C-RASP[∅] and linear in the alphabet.

    How many symbols stood before the first σ is a count of C-RASP[∅], `#(!exists σ)`, and where no symbol is repeated
    it is the place of σ in x. So the next symbol is the one whose place is one more than that of the current symbol:
    unlike an induction head, which must also answer where symbols repeat, copying distinct symbols needs no positions.
    """
    lines = [_alphabet(symbols), 'N = #(!exists "SEP")  // the length of x']
    places = []
    for number, symbol in enumerate(symbols, 1):
        places.append(f"P_{number}")
        before = f'#(!exists {quoted(symbol)} && !exists "SEP")'
        lines.append(f"{places[-1]} = {before}  // how many symbols of x stand before {symbol}; N if it is not in x")
    current = [f"({place} + 1 if {quoted(symbol)} else 0)" for symbol, place in zip(symbols, places, strict=True)]
    lines.append(f"C = {' + '.join(current)}  // how many symbols of x come up to the current one; 0 at SEP")
    for symbol, place in zip(symbols, places, strict=True):
        lines.append(f'next {quoted(symbol)} = exists "SEP" && !"EOS" && {place} == C && C < N  // its place is next')
    lines.append('next "EOS" = exists "SEP" && !"EOS" && C == N  // that was the last one')
    return parse("\n".join(lines), title="copy-by-first-occurrence")
