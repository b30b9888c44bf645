"""`RunConfig`: everything a run depends on, and nothing else.

One config is one run. Its id is a hash of its settings, so a finished run is never repeated and a changed setting makes
a new run. Settings that have their default value do not enter the id: a later version that knows a new setting still
finds the runs of an earlier one. They are written out in `config.json`, and a run is only used if they agree.

Configs are TOML or JSON:

    task = "simple-task"
    train_length = 16
    test_lengths = ["N", "2N", "8N"]     # or numbers
    seeds = 8                            # or [0, 1, 2]

    [parameters]
    omega = 2

    [stopping]
    loss = 1e-5
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import ValidationError, ValidationInfo, field_validator, model_validator

from lengthwise.errors import LengthwiseError
from lengthwise.resources import require_memory
from lengthwise.runs.config_problems import sentence
from lengthwise.runs.settings import (
    EvaluationSettings,
    ModelSettings,
    OptimizerSettings,
    Parameters,
    Positive,
    Settings,
    StoppingSettings,
    Values,
)
from lengthwise.runs.toml_text import to_toml

if TYPE_CHECKING:
    from lengthwise.nn.config import DecoderConfig
    from lengthwise.nn.model import Decoder
    from lengthwise.tasks.task import Task

DECODER = "decoder"
"""The architecture that the settings of a model are about."""
RATE = 1e-3
"""The learning rate of all weights of another architecture, if none is given."""
ID_DIGITS = 16
"""Hexadecimal digits of an id: a million runs collide with probability 3e-8."""
SHORT = 20
"""Characters of a parameter's value that is named in messages."""
NEAR = 100
"""How far beyond the longest test length possible ones are looked for."""
CONTEXTS = {
    **dict.fromkeys(("learned", "pose", "randomized"), "tested"),
    **dict.fromkeys(("coupled", "predictive"), "ids"),
    "interpolation": "trained",
}
"""What the context of a position scheme is, if it is not given: as long as the longest inputs that are tested or
trained, or as large as the ids of a task."""
MULTIPLE = re.compile(r"\s*(\d*)\s*N\s*")

_from_store: ContextVar[bool] = ContextVar("from_store", default=False)


class ConfigError(LengthwiseError):
    """Settings that make no run."""


BYTES_OF_A_SEED = 100_000
"""What a seed takes at least: the weights of a small model with its optimizer, and its results."""
MOST_WORDS = 10_000_000
"""Test words at each length: accuracies are then known to 0.0002, and no run needs more."""
LARGEST = 2**63 - 1
"""The largest number that arrays and counters take."""
BYTES_OF_A_SYMBOL = 1_000
"""What a symbol of a word takes in a small model: its residual stream and hidden units."""


class RunConfig(Settings):
    """A task, lengths, seeds, and how to train.

    Args:
        **settings: The settings, as in a config file; unknown names are refused.

    Raises:
        ConfigError: A setting is unknown, missing or has no such value.

    Example:
        >>> config = RunConfig(task="majority", train_length=10, test_lengths=["N", "2N"], seeds=2)
        >>> config.test_lengths, config.seeds
        ((10, 20), (0, 1))

    """

    task: str
    parameters: Parameters = Values()
    """The task's parameters; those left out get the task's defaults, so that the id of a run says all of them."""
    train_length: Positive
    """N: words have lengths up to it."""
    train_from: Positive = 1
    """The shortest training words; those of a task may begin later."""
    test_lengths: tuple[int, ...]
    """Each at least N; multiples of N may be written "N", "2N", …."""
    seeds: tuple[int, ...] = (0,)
    """The seeds that are trained; a number n stands for 0, …, n - 1. Runs of the same settings with other seeds
    complement each other."""
    model: ModelSettings = ModelSettings()
    optimizer: OptimizerSettings = OptimizerSettings()
    stopping: StoppingSettings = StoppingSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    """`auto` is a CUDA device if there is one."""
    dtype: Literal["float32", "float64"] = "float32"

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as problem:
            raise ConfigError(sentence(type(self), problem)) from None

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """A config from TOML text."""
        return cls(**_toml_settings(text))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A config from JSON text."""
        return cls(**_json_settings(text))

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """A config from a file whose name ends in .toml or .json."""
        settings = settings_of_file(path)
        try:
            return cls(**settings)
        except LengthwiseError as problem:
            raise ConfigError(f"{path}: {problem}") from None

    @classmethod
    def from_store(cls, settings: Mapping[str, Any]) -> Self:
        """A config that was complete when it was written: its task need not be known here any more."""
        token = _from_store.set(True)
        try:
            return cls(**settings)
        finally:
            _from_store.reset(token)

    def settings(self) -> dict[str, Any]:
        """All settings as plain data."""
        return self.model_dump(mode="json")

    def to_json(self) -> str:
        """All settings as JSON text."""
        return json.dumps(self.settings(), indent=2, ensure_ascii=False) + "\n"

    def to_toml(self) -> str:
        """All settings as TOML text."""
        return to_toml(self.settings())

    @property
    def id(self) -> str:
        """The name of the run: a hash of the settings, seeds included."""
        return self._hash(exclude=set())

    @property
    def settings_id(self) -> str:
        """A hash of the settings without the seeds: runs that share it complement each other."""
        return self._hash(exclude={"seeds"})

    def with_seeds(self, seeds: tuple[int, ...]) -> Self:
        """The same settings with other seeds."""
        return self.from_store({**self.settings(), "seeds": seeds})

    def value(self, name: str) -> Any:
        """A setting by its whole name: `train_length`, `parameters.omega`."""
        found: Any = self.settings()
        for part in name.split("."):
            if not isinstance(found, Mapping) or part not in found:
                raise ConfigError(f"{self} has no setting {name!r}")
            found = found[part]
        return found

    def get_task(self) -> Task:
        """The task that this is about."""
        return _made(self.task, self.parameters)

    def get_test_task(self) -> Task:
        """The task that models are tested on: the same, unless `evaluation.parameters` say otherwise."""
        if not self.evaluation.parameters:
            return self.get_task()
        return _made(self.task, {**self.parameters, **self.evaluation.parameters})

    def training_lengths(self) -> tuple[int, ...]:
        """The lengths of training words."""
        from lengthwise.tasks.request import lengths

        return tuple(each for each in lengths(self.get_task(), self.train_length) if each >= self.train_from)

    def decoder(self) -> DecoderConfig:
        """The model that is trained: its outputs are read at the last position of regression tasks, and else at all."""
        from lengthwise.nn.config import DecoderConfig

        if self.model.architecture != DECODER:
            raise ConfigError(f"this is about our decoder, and {self} is a {self.model.architecture}")
        settings = self.model.model_dump(exclude={"architecture", "architecture_parameters"})
        return DecoderConfig(**self._sizes(), **settings)

    def make_model(self) -> Decoder:
        """The model that is trained, as it starts, with all seeds: our decoder, or another one (`nn.architectures`)."""
        import torch

        from lengthwise.nn.config import DecoderConfig
        from lengthwise.nn.model import Decoder

        dtype = getattr(torch, self.dtype)
        if self.model.architecture == DECODER:
            return Decoder(self.decoder(), self.seeds, dtype)
        from lengthwise.nn.architectures import SeededModel

        sizes = DecoderConfig(**self._sizes(), layers=0)
        return SeededModel(self.model.architecture, self.model.architecture_parameters, sizes, self.seeds, dtype)

    def _sizes(self) -> dict[str, Any]:
        """What the task decides about a model."""
        task = self.get_task()
        read = "last" if task.loss == "regression" else "all"
        return {"vocabulary": len(task.alphabet), "outputs": task.outputs, "read": read}

    def __reduce__(self) -> tuple[Any, ...]:
        # A function of the module, as some ways to pickle take classes of pydantic apart.
        return _restored, (self.settings(),)

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        return f"{self.task_title} N={self.train_length}"

    @property
    def task_title(self) -> str:
        """The task with its parameters, those that are short."""
        values = (f" {name}={value}" for name, value in self.parameters.items() if len(str(value)) < SHORT)
        return self.task + "".join(values)

    def _hash(self, exclude: set[str]) -> str:
        chosen = _numbers(self.model_dump(mode="json", exclude_defaults=True, exclude=exclude, by_alias=True))
        text = json.dumps(chosen, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]

    @model_validator(mode="before")
    @classmethod
    def _architecture(cls, given: Any) -> Any:
        """`model = "mine.py:Class"` is short for its architecture, and another architecture has a rate of its own."""
        if _from_store.get() or not isinstance(given, dict):
            return given
        model = given.get("model")
        if isinstance(model, str):
            given = {**given, "model": (model := {"architecture": model})}
        if isinstance(model, Mapping) and model.get("architecture", DECODER) != DECODER:
            optimizer = given.get("optimizer", {})
            if isinstance(optimizer, Mapping) and not {"learning_rate", "rates"} & set(optimizer):
                given = {**given, "optimizer": {**optimizer, "learning_rate": RATE}}
        return given

    @field_validator("task")
    @classmethod
    def _registered_task(cls, text: str) -> str:
        """A task under the name that it is registered by, so that `addition` and `task:addition` are one run."""
        from lengthwise.subjects import kind_of

        if _from_store.get():
            return text
        try:
            kind, name = kind_of(text)
        except LengthwiseError:
            return text  # what names nothing is refused when the task is made, unless the parameters hold all of it
        return name if kind == "task" else text

    @field_validator("parameters")
    @classmethod
    def _complete_parameters(cls, given: Mapping[str, Any], info: ValidationInfo) -> Mapping[str, Any]:
        if _from_store.get() or "task" not in info.data:
            return given
        return Values(_made(info.data["task"], given).parameters)

    @field_validator("test_lengths", mode="before")
    @classmethod
    def _written_out_lengths(cls, given: Any, info: ValidationInfo) -> Any:
        if not isinstance(given, list | tuple) or "train_length" not in info.data:
            return given
        return [length_in(length, info.data["train_length"]) for length in given]

    @field_validator("test_lengths")
    @classmethod
    def _ordered_lengths(cls, lengths: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        if not lengths:
            raise ValueError("should be at least one length")
        shortest = info.data.get("train_length", 0)
        for length in lengths:
            if length < shortest:
                raise ValueError(
                    f"has {length}, which is shorter than the training length {shortest}; test at {shortest} or more"
                )
        if not _from_store.get():
            longest = max(lengths)
            require_memory(
                BYTES_OF_A_SYMBOL * longest, f"a word of {longest} symbols in a model", "choose shorter lengths"
            )
        return tuple(sorted(set(lengths)))

    @field_validator("model", mode="before")
    @classmethod
    def _model_that_fits(cls, given: Any, info: ValidationInfo) -> Any:
        known = {"task", "parameters", "train_length", "test_lengths"} <= set(info.data)
        if _from_store.get() or not isinstance(given, Mapping) or not known:
            return given
        task = _made(info.data["task"], info.data["parameters"])
        longest = max(info.data["test_lengths"])
        if given.get("architecture", DECODER) != DECODER:
            return _other_architecture(given, task, longest)
        fitting = _position_parameters(
            given.get("position"), task, info.data["train_length"], info.data["test_lengths"]
        )
        return _one_way_to_write({**given, "position_parameters": {**fitting, **given.get("position_parameters", {})}})

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted_seeds(cls, given: Any) -> Any:
        if not isinstance(given, int) or isinstance(given, bool):
            return given
        require_memory(BYTES_OF_A_SEED * given, f"{given} seeds", "choose fewer seeds")
        return range(given)

    @field_validator("seeds")
    @classmethod
    def _ordered_seeds(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        if not seeds or min(seeds) < 0:
            raise ValueError("should be at least one number, none of them negative")
        if len(set(seeds)) < len(seeds):
            raise ValueError("should be different numbers")
        return tuple(sorted(seeds))

    @model_validator(mode="after")
    def _makes_a_run(self) -> Self:
        if not _from_store.get():
            self._require_possible_numbers()
            words = self.optimizer.batch * self.train_length
            what = f"a batch of {self.optimizer.batch} words of {self.train_length} symbols"
            require_memory(8 * words, what, "choose a smaller optimizer.batch")
            task = self.get_task()
            tested = self._checked_test_task(task)
            require_lengths(task, self.train_length, ())
            if not self.training_lengths():
                raise ConfigError(f"{task.name} has no words of {self.train_from} to {self.train_length} symbols")
            if self.evaluation.bins:
                require_bins(tested, self.train_from, self.train_length, self.test_lengths)
            else:
                require_lengths(tested, max(self.test_lengths), self.test_lengths)
            if self.optimizer.lengths == "independent" and task.loss == "regression":
                raise ConfigError(
                    f"{task.name} is a regression, which is read at the last position; words of independent lengths "
                    "have none in common, so take optimizer.lengths = per-word"
                )
            if self.stopping.accuracy is not None and task.loss == "regression":
                raise ConfigError(
                    f"{task.name} is a regression, which has no accuracy to stop at; stop at a loss instead"
                )
        return self

    def _require_possible_numbers(self) -> None:
        """Refuse numbers that no run gets to the end of, and those that do not fit into a machine word."""
        if self.evaluation.words > MOST_WORDS:
            raise ConfigError(
                f"evaluation.words is {self.evaluation.words}, and the limit is {MOST_WORDS:,} at each test length; "
                "choose a smaller evaluation.words"
            )
        for group in ("model", "optimizer", "stopping", "evaluation"):
            for name, value in _leaves(getattr(self, group).model_dump(exclude={"seed", "parameters"}), f"{group}."):
                if isinstance(value, int) and value > LARGEST:
                    raise ConfigError(f"{name} is at most {LARGEST}, not {value}")

    def _checked_test_task(self, task: Task) -> Task:
        """The task that is tested, which models for the other one must be able to read and to answer."""
        tested = self.get_test_task()
        same = (tested.alphabet.symbols, tested.outputs, tested.loss) == (
            task.alphabet.symbols,
            task.outputs,
            task.loss,
        )
        if not same:
            raise ConfigError(
                f"with evaluation.parameters {dict(self.evaluation.parameters)} {task.name} has other symbols or other "
                "outputs than in training, so that no model could be tested on it"
            )
        return tested


def _leaves(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """The single values in nested ones, with whole names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield from ((prefix + name, each) for each in (value if isinstance(value, list | tuple) else (value,)))


def settings_of_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the settings that a file has, without those that follow from them.

    Args:
        path: A file whose name ends in .toml or .json.

    Returns:
        Nested settings, not yet checked; `RunConfig(**settings)` checks and completes them.

    Raises:
        ConfigError: The file cannot be read, or is neither TOML nor a JSON object.

    Example:
        >>> settings_of_file("settings.yaml")
        Traceback (most recent call last):
        ...
        lengthwise.runs.config.ConfigError: settings.yaml is neither a .toml nor a .json file

    """
    file = Path(path)
    readers = {".toml": _toml_settings, ".json": _json_settings}
    if file.suffix not in readers:
        raise ConfigError(f"{file} is neither a .toml nor a .json file")
    try:
        return readers[file.suffix](file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ConfigError(f"{file} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not UTF-8 text") from None
    except ConfigError as problem:
        raise ConfigError(f"{file}: {problem}") from None


def _toml_settings(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ConfigError(f"the settings are not TOML: {problem}") from None


def _json_settings(text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ConfigError(f"the settings are not JSON: {problem}") from None
    if not isinstance(settings, dict):
        raise ConfigError('the settings are a JSON object such as {"task": "simple-task", …}')
    return settings


def require_lengths(task: Task, train_length: int, test_lengths: tuple[int, ...]) -> None:
    """Refuse lengths that the task has no words of."""
    if train_length < task.min_length:
        raise ConfigError(
            f"{task.name} has no words of up to {train_length} symbols; its shortest have {task.min_length}, "
            "so take a longer training length"
        )
    if not hasattr(task, "lengths") or not test_lengths:
        return
    from lengthwise.tasks.request import lengths

    longest = max(test_lengths)
    possible = lengths(task, longest + NEAR)
    for length in test_lengths:
        if length not in possible:
            near = sorted(sorted(possible, key=lambda other: abs(other - length))[:2])
            raise ConfigError(
                f"{task.name} has no words of the test length {length}; the nearest lengths with words: "
                f"{', '.join(map(str, near))}"
            )


def bins(train_from: int, train_length: int, test_lengths: Sequence[int]) -> dict[int, range]:
    """The lengths that each test length stands for, where these are the ends of bins (`evaluation.bins`)."""
    begins = [train_from - 1 if test_lengths[0] == train_length else train_length, *test_lengths[:-1]]
    return {end: range(begin + 1, end + 1) for begin, end in zip(begins, test_lengths, strict=True)}


def require_bins(task: Task, train_from: int, train_length: int, test_lengths: tuple[int, ...]) -> None:
    """Refuse bins in which the task has no words."""
    from lengthwise.tasks.request import lengths

    possible = lengths(task, max(test_lengths))
    for end, found in bins(train_from, train_length, test_lengths).items():
        if not any(length in possible for length in found):
            raise ConfigError(f"{task.name} has no words of {found[0]} to {end} symbols to test")


def _position_parameters(position: Any, task: Task, train_length: int, test_lengths: tuple[int, ...]) -> dict[str, int]:
    """What the task and the lengths decide about positions: their period, or how many there are."""
    period = getattr(task, "period", None)
    if position == "periodic" and period is not None:
        return {"period": period}
    if isinstance(position, str) and position in CONTEXTS:
        from lengthwise.tasks.request import input_length, largest_id, residues

        longest = max(test_lengths) + residues(task) - 1
        match CONTEXTS[position]:
            case "tested":
                return {"context": input_length(task, longest)}
            case "trained":
                return {"context": input_length(task, train_length)}
            case "ids":
                return {"context": largest_id(task, longest)}
    return {}


def _other_architecture(given: Mapping[str, Any], task: Task, longest: int) -> dict[str, Any]:
    """The settings of another model than our decoder, with all its parameters."""
    from lengthwise.nn.architectures import complete
    from lengthwise.tasks.request import input_length, residues

    name, own = given["architecture"], given.get("architecture_parameters", {})
    if others := sorted(set(given) - {"architecture", "architecture_parameters"}):
        raise ConfigError(
            f"model.{others[0]} is a setting of our decoder, and the model is {name}; its parameters are set as in "
            f"model.architecture_parameters.{others[0]}"
        )
    if not isinstance(name, str) or not isinstance(own, Mapping):
        raise ConfigError("model.architecture is a name, and model.architecture_parameters are values by name")
    context = input_length(task, longest + residues(task) - 1)
    return {"architecture": name, "architecture_parameters": complete(name, own, context)}


def _one_way_to_write(model: dict[str, Any]) -> dict[str, Any]:
    """The settings of a model with one number where all layers have the same."""
    layers = model.get("layers", 1)
    same = {
        name: numbers[0]
        for name in ("heads", "hidden")
        if isinstance(numbers := model.get(name), list | tuple) and len(numbers) == layers and len(set(numbers)) == 1
    }
    return {**model, **same}


def length_in(given: Any, train_length: int) -> Any:
    """A test length in symbols; "8N" is eight times the training length. What is neither is given back."""
    if isinstance(given, str) and (multiple := MULTIPLE.fullmatch(given)):
        return int(multiple[1] or 1) * train_length
    return given


def _numbers(value: Any) -> Any:
    """The value with whole numbers written alike: 2.0 is 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers(entry) for entry in value]
    return value


def _made(task: str, parameters: Mapping[str, Any]) -> Task:
    from lengthwise.subjects import task_of

    return task_of(task, **parameters)


def _restored(settings: Mapping[str, Any]) -> RunConfig:
    """A config in another process."""
    return RunConfig.from_store(settings)
