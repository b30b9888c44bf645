"""The time that running runs still need, from the steps that they have done while somebody looked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lengthwise.runs.display.watch import RunningRun


@dataclass
class _Pace:
    """When a run was first seen, and when its step changed last."""

    first_step: int
    first_time: float
    last_step: int
    last_time: float


class Paces:
    """Remembers the steps of runs over time.

    Args:
        clock: Returns seconds.

    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[str, _Pace] = {}

    def left(self, run: RunningRun) -> float | None:
        """Estimate the seconds until a run comes to its step limit.

        Args:
            run: The run as it is now.

        Returns:
            The seconds; None as long as no step was seen, and while it is tested.

        """
        now = self._clock()
        pace = self._known.get(run.id)
        if pace is None or run.step < pace.last_step:  # new, or begun again
            pace = self._known[run.id] = _Pace(run.step, now, run.step, now)
        if run.step > pace.last_step:
            pace.last_step, pace.last_time = run.step, now
        steps = pace.last_step - pace.first_step
        if run.testing or steps <= 0:
            return None
        # Steps are logged now and then, so those since the last line are behind it already.
        to_come = (run.limit - pace.last_step) * (pace.last_time - pace.first_time) / steps
        return max(0.0, to_come - (now - pace.last_time))


def spoken(seconds: float) -> str:
    """Return a time as h:mm:ss, or m:ss below an hour.

    Args:
        seconds: The time.

    Example:
        >>> spoken(65), spoken(3600)
        ('1:05', '1:00:00')

    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
