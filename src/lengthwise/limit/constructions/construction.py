"""`Construction`: a model written down by hand, the function it is meant to compute, and how far off it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from lengthwise.alphabet import Alphabet, Word
from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import LimitTransformer


@dataclass(frozen=True, eq=False)
class Construction:
    """The model's output at the last position of a word is within `error_bound(word)` of `target(word)`, in ℓ1 norm.

    The bounds are about real numbers; floating point adds about 1e-13.

    Attributes:
        model: The model.
        description: What it computes, in a few words.

    """

    model: LimitTransformer
    target: Callable[[Word], Floats | None]
    """The wanted output, counted from the word itself; None where the task does not define one."""
    error_bound: Callable[[Word], float]
    """The largest possible distance on a word; infinite where the target is undefined."""
    description: str


def unit_matrix(width: int, entries: dict[tuple[int, int], float]) -> Floats:
    """A square matrix that is zero except for the given entries."""
    matrix = np.zeros((width, width))
    for place, value in entries.items():
        matrix[place] = value
    return matrix


def block_copy(width: int, source: int, target: int, size: int) -> Floats:
    """The matrix that copies `size` coordinates from `source` on to `target` on."""
    return unit_matrix(width, {(target + offset, source + offset): 1.0 for offset in range(size)})


def closed_alphabet(symbols: Alphabet | Iterable[str]) -> Alphabet:
    """The alphabet of a model that predicts symbols, which has to list them all; symbols may be given as they are."""
    alphabet = symbols if isinstance(symbols, Alphabet) else Alphabet(tuple(symbols))
    if alphabet.is_open:
        raise LengthwiseError("a model that predicts symbols has an alphabet that has to list them all")
    return alphabet
