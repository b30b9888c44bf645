"""Engines: where the runs of a sweep are worked on, behind one generator, `completed(engine, function, items)`.

It yields an `Outcome` for each item as soon as there is one, in the order of completion. An error in one item never
costs another: it comes as that item's outcome. The deadline in force where outcomes are asked for ends them all with
`TimeLimitError`, and the work on the others with them. A worker process that is killed costs nothing but the item it
had in hand, which is tried once more and then given up with the reason.

- `serial`: in this process, one after the other.
- `local`: in worker processes of this machine (loky), each with one thread.
- `ray`: on a Ray cluster (`lengthwise.runs.engines.ray_engine`).
"""

from __future__ import annotations

import difflib
import os
import re
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.resources import Deadline, check_time, within_time

Item = TypeVar("Item")
Value = TypeVar("Value")

ATTEMPTS = 2
"""How often an item is tried whose worker dies."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""Variables that keep a worker on one core: with one process for each core, threads only get in each other's way."""
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**30), "MALLOC_TRIM_THRESHOLD_": str(2**32)}
"""Variables with which the C library of Linux keeps freed memory instead of giving it back and asking for it again:
testing on long words took 0.65 of the time (2/2/64, 240 symbols)."""
WATCH = 0.5
"""Seconds between two looks of a worker at whether its driver is still there."""


class EngineError(LengthwiseError):
    """An engine cannot be used, or lost what it was working on."""


@dataclass(frozen=True)
class Outcome(Generic[Item, Value]):
    """What became of an item: its value, or the error that prevented it."""

    item: Item
    value: Value | None = None
    error: Exception | None = None


Outcomes: TypeAlias = Generator[Outcome[Item, Value], None, None]
"""Outcomes as they come; closing it ends the work on the others."""


class Engine(Protocol):
    """A place where a function is applied to items."""

    @property
    def processes(self) -> int:
        """How many items it works on at once."""
        ...

    @property
    def shares_disk(self) -> bool:
        """Whether its workers write to the disk of this machine."""
        ...

    def completed(self, function: Callable[[Item], Value], items: Iterable[Item]) -> Outcomes[Item, Value]:
        """The outcome of the function on each item, in the order of completion."""
        ...


class Serial:
    """The process itself, one item after the other."""

    processes = 1
    shares_disk = True

    def completed(self, function: Callable[[Item], Value], items: Iterable[Item]) -> Outcomes[Item, Value]:
        """The outcome of the function on each item, in the order of the items."""
        for item in within_time(items):
            try:
                value = function(item)
            except Exception as problem:
                check_time()
                outcome: Outcome[Item, Value] = Outcome(item, error=problem)
            else:
                outcome = Outcome(item, value)
            yield outcome


class Local:
    """Worker processes of this machine, as many as there are cores unless told otherwise.

    Each is a pool of its own with one worker: a pool whose worker dies is lost as a whole, and which item the dead
    worker had in hand could not be told in a larger one.

    Args:
        processes: How many worker processes; else one for each core.

    Raises:
        EngineError: There are fewer than one.

    Example:
        >>> Local(2).processes
        2

    """

    shares_disk = True

    def __init__(self, processes: int | None = None) -> None:
        if processes is not None and processes < 1:
            raise EngineError(f"{processes} worker processes are too few; give at least 1")
        self.processes = processes or available_cores()

    def completed(self, function: Callable[[Item], Value], items: Iterable[Item]) -> Outcomes[Item, Value]:
        """The outcome of the function on each item, in the order of completion."""
        waiting = deque((item, 1) for item in items)
        idle: list[Any] = []
        running: dict[Future[Value], tuple[Any, Item, int]] = {}
        ready: deque[Outcome[Item, Value]] = deque()
        try:
            while waiting or running or ready:
                while waiting and len(running) < self.processes:
                    item, attempt = waiting.popleft()
                    worker = idle.pop() if idle else _new_worker()
                    running[worker.submit(function, item)] = worker, item, attempt
                # Only now, when all workers are busy again: what is done with an outcome may take its time.
                while ready:
                    yield ready.popleft()
                if running:
                    check_time()
                for future in wait(running, timeout=Deadline(None).left(), return_when=FIRST_COMPLETED).done:
                    worker, item, attempt = running.pop(future)
                    if (death := _death(future)) is None:
                        idle.append(worker)
                        ready.append(_outcome(future, item))
                        continue
                    worker.shutdown(wait=False, kill_workers=True)
                    if attempt < ATTEMPTS:
                        waiting.append((item, attempt + 1))
                    else:
                        ready.append(Outcome(item, error=given_up(death)))
        finally:
            for worker in (*idle, *(worker for worker, _, _ in running.values())):
                worker.shutdown(wait=True, kill_workers=True)


def given_up(death: str) -> EngineError:
    """The error of an item whose workers died."""
    return EngineError(f"its worker process died {ATTEMPTS} times ({death}); perhaps memory ran out")


def available_cores() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _new_worker() -> Any:
    import loky  # type: ignore[import-untyped]

    return loky.ProcessPoolExecutor(
        1, initializer=_begin_work, initargs=(os.getpid(),), env={**ONE_THREAD, **KEEP_MEMORY}
    )


def _begin_work(driver: int) -> None:
    """Prepare a worker: it leaves Ctrl-C to the driver, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(WATCH)
    os._exit(1)


def _death(future: Future[Any]) -> str | None:
    """How the worker of this future died, if it did."""
    from concurrent.futures.process import BrokenProcessPool

    problem = future.exception()
    if not isinstance(problem, BrokenProcessPool):
        return None
    codes = re.search(r"exit codes of the workers are \{(.*?)\}", str(problem))
    return codes[1] if codes else type(problem).__name__


def _outcome(future: Future[Value], item: Item) -> Outcome[Item, Value]:
    problem = future.exception()
    if problem is None:
        return Outcome(item, future.result())
    if isinstance(problem, Exception):
        return Outcome(item, error=problem)
    raise problem


EngineMaker = Callable[[int | None, str | None], Engine]
"""Builds an engine from a number of processes and an address, either of which may be left open."""

_MAKERS: dict[str, EngineMaker] = {}


def register_engine(name: str) -> Callable[[EngineMaker], EngineMaker]:
    """Make an engine known under a name: `@register_engine("slurm")` before a function that builds it.

    Args:
        name: The name.

    Returns:
        A decorator for a function of `processes` and `address` that makes the engine.

    Raises:
        EngineError: Another engine is registered under this name.

    Example:
        >>> register_engine("never-used")  # doctest: +SKIP

    """

    def register(maker: EngineMaker) -> EngineMaker:
        if name in _MAKERS:
            raise EngineError(f"two engines are named {name!r}: {_origin(_MAKERS[name])} and {_origin(maker)}")
        _MAKERS[name] = maker
        return maker

    return register


def _origin(maker: EngineMaker) -> str:
    return f"{maker.__module__}.{getattr(maker, '__qualname__', type(maker).__qualname__)}"


@register_engine("serial")
def _serial(processes: int | None, address: str | None) -> Engine:
    _without_address("serial", address)
    return Serial()


@register_engine("local")
def _local(processes: int | None, address: str | None) -> Engine:
    _without_address("local", address)
    return Local(processes)


@register_engine("ray")
def _ray(processes: int | None, address: str | None) -> Engine:
    from lengthwise.runs.engines.ray_engine import Ray

    return Ray(address, processes)


def _without_address(name: str, address: str | None) -> None:
    if address is not None:
        raise EngineError(f"the engine {name!r} has no address; --address belongs to --engine ray")


def engine_names() -> tuple[str, ...]:
    """The names of all engines."""
    return tuple(_MAKERS)


def get_engine(name: str, processes: int | None = None, address: str | None = None) -> Engine:
    """The engine of this name.

    Args:
        name: `serial`, `local`, `ray`, or the name of a registered engine.
        processes: How many runs at once.
        address: Of a Ray cluster: host:port.

    Returns:
        The engine.

    Raises:
        LengthwiseError: There is no such engine, or it takes no address.

    Example:
        >>> get_engine("serial").processes
        1

    """
    if name not in _MAKERS:
        near = difflib.get_close_matches(name.lower(), _MAKERS)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(_MAKERS)}"
        raise UnknownNameError(f"there is no engine {name!r}; {hint}")
    return _MAKERS[name](processes, address)


def completed(engine: Engine | str, function: Callable[[Item], Value], items: Iterable[Item]) -> Outcomes[Item, Value]:
    """The outcome of the function on each item, as they come; an engine may be given by its name."""
    chosen = get_engine(engine) if isinstance(engine, str) else engine
    return chosen.completed(function, items)
