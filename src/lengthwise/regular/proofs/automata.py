"""Checking that two automata accept the same words: a list of pairs of states that agree and lead to such pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs.errors import ProofError


def check_bisimulation(left: Automaton, right: Automaton, argument: Mapping[str, Any]) -> int:
    """Raise a `ProofError` unless the pairs show that two automata over the same symbols accept the same words.

    Args:
        left: One automaton.
        right: The other, with its symbols in the same order.
        argument: `pairs`, a list of pairs of states.

    Returns:
        The number of pairs.

    Raises:
        ProofError: If the starts are not paired, a pair disagrees, or a symbol leads from a pair to none.

    """
    pairs = {(one, other) for one, other in argument["pairs"]}
    if (left.start, right.start) not in pairs:
        raise ProofError("the two start states are not among the pairs")
    for one, other in pairs:
        if not (0 <= one < len(left) and 0 <= other < len(right)):
            raise ProofError("a pair names a state that does not exist")
        if (one in left.accepting) != (other in right.accepting):
            raise ProofError(f"of the states {one} and {other} only one accepts")
        for symbol, pair in zip(left.symbols, zip(left.table[one], right.table[other], strict=True), strict=True):
            if pair not in pairs:
                raise ProofError(f"{symbol!r} leads from the states {one} and {other} to a pair that is not listed")
    return len(pairs)
