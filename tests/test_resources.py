"""Deadlines and limits of memory: nothing here reads the clock of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from lengthwise import resources
from lengthwise.errors import LengthwiseError
from lengthwise.resources import (
    Deadline,
    MemoryLimitError,
    Pace,
    TimeLimitError,
    check_time,
    require_memory,
    time_limit,
    within_time,
)


class Clock:
    """A clock that says one second more each time it is asked, and how many lines ran between two questions."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines = self.most_lines = 0

    def __call__(self) -> float:
        self.most_lines = max(self.most_lines, self.lines)
        self.lines = 0
        self.now += 1.0
        return self.now

    def counting(self, call: Callable[[], object]) -> object:
        """What a call returns, while its lines are counted."""

        def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            self.lines += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return call()
        finally:
            sys.settrace(before)
            self.most_lines = max(self.most_lines, self.lines)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that deadlines read in this test."""
    made = Clock()
    monkeypatch.setattr(resources, "clock", made)
    return made


def test_without_a_deadline_time_is_not_even_asked_for(clock: Clock) -> None:
    check_time()
    with time_limit(None).in_force():
        check_time()
    assert clock.now == 0


def test_the_time_is_checked_up_to_the_limit_and_not_after(clock: Clock) -> None:
    with time_limit(5).in_force():
        for _ in range(5):
            check_time()
        with pytest.raises(TimeLimitError, match="time limit of 5 seconds was reached; allow more with --seconds"):
            check_time()
    check_time()  # the block is left


@pytest.mark.parametrize(("outer", "inner"), [(3, 100), (100, 3)])
def test_of_two_deadlines_the_earlier_holds_and_is_named(clock: Clock, outer: float, inner: float) -> None:
    with (
        time_limit(outer).in_force(),
        time_limit(inner).in_force(),
        pytest.raises(TimeLimitError, match="limit of 3 seconds"),
    ):
        list(within_time(range(20)))


def test_a_deadline_made_inside_another_is_not_later(clock: Clock) -> None:
    with time_limit(10).in_force():
        assert Deadline(1000).end == Deadline(None).end == 11
        assert Deadline(2).end < 11
    assert Deadline(None).left() is None


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_that_is_no_positive_number_is_refused(seconds: float) -> None:
    with pytest.raises(LengthwiseError, match="positive number of seconds"):
        time_limit(seconds)


def test_memory_is_refused_with_estimate_limit_and_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENGTHWISE_MEMORY", "2G")
    require_memory(2e9, "a word", "choose a smaller --length")
    message = (
        "a word would take about 3.2 GB of memory, and the limit is 2 GB; choose a smaller --length, or raise the "
        "limit with LENGTHWISE_MEMORY"
    )
    with pytest.raises(MemoryLimitError) as caught:
        require_memory(3.2e9, "a word", "choose a smaller --length")
    assert str(caught.value) == message


@pytest.mark.parametrize(("text", "size"), [("500M", 5e8), ("1.5g", 1.5e9), ("1e3", 1000), ("4GB", 4e9)])
def test_the_limit_of_memory_is_read_with_its_unit(monkeypatch: pytest.MonkeyPatch, text: str, size: float) -> None:
    monkeypatch.setenv("LENGTHWISE_MEMORY", text)
    assert resources.memory_limit() == size


@pytest.mark.parametrize("text", ["much", "-1G", "0", "nan", "inf", "G"])
def test_a_limit_of_memory_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("LENGTHWISE_MEMORY", text)
    with pytest.raises(LengthwiseError, match="LENGTHWISE_MEMORY is a number of bytes"):
        resources.memory_limit()


def test_without_the_variable_the_limit_is_below_what_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENGTHWISE_MEMORY", raising=False)
    with open("/proc/meminfo", encoding="ascii") as lines:
        total = 1024 * int(next(line for line in lines if line.startswith("MemTotal")).split()[1])
    assert 0 < resources.memory_limit() <= total // 2


def test_a_step_is_not_begun_that_would_end_after_the_deadline(clock: Clock) -> None:
    pace = Pace(end=10.0)
    assert pace.allows(100)  # it is 2 o'clock
    assert pace.allows(300)  # 3: the step took 1, the next one may take 3
    clock.now = 8.0
    assert not pace.allows(400)  # 9: the step took 6, a larger one would not end by 10


def test_small_steps_do_not_forbid_large_ones(clock: Clock) -> None:
    pace = Pace(end=10.0)
    assert pace.allows(1)
    assert pace.allows(10**6)


def test_without_the_modules_of_unix_lengthwise_is_imported_and_has_a_limit_of_memory() -> None:
    program = (
        "import os, sys\n"
        "sys.modules['resource'] = sys.modules['fcntl'] = None\n"
        "del os.sysconf\n"
        "from lengthwise import resources\n"
        "resources.CGROUPS = ()\n"
        "import lengthwise as lw\n"
        "assert lw.verify('a*', 'a*').equal\n"
        "print(resources.memory_limit())"
    )
    environment = {name: value for name, value in os.environ.items() if name != resources.VARIABLE}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, int(done.stdout)) == ("", resources.ASSUMED // 2)
