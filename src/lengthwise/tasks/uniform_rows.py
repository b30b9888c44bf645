"""Uniform random numbers for many words, a few words at a time.

Large arrays cost more to get from the system than to fill. One small buffer, filled again and again, stays in the
cache: words of 256 symbols are drawn three to four times as fast.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

AT_ONCE = 2**15
"""About how many numbers are drawn at a time."""


def uniform_rows(batch: int, length: int, rng: np.random.Generator) -> Iterator[tuple[slice, npt.NDArray[np.float64]]]:
    """Numbers from [0, 1) for a (batch, length) array, as rows and what belongs there; valid until the next ones."""
    rows = max(1, AT_ONCE // max(1, length))
    buffer = np.empty((min(rows, batch), length))
    for first in range(0, batch, rows):
        part = buffer[: batch - first]
        yield slice(first, first + len(part)), rng.random(out=part)
