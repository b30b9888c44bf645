import io
from collections.abc import Iterator

from lengthwise.lab.progress import Progress, spoken


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def clock(*times: float) -> Iterator[float]:
    yield from times


def test_what_is_left_follows_from_the_pace_so_far() -> None:
    times = clock(0, 60, 90)
    out = io.StringIO()
    progress = Progress(4, running=lambda: 0.5, stream=out, clock=lambda: next(times))
    progress.advance("one finished")
    assert out.getvalue() == "one finished (1 of 4 runs, 1:00 gone, about 1:40 left)\n"


def test_nothing_is_said_about_the_time_left_before_there_is_any_pace() -> None:
    times = clock(0, 5)
    assert Progress(4, stream=io.StringIO(), clock=lambda: next(times)).summary() == "0 of 4 runs, 0:05 gone"


def test_plain_streams_get_no_control_characters() -> None:
    out = io.StringIO()
    with Progress(1, stream=out) as progress:
        progress.note("a note")
        progress.advance("done")
    assert out.getvalue().isprintable() or set(out.getvalue()) & set("\r\x1b") == set()
    assert out.getvalue().splitlines()[0] == "a note"


def test_a_terminal_is_left_without_a_bar() -> None:
    out = Terminal()
    with Progress(2, stream=out) as progress:
        progress.advance("one")
    assert out.getvalue().endswith("\r\x1b[K")


def test_times_are_spoken_as_on_a_clock() -> None:
    assert [spoken(seconds) for seconds in (0, 59.6, 3599, 3600, 86399)] == [
        "0:00",
        "1:00",
        "59:59",
        "1:00:00",
        "23:59:59",
    ]
