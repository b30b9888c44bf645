"""Progress of long work on standard error: a live display on a terminal, plain lines elsewhere.

On a terminal there is one line for each run that is being trained and one for all of them; what is finished scrolls up
above. Elsewhere there is a line for each finished run, and one after half a minute in which nothing was said. Both have
the time that is left, estimated from the work that was done since the start, parts of unfinished runs included. A run
may stop before its step limit, so the estimate errs on the long side.

The display never ends the work that it is about: if it cannot be drawn, plain lines are written, and if these cannot be
written either, nothing is.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TextIO

from lengthwise.runs.display.pace import Paces, spoken
from lengthwise.runs.display.watch import RunningRun
from lengthwise.streams import escaped

if TYPE_CHECKING:
    from lengthwise.runs.display.live_display import LiveDisplay

REDRAW = 0.5
"""Seconds between two drawings on a terminal, and between two readings of the metrics."""
SILENCE = 30.0
"""Seconds without any plain line after which one says how far it is."""

Running = Callable[[], Sequence[RunningRun]]
"""Tells which runs are being made at the moment."""


class Progress:
    """Shows how far some runs are, from the beginning to the end of a `with` block.

    Args:
        total: How many runs there are.
        running: Returns the runs that are being made; it is called twice a second.
        work: How much work all runs are together, in the unit of `RunningRun.work`; by default 1 for each.
        stream: Where to write; standard error by default.
        clock: Returns seconds.

    Example:
        >>> with Progress(2, stream=sys.stdout, clock=lambda: 0.0) as progress:
        ...     progress.advance("the first is finished")
        the first is finished (1 of 2 runs, 0:00 gone, about 0:00 left)

    """

    def __init__(
        self,
        total: int = 0,
        running: Running | None = None,
        work: float | None = None,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.finished = 0
        self._work = float(total) if work is None else work
        self._finished_work = 0.0
        self._later = 0, 0.0
        self._sources: list[Running] = [] if running is None else [running]
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._begin = self._said = clock()
        self._paces = Paces(clock)
        self._live: LiveDisplay | None = None
        self._quiet = False
        self._drawing = threading.RLock()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick_on, daemon=True)

    def __enter__(self) -> Self:
        self._live = self._started_display()
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        try:
            if self._ticker.is_alive():
                self._ticker.join()
        finally:
            self._give_up_display()

    def note(self, text: str) -> None:
        """Print a line, above the live display if there is one.

        Args:
            text: The line.

        """
        text = escaped(text)
        with self._drawing:
            self._said = self._clock()
            if self._live is not None:
                try:
                    self._live.print(text)
                except Exception:
                    self._give_up_display()
                else:
                    return
            self._write(text + "\n")

    def advance(self, text: str, work: float = 1.0) -> None:
        """Count one more finished run and print a line about it.

        Args:
            text: What there is to say about the run.
            work: How much work it was.

        """
        with self._drawing:
            self.finished += 1
            self._finished_work += work
            self.note(f"{text} ({self.summary()})")
            if self._live is not None:
                self.tick()

    def part(self, total: int, running: Running, work: float) -> Part:
        """Show one of several sweeps of the same work, with one estimate for all of them.

        Pass this method as `show` to `run_sweep`.

        Args:
            total: How many runs the sweep makes.
            running: Returns those of its runs that are being made.
            work: How much work they are together.

        Returns:
            What the sweep reports to.

        Example:
            >>> with Progress(stream=sys.stdout, clock=lambda: 60.0) as progress:
            ...     for later in (1, 0):
            ...         progress.expect(runs=later)
            ...         with progress.part(1, list, 1.0) as part:
            ...             part.advance("finished")
            finished (1 of 2 runs, 0:00 gone, about 0:00 left)
            finished (2 of 2 runs, 0:00 gone)

        """
        return Part(self, total, running, work)

    def expect(self, runs: int, work: float | None = None) -> None:
        """Say what will follow after the part that is started next; it replaces what was said before.

        Args:
            runs: How many runs will follow then.
            work: How much work they are; 1 for each by default.

        """
        with self._drawing:
            self._later = runs, float(runs) if work is None else work

    def summary(self) -> str:
        """Return how far it is: finished runs, time gone, and the time that is left at the pace so far."""
        return self._summary(self._share(self._running()))

    def tick(self) -> None:
        """Draw anew on a terminal; elsewhere say how far it is if nothing was said for half a minute."""
        running = self._running()  # also where nothing is drawn: others listen to the metrics that are read here
        if self._over.is_set() or not self.total:
            return
        with self._drawing:
            if self._live is None:
                if self._clock() - self._said >= SILENCE:
                    self.note(self._summary(self._share(running)))
                return
            share = self._share(running)
            try:
                self._live.draw([(each, self._paces.left(each)) for each in running], share, self._summary(share))
            except Exception:
                self._give_up_display()

    def _share(self, running: Sequence[RunningRun]) -> float:
        """The share of the work that is done, from 0 to 1."""
        work = self._work + self._later[1]
        return min(1.0, (self._finished_work + sum(each.done for each in running)) / work) if work > 0 else 0.0

    def _summary(self, share: float) -> str:
        gone = self._clock() - self._begin
        parts = [f"{self.finished} of {self.total + self._later[0]} runs", f"{spoken(gone)} gone"]
        if 0 < share < 1:
            parts.append(f"about {spoken(gone * (1 - share) / share)} left")
        return ", ".join(parts)

    def _running(self) -> list[RunningRun]:
        try:
            return [each for source in tuple(self._sources) for each in source()]
        except Exception:  # what others give us must not end the work
            return []

    def _tick_on(self) -> None:
        while not self._over.wait(REDRAW):
            with suppress(Exception):
                self.tick()

    def _started_display(self) -> LiveDisplay | None:
        """The live display if the stream is a terminal that can show it."""
        with suppress(Exception):
            if self._stream.isatty():
                from lengthwise.runs.display.live_display import LiveDisplay

                return LiveDisplay.started(self._stream)
        return None

    def _give_up_display(self) -> None:
        with self._drawing:
            live, self._live = self._live, None
            if live is not None:
                live.stop()

    def _write(self, text: str) -> None:
        if self._quiet:
            return
        try:
            self._stream.write(_writable(text, self._stream))
            self._stream.flush()
        except (OSError, ValueError):
            self._quiet = True

    def _join(self, part: Part) -> None:
        with self._drawing:
            self.total += part.total
            self._work += part.work
            self._sources.append(part.running)

    def _leave(self, part: Part) -> None:
        with self._drawing:
            if part.running in self._sources:
                self._sources.remove(part.running)
            # Runs that an interrupted or failed sweep did not come to are no longer waited for.
            self.total -= part.total - part.finished
            self._work -= part.work - part.finished_work


class Part:
    """One of several sweeps that share a display; `Progress.part` makes it."""

    def __init__(self, whole: Progress, total: int, running: Running, work: float) -> None:
        self.total, self.running, self.work = total, running, work
        self.finished, self.finished_work = 0, 0.0
        self._whole = whole

    def __enter__(self) -> Self:
        self._whole._join(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._whole._leave(self)

    def note(self, text: str) -> None:
        """Print a line above the live display."""
        self._whole.note(text)

    def advance(self, text: str, work: float = 1.0) -> None:
        """Count one more finished run and print a line about it."""
        self.finished += 1
        self.finished_work += work
        self._whole.advance(text, work)


def _writable(text: str, stream: Any) -> str:
    """The text with escapes for characters that the encoding of a stream lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, errors="backslashreplace").decode(encoding)
