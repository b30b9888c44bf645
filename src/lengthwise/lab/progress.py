"""Progress of long work on standard error: a bar on a terminal, plain lines elsewhere, both with the time that is left.

What is left is estimated from what was done since the start, parts of unfinished runs included. A run may stop before
its step limit, so the estimate errs on the long side.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Self, TextIO

BAR = 24
"""Characters of the bar."""
REDRAW = 0.5
"""Seconds between two drawings of the bar."""
SILENCE = 30.0
"""Seconds between two plain lines while nothing is finished."""


class Progress:
    """Counts finished runs of a total; as a context it reports until the end."""

    def __init__(
        self,
        total: int,
        running: Callable[[], float] = lambda: 0.0,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`running` tells how many runs' worth of work the unfinished ones have done."""
        self.total = total
        self.finished = 0
        self._running = running
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        self._clock = clock
        self._begin = clock()
        self._drawing = threading.RLock()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        if self.total:
            self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._ticker.is_alive():
            self._ticker.join()
        self._clear()

    def note(self, text: str) -> None:
        """Say something, above the bar if there is one."""
        with self._drawing:
            self._clear()
            self._write(text + "\n")

    def advance(self, text: str) -> None:
        """One more run is finished: what is to be said about it."""
        with self._drawing:
            self.finished += 1
            self.note(f"{text} ({self.summary()})")

    def summary(self) -> str:
        """How far it is: finished runs, time gone, time left."""
        gone = self._clock() - self._begin
        parts = [f"{self.finished} of {self.total} runs", f"{spoken(gone)} gone"]
        left = self.left(gone)
        if left is not None:
            parts.append(f"about {spoken(left)} left")
        return ", ".join(parts)

    def left(self, gone: float) -> float | None:
        """Seconds until the end at the pace so far; None at the very beginning and at the end."""
        done = self._done()
        return gone * (self.total - done) / done if 0 < done < self.total else None

    def _done(self) -> float:
        return min(self.finished + self._running(), float(self.total))

    def _tick(self) -> None:
        while not self._over.wait(REDRAW if self._terminal else SILENCE):
            if self._terminal:
                full = round(BAR * self._done() / self.total)
                with self._drawing:
                    self._clear()
                    self._write(f"[{'#' * full}{'.' * (BAR - full)}] {self.summary()}")
            else:
                self.note(self.summary())

    def _clear(self) -> None:
        if self._terminal:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def spoken(seconds: float) -> str:
    """A time as h:mm:ss, or m:ss below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
