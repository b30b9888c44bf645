"""Timing that survives a noisy machine: the best of several runs, each long enough for the clock."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time


def seconds(work: Callable[[], object], budget: float = 0.4) -> float:
    """Time of one call: the best of repeated rounds within about `budget` seconds, after one call to warm up."""
    work()
    start = perf_counter()
    work()
    once = max(perf_counter() - start, 1e-7)
    calls = max(1, int(0.02 / once))
    best = once
    until = perf_counter() + budget
    while perf_counter() < until:
        start = perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (perf_counter() - start) / calls)
    return best


def rate(symbols: int, work: Callable[[], object], budget: float = 0.4) -> float:
    """Symbols per second."""
    return symbols / seconds(work, budget)


def cpu_seconds(work: Callable[[], object], calls: int = 10, warm: bool = True) -> float:
    """Processor time of one call: a stretch of calls, behind one to warm up."""
    if warm:
        work()
    start = process_time()
    for _ in range(calls):
        work()
    return (process_time() - start) / calls
