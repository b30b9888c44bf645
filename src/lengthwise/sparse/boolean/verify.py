"""Does a construction compute what it is meant to? On all strings if these are few, else on many that are chosen badly.

Two things are looked at: how far heads are from their target, of which γ/4 is allowed, and how far the network's output
is from f. The latter is 0 in real numbers as soon as heads are within `Memory.radius`; what is left is floating point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.sparse.boolean.arrays import Bits, BooleanError, all_bits
from lengthwise.sparse.boolean.construction import Construction

LARGEST_EXHAUSTIVE = 20
"""Up to this length all strings are tried."""
LARGEST_LISTED = 12
"""Patterns of at most this many bits are run through one by one."""
TOLERANCE = 1e-9
"""Floating point may put an output this far off, relative to the largest value of f."""


@dataclass(frozen=True)
class Verification:
    """What was found on some strings."""

    strings: int
    exhaustive: bool
    """Whether these were all strings of this length."""
    attention_error: float
    """The largest distance of the heads from their target, in any coordinate."""
    allowed_error: float
    """γ/4."""
    output_error: float | None
    """The largest distance of outputs from f; None without a network."""
    mistakes: int
    """Strings on which heads or outputs are further off than allowed."""
    worst: str
    """The string on which the heads are furthest off."""

    @property
    def passed(self) -> bool:
        """Whether there was no mistake."""
        return not self.mistakes


def verify(construction: Construction, *, samples: int | None = None, seed: int = 0) -> Verification:
    """All of {0, 1}^T if T is at most 20 and no number of samples is given, else that many strings (`hostile`)."""
    if samples is None and construction.length > LARGEST_EXHAUSTIVE:
        raise BooleanError(
            f"there are 2^{construction.length} strings, too many to try; say how many samples to draw instead"
        )
    if samples is not None and samples < 1:
        raise BooleanError(f"a sample has at least one string, not {samples}")
    if samples is None:
        strings = all_bits(construction.length)
    else:
        strings = hostile(construction, samples, np.random.default_rng(seed))
    model = construction.model
    errors = np.abs(model.attended(strings) - construction.wanted(strings)).max(axis=-1)
    allowed, wrong, output_error = construction.allowed_error, errors > construction.allowed_error, None
    if construction.function is not None and model.memory is not None:
        distances = np.abs(model(strings) - construction.function(strings))
        wrong |= (errors > float(model.memory.radius)) | (
            distances > TOLERANCE * max(1.0, construction.function.largest)
        )
        output_error = float(distances.max())
    worst = "".join(map(str, strings[errors.argmax()].astype(int).tolist()))
    return Verification(
        len(strings), samples is None, float(errors.max()), allowed, output_error, int(wrong.sum()), worst
    )


def hostile(construction: Construction, samples: int, rng: np.random.Generator) -> Bits:
    """Strings whose bits in I run through all patterns, and whose others are all 0, all 1, fair or of random density.

    Heads are furthest off where everything else agrees, which fair bits never do. Beyond 2^12 patterns the numbers of
    ones are run through.
    """
    size, turn = construction.sparsity, np.arange(samples)
    if size <= LARGEST_LISTED:
        patterns = all_bits(size)[turn % 2**size]
        kind = (turn + turn // 2**size) % 4  # with 4 · 2^s samples every pattern meets every kind
    else:
        patterns = rng.random((samples, size)).argsort(axis=1) < (turn % (size + 1))[:, None]
        kind = rng.integers(0, 4, samples)
    density = np.choose(kind, [0.0, 1.0, 0.5, rng.random(samples)])
    strings = rng.random((samples, construction.length)) < density[:, None]
    strings[:, [index - 1 for index in construction.indices]] = patterns
    return strings
