"""The engine `ray`: the runs of a sweep on a Ray cluster, or on a Ray of this machine's own.

Workers may be other machines, so nothing is assumed about their disks: a run comes back as the content of its files.
Ray itself is imported when the engine is made; it is in the extra `cluster`.
"""

from __future__ import annotations

import importlib
import importlib.util
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from lengthwise.resources import Deadline, check_time
from lengthwise.runs.engines.engine import ATTEMPTS, ONE_THREAD, EngineError, Item, Outcome, Outcomes, Value, given_up

PATIENCE = 1.5
"""Seconds in which an address has to accept a connection, and as many in which it has to say something."""
LONG_PATIENCE = 30.0
"""Seconds for Ray's own check of its health, which starts a process; for what speaks as Ray does, but may not be it."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0"
"""How a client begins HTTP/2, in which Ray talks: the preface and empty settings (RFC 9113, section 3.4)."""
SETTINGS = 4
"""The type of the frame with which a server of HTTP/2 answers, which stands behind three bytes of length."""
ALERT = 0x15
"""The first byte of a server that wants TLS, about which Ray itself says more."""


class Ray:
    """A Ray cluster at an address, or one of this machine's own if there is none."""

    shares_disk = False

    def __init__(self, address: str | None = None, processes: int | None = None) -> None:
        """Connect, or say in one sentence why that is not possible.

        `processes` limits how many items are worked on at once; without it, it is the number of cores.
        """
        if processes is not None and processes < 1:
            raise EngineError(f"{processes} worker processes are too few; give at least 1")
        if importlib.util.find_spec("ray") is None:
            raise _not_installed()
        if address is not None and address != "auto":
            require_cluster(address)
        # Only now: this takes seconds, in which an address without a cluster could have been refused.
        self._ray = _imported()
        if address is not None and address != "auto":
            _require_health(address)
        # A cluster of this machine's own listens on loopback only.
        own: dict[str, Any] = {"num_cpus": processes, "_node_ip_address": "127.0.0.1"}
        options = own if address is None else {"address": address}
        try:
            self._ray.init(
                **options,
                ignore_reinit_error=True,
                include_dashboard=False if address is None else None,
                log_to_driver=False,
                logging_level="error",
                runtime_env={"env_vars": ONE_THREAD},
            )
        except Exception as problem:
            where = "on this machine" if address is None else f"at {address}"
            raise EngineError(f"Ray {where} cannot be used: {_first_sentence(problem)}") from None
        self.processes = processes or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def completed(self, function: Callable[[Item], Value], items: Iterable[Item]) -> Outcomes[Item, Value]:
        """The outcome of the function on each item, in the order of completion."""
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=0)(function_caller)
        shared = ray.put(function)
        waiting = deque((item, 1) for item in items)
        running: dict[Any, tuple[Item, int]] = {}
        ready: deque[Outcome[Item, Value]] = deque()
        try:
            while waiting or running or ready:
                while waiting and len(running) < self.processes:
                    item, attempt = waiting.popleft()
                    running[remote.remote(shared, item)] = item, attempt
                while ready:
                    yield ready.popleft()
                if running:
                    check_time()
                left = Deadline(None).left()
                for reference in ray.wait(list(running), num_returns=1, timeout=left)[0] if running else ():
                    item, attempt = running.pop(reference)
                    try:
                        ready.append(Outcome(item, ray.get(reference)))
                    except ray.exceptions.RayTaskError as problem:
                        ready.append(Outcome(item, error=_cause(problem)))
                    except ray.exceptions.RayError as problem:
                        if attempt < ATTEMPTS:
                            waiting.append((item, attempt + 1))
                        else:
                            ready.append(Outcome(item, error=given_up(_first_sentence(problem))))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def function_caller(function: Callable[[Item], Value], item: Item) -> Value:
    """The function's value: what is sent to a worker, with the function itself sent once."""
    return function(item)


def _imported() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise _not_installed() from None


def _not_installed() -> EngineError:
    return EngineError(
        "the engine 'ray' needs Ray, which is not installed; install lengthwise[cluster] or use --engine local"
    )


def require_cluster(address: str, patience: float = PATIENCE) -> None:
    """Refuse an address at which nobody listens, or nobody who talks as Ray does.

    Ray's own attempts take a minute and may end the process.
    """
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host is None or port is None:
        raise EngineError(f"{address!r} is no address of a Ray cluster; write host:port or ray://host:port")
    try:
        connection = socket.create_connection((host, port), timeout=patience)
    except OSError as problem:
        raise _unreachable(address, (problem.strerror or str(problem)).lower()) from None
    with connection:
        try:
            connection.settimeout(patience)
            connection.sendall(GREETING)
            answer = _received(connection, 4)
        except OSError:
            answer = b""
    if not (len(answer) == 4 and answer[3] == SETTINGS) and answer[:1] != bytes([ALERT]):
        raise _unreachable(address, "what listens there does not answer as Ray does")


def _received(connection: socket.socket, number: int) -> bytes:
    """The first bytes that somebody says, fewer if the connection is closed before."""
    found = b""
    while len(found) < number and (more := connection.recv(number - len(found))):
        found += more
    return found


def _require_health(address: str) -> None:
    """Refuse an address at which somebody talks as Ray does and is something else.

    Whatever else is wrong, such as a token that is asked for, Ray says quickly and better when it connects; so it does
    for ray:// addresses.
    """
    if address.startswith("ray://"):
        return
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        subprocess.run(command, capture_output=True, check=False, timeout=LONG_PATIENCE)  # noqa: S603 - no shell
    except subprocess.TimeoutExpired:
        raise _unreachable(address, "what listens there does not answer as Ray does") from None


def _unreachable(address: str, reason: str) -> EngineError:
    return EngineError(f"no Ray cluster can be reached at {address}: {reason}; is it running there (ray start --head)?")


def _cause(problem: Any) -> Exception:
    cause = getattr(problem, "cause", None)
    return cause if isinstance(cause, Exception) else EngineError(_first_sentence(problem))


def _first_sentence(problem: object) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return (lines[0].split(". ")[0].rstrip(".") if lines else "") or type(problem).__name__
