"""Attack what reads files and texts of others: each of many random inputs must end in success or our own error.

`python -m benchmarks.fuzz --inputs 1000000` shares the inputs out over the targets of `tests/fuzz/targets.py`, in the
ratios that the test suite uses. The input with a given number is the same in every run; failures are printed with
theirs, and `--target NAME --first NUMBER --inputs 1` reads one of them again, with its traceback.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fuzz.targets import TARGETS, attacked

SHARES = {
    "regexes": 250, "DFA files in JSON": 200, "DFA files as tables": 200, "DFA files of AT&T": 150,
    "C-RASP programs": 100, "settings of runs": 30, "figure files": 20, "model files": 28,
    "Hugging Face directories": 20, "command lines": 2,
}  # fmt: skip
"""Of a thousand inputs; quick targets get more."""
LONGEST = 20.0
"""Seconds of processor time that an input may take."""
MEMORY = 6 << 30
"""Bytes of address space that the process may have."""


class TooLongError(BaseException):
    """An input took too long; no reader catches this."""


@contextmanager
def bounded(seconds: float = LONGEST) -> Iterator[None]:
    """Raise `TooLongError` after so much processor time of this process."""

    def stop(*_: object) -> None:
        raise TooLongError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def failures(name: str, first: int, count: int, directory: Path) -> Iterator[tuple[int, BaseException]]:
    """The inputs that end in anything but success or our own error, with what they end in."""
    for number in range(first, first + count):
        try:
            with bounded():
                attacked(name, number, directory)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            yield number, problem


def main() -> int:
    """Attack; the exit code is 1 if an input ended in anything but success or our own error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--target", choices=list(TARGETS))
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    failed = 0
    for name in [options.target] if options.target else list(TARGETS):
        count = options.inputs if options.target else options.inputs * SHARES[name] // 1000
        begin, bad = time.process_time(), 0
        with tempfile.TemporaryDirectory() as directory:
            for number, problem in failures(name, options.first, count, Path(directory)):
                bad += 1
                print(f"{name} {number}: {type(problem).__name__}: {str(problem)[:300]}", flush=True)
                if count == 1:
                    traceback.print_exception(problem)
        seconds = time.process_time() - begin
        print(f"{name}: {count:,} inputs, {bad} failures, {seconds:.1f} s of processor time", flush=True)
        failed += bad
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
