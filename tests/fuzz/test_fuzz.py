"""No input ends in a traceback, in endless work or in all of the memory, whoever made it."""

import resource
from pathlib import Path

import pytest
from benchmarks.fuzz import SHARES, failures

from tests.fuzz.targets import TARGETS

QUICK = 2_000
"""Inputs of every test run."""
SLOW = 100_000
"""Inputs of the slow tests, about a minute of processor time together."""
MOST_MEMORY = 2 << 20
"""Kilobytes that inputs may add to what the process has."""


def test_all_inputs_are_shared_out() -> None:
    assert set(SHARES) == set(TARGETS)
    assert sum(SHARES.values()) == 1000


def require_none(name: str, count: int, directory: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [f"{number}: {problem!r}" for number, problem in failures(name, 0, count * SHARES[name] // 1000, directory)]
    assert not found
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_inputs_end_in_success_or_in_our_own_error(name: str, tmp_path: Path) -> None:
    require_none(name, QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_very_many_hostile_inputs_do_as_well(name: str, tmp_path: Path) -> None:
    require_none(name, SLOW, tmp_path)
