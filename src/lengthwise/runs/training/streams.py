"""Streams of random numbers: one for each seed and purpose, which depends on these and on nothing else.

So the words of a seed do not depend on the other seeds of its run, nor on when they stop.
"""

from __future__ import annotations

import numpy as np

TRAINING, LENGTHS, TESTING, CHECKING = range(4)
"""What a stream is for."""


def stream(seed: int, *purpose: int) -> np.random.Generator:
    """Random numbers for a seed and a purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))
