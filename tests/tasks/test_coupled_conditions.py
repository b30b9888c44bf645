"""The coupled positions of the tasks against Definition 4.1: what the next token depends on becomes local.

What it depends on is planted in the tokens read before it. With the IDs of the tasks these tokens are at most one ID
apart (item 1) and have the same ranks at all lengths (item 3); with plain positions they are as far apart as words are
long. Item 2, that all other tokens have IDs of their own, no such scheme meets: what was written before shares its IDs
with the question. So Proposition 4.4 does not cover the schemes of section 5.2 as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lengthwise.sparse.coupling import Coupling, violations
from lengthwise.sparse.coupling.conditions import LOCAL, UNCOUPLED, image_law
from lengthwise.sparse.ensembles import PositionLaw
from lengthwise.tasks import get

Planted = tuple[tuple[int, ...], tuple[int, ...]]
"""The places that the next token depends on, counted from 1, and the IDs of all tokens before it."""
LENGTHS = range(13, 40)
"""Of what is read, in tokens."""


def read_so_far(name: str, parameters: dict[str, Any], length: int, number: int = 1) -> Iterator[tuple[Any, Any]]:
    """Tokens and IDs of whole words, without the last token; plain IDs are 1, 2, …."""
    batch = get(name, **parameters).sample(length, number, np.random.default_rng(length))
    for row in range(number):
        plain = np.arange(1, batch.tokens.shape[1] + 1)
        yield batch.tokens[row].tolist(), (plain if batch.positions is None else batch.positions[row]).tolist()


def parity_steps(positions: str, jumps: int) -> Iterator[Planted]:
    """A partial parity depends on the one before it and on the bits that it adds."""
    for steps in range(2, 30):
        ((_, ids),) = read_so_far("task:scratchpad-parity", {"jumps": jumps, "positions": positions}, steps * jumps)
        for step in range(2, steps + 1):
            place = 1 + steps * jumps + step
            bits = range(2 + (step - 1) * jumps, 2 + step * jumps)
            yield (*bits, place), tuple(ids[:place])


def reversal_steps(positions: str, parameter: int) -> Iterator[Planted]:
    """A letter is that of the question whose ID comes next after the letter written before."""
    for length in range(2, 30):
        ((_, ids),) = read_so_far("task:reversal", {"positions": positions}, length)
        for step in range(2, length + 1):
            yield (length - step + 1, length + step), tuple(ids[: length + step])


def addition_steps(positions: str, parameter: int) -> Iterator[Planted]:
    """A digit depends on the two of its column, and by the carry on the three of the column before."""
    for length in range(2, 30):
        ((_, ids),) = read_so_far("task:column-addition", {"positions": positions}, length)
        for step in range(2, length + 1):
            first, second, place = 2 + length - step, 3 + 2 * length - step, 2 * length + 2 + step
            yield (first, first + 1, second, second + 1, place), tuple(ids[:place])


def assignment_steps(positions: str, depth: int) -> Iterator[Planted]:
    """The value of an assignment depends on the arrow before it and on the same assignment in the question."""
    for length in range(3 * depth, 30, 3 * depth):
        parameters = {"depth": depth, "positions": positions}
        for tokens, ids in read_so_far("task:variable-assignment", parameters, length, 8):
            for step in range(depth):
                place = length + 4 + 3 * step + 2
                left = next(at for at in range(3, length + 3, 3) if tokens[at] == tokens[place - 2])
                yield (left + 3, place), tuple(ids[:place])


STEPS: dict[str, tuple[Callable[[str, int], Iterator[Planted]], int]] = {
    **{f"scratchpad-parity-{jumps}": (parity_steps, jumps) for jumps in (1, 2, 3, 4)},
    "reversal": (reversal_steps, 0),
    "column-addition": (addition_steps, 0),
    "variable-assignment-2": (assignment_steps, 2),
    "variable-assignment-3": (assignment_steps, 3),
}


def coupling_of(name: str, positions: str) -> tuple[Coupling, PositionLaw, list[int]]:
    """The steps of a task, each as likely as the others with as many tokens before them."""
    steps, parameter = STEPS[name]
    found: dict[int, Counter[Planted]] = {}
    for places, ids in steps(positions, parameter):
        spare = iter(range(len(ids), 0, -1))  # tokens that are coupled with nothing get IDs that nobody has
        own = tuple(number or next(other for other in spare if other not in ids) for number in ids)
        found.setdefault(len(ids), Counter())[places, own] += 1

    def table(length: int) -> dict[Planted, Fraction]:
        return {step: Fraction(count, found[length].total()) for step, count in found[length].items()}

    def planted(length: int) -> dict[tuple[int, ...], Fraction]:
        law: dict[tuple[int, ...], Fraction] = {}
        for (places, _), mass in table(length).items():
            law[places] = law.get(places, Fraction(0)) + mass
        return law

    size = len(next(steps(positions, parameter))[0])
    lengths = [length for length in LENGTHS if length in found]
    return Coupling(1, table), PositionLaw(size, 1, planted), lengths


@pytest.mark.parametrize("name", STEPS)
def test_what_is_written_next_depends_on_tokens_with_neighbouring_ids_in_the_same_way_at_all_lengths(name: str) -> None:
    coupling, law, lengths = coupling_of(name, "coupled")
    assert len(lengths) > 3
    assert {violation.item for violation in violations(coupling, law, 1, lengths)} == {UNCOUPLED}
    assert {len(places) for length in lengths for places in image_law(coupling, length)} == {2}


@pytest.mark.parametrize("name", STEPS)
def test_with_plain_positions_the_same_tokens_are_far_apart(name: str) -> None:
    coupling, law, lengths = coupling_of(name, "plain")
    failed = violations(coupling, law, 5, lengths)
    assert LOCAL in {violation.item for violation in failed}
    assert UNCOUPLED not in {violation.item for violation in failed}
