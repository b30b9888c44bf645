"""PyTorch modules of anybody as answerers: `module(tokens)` or `module(tokens, positions)` gives logits.

Tokens are (words, length) ids, positions count from 1, and logits are (words, length, outputs); for a regression they
may be those of the last position alone. A module of Hugging Face is called by the names that all of them share.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lengthwise.models.answering import NONE, Answer, ModelError
from lengthwise.models.tokens import Format, TokenIds, Tokenize, token_ids
from lengthwise.nn.architectures.signature import called
from lengthwise.runs.training.one_thread import one_thread
from lengthwise.tasks.task import Batch, Task
from lengthwise.user_code import blaming

TOKENS, PAIRS = 2**14, 2**22
"""How many tokens a model reads at once, and how many pairs of tokens of one word it may compare."""


@dataclass(frozen=True, eq=False)
class TorchModel:
    """A module with what is known of its tokens.

    Attributes:
        module: The module.

    """

    module: nn.Module
    title: str
    format: Format
    vocabulary: int | None = None
    """How many tokens it has, if that is known."""
    context: int | None = None
    """How many tokens it can read, if that is known."""
    tokenize: Tokenize | None = None
    file: str | None = None
    """The user's file, which is named where the module raises an exception."""

    def require_fits(self, task: Task) -> None:
        """Refuse a task whose symbols have no tokens, or more than the model has."""
        self._ids(task)

    def answer(self, task: Task, batch: Batch, rng: np.random.Generator) -> Answer:
        """What the module says, without gradients and in evaluation mode."""
        ids = self._ids(task)
        tokens = ids.symbols[batch.tokens]
        if ids.start is not None:
            tokens = np.concatenate([np.full((len(tokens), 1), ids.start), tokens], axis=1)
        length = tokens.shape[1]
        if self.context is not None and length > self.context:
            raise ModelError(
                f"{self.title} reads up to {self.context} tokens, and a word of {batch.tokens.shape[1]} symbols has "
                f"{length} here; leave this length out"
            )
        rows = max(1, min(TOKENS // length, PAIRS // length**2))
        found = []
        self.module.eval()
        with torch.no_grad(), one_thread():
            for begin in range(0, len(tokens), rows):
                piece = slice(begin, begin + rows)
                outputs = self._outputs(torch.from_numpy(tokens[piece]), task, ids)
                if ids.start is not None and outputs.dim() == 3:
                    outputs = outputs[:, 1:]
                found.append(self._read_off(task, ids, outputs, batch.mask[piece]))
        return Answer(np.concatenate(found))

    def _ids(self, task: Task) -> TokenIds:
        ids = token_ids(task, self.format, self.tokenize, self.title)
        if self.vocabulary is None:
            return ids
        if ids.count > self.vocabulary:
            raise ModelError(
                f"{self.title} has {self.vocabulary} tokens, and {task.name} needs token {ids.count - 1}; give a table "
                "of tokens, or a model with as many"
            )
        if self._by_task_ids and task.loss != "regression" and self.vocabulary != max(ids.outputs.tolist()) + 1:
            raise ModelError(
                f"{self.title} has {self.vocabulary} tokens, and {task.name} has {len(ids.outputs)} symbols and ends; "
                "say which tokens they are by a table of tokens"
            )
        return ids

    @property
    def _by_task_ids(self) -> bool:
        return self.format.tokens is None and self.tokenize is None and self.format.end is None

    def _outputs(self, tokens: Tensor, task: Task, ids: TokenIds) -> Tensor:
        with self._refused(tokens):
            positions = torch.arange(1, tokens.shape[1] + 1).expand_as(tokens)
            given = called(self.module, self.module, tokens, positions)
        if not isinstance(given, Tensor) or not given.is_floating_point():
            what = f"a tensor of {given.dtype}" if isinstance(given, Tensor) else f"of type {type(given).__name__}"
            raise ModelError(f"{self.title} returned outputs that are {what}; they must be logits, a tensor of floats")
        shapes = [(*tokens.shape, given.shape[-1])] if given.dim() else []
        if task.loss == "regression":
            shapes.append((len(tokens), given.shape[-1] if given.dim() else 0))
        if tuple(given.shape) not in shapes:
            raise ModelError(
                f"{self.title} returned outputs of the shape {tuple(given.shape)} for {tuple(tokens.shape)} tokens; "
                f"they must have the shape ({tokens.shape[0]}, {tokens.shape[1]}, outputs)"
            )
        columns, needed = given.shape[-1], max(ids.outputs.tolist()) + 1
        if columns < needed or (self._by_task_ids and columns != needed):
            what = "its symbols and the end of a word" if task.loss == "next-set" else "its outputs"
            raise ModelError(
                f"{self.title} returns {columns} numbers at a position, and {task.name} has {needed} ({what}); return "
                "as many, or say which are meant by a table of tokens"
            )
        return given.float()

    def _read_off(self, task: Task, ids: TokenIds, outputs: Tensor, mask: Any) -> Any:
        if task.loss == "regression":
            last = outputs[:, -1] if outputs.dim() == 3 else outputs
            self._require_numbers(last)
            return last[:, torch.from_numpy(ids.outputs)].double().numpy()
        self._require_numbers(outputs[torch.from_numpy(mask)])
        columns = torch.from_numpy(ids.outputs)
        if task.loss == "next-set":
            if self.format.threshold is not None:
                return (outputs.softmax(-1)[..., columns] >= self.format.threshold).numpy()
            return (outputs[..., columns] > 0).numpy()
        symbol = torch.full((outputs.shape[-1],), NONE)
        symbol[columns] = torch.arange(len(columns))
        return symbol[outputs.argmax(-1)].numpy()

    def _require_numbers(self, outputs: Tensor) -> None:
        if bool(outputs.isnan().any()):
            raise ModelError(f"{self.title} returned NaN, which is no logit; its weights may have diverged")

    def _refused(self, tokens: Tensor) -> Any:
        return _AsModelError(self.file, f"{self.title} on {tokens.shape[1]} tokens")


class _AsModelError:
    """Tells an exception of a module in one sentence, as a `ModelError`."""

    def __init__(self, file: str | None, what: str) -> None:
        self._file, self._what = file, what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, Exception) or isinstance(error, ModelError):
            return
        try:
            with blaming(self._file, self._what):
                raise error
        except Exception as told:
            raise ModelError(str(told)) from error


def made(maker: Any, task: Task, title: str, file: str | None) -> nn.Module:
    """A module of a class, given the sizes that its arguments ask for.

    Args:
        maker: The class: its arguments may be `vocabulary`, `outputs`, `alphabet` and `task`.
        task: The task.
        title: What messages call it.
        file: The user's file.

    Returns:
        The module, whose weights start the same every time.

    """
    known = {
        "vocabulary": len(task.alphabet),
        "outputs": task.outputs,
        "alphabet": task.alphabet.symbols,
        "task": task,
    }
    wanted = inspect.signature(maker).parameters
    for name, argument in wanted.items():
        optional = argument.default is not argument.empty or argument.kind in (
            argument.VAR_POSITIONAL,
            argument.VAR_KEYWORD,
        )
        if name not in known and not optional:
            raise ModelError(
                f"{title} needs the argument {name!r}; a model is made from {', '.join(known)} alone, so give it a "
                "default"
            )
    with _AsModelError(file, f"{title}()"), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = maker(**{name: value for name, value in known.items() if name in wanted})
    if not isinstance(module, nn.Module):
        raise ModelError(f"{title} is of type {type(module).__name__}; it must be a torch.nn.Module")
    return module
