"""Training a model of text, which goes on from its last checkpoint after a kill and gives the same numbers.

| file | what it holds |
|---|---|
| `checkpoint.safetensors` | a training that is in work |
| `model.safetensors` | the weights |
| `trained.json` | written last: the settings, how the loss went, the text, what it was computed with |
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.output import sorted_header
from lengthwise.resources import TimeLimitError, within_time
from lengthwise.runs.environment import environment
from lengthwise.runs.store.disk import checksum, lock, unlock, write, writing
from lengthwise.runs.store.sealed import read_sealed, write_sealed
from lengthwise.runs.text.cell import PLACES, WINDOWS, TextCell
from lengthwise.runs.text.checkpoint import CHECKPOINT, Checkpoint
from lengthwise.runs.text.corpus import Corpus, TextError
from lengthwise.runs.text.windows import training_windows
from lengthwise.runs.training.one_thread import one_thread

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from lengthwise.nn.model import Decoder

MODEL = "model.safetensors"
DONE = "trained.json"
KEEP_SECONDS = 60.0
"""Between two checkpoints."""
POINTS = 100
"""Of the curve of losses that is kept."""

Told = Callable[[int], None]
"""Is told how many steps are done."""


@dataclass(frozen=True)
class Trained:
    """What `trained.json` says."""

    cell: TextCell
    corpus: str
    """The digest of the text."""
    weights: str
    """The SHA-256 of the file of weights."""
    curve: tuple[tuple[int, float], ...]
    """Mean losses of stretches of steps, in nats per byte, each with its last step."""
    seconds: float = field(default=math.nan, compare=False)
    environment: dict[str, Any] | None = field(default=None, compare=False)

    @property
    def told(self) -> str:
        """Which cell it is and what came of it, in a few words."""
        return f"{self.cell.told}: loss {self.curve[-1][1]:.3f}"


def train(cell: TextCell, corpus: Corpus, directory: Path, told: Told | None = None) -> Trained:
    """The trained model of a cell in its directory: what is there, or what training to the end gives."""
    if (found := read_trained(directory)) is not None:
        return found
    with one_thread(), _owner(directory):
        model, optimizer = started(cell)
        at = Checkpoint.read(directory, cell, corpus.digest)
        losses = at.restore(model, optimizer) if at is not None else []
        before, begin = at.seconds if at is not None else 0.0, time.perf_counter()
        kept_at = begin

        def keep() -> None:
            seconds = before + time.perf_counter() - begin
            Checkpoint.of(model, optimizer, losses, corpus.digest, seconds).write(directory, cell)

        try:
            for step in within_time(range(len(losses), cell.steps)):
                losses.append(_updated(cell, corpus, model, optimizer, step))
                if told is not None:
                    told(step + 1)
                if time.perf_counter() - kept_at >= KEEP_SECONDS:
                    keep()
                    kept_at = time.perf_counter()
        except (KeyboardInterrupt, TimeLimitError):
            # In the middle of an update there is nothing to go on from but the last checkpoint.
            if losses and _updates(optimizer) == {len(losses)}:
                keep()
            raise
        return _finished(cell, corpus, model, losses, directory, before + time.perf_counter() - begin)


def started(cell: TextCell) -> tuple[Decoder, torch.optim.Adam]:
    """The model and its optimizer, before the first step."""
    import torch

    from lengthwise.nn.model import Decoder

    model = Decoder(cell.decoder(), [cell.seed])
    # AdamW without weight decay is Adam. Fused: one pass over the weights in place of ten.
    return model, torch.optim.Adam(model.parameters(), lr=cell.rate, betas=cell.betas, fused=True)


def _updates(optimizer: torch.optim.Adam) -> set[int]:
    """How many updates weights have had: one number between two steps."""
    return {int(each["step"]) for each in optimizer.state.values()}


def batch(cell: TextCell, corpus: Corpus, model: Decoder, step: int) -> tuple[Tensor, Tensor, Tensor | None]:
    """What is read in a step (windows, L), the bytes that follow, and position ids where they are not 1, 2, 3, …."""
    import torch

    windows = training_windows(corpus.training, cell.context + 1, cell.batch, cell.stream(step, WINDOWS))
    places = None
    if cell.has_pose(step):
        drawn = model.positions.training_places(cell.context, cell.batch, cell.stream(step, PLACES))
        places = None if drawn is None else torch.from_numpy(drawn).unsqueeze(0)
    tokens = torch.from_numpy(windows)
    return tokens[:, :-1], tokens[:, 1:], places


def _updated(cell: TextCell, corpus: Corpus, model: Decoder, optimizer: torch.optim.Adam, step: int) -> float:
    """The loss of a step, behind which the weights are new ones."""
    import torch

    from lengthwise.nn.loss import losses

    tokens, targets, places = batch(cell, corpus, model, step)
    loss = losses("next-token", model(tokens, places), targets.unsqueeze(0)).sum()
    value = float(loss.detach())
    if not math.isfinite(value):
        raise TextError(f"{cell.told}: the loss is no number any more at step {step + 1}; take a smaller rate")
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), cell.longest_gradient)
    for group in optimizer.param_groups:
        group["lr"] = cell.rate_at(step)
    optimizer.step()
    return value


def _finished(
    cell: TextCell, corpus: Corpus, model: Decoder, losses: list[float], directory: Path, seconds: float
) -> Trained:
    from safetensors.numpy import save

    weights = {name: weight.numpy(force=True) for name, weight in model.state_dict().items()}
    with writing(cell.told):
        directory.mkdir(parents=True, exist_ok=True)
        write(directory / MODEL, sorted_header(save(weights, {"format": "lengthwise.text", "cell": cell.id})))
        parts = np.array_split(np.arange(cell.steps), min(POINTS, cell.steps))
        curve = tuple((int(part[-1]) + 1, float(np.mean([losses[step] for step in part]))) for part in parts)
        done = Trained(cell, corpus.digest, checksum(directory / MODEL), curve, round(seconds, 3), environment())
        write_sealed(directory / DONE, {**asdict(done), "cell": cell.model_dump(mode="json")})
        (directory / CHECKPOINT).unlink(missing_ok=True)
    return done


def read_trained(directory: Path) -> Trained | None:
    """What a directory says about the model that was trained in it; None if it is not finished."""
    path = directory / DONE
    if not path.exists():
        return None
    try:
        data = read_sealed(path)
        curve = tuple((int(step), float(loss)) for step, loss in data["curve"])
        rest = {name: data[name] for name in ("corpus", "weights", "seconds", "environment")}
        return Trained(TextCell(**data["cell"]), curve=curve, **rest)
    except (OSError, ValueError, KeyError, TypeError):
        raise TextError(f"{path} cannot be read; delete {directory}, and its model is trained again") from None


def load_trained(directory: Path, read: str = "all") -> tuple[Trained, Decoder]:
    """The model in a directory, with outputs at all positions or, read = "last", behind the last one."""
    from dataclasses import replace

    import torch
    from safetensors.numpy import load

    from lengthwise.nn.model import Decoder

    trained = read_trained(directory)
    if trained is None:
        raise TextError(f"{directory} has no trained model of text")
    path = directory / MODEL
    if not path.is_file() or checksum(path) != trained.weights:
        raise TextError(f"{path} is missing or has changed; delete {directory}, and its model is trained again")
    model = Decoder(replace(trained.cell.decoder(), read=read), [trained.cell.seed])  # type: ignore[arg-type]
    model.load_state_dict({name: torch.from_numpy(weight) for name, weight in load(path.read_bytes()).items()})
    return trained, model.requires_grad_(False)


@contextmanager
def _owner(directory: Path) -> Iterator[None]:
    """Nobody but this process works in the directory, as far as disks have locks."""
    with writing(f"{directory}"):
        directory.mkdir(parents=True, exist_ok=True)
    descriptor = lock(directory)
    try:
        import fcntl  # noqa: F401 - only whether there is one
    except ImportError:
        pass
    else:
        if descriptor is None:
            raise TextError(f"{directory} is in work by another process, or cannot be locked")
    try:
        yield
    finally:
        unlock(descriptor)
