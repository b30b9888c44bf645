"""What was measured: for each position scheme and training length the scores of all seeds at each test length.

The score of a task with right and wrong answers is the *accuracy*, the share of words with every position right; for a
program that accepts or rejects, the share of words with the answer at the end right. The score of a task with numbers
as answers is the *variance explained*, 1 - loss / variance of the targets: 1 for a model that is always right, 0 for
one that always says the mean. Either way 1 is perfect, so one rule judges both (`lengthwise.study.outcome`).

Where several models of the ladder were tried for a training length, the one counts that knows words of training lengths
best, and of equals the first.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lengthwise.runs.config import RunConfig, bins
from lengthwise.runs.labels import size_of
from lengthwise.runs.store.run_directory import Result, SeedSummary
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.scoring import ErrorExample
from lengthwise.study.plan import Plan
from lengthwise.study.progression import Stage, Trial
from lengthwise.study.protocol import LEARNED, LEARNED_NUMBERS
from lengthwise.study.schemes import Scheme
from lengthwise.tasks import AcceptanceTask, StartedTask
from lengthwise.tasks.request import lengths
from lengthwise.tasks.task import Task, is_counted

Measure = Literal["accuracy", "variance explained"]
Answered = Literal["every position", "the end"]
START_WORDS = 64
"""Words that are looked at for a start symbol."""
VARIANCE_WORDS = 4096
"""Words that the variance of the targets is taken of."""
ANSWERS_DRAWN = 256
"""Words that are looked at for how many answers there are."""
HOLDS = 0.95
"""The score from which on models hold at a length: how far they go is the longest such length."""


@dataclass(frozen=True)
class AtTestLength:
    """The seeds at one test length, in their order."""

    test_length: int
    shortest: int
    """The shortest words that the test length stands for."""
    losses: tuple[float, ...]
    """NaN for a seed that diverged."""
    scores: tuple[float, ...]
    """Minus infinity for a seed that diverged, if the score is a variance explained."""
    position_scores: tuple[float, ...] | None
    """The shares of single predictions that are right; None for tasks with numbers."""
    words: int
    """How many words were tested."""

    @property
    def score(self) -> float:
        """The median over seeds."""
        return statistics.median(self.scores)

    @property
    def position_score(self) -> float | None:
        """The median over seeds."""
        return None if self.position_scores is None else statistics.median(self.position_scores)

    @property
    def loss(self) -> float:
        """The median over seeds; a seed that diverged counts as infinitely bad."""
        return statistics.median(math.inf if math.isnan(loss) else loss for loss in self.losses)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "test_length": self.test_length,
            "shortest": self.shortest,
            "words": self.words,
            "median_score": self.score,
            "scores": list(self.scores),
            "median_position_score": self.position_score,
            "position_scores": None if self.position_scores is None else list(self.position_scores),
            "median_loss": self.loss,
            "losses": list(self.losses),
        }


@dataclass(frozen=True)
class AtPositions:
    """The accuracy of single predictions in a range of positions of the input, for words of one test length."""

    first: int
    last: int
    scores: tuple[float, ...]
    """Of the seeds, in their order."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "first": self.first,
            "last": self.last,
            "median_score": statistics.median(self.scores),
            "scores": list(self.scores),
        }


@dataclass(frozen=True)
class Mistake:
    """A long word on which a model errs. Positions count from 1; a start symbol is at 0."""

    seed: int
    test_length: int
    word: tuple[str, ...]
    wrong: tuple[int, ...]
    """Positions whose prediction is wrong."""
    expected: tuple[tuple[str, ...], ...]
    """The right predictions there: the symbols that may follow, or the one that does."""
    predicted: tuple[tuple[str, ...], ...]
    start: bool
    """Whether the first symbol of the word is a start symbol, at position 0."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "seed": self.seed,
            "test_length": self.test_length,
            "word": list(self.word),
            "start": self.start,
            "wrong": list(self.wrong),
            "expected": [list(each) for each in self.expected],
            "predicted": [list(each) for each in self.predicted],
        }


@dataclass(frozen=True)
class Trained:
    """One training length of one scheme with one model."""

    train_length: int
    model: str
    """Layers, heads and width."""
    rung: int
    """Its place in the ladder, from 0 on."""
    seeds: tuple[int, ...]
    """The seeds that are there."""
    wanted: int
    """How many there should be."""
    reached: int | None
    """How many ended because they were good enough on training lengths, and not at the step limit; None if nothing is
    good enough to end early."""
    diverged: int
    steps: tuple[int, ...]
    lengths: tuple[AtTestLength, ...]
    positions: tuple[AtPositions, ...]
    """At the target length, or the longest that was tested."""
    mistake: Mistake | None
    least: float
    """The median score on words of training lengths from which on the task counts as learned."""
    settings: Mapping[str, Any]
    settings_id: str

    @property
    def missed(self) -> int:
        """How many did not reach the goal of training, if there is one."""
        return 0 if self.reached is None else self.wanted - self.reached

    @property
    def learned(self) -> bool:
        """Whether the median score on words of training lengths is good enough."""
        return bool(self.lengths) and self.lengths[0].score >= self.least

    def at(self, length: int) -> AtTestLength | None:
        """The seeds at a test length, if it was tested."""
        return next((each for each in self.lengths if each.test_length == length), None)

    @property
    def how_far(self) -> int | None:
        """The longest test length up to which the median score is at least 95 %; None if it is below at N itself."""
        return _how_far([(each.test_length, each.score) for each in self.lengths])

    @property
    def how_far_by_seed(self) -> tuple[int | None, ...]:
        """The same for each seed."""
        return tuple(
            _how_far([(each.test_length, each.scores[place]) for each in self.lengths])
            for place in range(len(self.seeds))
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "train_length": self.train_length,
            "model": self.model,
            "rung": self.rung,
            "learned": self.learned,
            "seeds": list(self.seeds),
            "missing_seeds": self.wanted - len(self.seeds),
            "reached_stop": self.reached,
            "diverged": self.diverged,
            "steps": list(self.steps),
            "how_far": self.how_far,
            "how_far_by_seed": list(self.how_far_by_seed),
            "results": [each.as_json() for each in self.lengths],
            "positions": [each.as_json() for each in self.positions],
            "mistake": None if self.mistake is None else self.mistake.as_json(),
            "settings": self.settings_id,
        }


def _how_far(scores: Sequence[tuple[int, float]]) -> int | None:
    longest = None
    for length, score in scores:
        if score < HOLDS:
            break
        longest = length
    return longest


@dataclass(frozen=True)
class Measurement:
    """All training lengths of one scheme, the shortest first."""

    scheme: Scheme
    measure: Measure
    trained: tuple[Trained, ...]
    """The model that counts, for each training length."""
    attempts: tuple[Trained, ...]
    """All models that were tried."""
    answered: Answered = "every position"
    """Where a word must be right to count as right."""
    two_answers: bool = False
    """Whether every word has one of two answers, so that half of them can be guessed."""

    @property
    def known(self) -> tuple[Trained, ...]:
        """The training lengths that there is something on."""
        return tuple(each for each in self.trained if each.lengths)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            **self.scheme.as_json(),
            "measure": self.measure,
            "answered": self.answered,
            "two_answers": self.two_answers,
            "trained": [each.as_json() for each in self.trained],
            "attempts": [
                {
                    "train_length": each.train_length,
                    "model": each.model,
                    "learned": each.learned,
                    "steps": list(each.steps),
                    "in_distribution": list(each.lengths[0].scores) if each.lengths else [],
                }
                for each in self.attempts
            ],
        }


def measurements(plan: Plan, stages: Sequence[Stage], store: Store, shown: str) -> dict[str, Measurement]:
    """What a store has on the stages of a plan, by scheme; the task is called by the name `shown`."""
    found: dict[str, Measurement] = {}
    for scheme in plan.schemes:
        own = [stage for stage in stages if stage.scheme.key == scheme.key]
        tried = [_trained(plan, stage, store, shown) for stage in own]
        counting = [
            max((each for each in tried if each.train_length == length), key=_in_distribution)
            for length in sorted({each.train_length for each in tried})
        ]
        task = _plain(own[0].config.get_task())
        measure: Measure = "variance explained" if task.loss == "regression" else "accuracy"
        answered: Answered = "the end" if isinstance(task, AcceptanceTask) else "every position"
        two = has_two_answers(task, plan.lengths.train[-1])
        found[scheme.key] = Measurement(scheme, measure, tuple(counting), tuple(tried), answered, two)
    return found


def has_two_answers(task: Task, length: int) -> bool:
    """Whether every word of a task has one of two answers, yes or no: half of them can be guessed.

    Args:
        task: The task.
        length: Words of this length are drawn to see which answers there are.

    Returns:
        Whether there are at most two; always so for programs that accept or reject.

    """
    if task.loss != "next-token":
        return isinstance(task, AcceptanceTask)
    batch = task.sample(length, ANSWERS_DRAWN, np.random.default_rng(0))
    return len({tuple(row[scored]) for row, scored in zip(batch.targets, batch.mask, strict=True)}) <= 2


def trials(plan: Plan, configs: Sequence[RunConfig], store: Store) -> dict[str, list[Trial]]:
    """How the seeds of some configs ended, by the hash of the settings, as plans want to know it."""
    found: dict[str, list[Trial]] = {}
    variances: dict[int, float] = {}
    for row in store.rows(configs):
        if row.test_length != row.config.test_lengths[0]:
            continue
        score = row.accuracy
        if score is None:
            if row.test_length not in variances:
                variances[row.test_length] = target_variance(plan.task, row.test_length)
            score = _explained(row.loss, variances[row.test_length])
        found.setdefault(row.config.settings_id, []).append(Trial(row.seed, row.steps, score))
    return found


def _in_distribution(trained: Trained) -> float:
    return trained.lengths[0].score if trained.lengths else -math.inf


def _plain(task: Task) -> Task:
    return task.task if isinstance(task, StartedTask) else task


def _trained(plan: Plan, stage: Stage, store: Store, shown: str) -> Trained:
    config = stage.config
    task = config.get_task()
    results: dict[int, dict[int, Result]] = {}
    ends: dict[int, SeedSummary] = {}
    for directory in store.directories(config):
        done = directory.done()
        ends |= {each.seed: each for each in done.seeds if each.seed in config.seeds}
        for result in done.results:
            if result.seed in config.seeds:
                results.setdefault(result.test_length, {})[result.seed] = result
    seeds = tuple(sorted(ends))
    lengths = tuple(_at(config, task, length, [results[length][seed] for seed in seeds]) for length in sorted(results))
    target = max((each for each in results if each <= plan.lengths.target), default=None)
    started = task.loss != "regression" and _has_start(task, config.train_length)
    return Trained(
        stage.train_length,
        size_of(config.model),
        stage.rung,
        seeds,
        len(config.seeds),
        None
        if config.stopping.loss is None and config.stopping.accuracy is None
        else sum(each.ending in ("loss", "accuracy") for each in ends.values()),
        sum(each.ending == "diverged" for each in ends.values()),
        tuple(ends[seed].steps for seed in seeds),
        lengths,
        () if target is None else _positions([results[target][seed] for seed in seeds], 0 if started else 1),
        _mistake(task, results, seeds, started),
        LEARNED_NUMBERS if task.loss == "regression" else LEARNED,
        {**config.settings(), "task": shown},
        config.settings_id,
    )


def _has_start(task: Task, length: int) -> bool:
    """Whether all words begin with the same symbol, at which nothing is asked: a start symbol, at position 0."""
    drawn = task.sample(min(lengths(task, length), default=task.min_length), START_WORDS, np.random.default_rng(0))
    return not drawn.mask[:, 0].any() and len(set(drawn.tokens[:, 0].tolist())) == 1


def _at(config: RunConfig, task: Task, length: int, found: Sequence[Result]) -> AtTestLength:
    losses = tuple(each.loss for each in found)
    if any(each.accuracy is None for each in found):
        variance = target_variance(task, length)
        scores = tuple(_explained(loss, variance) for loss in losses)
    else:
        scores = tuple(each.accuracy or 0.0 for each in found)
    by_position = [each.position_accuracy for each in found]
    covered = (
        bins(config.train_from, config.train_length, config.test_lengths)[length] if config.evaluation.bins else None
    )
    return AtTestLength(
        length,
        length if covered is None else covered[0],
        losses,
        scores,
        None if any(each is None for each in by_position) else tuple(each or 0.0 for each in by_position),
        found[0].words,
    )


def _explained(loss: float, variance: float) -> float:
    return -math.inf if math.isnan(loss) else 1 - loss / variance


def _positions(found: Sequence[Result], first_position: int) -> tuple[AtPositions, ...]:
    """The accuracies of all seeds by ranges of positions, which are the same for all."""
    if not found or any(not each.by_position for each in found):
        return ()
    made, before = [], first_position
    for ranges in zip(*(each.by_position for each in found), strict=True):
        last = ranges[0].last + first_position
        made.append(AtPositions(before, last, tuple(each.right / each.scored for each in ranges)))
        before = last + 1
    return tuple(made)


def _mistake(
    task: Task, results: Mapping[int, Mapping[int, Result]], seeds: Sequence[int], started: bool
) -> Mistake | None:
    """The first mistake on words beyond training, of the shortest such length and then of the first seed."""
    names = output_names(task)
    for length in sorted(results):
        for seed in seeds:
            error = results[length][seed].error
            if error is not None:
                return _shown(error, task, names, seed, length, started)
    return None


def _shown(error: ErrorExample, task: Task, names: Sequence[str], seed: int, length: int, started: bool) -> Mistake:
    more = 0 if started else 1
    return Mistake(
        seed,
        length,
        tuple(task.alphabet.symbols[token] for token in error.tokens),
        tuple(place + more for place in error.wrong),
        tuple(tuple(names[each] for each in said) for said in error.expected),
        tuple(tuple(names[each] for each in said) for said in error.predicted),
        started,
    )


def output_names(task: Task) -> tuple[str, ...]:
    """What the outputs of a model stand for: symbols, and `end` where a word may end."""
    plain = _plain(task)
    if plain.loss == "next-set":
        return ("end",) if plain.outputs == 1 else (*plain.alphabet.symbols[: plain.outputs - 1], "end")
    return plain.alphabet.symbols


def target_variance(task: Task, length: int) -> float:
    """The loss of always saying the mean target, on words of a length; those of a fixed seed."""
    rng = np.random.default_rng(0)
    # Counts are quicker to draw than words, and have the same targets.
    drawn = task.sample_counts if is_counted(task) else task.sample
    variance = float(np.mean(np.var(drawn(length, VARIANCE_WORDS, rng).targets, axis=0)))
    # Targets that are all the same leave nothing to explain: then any loss is as bad as it is large.
    return variance or 1.0
