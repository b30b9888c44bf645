"""Metrics of runs for other tools: TensorBoard and Trackio, through one small protocol.

The driver of a sweep reads the metrics of runs from the store (`watch`) and hands them on, so workers
need nothing for it, and every engine works; runs on a cluster are handed on when they are finished. Both tools are
extras, imported when they are asked for. Nothing leaves this machine.

| name | step | value |
|---|---|---|
| `train/loss/seed-0` | training step | the loss of a batch |
| `train/accuracy/seed-0` | training step | the in-distribution accuracy, where training checks it |
| `test/loss/seed-0`, `test/accuracy/seed-0` | test length | the results |
"""

from __future__ import annotations

import importlib
import inspect
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any, Protocol

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.labels import scheme_of, seeds_label

ID_DIGITS = 8
"""Digits of a run's id at the end of its name."""
ELSEWHERE = ("TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL", "TRACKIO_BUCKET_ID", "TRACKIO_DATASET_ID")
"""Variables that make Trackio send metrics to other machines."""


class LoggingError(LengthwiseError):
    """Metrics cannot be logged as asked for."""


class RunLogger(Protocol):
    """Takes down numbers of runs; runs are told apart by their names."""

    def has(self, run: str) -> bool:
        """Return whether numbers of a run of this name were taken down before."""
        ...

    def start(self, run: str, settings: Mapping[str, Any]) -> None:
        """Begin with a run; one that was begun before begins again."""
        ...

    def log(self, run: str, step: int, values: Mapping[str, float]) -> None:
        """Take down numbers of a run by their names."""
        ...

    def finish(self, run: str) -> None:
        """End with a run; what was taken down can be read then."""
        ...


class TensorBoard:
    """Writes event files for TensorBoard, one directory for each run.

    Args:
        directory: Where the directories of runs go; `tensorboard --logdir DIRECTORY` shows them.

    Raises:
        LoggingError: The package tensorboard is not installed.

    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        try:
            self._writer = importlib.import_module("torch.utils.tensorboard").SummaryWriter
        except ImportError:
            raise _missing("tensorboard", "TensorBoard") from None
        self._writers: dict[str, Any] = {}

    def has(self, run: str) -> bool:
        """Return whether there are event files of a run."""
        return any((self.directory / run).glob("*tfevents*"))

    def start(self, run: str, settings: Mapping[str, Any]) -> None:
        """Open an event file; those that an unfinished attempt left count no longer."""
        self.finish(run)
        before = {"purge_step": 0} if self.has(run) else {}
        self._writers[run] = self._writer(str(self.directory / run), **before)
        self._writers[run].add_text("settings", _as_text(settings))

    def log(self, run: str, step: int, values: Mapping[str, float]) -> None:
        """Write numbers."""
        for name, value in values.items():
            self._writers[run].add_scalar(name, value, step)

    def finish(self, run: str) -> None:
        """Close the event file."""
        if run in self._writers:
            self._writers.pop(run).close()


class Trackio:
    """Writes to a Trackio project on this machine; `trackio show --project PROJECT` shows it.

    Args:
        project: The name of the project.

    Raises:
        LoggingError: The package trackio is not installed, or it is set up to send metrics to another machine.

    """

    def __init__(self, project: str) -> None:
        self.project = project
        for name in ELSEWHERE:
            if os.environ.get(name):
                raise LoggingError(f"{name} is set, but metrics are logged on this machine only; unset {name}")
        try:
            self._trackio = importlib.import_module("trackio")
        except ImportError:
            raise _missing("trackio", "Trackio") from None
        self._runs: dict[str, Any] = {}

    def has(self, run: str) -> bool:
        """Return whether the project has a run of this name; also if that cannot be found out."""
        if not hasattr(self._trackio, "Api"):
            return True
        try:
            with _silent():
                return run in {each.name for each in self._trackio.Api().runs(self.project)}
        except ValueError:  # there is no such project yet
            return False

    def start(self, run: str, settings: Mapping[str, Any]) -> None:
        """Begin a run of the project."""
        self.finish(run)
        wanted = {
            "project": self.project,
            "name": run,
            "config": dict(settings),
            "resume": "never",
            "embed": False,
            "auto_log_gpu": False,
            "auto_log_cpu": False,
        }
        known = inspect.signature(self._trackio.init).parameters
        with _silent():
            self._runs[run] = self._trackio.init(**{name: value for name, value in wanted.items() if name in known})
        # Otherwise Trackio would finish it once more when the program ends, and print that to standard output.
        with suppress(AttributeError):
            self._trackio.context_vars.current_run.set(None)

    def log(self, run: str, step: int, values: Mapping[str, float]) -> None:
        """Hand over numbers."""
        self._runs[run].log(dict(values), step=step)

    def finish(self, run: str) -> None:
        """End a run."""
        if run in self._runs:
            with _silent():
                self._runs.pop(run).finish()


KINDS: Mapping[str, Callable[[str], RunLogger]] = {"tensorboard": TensorBoard, "trackio": Trackio}
"""What makes a logger of the text after the colon."""


def get_logger(text: str) -> RunLogger:
    """Make the logger that a text stands for.

    Args:
        text: `tensorboard:DIR` or `trackio:PROJECT`.

    Returns:
        The logger.

    Raises:
        LoggingError: The text is neither, or the package is not installed.

    Example:
        >>> get_logger("x:y")
        Traceback (most recent call last):
        ...
        lengthwise.runs.display.logging_adapters.LoggingError: --log is tensorboard:DIR or trackio:PROJECT, not 'x:y'

    """
    kind, _, target = text.partition(":")
    if kind not in KINDS or not target:
        raise LoggingError(f"--log is tensorboard:DIR or trackio:PROJECT, not {text!r}")
    return KINDS[kind](target)


def run_name(run: RunConfig) -> str:
    """Return the name of a run in other tools: task, scheme, training length, seeds and the beginning of its id.

    Args:
        run: The settings of the run.

    Returns:
        Letters, digits, dots, dashes and underscores.

    Example:
        >>> from lengthwise.runs.config import RunConfig
        >>> run_name(RunConfig(task="simple-task", train_length=8, test_lengths=["N"])).rpartition("-")[0]
        'simple-task-NoPE-N8-seed0'

    """
    seeds = f"seed{seeds_label(run.seeds)}" if len(run.seeds) == 1 else f"seeds{seeds_label(run.seeds)}"
    text = f"{run.task}-{scheme_of(run)}-N{run.train_length}-{seeds}"
    return f"{re.sub(r'[^A-Za-z0-9._]+', '-', text).strip('-')}-{run.id[:ID_DIGITS]}"


class LogFeed:
    """Hands lines of metrics to a logger; a logger that fails is left alone from then on.

    Args:
        logger: Where the numbers go.

    """

    def __init__(self, logger: RunLogger) -> None:
        self._logger: RunLogger | None = logger
        self.problem: str | None = None
        """Why the logger is not used any more."""

    def begin(self, run: RunConfig) -> None:
        """Begin with a run."""
        self._do(lambda logger: logger.start(run_name(run), run.settings()))

    def record(self, run: RunConfig, record: Mapping[str, Any]) -> None:
        """Hand on a line of the metrics, if it has numbers."""
        step, values = scalars(record)
        if values:
            self._do(lambda logger: logger.log(run_name(run), step, values))

    def end(self, run: RunConfig) -> None:
        """End with a run."""
        self._do(lambda logger: logger.finish(run_name(run)))

    def lacks(self, run: RunConfig) -> bool:
        """Return whether the logger has nothing about a run."""
        found: list[bool] = []
        self._do(lambda logger: found.append(not logger.has(run_name(run))))
        return found == [True]

    def _do(self, action: Callable[[RunLogger], None]) -> None:
        if self._logger is None:
            return
        try:
            action(self._logger)
        except Exception as problem:  # whatever another package does must not end a sweep
            kind = type(self._logger).__name__
            self.problem = f"no more metrics go to {kind}: {type(problem).__name__}: {problem}"
            self._logger = None


def feeds(log: str | RunLogger | Iterable[str | RunLogger] | None) -> tuple[LogFeed, ...]:
    """Return what hands metrics to loggers.

    Args:
        log: A logger, or a text as in `get_logger`, or several of them.

    Returns:
        One feed for each.

    Raises:
        LoggingError: A text stands for no logger, or its package is not installed.

    """
    if log is None:
        return ()
    several: Sequence[Any] = (log,) if isinstance(log, str) or hasattr(log, "start") else tuple(log)
    return tuple(LogFeed(get_logger(each) if isinstance(each, str) else each) for each in several)


def scalars(record: Mapping[str, Any]) -> tuple[int, dict[str, float]]:
    """Return the numbers of a line of metrics by their names, and the step that they belong to.

    Args:
        record: A line of `metrics.jsonl`.

    Returns:
        The training step or, for results, the test length; and the numbers, none of them infinite or NaN.

    Example:
        >>> scalars({"step": 5, "loss": {"0": 0.5, "1": None}})
        (5, {'train/loss/seed-0': 0.5})
        >>> scalars({"seed": 1, "test_length": 64, "loss": 0.25, "accuracy": 1.0})
        (64, {'test/loss/seed-1': 0.25, 'test/accuracy/seed-1': 1.0})

    """
    found: dict[str, Any] = {}
    for name in ("loss", "accuracy"):
        value = record.get(name)
        if "test_length" in record:
            found[f"test/{name}/seed-{record.get('seed')}"] = value
        elif isinstance(value, Mapping):
            found.update({f"train/{name}/seed-{seed}": each for seed, each in value.items()})
    step = record.get("test_length", record.get("step", 0))
    return int(step), {name: float(value) for name, value in found.items() if isinstance(value, int | float)}


def _missing(package: str, name: str) -> LoggingError:
    return LoggingError(
        f"--log {package} needs {name}, which is not installed; install it with pip install 'lengthwise[{package}]'"
    )


def _as_text(settings: Mapping[str, Any]) -> str:
    from lengthwise.runs.grid import flat

    return "\n".join(f"    {name} = {value}" for name, value in flat(settings))


def _silent() -> Any:
    """Trackio prints to standard output, which belongs to results."""
    return redirect_stdout(io.StringIO())
