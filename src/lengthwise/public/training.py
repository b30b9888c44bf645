"""Training: small transformers on short words of a task, tested on longer ones."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.resources import time_limit
from lengthwise.subjects import Subject, with_parameters

if TYPE_CHECKING:
    from lengthwise.runs import Comparison, Engine, Failure, LeftOut, Run, RunConfig, Store, Summary

STORE = "lengthwise-runs"
TEST_LENGTHS = ("N", "2N", "4N", "8N")
SEEDS = 8
Positions = str | Sequence[str]


@dataclass(frozen=True)
class Training:
    """What `train` gives: for every config what its seeds reached, what failed, and the runs themselves."""

    meaning: str
    """How the subject was read."""
    summaries: tuple[Summary, ...]
    """For every config how its seeds ended, and their losses and accuracies by test length."""
    failed: tuple[Failure, ...]
    """Runs that could not be made, each with the reason."""
    left_out: tuple[LeftOut, ...]
    """Position schemes that do not fit the task, each with the reason."""
    problems: tuple[str, ...]
    """A sentence for each directory of the store that cannot be used."""
    store: str
    """Where the runs are kept."""
    several: bool = False
    """Whether position schemes or training lengths are compared."""
    test_lengths: tuple[Any, ...] = field(default=(), repr=False)
    """The test lengths as they were given, such as `2N`."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The finished runs; several hold the seeds of one config if they were trained in parallel."""
        from lengthwise.runs import Run, Store

        runs = Store(self.store).runs
        return tuple(Run(runs / run) for summary in self.summaries for run in summary.runs)

    def lines(self) -> Iterator[str]:
        """The results as lines of text: all numbers of one config, or a table of several."""
        from lengthwise.runs.display.training_text import combined_lines, single_lines

        if self.several:
            return combined_lines(self.summaries, self.test_lengths, self.store)
        return single_lines(self.summaries[0], self.store)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        from lengthwise.runs.display.training_text import as_data

        return as_data(self.meaning, self.summaries, self.failed, self.left_out, self.several)

    def __str__(self) -> str:
        return "\n".join((self.meaning, *self.lines()))


def train(
    subject: object = None,
    train_length: int | Sequence[int] | None = None,
    *,
    test_lengths: Sequence[int | str] | None = None,
    seeds: int | Sequence[int] | None = None,
    positions: Positions | None = None,
    steps: int | None = None,
    device: str | None = None,
    config_file: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    store: str | os.PathLike[str] = STORE,
    engine: str | Engine = "local",
    log: Any = None,
    plot: str | None = None,
    announce: Callable[[str], None] | None = None,
    show: bool = True,
    seconds: float | None = None,
    **parameters: Any,
) -> Training:
    """Train small transformers on short words of a task, and test them on longer ones.

    Runs that the store has already are not made again. Several training lengths or position schemes are compared.

    Args:
        subject: What `Subject.of` takes, a `RunConfig`, or several of them. Configs say everything about the training,
            so all other arguments but `store`, `engine`, `log`, `plot`, `announce`, `show` and `seconds` are for other
            subjects.
        train_length: N: training words have up to this length; one number, or several to compare.
        test_lengths: Numbers or multiples of N; else N, 2N, 4N and 8N.
        seeds: How many seeds, or which; else 8.
        positions: Position schemes, as a list or with commas between; the first is a setting, several are compared.
        steps: The step limit.
        device: `cpu`, `cuda`, or `auto`: CUDA if it is there.
        config_file: A .toml or .json file with settings of the run; the other arguments override them.
        settings: Other settings of `RunConfig`, nested or by names with dots: `{"model.width": 32}`.
        store: Where runs are kept.
        engine: `local`, `serial` or `ray`, or an engine.
        log: Where metrics go beside the store: `tensorboard:DIR`, `trackio:PROJECT`, or several.
        plot: A file for a drawing of accuracy or loss: .svg, .png or .pdf.
        announce: Is told how the subject was read and what is left out, before training.
        show: Whether to show the progress on standard error.
        seconds: After how long to stop, as Ctrl-C does; None for no limit.
        **parameters: Those of the task, such as `omega=3`, and the `alphabet` of a regex or a predicate.

    Returns:
        The results; `.runs` are the finished runs.

    Raises:
        LengthwiseError: The subject or a setting is none, or the models cannot be trained.
        SweepInterruptedError: Ctrl-C ended it, or `seconds` did (`SweepTimeLimitError`); finished runs are kept.

    Example:
        >>> import lengthwise as lw, tempfile
        >>> with tempfile.TemporaryDirectory() as store:
        ...     found = lw.train("(ab)*", 4, test_lengths=["N", "2N"], seeds=1, steps=20,
        ...                      store=store, engine="serial", show=False)
        >>> [each.test_length for each in found.summaries[0].lengths]
        [4, 8]

    """
    from lengthwise.runs import Progress, RunConfig, Store, get_engine, run_sweep, summarise

    deadline = time_limit(seconds)
    if plot is not None:
        from lengthwise.drawing.style import pyplot

        pyplot()  # if figures cannot be drawn, better say so before training than after
    kept = Store(store)
    if isinstance(subject, RunConfig) or _are_configs(subject):
        configs = (subject,) if isinstance(subject, RunConfig) else tuple(subject)  # type: ignore[arg-type]
        asked = _Asked(_meaning(configs), configs, (), len(configs) > 1, configs[0].test_lengths)
    else:
        options = {
            "test_lengths": test_lengths,
            "seeds": seeds,
            "stopping.steps": steps,
            "device": device,
            **(settings or {}),
        }
        lengths = (train_length,) if isinstance(train_length, int) else train_length
        if small := [length for length in lengths or () if length < 1]:
            raise LengthwiseError(f"a training length (--train-length) is a whole number from 1 on, not {small[0]}")
        asked = _asked(subject, lengths, positions, options, config_file, parameters, kept)
    if announce is not None:
        announce(asked.meaning)
        for each in asked.left_out:
            announce(each.sentence)
    display = Progress if show else partial(Progress, stream=io.StringIO())
    chosen = get_engine(engine) if isinstance(engine, str) else engine
    with deadline.in_force():
        sweep = run_sweep(asked.configs, kept, chosen, show=display, log=log)
    summaries = tuple(summarise(kept, config) for config in asked.configs)
    if plot is not None:
        from lengthwise.drawing.training_plot import plot_training

        plot_training(summaries, plot)
    return Training(
        asked.meaning,
        summaries,
        sweep.failed,
        asked.left_out,
        kept.problems(),
        os.fspath(store),
        asked.several,
        asked.test_lengths,
    )


@dataclass(frozen=True)
class _Asked:
    """What is to be trained."""

    meaning: str
    configs: tuple[RunConfig, ...]
    left_out: tuple[LeftOut, ...]
    several: bool
    test_lengths: tuple[Any, ...]


def _are_configs(subject: object) -> bool:
    from lengthwise.runs import RunConfig

    return isinstance(subject, list | tuple) and bool(subject) and all(isinstance(one, RunConfig) for one in subject)


def _meaning(configs: Sequence[RunConfig]) -> str:
    """How the task of configs is read."""
    tasks = dict.fromkeys((config.task, tuple(sorted(config.parameters.items()))) for config in configs)
    return "; ".join(with_parameters(task, dict(parameters))[0].meaning for task, parameters in tasks)


def _asked(
    thing: object,
    lengths: Sequence[int] | None,
    positions: Positions | None,
    options: Mapping[str, Any],
    config_file: str | os.PathLike[str] | None,
    parameters: Mapping[str, Any],
    kept: Store,
) -> _Asked:
    from lengthwise.runs.config import settings_of_file
    from lengthwise.runs.grid import merged, nested

    in_file: dict[str, Any] = {"seeds": SEEDS} if config_file is None else settings_of_file(config_file)
    given = [nested(name, value) for name, value in options.items() if value is not None]
    every = merged({"test_lengths": list(TEST_LENGTHS)}, in_file, *given, {"parameters": dict(parameters)})
    subject = _set_task(every, _required(thing, every, "task", "a SUBJECT, such as majority"))
    if lengths is None:
        lengths = [_required(None, every, "train_length", "--train-length")]
    schemes = [text.strip() for text in positions.split(",")] if isinstance(positions, str) else list(positions or ())
    found = _compared(every, schemes, lengths, kept)
    several = len(lengths) > 1 or len(schemes) > 1
    return _Asked(subject.meaning, found.configs, found.left_out, several, tuple(every["test_lengths"]))


def _set_task(every: dict[str, Any], thing: object) -> Subject:
    """Put the task of a text or an object into the settings, and return its subject."""
    subject, left = with_parameters(thing, every.get("parameters", {}))
    every["task"] = subject.name if subject.kind == "task" else subject.text
    if not isinstance(thing, str):
        every["parameters"] = dict(subject.as_task(**left).parameters)
    return subject


def _compared(every: Mapping[str, Any], schemes: Sequence[str], lengths: Sequence[int], kept: Store) -> Comparison:
    """The configs that were asked for; a scheme that does not fit is only left out if others are there."""
    from lengthwise.runs import Comparison, RunConfig, comparison
    from lengthwise.runs.grid import merged, nested
    from lengthwise.runs.training.train import require_trainable

    if len(schemes) <= 1:
        position = [nested("model.position", scheme) for scheme in schemes]
        return Comparison(
            tuple(RunConfig(**merged(every, *position, {"train_length": length})) for length in dict.fromkeys(lengths)),
            (),
        )

    def check(config: RunConfig) -> None:
        if not kept.finished(config):
            require_trainable(config)

    return comparison(every, schemes, lengths, check)


def _required(given: object, settings: Mapping[str, Any], name: str, what: str) -> Any:
    """What an argument or the file of settings says."""
    found = settings.get(name) if given is None else given
    if found is None:
        raise LengthwiseError(f"give {what}, or set {name} in the file of --config")
    return found
