"""Progress, with a clock that only moves when it is told to."""

import io
import re

import pytest
from rich.console import Console

from lengthwise.runs.display.live_display import LiveDisplay
from lengthwise.runs.display.pace import Paces, spoken
from lengthwise.runs.display.progress import SILENCE, Progress
from lengthwise.runs.display.watch import RunningRun

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
"""What hides the cursor of a terminal, and shows it."""


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class AsciiTerminal(io.TextIOWrapper):
    def __init__(self, errors: str) -> None:
        super().__init__(io.BytesIO(), encoding="ascii", errors=errors, write_through=True)

    def isatty(self) -> bool:
        return True

    def getvalue(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode("ascii")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def run(step: int = 500, **changes: object) -> RunningRun:
    facts: dict[str, object] = {
        "id": "a", "task": "majority", "scheme": "NoPE", "train_length": 16, "size": "1/2/64", "seeds": "0-7",
        "step": step, "limit": 1000, "loss": 0.0123, "accuracy": 0.987,
    }  # fmt: skip
    return RunningRun(**{**facts, **changes})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


# ------------------------------------------------------------------------------------------------ the time left


def test_what_is_left_follows_from_the_pace_so_far_with_the_halves_of_unfinished_runs() -> None:
    clock, out = Clock(), io.StringIO()
    progress = Progress(4, running=lambda: [run(500)], stream=out, clock=clock)
    clock.now = 60
    progress.advance("one finished")
    assert out.getvalue() == "one finished (1 of 4 runs, 1:00 gone, about 1:40 left)\n"


def test_a_run_of_ten_times_the_work_counts_ten_times() -> None:
    clock, out = Clock(), io.StringIO()
    progress = Progress(2, work=11.0, stream=out, clock=clock)
    clock.now = 5
    progress.advance("the small one finished", work=1.0)
    assert out.getvalue() == "the small one finished (1 of 2 runs, 0:05 gone, about 0:50 left)\n"


def test_nothing_is_said_about_the_time_left_before_there_is_any_pace_and_at_the_end() -> None:
    clock = Clock()
    progress = Progress(1, stream=io.StringIO(), clock=clock)
    clock.now = 5
    assert progress.summary() == "0 of 1 runs, 0:05 gone"
    progress.advance("done")
    assert progress.summary() == "1 of 1 runs, 0:05 gone"


def test_several_sweeps_have_one_estimate() -> None:
    clock, out = Clock(), io.StringIO()
    progress = Progress(stream=out, clock=clock)
    progress.expect(runs=3, work=6.0)
    with progress.part(1, list, 2.0) as part:
        clock.now = 10
        part.advance("first", work=2.0)
    progress.expect(runs=1, work=4.0)
    with progress.part(2, list, 2.0) as part:
        clock.now = 15
        part.advance("second", work=1.0)
    # The third run was given up with its sweep, so three are left of which two are finished.
    assert progress.summary() == "2 of 3 runs, 0:15 gone, about 0:20 left"
    assert out.getvalue().splitlines() == [
        "first (1 of 4 runs, 0:10 gone, about 0:30 left)",
        "second (2 of 4 runs, 0:15 gone, about 0:25 left)",
    ]


def test_a_run_goes_on_at_the_pace_that_was_seen() -> None:
    clock = Clock()
    paces = Paces(clock)
    assert paces.left(run(200)) is None
    clock.now = 30
    assert paces.left(run(500)) == 50  # 300 steps in 30 seconds, 500 to go
    clock.now = 40
    assert paces.left(run(500)) == 40  # no news; but time has passed
    clock.now = 100
    assert paces.left(run(500)) == 0
    assert paces.left(run(600, testing=True)) is None
    assert paces.left(run(0)) is None  # begun again


def test_times_are_spoken_as_on_a_clock() -> None:
    assert [spoken(seconds) for seconds in (0, 59.6, 3599, 3600, 86399)] == [
        "0:00",
        "1:00",
        "59:59",
        "1:00:00",
        "23:59:59",
    ]


# ------------------------------------------------------------------------------------------------- plain streams


def test_plain_streams_get_lines_without_control_characters() -> None:
    clock, out = Clock(), io.StringIO()
    with Progress(1, lambda: [run()], stream=out, clock=clock) as progress:
        progress.note("a note")
        progress.tick()
        progress.advance("done")
    assert out.getvalue() == "a note\ndone (1 of 1 runs, 0:00 gone)\n"


def test_a_plain_stream_hears_something_after_half_a_minute_of_silence() -> None:
    clock, out = Clock(), io.StringIO()
    progress = Progress(2, lambda: [run(500)], stream=out, clock=clock)
    for clock.now in (SILENCE - 1, SILENCE, SILENCE + 1, 2 * SILENCE - 1):
        progress.tick()
    assert out.getvalue() == "0 of 2 runs, 0:30 gone, about 1:30 left\n"
    clock.now = 2 * SILENCE
    progress.tick()
    assert out.getvalue().count("\n") == 2


@pytest.mark.parametrize("variable", ["dumb", "unknown"])
def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", variable)
    out = Terminal()
    with Progress(1, lambda: [run()], stream=out, clock=Clock()) as progress:
        progress.tick()
        progress.advance("done")
    assert out.getvalue() == "done (1 of 1 runs, 0:00 gone)\n"


def test_a_file_gets_plain_lines_even_if_colours_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = io.StringIO()
    with Progress(1, lambda: [run()], stream=out, clock=Clock()) as progress:
        progress.tick()
    assert out.getvalue() == ""


# ---------------------------------------------------------------------------------------------------- terminals


def drawn(runs: list[RunningRun], width: int, height: int = 24, left: float | None = 65) -> list[str]:
    """The lines of a drawing on a terminal of this size."""
    out = Terminal()
    console = Console(file=out, force_terminal=True, width=width, height=height, color_system=None)
    console.print(*LiveDisplay(console)._table([(each, left) for each in runs]), sep="\n", end="")
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).splitlines()]


def test_a_running_run_has_one_line_with_all_that_is_known_of_it() -> None:
    header, line = drawn([run()], 120)
    assert header.split() == ["task", "scheme", "N", "size", "seeds", "step", "loss", "accuracy", "left"]
    assert line.split() == ["majority", "NoPE", "16", "1/2/64", "0-7", "500/1,000", "0.012", "98.7%", "1:05"]


def test_all_columns_fit_into_80_characters_with_the_longest_names() -> None:
    long = run(12_345, task="in-context-k-gram context=1", scheme="randomized APE", limit=20_000, train_length=100)
    header, line = drawn([long], 80)
    assert header.split() == ["task", "scheme", "N", "size", "seeds", "step", "loss", "acc.", "left"]
    assert "randomized APE" in line
    assert "12.3k/20k" in line
    assert len(line) <= 80


@pytest.mark.parametrize("width", [20, 30, 40, 60, 79])
def test_a_narrow_terminal_loses_columns_but_not_the_scheme(width: int) -> None:
    lines = drawn([run(scheme="RoPE"), run(scheme="APE")], width)
    assert len(lines) == 3
    assert all(len(line) <= width for line in lines)
    assert "RoPE" in lines[1]
    assert "APE" in lines[2]


def test_a_low_terminal_says_how_many_runs_it_does_not_show() -> None:
    lines = drawn([run() for _ in range(30)], 100, height=10)
    assert len(lines) == 8
    assert lines[-1] == "and 24 more"


def test_a_terminal_shows_the_runs_and_is_left_with_a_cursor_and_the_notes_alone() -> None:
    clock, out = Clock(), Terminal()
    with Progress(2, lambda: [run()], stream=out, clock=clock) as progress:
        progress.tick()
        assert "majority" in out.getvalue()
        assert "0 of 2 runs" in out.getvalue()
        progress.advance("one finished")
    assert out.getvalue().count(HIDE) == 1
    assert out.getvalue().rindex(SHOW) > out.getvalue().rindex("majority")
    assert "one finished (1 of 2 runs" in out.getvalue()


def test_a_terminal_that_gets_narrower_is_left_with_no_parts_of_broken_lines() -> None:
    def ups() -> int:
        return out.getvalue().count("\x1b[1A")

    out = Terminal()
    console = Console(file=out, force_terminal=True, width=100, height=24, color_system=None)
    display = LiveDisplay(console)
    display._live.start()
    display.draw([(run(), 65), (run(), 65)], 0.5, "1 of 2 runs")
    widths = [*map(len, drawn([run(), run()], 100)), 24 + 2 + len("1 of 2 runs")]
    before = ups()
    console.width = 30
    display.draw([], 0.5, "1 of 2 runs")
    assert ups() - before == sum(-(-width // 30) for width in widths) - 1
    before = ups()
    display.stop()
    assert ups() - before <= 2


def test_the_cursor_comes_back_after_an_interruption() -> None:
    out = Terminal()

    def interrupted() -> None:
        with Progress(2, lambda: [run()], stream=out, clock=Clock()) as progress:
            progress.tick()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert out.getvalue().rindex(SHOW) > out.getvalue().rindex(HIDE)


def test_no_colours_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    colour = re.compile(r"\x1b\[[0-9;]*(3[0-9]|9[0-7]|38;)[0-9;]*m")

    def shown() -> str:
        out = Terminal()
        with Progress(2, lambda: [run()], stream=out, clock=Clock()) as progress:
            progress.tick()
        return out.getvalue()

    assert colour.search(shown())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(shown())


def test_a_terminal_without_block_characters_gets_a_bar_of_others() -> None:
    out = AsciiTerminal("strict")
    with Progress(2, lambda: [run(task="a-task-with-a-very-long-name" * 3)], stream=out, clock=Clock()) as progress:
        progress.tick()
        assert "NoPE" in out.getvalue()
        assert "0 of 2 runs" in out.getvalue()
    assert "--" in out.getvalue()


def test_characters_that_a_terminal_lacks_are_escaped_at_the_latest_in_plain_lines() -> None:
    out = AsciiTerminal("strict")
    with Progress(2, stream=out, clock=Clock()) as progress:
        progress.advance("Σ finished")
        progress.advance("next")
    assert "\\u03a3 finished (1 of 2 runs" in out.getvalue()
    assert "next (2 of 2 runs" in out.getvalue()


# ------------------------------------------------------------------------------------------------------ failures


def test_a_display_that_fails_gives_way_to_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(LiveDisplay, "draw", fails)
    out = Terminal()
    with Progress(2, lambda: [run()], stream=out, clock=Clock()) as progress:
        progress.tick()
        progress.advance("one")
    assert out.getvalue().endswith("one (1 of 2 runs, 0:00 gone, about 0:00 left)\n")
    assert SHOW in out.getvalue()


def test_a_stream_that_is_closed_ends_nothing() -> None:
    out = io.StringIO()
    with Progress(1, stream=out, clock=Clock()) as progress:
        out.close()
        progress.note("nobody hears it")
        progress.advance("done")
    assert progress.finished == 1


def test_metrics_that_cannot_be_read_end_nothing() -> None:
    def fails() -> list[RunningRun]:
        raise OSError

    out = io.StringIO()
    progress = Progress(2, fails, stream=out, clock=Clock())
    progress.tick()
    progress.advance("one")
    assert out.getvalue() == "one (1 of 2 runs, 0:00 gone, about 0:00 left)\n"
