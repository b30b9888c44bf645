"""Checkpoints: a training that was killed goes on from the last one and has the same weights, bit for bit.

    store/checkpoints/<run>/checkpoint.json            where the training was, and the checksum of the other file
                            step-3000.safetensors      weights and moments of Adam

A checkpoint has all that the next step depends on: the step, weights and moments, the random numbers of the batches,
the losses that stopping rules look at, the seeds that have ended, and the metrics so far. The clock decides when one is
written and never what is computed. One process at a time owns the directory of a run. A checkpoint that is damaged, or
was made with other versions or on another processor, is not used, and the training begins anew.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lengthwise.errors import LengthwiseError
from lengthwise.output import OutputError, sorted_header
from lengthwise.runs.config import RunConfig
from lengthwise.runs.environment import environment
from lengthwise.runs.labels import run_label
from lengthwise.runs.store.disk import DAMAGED, checksum, lock, unlock, write
from lengthwise.runs.store.run_directory import SeedSummary
from lengthwise.runs.store.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder
    from lengthwise.nn.optimizer import FoldedAdam
    from lengthwise.runs.training.feeds import Feed
    from lengthwise.runs.training.stopping import StoppingRule

FOLDER = "checkpoints"
"""The folder of a store in which checkpoints are."""
FACTS = "checkpoint.json"
FORMAT = 1
VARIABLE = "LENGTHWISE_CHECKPOINT_SECONDS"
"""The environment variable that says how many seconds lie between two checkpoints."""
SECONDS = 60.0
"""What it is by default."""
TRIES = 5
"""How often a checkpoint is read that changes meanwhile."""


class CheckpointError(LengthwiseError):
    """A checkpoint cannot be used."""


class ForeignCheckpointError(CheckpointError):
    """A checkpoint is whole, but numbers would not be the same if it was used here."""


@dataclass
class TrainingState:
    """A training between two steps: all that the steps to come depend on.

    Attributes:
        model: The seeds that are still trained.
        optimizer: Theirs.
        rule: What was seen of their losses.
        batches: Where their streams of batches are.
        ended: How the other seeds ended, and their weights.
        step: The steps that are done.

    """

    model: Decoder
    optimizer: FoldedAdam
    rule: StoppingRule
    batches: Feed
    ended: dict[int, tuple[SeedSummary, dict[str, Tensor]]]
    step: int = 0

    def tensors(self) -> dict[str, Tensor]:
        """Its tensors by name, in memory of their own."""
        found = {f"weight.{name}": each for name, each in self.model.state_dict().items()}
        found |= {f"moment.{name}": each for name, each in self.optimizer.state().items()}
        for seed, (_, weights) in self.ended.items():
            found |= {f"ended.{seed}.{name}": each for name, each in weights.items()}
        return {name: each.detach().cpu().clone().contiguous() for name, each in found.items()}

    def facts(self) -> dict[str, Any]:
        """The rest of it, as plain data."""
        return {
            "step": self.step,
            "seeds": list(self.model.seeds),
            "updates": self.optimizer.steps,
            "recent": self.rule.recent,
            "batches": self.batches.state(),
            "ended": [asdict(summary) for summary, _ in self.ended.values()],
        }

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any], optimizer: OptimizerOf) -> None:
        """Go to where a training of the same run was; `self` is at its beginning, with all seeds."""
        device = self.model.embedding.device
        places = [self.model.seeds.index(seed) for seed in facts["seeds"]]
        if len(places) < self.model.seed_count:
            self.model = self.model.subset(places)
            self.optimizer = optimizer(self.model)
            self.rule.keep(places)
            self.batches.keep(places)
        names = self.model.state_dict()
        self.model.load_state_dict({name: tensors[f"weight.{name}"] for name in names})
        moments = {name: tensors[f"moment.{name}"].to(device) for name in self.optimizer.state()}
        self.optimizer.restore(moments, facts["updates"])
        self.rule.recent = facts["recent"]
        self.batches.restore(facts["batches"])
        for entry in facts["ended"]:
            summary = SeedSummary.from_json(entry)
            weights = {name: tensors[f"ended.{summary.seed}.{name}"].to(device) for name in names}
            self.ended[summary.seed] = summary, weights
        self.step = facts["step"]


OptimizerOf = Callable[["Decoder"], "FoldedAdam"]
"""Makes the optimizer of a model."""


@dataclass(frozen=True)
class Saved:
    """What a checkpoint says."""

    config: RunConfig
    facts: dict[str, Any]
    path: Path
    """The file of its tensors."""

    @property
    def step(self) -> int:
        """The steps that are done."""
        return int(self.facts["step"])

    def tensors(self) -> dict[str, Tensor]:
        """Weights and moments by name."""
        from safetensors.torch import load

        return dict(load(self.path.read_bytes()))


def read_checkpoint(directory: Path, device: str | None = None) -> Saved | None:
    """The checkpoint in the directory of a run; None if there is none.

    A device is that on which the training would go on.
    """
    for _ in range(TRIES):
        # Whoever works on the run may put a newer one in its place while this one is read.
        before = _written(directory)
        saved = _whole(directory)
        if saved is not None or before == _written(directory):
            break
    if saved is None:
        if not (directory / FACTS).is_file():
            return None
        raise CheckpointError(f"the checkpoint {directory} is damaged and not used; training begins anew")
    if saved.facts["environment"] != environment() or (device is not None and saved.facts["device"] != device):
        raise ForeignCheckpointError(
            f"the checkpoint {directory} was made with other versions or on another processor and is not used, as "
            "numbers would not be the same; training begins anew"
        )
    return saved


def _written(directory: Path) -> bytes:
    try:
        return (directory / FACTS).read_bytes()
    except OSError:
        return b""


def _whole(directory: Path) -> Saved | None:
    """What a checkpoint says; None if it is not all there."""
    try:
        facts = read_sealed(directory / FACTS)
        config = RunConfig.from_store(facts["config"])
        tensors = directory / facts["tensors"]["name"]
        whole = (
            tensors.parent == directory
            and checksum(tensors) == facts["tensors"]["sha256"]
            and config.id == directory.name
            and facts["format"] == FORMAT
            and {"environment", "device", "step", "seconds", "metrics"} <= facts.keys()
        )
    except (OSError, ValueError, KeyError, TypeError, LengthwiseError):
        return None
    return Saved(config, facts, tensors) if whole else None


def interrupted(folder: Path) -> Iterator[tuple[Path, Saved | CheckpointError]]:
    """The directories of runs that have checkpoints, each with what it says or why it cannot be used."""
    for directory in sorted(folder.iterdir()) if folder.is_dir() else ():
        if DAMAGED in directory.name:
            continue
        try:
            saved = read_checkpoint(directory)
        except CheckpointError as problem:
            yield directory, problem
            continue
        if saved is not None:
            yield directory, saved


def remove_checkpoint(directory: Path) -> None:
    """Remove the checkpoint of a run that is finished, unless a process works on it."""
    if (descriptor := lock(directory)) is not None:
        shutil.rmtree(directory, ignore_errors=True)
        unlock(descriptor)


class Checkpoints:
    """The checkpoints of a run while it is trained; as a context, it owns their directory as soon as there is one.

    Args:
        folder: The folder of a store for checkpoints.
        config: The run.
        device: The kind of device that it is trained on.
        seconds: The time between two checkpoints; else what the environment variable says, or a minute.
        clock: Returns the time in seconds.

    """

    def __init__(
        self,
        folder: Path,
        config: RunConfig,
        device: str,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory, self._config, self._device = folder / config.id, config, device
        self._seconds, self._clock = _seconds() if seconds is None else seconds, clock
        self._lock: int | None = None
        self._begin = self._written = clock()
        self._before = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        unlock(self._lock)
        self._lock = None

    @property
    def seconds(self) -> float:
        """How long the run was worked on, before it was interrupted and since."""
        return self._before + self._clock() - self._begin

    def restore(self, state: TrainingState, optimizer: OptimizerOf) -> str:
        """Go to where the last checkpoint was, if there is one that can be used; the metrics up to there."""
        if not self._directory.is_dir() or not self._owned():
            return ""
        with suppress(CheckpointError, OSError):  # whoever started the run has said so
            if (saved := read_checkpoint(self._directory, self._device)) is not None:
                state.restore(saved.tensors(), saved.facts, optimizer)
                self._before = float(saved.facts["seconds"])
                self._remove_all_but(saved.path.name)
                return str(saved.facts["metrics"])
        self._remove_all_but()
        return ""

    def keep_if_due(self, state: TrainingState, metrics: Callable[[], str]) -> None:
        """Write a checkpoint if the last one is old enough."""
        if self._clock() - self._written >= self._seconds:
            # What cannot be written costs no more than itself: if the disk is full, the run will say so.
            with suppress(OSError, OutputError):
                self._keep(state, metrics())
            self._written = self._clock()

    def remove(self) -> None:
        """Remove the checkpoint, as the run is finished."""
        if self._lock is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            with suppress(OSError):
                self._directory.parent.rmdir()

    def _keep(self, state: TrainingState, metrics: str) -> None:
        from safetensors.torch import save

        if not self._owned():
            return
        name = f"step-{state.step}.safetensors"
        write(self._directory / name, sorted_header(save(state.tensors())))
        facts = {
            "format": FORMAT,
            "config": self._config.settings(),
            "environment": environment(),
            "device": self._device,
            "seconds": self.seconds,
            **state.facts(),
            "metrics": metrics,
            "tensors": {"name": name, "sha256": checksum(self._directory / name)},
        }
        write_sealed(self._directory / FACTS, facts)
        self._remove_all_but(name)

    def _owned(self) -> bool:
        """Whether this process, and no other, works in the directory, which is made if it is not there."""
        if self._lock is None:
            # Not with all parents: on the machine of somebody else there is no such store.
            self._directory.parent.mkdir(exist_ok=True)
            self._directory.mkdir(exist_ok=True)
            self._lock = lock(self._directory)
        return self._lock is not None

    def _remove_all_but(self, *names: str) -> None:
        """Remove older tensors, and what a kill left behind."""
        for path in self._directory.iterdir():
            if path.name not in (*names, FACTS) or not names:
                with suppress(OSError):
                    path.unlink()


def goes_on(directory: Path, run: RunConfig) -> str:
    """Where a run goes on, in a sentence; nothing if it has no checkpoint."""
    try:
        saved = read_checkpoint(directory)
    except CheckpointError as problem:
        return str(problem)
    return "" if saved is None else f"{run_label(run)} goes on at step {saved.step:,}"


def begun(config: RunConfig, saved: Sequence[Saved]) -> list[RunConfig]:
    """The runs of a config that have checkpoints, with different seeds of it; those with the most work done first."""
    rest, found = set(config.seeds), []
    for each in sorted(saved, key=lambda each: each.step * len(each.config.seeds), reverse=True):
        if each.config.settings_id == config.settings_id and set(each.config.seeds) <= rest:
            found.append(each.config)
            rest -= set(each.config.seeds)
    return found


def _seconds() -> float:
    try:
        return max(0.0, float(os.environ.get(VARIABLE, SECONDS)))
    except ValueError:
        return SECONDS
