"""`Run`: a finished run in one's hands, with its settings, its results and what its models answer to a word."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.alphabet import split
from lengthwise.errors import LengthwiseError, WordError
from lengthwise.output import plain
from lengthwise.runs.store.run_directory import RunDirectory, RunError
from lengthwise.runs.training.streams import TESTING, stream
from lengthwise.tasks.prompt import Prompt, prompt

if TYPE_CHECKING:
    from torch import Tensor

    from lengthwise.nn.model import Decoder
    from lengthwise.tasks.task import Task


@dataclass(frozen=True)
class Prediction:
    """What a trained model answers to a word; what the task does not ask is None.

    Attributes:
        word: The word, symbol by symbol.

    """

    word: tuple[str, ...]
    read: tuple[str, ...]
    """The symbols that the model read: the word, with those that the task adds, such as a start symbol."""
    accepts: bool | None = None
    """Whether the word may end where it ends, which is whether it is in the language."""
    next: tuple[frozenset[str], ...] | None = None
    """The symbols that may follow, after each symbol of the word."""
    answer: tuple[str, ...] | None = None
    """What the model wrote after the question; for other tasks of next tokens the likeliest symbol after each symbol of
    the word."""
    numbers: tuple[float, ...] | None = None
    """The numbers of a regression."""

    def __str__(self) -> str:
        if self.numbers is not None:
            return ", ".join(f"{number:.6g}" for number in self.numbers)
        if self.answer is not None:
            return " ".join(self.answer)
        said = "accepts" if self.accepts else "rejects"
        return f"{said}, next {' '.join(sorted(self.next[-1])) or '(none)'}" if self.next else said


class Run:
    """A finished run: `.config`, `.results`, `.model` and `.predict(word)`; made by `lw.load(directory)`.

    Args:
        path: The directory of the run.
        seed: Which of the run's seeds `model` and `predict` are about; else the first.

    Raises:
        RunError: There is no finished run there, it is damaged, or it has no such seed.

    Example:
        >>> import lengthwise as lw, tempfile
        >>> config = lw.RunConfig(task="(ab)*", train_length=4, test_lengths=[8], stopping={"steps": 20})
        >>> with tempfile.TemporaryDirectory() as store:
        ...     run = lw.train(config, store=store, engine="serial", show=False).runs[0]
        ...     run.results[0]["test_length"], len(run.predict("abab").next)
        (8, 4)

    """

    def __init__(self, path: str | os.PathLike[str], seed: int | None = None) -> None:
        self.directory = RunDirectory(Path(path).resolve())
        if not self.directory.path.is_dir():
            raise RunError(f"there is no run {path}: it is not a directory")
        self.config, self._done = self.directory.verified()
        self.seed = self.config.seeds[0] if seed is None else seed
        if self.seed not in self.config.seeds:
            raise RunError(f"the run {path} has no seed {seed}; its seeds are {', '.join(map(str, self.config.seeds))}")

    def __repr__(self) -> str:
        return f"<Run {self.config}, seed {self.seed} of {len(self.config.seeds)}>"

    @property
    def task(self) -> Task:
        """The task that it was trained on."""
        return self.config.get_task()

    @property
    def results(self) -> list[dict[str, Any]]:
        """Losses and accuracies as plain data, one record for each seed and test length.

        The keys are `seed`, `test_length`, `loss` (None if the seed diverged), `accuracy` (None for regression),
        `position_accuracy`, `words`, and of the training of the seed `steps`, `ending` and `training_loss`.
        """
        seeds = {each.seed: each for each in self._done.seeds}
        kept = ("seed", "test_length", "loss", "accuracy", "position_accuracy", "words")
        records = []
        for result in self._done.results:
            seed = seeds[result.seed]
            values = asdict(result)
            ended = {"steps": seed.steps, "ending": seed.ending, "training_loss": seed.loss}
            records.append(plain({**{name: values[name] for name in kept}, **ended}))
        return records

    @cached_property
    def models(self) -> Decoder:
        """The trained models of all seeds, side by side in one PyTorch module."""
        from lengthwise.runs.training.retest import taken_from

        return taken_from(self.directory, self.config)[0]

    @cached_property
    def model(self) -> Decoder:
        """The trained model of the seed, a PyTorch module."""
        return self.models.subset([self.config.seeds.index(self.seed)])

    def with_seed(self, seed: int) -> Run:
        """The same run for another of its seeds."""
        return Run(self.directory.path, seed)

    def predict(self, word: str | Sequence[str]) -> Prediction:
        """Ask the model of the seed about a word.

        Args:
            word: A word of the task: text, split at its spaces if it has any and else into characters, or its symbols.
                The symbols that the task itself adds, such as SOS and SEP, are left out.

        Returns:
            What the model answers, as far as its task asks: whether the word is accepted, what may come next, the
            answer to a question, or numbers.

        Raises:
            WordError: The word has a symbol that the task does not have.
            LengthwiseError: The word is empty or longer than the model can read, or the task gives position ids with
                its words, so that a word alone does not say them.

        """
        import torch

        from lengthwise.runs.training.train import numerics

        symbols = tuple(split(word) if isinstance(word, str) else word)
        task = self.task
        self._require_readable(task, symbols)
        given = prompt(task, symbols)
        tokens = torch.from_numpy(task.alphabet.encode(given.symbols).astype(np.int64))[None]
        with torch.no_grad(), numerics(self.config):
            places = self._places(len(given.symbols) + max(0, given.writes - 1))
            if given.writes:
                return Prediction(symbols, given.symbols, answer=self._written(task, given, tokens, places))
            outputs = self.model(tokens, places)[0, 0]
        return _read_off(task, symbols, given, outputs)

    def _require_readable(self, task: Task, symbols: tuple[str, ...]) -> None:
        if not symbols:
            raise WordError("the word is empty; a model answers after symbols, so give at least one")
        for symbol in symbols:
            if symbol not in task.alphabet.symbols:
                raise WordError(f"{symbol!r} is no symbol of {task.name}; it has {' '.join(task.alphabet.symbols)}")
        drawn = task.sample(self.config.training_lengths()[0], 1, np.random.default_rng(0))
        if drawn.positions is not None:
            raise LengthwiseError(
                f"the words of {task.name} come with position ids, which a word alone does not say; take words from "
                "`run.task.sample` and give their ids to `run.model`"
            )

    def _places(self, length: int) -> Tensor | None:
        """The position ids with which words of a length are tested."""
        import torch

        ids = self.model.positions.test_places(length, 1, stream(self.config.evaluation.seed, TESTING, length))
        return None if ids is None else torch.from_numpy(ids)

    def _written(self, task: Task, given: Prompt, tokens: Tensor, places: Tensor | None) -> tuple[str, ...]:
        from lengthwise.nn.generation import generate

        written = generate(self.model, tokens, given.writes, places).tokens[0, 0, tokens.shape[1] :]
        symbols = task.alphabet.decode(written.numpy())
        return tuple(symbols[: symbols.index(given.end)] if given.end in symbols else symbols)


def _read_off(task: Task, word: tuple[str, ...], given: Prompt, outputs: Tensor) -> Prediction:
    """What outputs at the last position, or at all, say about a word."""
    if task.loss == "regression":
        return Prediction(word, given.symbols, numbers=tuple(outputs.tolist()))
    at_word = outputs[given.before :]
    if task.loss == "next-token":
        answer = task.alphabet.decode(at_word.argmax(-1).numpy())
        return Prediction(word, given.symbols, answer=tuple(answer))
    said = (at_word > 0).tolist()
    following = None
    if task.outputs > 1:
        following = tuple(
            frozenset(symbol for symbol, can in zip(task.alphabet.symbols, row[:-1], strict=False) if can)
            for row in said
        )
    return Prediction(word, given.symbols, accepts=said[-1][-1], next=following)
