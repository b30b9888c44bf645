"""A training that can be killed: weights, moments of Adam and losses in one file that is there complete or not at all.

They are kept as they are, in float32, and the random numbers of a step depend on its number alone. So a training that
goes on from a checkpoint does what it would have done without the kill, bit by bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.output import sorted_header
from lengthwise.runs.store.disk import write, writing
from lengthwise.runs.text.cell import TextCell
from lengthwise.runs.text.corpus import TextError

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder

CHECKPOINT = "checkpoint.safetensors"
LOSSES = "losses"
MOMENTS = ("exp_avg", "exp_avg_sq")
"""What torch calls the averages of Adam."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A training after some steps."""

    step: int
    corpus: str
    """The digest of the text."""
    seconds: float
    """What it took so far."""
    tensors: Mapping[str, Tensor]
    """Weights and moments by name, and the loss of every step so far."""

    @classmethod
    def of(cls, model: Decoder, optimizer: object, losses: list[float], corpus: str, seconds: float) -> Checkpoint:
        """The state of a training."""
        import torch

        tensors = {LOSSES: torch.tensor(losses, dtype=torch.float64)}
        state = getattr(optimizer, "state", {})
        for name, weight in model.named_parameters():
            tensors[f"weight.{name}"] = weight.detach()
            for moment in MOMENTS:
                tensors[f"{moment}.{name}"] = state[weight][moment]
        return cls(len(losses), corpus, seconds, tensors)

    def restore(self, model: Decoder, optimizer: object) -> list[float]:
        """Put weights and moments back, and return the losses so far."""
        import torch

        state = getattr(optimizer, "state", {})
        with torch.no_grad():
            for name, weight in model.named_parameters():
                weight.copy_(self.tensors[f"weight.{name}"])
                moments = {moment: self.tensors[f"{moment}.{name}"].clone() for moment in MOMENTS}
                state[weight] = {"step": torch.tensor(float(self.step)), **moments}
        losses: list[float] = self.tensors[LOSSES].tolist()
        return losses

    def write(self, directory: Path, cell: TextCell) -> None:
        """Keep it, in place of an earlier one."""
        from safetensors.torch import save

        facts = {"cell": cell.id, "step": str(self.step), "corpus": self.corpus, "seconds": repr(self.seconds)}
        with writing(f"the checkpoint of {cell.told}"):
            directory.mkdir(parents=True, exist_ok=True)
            write(directory / CHECKPOINT, sorted_header(save(dict(self.tensors), facts)))

    @classmethod
    def read(cls, directory: Path, cell: TextCell, corpus: str) -> Checkpoint | None:
        """The checkpoint of a cell; None if there is none."""
        path = directory / CHECKPOINT
        if not path.exists():
            return None
        facts, tensors = _content(path)
        if facts.get("cell") != cell.id or facts.get("corpus") != corpus:
            raise TextError(f"{path} is of another training; delete it, and {cell.told} is trained from the beginning")
        return cls(int(facts["step"]), corpus, float(facts["seconds"]), tensors)


def steps_done(directory: Path) -> int:
    """How many steps a checkpoint has behind it; 0 if there is none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(directory / CHECKPOINT, "np") as file:
            return int((file.metadata() or {}).get("step", 0))
    except (OSError, SafetensorError, ValueError):
        return 0


def _content(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            return dict(file.metadata() or {}), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as problem:
        raise TextError(f"{path} cannot be read ({problem}); delete it, and training begins anew") from None
