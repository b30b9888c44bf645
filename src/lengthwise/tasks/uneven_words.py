"""Words of a regular language with frequencies of symbols that are drawn anew for each word.

Every word has probabilities of its own for the symbols, a uniform point of the simplex, and is drawn among the words of
its length with weights that are the products of them: symbols that are independent with these probabilities, given that
they make a word of the language. So there are words with long blocks of a symbol, which uniform ones hardly have: the
longest block of 2s in a uniform word of {0,1,2}*02* has about log₃ n symbols, in an uneven one it may be most of it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lengthwise.regular.languages.automaton import Automaton

AT_ONCE = 2**22
"""Weights of states that are kept at a time."""


def uneven_words(automaton: Automaton, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random words of a length that some word has, as symbol ids, a word a row."""
    at_once = max(1, AT_ONCE // ((length + 1) * len(automaton.table)))
    parts = [_drawn(automaton, length, min(at_once, batch - begin), rng) for begin in range(0, batch, at_once)]
    return np.concatenate(parts) if parts else np.empty((0, length), dtype=np.int64)


def _drawn(automaton: Automaton, length: int, batch: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    table = np.array(automaton.table)
    states, symbols = table.shape
    likely = rng.standard_exponential((symbols, batch))
    likely /= likely.sum(axis=0)
    # ahead[k][state]: the probability that k more symbols lead to the end of a word, up to a factor for each word.
    ahead = np.zeros((length + 1, states, batch))
    ahead[0, list(automaton.accepting)] = 1.0
    for left in range(1, length + 1):
        for symbol in range(symbols):
            ahead[left] += likely[symbol] * ahead[left - 1, table[:, symbol]]
        ahead[left] /= ahead[left].max(axis=0)
    words, every = np.empty((batch, length), dtype=np.int64), np.arange(batch)
    at = np.full(batch, automaton.start)
    for place in range(length):
        following = np.stack([ahead[length - place - 1, table[at, symbol], every] for symbol in range(symbols)])
        shares = np.cumsum(likely * following, axis=0)
        drawn = np.minimum(rng.random(batch) * shares[-1], np.nextafter(shares[-1], 0))
        # The first symbol whose share is beyond the drawn number: one without weight never is.
        words[:, place] = (shares <= drawn).sum(axis=0)
        at = table[at, words[:, place]]
    return words
