"""Evaluation: what every seed is worth at every test length.

The loss of a periodic task depends on the residue of the length, which would look like noise over lengths. So its words
are spread over the lengths T, …, T + period - 1, and the result stands for T. Likewise for other tasks of which some
inputs have, say, an even length only (`lengthwise.tasks.request.residues`). Where test lengths are the ends of bins,
the words for one are spread over its bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lengthwise.resources import within_time
from lengthwise.runs.config import bins
from lengthwise.runs.store.run_directory import Result
from lengthwise.runs.training.questions import Questions, Scores
from lengthwise.runs.training.scoring import Tally, first_examples
from lengthwise.runs.training.streams import CHECKING, TESTING, stream
from lengthwise.tasks.request import lengths, residues

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder
    from lengthwise.runs.config import RunConfig
    from lengthwise.tasks.task import Task


def evaluate(config: RunConfig, task: Task, model: Decoder, asked: Questions) -> tuple[Result, ...]:
    """The results of all seeds of a model, by seed and then by test length."""
    found: list[Result] = []
    tallies: dict[int, list[tuple[int, Tally]]] = {seed: [] for seed in model.seeds}
    for length in config.test_lengths:
        counted = [Tally() for _ in model.seeds]
        scores, words = _scores(config, model, asked, _lengths_for(config, task, length), TESTING, counted)
        for place, seed in enumerate(model.seeds):
            accuracy = None if scores.accuracies is None else scores.accuracies[place]
            tally = counted[place]
            tallies[seed].append((length, tally))
            found.append(Result(seed, length, scores.losses[place], accuracy, words, tally.accuracy, tally.ranges()))
    examples = {seed: first_examples(each, config.train_length) for seed, each in tallies.items()}
    shown = (replace(each, error=examples[each.seed].get(each.test_length)) for each in found)
    return tuple(sorted(shown, key=lambda result: (result.seed, result.test_length)))


def training_accuracies(config: RunConfig, model: Decoder, asked: Questions, trained: tuple[int, ...]) -> list[float]:
    """The accuracy of every seed on words of training lengths, always the same ones."""
    scores, _ = _scores(config, model, asked, trained, CHECKING)
    return scores.accuracies or []


def _lengths_for(config: RunConfig, task: Task, length: int) -> tuple[int, ...]:
    """The lengths that a test length stands for."""
    if config.evaluation.bins:
        within = bins(config.train_from, config.train_length, config.test_lengths)[length]
        return tuple(each for each in lengths(task, length) if each in within)
    spread = residues(task) if config.evaluation.residues else 1
    return tuple(range(length, length + spread))


def _scores(
    config: RunConfig,
    model: Decoder,
    asked: Questions,
    spread: tuple[int, ...],
    purpose: int,
    tallies: Sequence[Tally] = (),
) -> tuple[Scores, int]:
    """Means over words shared out to some lengths, and how many words these were; tallies count predictions."""
    import torch

    share = -(-config.evaluation.words // len(spread))
    losses, right = [0.0] * model.seed_count, [0] * model.seed_count
    counted = False
    with torch.no_grad():
        for length in spread:
            rng = stream(config.evaluation.seed, purpose, length)
            at_once = min(config.evaluation.batch, asked.bearable(model, length))
            for begin in within_time(range(0, share, at_once)):
                words = min(at_once, share - begin)
                scores = asked.scores(model, length, words, rng)
                weight = words / (share * len(spread))
                losses = [before + weight * loss for before, loss in zip(losses, scores.losses, strict=True)]
                if scores.accuracies is not None:
                    counted = True
                    # Whole words: shares that are added up need not make 1 where all are right.
                    both = zip(right, scores.accuracies, strict=True)
                    right = [before + round(accuracy * words) for before, accuracy in both]
                if scores.predictions is not None:
                    for place, tally in enumerate(tallies):
                        tally.add(scores.predictions, place)
    number = share * len(spread)
    return Scores(losses, [each / number for each in right] if counted else None), number
