"""How fast an atlas is built: distinct functions a minute of processor time, beside the plain way in NumPy.

The plain way holds the answers of each function as an array of Booleans, counts by a running sum down the words, and
keeps arrays in a set by their bytes. Both enumerate C-RASP[∅] over two letters on the same words.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time

import numpy as np
import numpy.typing as npt

from lengthwise.atlas import Atlas, Words

Answers = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Speed:
    """One row of the table."""

    way: str
    complexity: int
    functions: int
    per_minute: float
    megabytes: int


def measure(quick: bool = False) -> list[Speed]:
    """The plain way up to a small complexity, ours up to the same and to larger ones."""
    words = Words.of("ab", 8, 60, 96)
    plain = 13 if quick else 15
    rows = [_row("NumPy", plain, lambda level: len(PlainAtlas(words, level)))]
    for level in (plain, 17) if quick else (plain, 19, 21):
        Atlas.build("", "ab", 6, words=words)  # code is made once for all
        rows.append(_row("lengthwise", level, lambda level: len(Atlas.build("", "ab", level, words=words))))
    return rows


def _row(way: str, complexity: int, work: Callable[[int], int]) -> Speed:
    start = process_time()
    functions = work(complexity)
    spent = process_time() - start
    scale = 1 << (20 if sys.platform == "darwin" else 10)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // scale
    return Speed(way, complexity, functions, 60 * functions / spent, peak)


def table(rows: list[Speed]) -> str:
    """The rows as text, with the ratio of the ways at the end."""
    lines = [f"{'way':<12}{'κ':>4}{'functions':>12}{'per minute':>14}{'peak MB':>9}"]
    lines += [f"{r.way:<12}{r.complexity:>4}{r.functions:>12}{r.per_minute:>14.3g}{r.megabytes:>9}" for r in rows]
    best = max(row.per_minute for row in rows[1:])
    return "\n".join([*lines, f"{best / rows[0].per_minute:.0f} times as many a minute"])


class PlainAtlas:
    """All functions up to a complexity, by the bytes of their answers; a level is one array."""

    def __init__(self, words: Words, complexity: int) -> None:
        self.steps = [np.flatnonzero(words.lengths == size) for size in range(1, int(words.lengths.max()) + 1)]
        self.parents = words.parents
        self.seen: set[bytes] = set()
        bits = np.unpackbits(words.planes.view(np.uint8), axis=-1, bitorder="little").astype(bool)
        leaves = np.concatenate([bits.reshape(len(words.symbols), -1), np.ones((1, 64 * words.width), bool)])
        self.levels: list[Answers] = [leaves[:0]]
        self.counts = [self.count(leaves[:0])]
        for level in range(1, complexity + 1):
            found = []
            for rows in [leaves] if level == 1 else self.candidates(level):
                rows[:, :64] = False
                for row in rows:
                    key = row.tobytes()
                    if key not in self.seen:
                        self.seen.add(key)
                        found.append(row.copy())
            self.levels.append(np.array(found, bool).reshape(len(found), leaves.shape[1]))
            self.counts.append(self.count(self.levels[-1]))

    def __len__(self) -> int:
        return len(self.seen)

    def count(self, rows: Answers) -> npt.NDArray[np.int16]:
        """How many prefixes of each word operations hold at."""
        found = rows.astype(np.int16).reshape(len(rows), len(self.parents), 64)
        for numbers in self.steps:
            found[:, numbers] += found[:, self.parents[numbers]]
        return found.reshape(rows.shape)

    def candidates(self, level: int) -> Iterator[Answers]:
        """All expressions of a complexity whose parts are kept functions, many at a time."""
        yield ~self.levels[level - 1]
        for least in (1, 2, 3):
            if level - 1 - least > 0:
                yield self.counts[level - 1 - least] >= least
        for left in range(1, (level - 1) // 2 + 1):
            right = level - 1 - left
            for place, first in enumerate(self.levels[left]):
                others = self.levels[right][place + 1 if left == right else 0 :]
                yield first & others
                yield first | others
        for left in range(1, level - 3):
            for more in self.counts[left]:
                yield more >= self.counts[level - 3 - left]
