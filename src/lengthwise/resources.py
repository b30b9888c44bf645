"""Time and memory that a call may use: a deadline that inner loops check, and an estimate before memory is taken.

`Deadline.in_force` puts a deadline in force for what is called inside; every loop that can be long calls `check_time`,
which raises `TimeLimitError` once the time is over. Whoever can say something without the part that was stopped catches
it. Nothing is interrupted anywhere else. What needs much memory at once says so to `require_memory` first.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TypeVar

from lengthwise.errors import LengthwiseError

T = TypeVar("T")

SECONDS = 60.0
"""The deadline of a call that was given none."""
VARIABLE = "LENGTHWISE_MEMORY"
"""The environment variable that changes the limit of memory."""
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
ASSUMED = 8 * 10**9
"""The memory of a system that does not say how much it has."""
CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")

clock: Callable[[], float] = time.monotonic
"""What time it is, in seconds."""


class LimitError(LengthwiseError):
    """A limit on time, memory or size was reached; the message names it."""


class TimeLimitError(LimitError):
    """The deadline passed."""


class MemoryLimitError(LimitError):
    """More memory would be needed than allowed; nothing was taken yet."""


class Deadline:
    """A moment after which work should stop, never later than the deadline in force where it is made."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds, self.end = seconds, math.inf if seconds is None else clock() + seconds
        outer = _in_force.get()
        if outer is not None and outer.end < self.end:
            self.seconds, self.end = outer.seconds, outer.end

    def passed(self) -> bool:
        """Whether it is over."""
        return self.end < math.inf and clock() > self.end

    def left(self) -> float | None:
        """How many seconds remain, at least 0; None if there is no end."""
        return None if self.end == math.inf else max(0.0, self.end - clock())

    def share(self, part: float) -> Deadline:
        """A deadline after part of the remaining time."""
        left = self.left()
        return Deadline(None if left is None else part * left)

    def check(self) -> None:
        """Raise `TimeLimitError` if it is over."""
        if self.passed():
            raise TimeLimitError(f"the time limit of {self.seconds:g} seconds was reached; allow more with --seconds")

    @contextmanager
    def in_force(self) -> Iterator[Deadline]:
        """Let `check_time` and new deadlines obey this one inside the block, unless an earlier one is in force."""
        outer = _in_force.get()
        token = _in_force.set(self if outer is None or self.end <= outer.end else outer)
        try:
            yield self
        finally:
            _in_force.reset(token)


_in_force: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def time_limit(seconds: float | None) -> Deadline:
    """The deadline that a user asks for: a positive number of seconds from now on, or None for no limit."""
    if seconds is not None and not seconds > 0:
        raise LengthwiseError(f"the time limit must be a positive number of seconds, got {seconds}")
    return Deadline(seconds)


def check_time() -> None:
    """Raise `TimeLimitError` if the deadline in force is over."""
    deadline = _in_force.get()
    if deadline is not None:
        deadline.check()


def within_time(things: Iterable[T]) -> Iterator[T]:
    """The same things, with the time checked before each."""
    for thing in things:
        check_time()
        yield thing


class Pace:
    """Whether there is time for one more step of work that cannot be stopped, judged by how long the last one took."""

    def __init__(self, end: float) -> None:
        self.end, self.began, self.size = end, clock() if end < math.inf else 0.0, 0.0

    def allows(self, size: float) -> bool:
        """Whether a step of this size, measured as the steps before, would end before the deadline."""
        if self.end == math.inf:
            return True
        now = clock()
        took, last = now - self.began, self.size
        self.began, self.size = now, size
        # Small steps say little about large ones: most of their time does not grow with the size.
        return now + (took * min(size / last, 4.0) if last else 0.0) < self.end


# ---------------------------------------------------------------------------------------------------------- memory


def require_memory(needed: float, what: str, instead: str) -> None:
    """Refuse work that would take more bytes than allowed, before any is taken.

    Args:
        needed: The estimate, in bytes.
        what: What takes them, as the subject of the sentence: "an example of 10 symbols".
        instead: What to change: "choose a smaller --length".

    Raises:
        MemoryLimitError: The estimate exceeds `memory_limit`.

    """
    limit = memory_limit()
    if needed > limit:
        raise MemoryLimitError(
            f"{what} would take about {written_bytes(needed)} of memory, and the limit is {written_bytes(limit)}; "
            f"{instead}, or raise the limit with {VARIABLE}"
        )


def memory_limit() -> int:
    """How many bytes one call may take: `LENGTHWISE_MEMORY`, such as 4G, or else half of what the process can get."""
    given = os.environ.get(VARIABLE)
    if given:
        number, unit = given.strip().rstrip("Bb"), ""
        if number[-1:].upper() in UNITS:
            number, unit = number[:-1], number[-1:].upper()
        try:
            limit = float(number) * UNITS[unit]
        except ValueError:
            limit = math.nan
        if not 1 <= limit < math.inf:
            raise LengthwiseError(f"{VARIABLE} is a number of bytes, such as 4G or 500M, not {given!r}")
        return int(limit)
    return _half_of_memory()


@cache
def _half_of_memory() -> int:
    found = []
    try:
        import resource

        found += [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), resource.getrlimit(resource.RLIMIT_AS)[0]]
    except (ImportError, AttributeError, ValueError, OSError):  # Windows tells these in other ways
        pass
    for path in CGROUPS:
        try:
            found.append(int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    return min((size for size in found if size > 0), default=ASSUMED) // 2


def written_bytes(size: float) -> str:
    """A number of bytes with its unit: 3.1 GB."""
    for name, unit in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= unit:
            return f"{size / unit:.3g} {name}" if size < 1e16 else f"{size / unit:.1e} {name}"
    return f"{size:.0f} bytes"
