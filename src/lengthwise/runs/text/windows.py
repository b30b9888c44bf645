"""Windows of text: random ones to train on, and random ones within files to test on.

Training reads on over the end of a file, with the separator between two of them. A tested window lies in one file, and
says which: windows of one file are alike, so it is files that are resampled for intervals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.runs.text.corpus import Bytes, Corpus, Ints, TextError


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows (windows, length) of the validation side."""

    tokens: Ints
    files: Ints
    """The number of the file of each."""


def training_windows(text: Bytes, length: int, count: int, rng: np.random.Generator) -> Ints:
    """So many windows of `length` bytes from anywhere."""
    if len(text) < length:
        raise TextError(f"windows of {length} bytes do not fit into {len(text)} bytes of text; ask for a larger corpus")
    begins = rng.integers(len(text) - length + 1, size=count)
    return np.asarray(text[begins[:, None] + np.arange(length)], dtype=np.int64)


def validation_windows(corpus: Corpus, length: int, count: int, rng: np.random.Generator) -> Windows:
    """So many windows of `length` bytes, each place in the files that are long enough being as likely as any other."""
    room = np.maximum(corpus.files[:, 1] - corpus.files[:, 0] - length + 1, 0)
    ends = room.cumsum()
    if not len(ends) or not ends[-1]:
        raise TextError(f"no file that is tested on has {length} bytes; ask for a larger corpus")
    drawn = rng.integers(ends[-1], size=count)
    files = np.searchsorted(ends, drawn, side="right")
    begins = corpus.files[files, 0] + drawn - (ends[files] - room[files])
    return Windows(corpus.validation[begins[:, None] + np.arange(length)].astype(np.int64), files)
