"""Evaluating: any model on random words of a task, by length, or a compiled model on words that are given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from lengthwise.errors import LengthwiseError
from lengthwise.public.deciding import task_verdict
from lengthwise.public.models import Evaluation, evaluate_words
from lengthwise.resources import SECONDS
from lengthwise.subjects import Subject, with_parameters
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.models import LengthScore
    from lengthwise.tasks import Task

VERDICT_SECONDS = 10.0
"""How long the verdict beside the scores may take."""


@dataclass(frozen=True)
class Scores:
    """What `evaluate` gives for a task: the scores of a model by length, beside the verdict on the task."""

    model: str
    """As it was given."""
    title: str
    """What the model is."""
    task: str
    """As it was given."""
    meaning: str
    """How the task was read."""
    seed: int
    """Of the words."""
    results: tuple[LengthScore, ...]
    verdict: Mapping[str, str] | None
    """The answers of `decide` without positions (`nope`), with local and with absolute ones (`ape`), and for languages
    what theorems say of `recurrent` and `state_space` models; None if the task has neither a language nor a program."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "model": self.model,
            "title": self.title,
            "task": self.task,
            "meaning": self.meaning,
            "seed": self.seed,
            "verdict": None if self.verdict is None else dict(self.verdict),
            "results": [each.as_json() for each in self.results],
        }

    def __str__(self) -> str:
        head = ("length", "words", "accuracy", "", "per position", "")
        rows = [
            (
                str(each.length),
                str(each.words),
                *_shown(each.accuracy, each.interval, each.loss),
                *_shown(each.position_accuracy, each.position_interval, None),
            )
            for each in self.results
            if each.problem is None
        ]
        lines = [f"{self.title} on the {self.meaning}, words of seed {self.seed}"]
        if self.verdict is not None:
            said = ", ".join(f"{name} {self.verdict[key]}" for name, key in _VERDICTS)
            lines.append(f"one C-RASP program for all lengths: {said}")
            if "recurrent" in self.verdict:
                said = ", ".join(f"{name} {self.verdict[key]}" for name, key in _OTHERS)
                lines.append(f"one model of finite precision for all lengths: {said}")
        lines += aligned([head, *rows], right=[0, 1, 2, 4]) if rows else []
        lines += sorted({each.note for each in self.results if each.note is not None})
        lines += [f"length {each.length}: {each.problem}" for each in self.results if each.problem is not None]
        return "\n".join(lines)


_OTHERS = (("recurrent", "recurrent"), ("state-space with gates from 0 to 1", "state_space"))
_VERDICTS = (("without positions", "nope"), ("with local ones", "local"), ("with absolute ones", "ape"))


def _shown(share: float | None, interval: tuple[float, float] | None, loss: float | None) -> tuple[str, str]:
    if loss is not None:
        return f"loss {loss:.6g}", ""
    if share is None or interval is None:
        return "–", ""
    return f"{share:.4f}", f"{interval[0]:.3f}–{interval[1]:.3f}"


@overload
def evaluate(
    model: object,
    task: Iterable[str],
    lengths: None = None,
    *,
    regime: str | None = None,
    offset: int = 0,
    seconds: float | None = SECONDS,
) -> Evaluation: ...
@overload
def evaluate(
    model: object,
    task: object,
    lengths: int | Sequence[int],
    *,
    words: int = 1000,
    seed: int = 0,
    tokens: Mapping[str, int] | str | os.PathLike[str] | None = None,
    start_token: str | int | None = None,
    separator_token: str | int | None = None,
    end_token: str | int | None = None,
    threshold: float | None = None,
    weights: str | os.PathLike[str] | None = None,
    **parameters: Any,
) -> Scores: ...
def evaluate(
    model: object,
    task: object = None,
    lengths: int | Sequence[int] | None = None,
    *,
    words: int = 1000,
    seed: int = 0,
    tokens: Mapping[str, int] | str | os.PathLike[str] | None = None,
    start_token: str | int | None = None,
    separator_token: str | int | None = None,
    end_token: str | int | None = None,
    threshold: float | None = None,
    weights: str | os.PathLike[str] | None = None,
    regime: str | None = None,
    offset: int = 0,
    seconds: float | None = SECONDS,
    **parameters: Any,
) -> Evaluation | Scores:
    """Score any model on random words of a task, or ask a compiled model about words.

    All models are scored by the rule of our own runs: the same words for the same seed, the same positions, and a word
    is right only if every position that decides on it is.

    Args:
        model: A run, a directory in the layout of Hugging Face, a model file, a program, `mine.py:Name` or
            `package.module:Name`; or a module, a class of modules, a function, a `Run` or a program as an object.
        task: What `Subject.of` takes; for a run, its own task if it is left out. Without lengths: the words that a
            compiled model or a program is asked about, where `""` is the empty word.
        lengths: The lengths of random words.
        words: How many words of each length.
        seed: The seed of the words.
        tokens: The token of each symbol by a table, or the JSON file of one; else by the model's tokenizer, or the ids
            of the task.
        start_token: The token in front of words, or that of SOS: its name or its number.
        separator_token: The token of SEP.
        end_token: The token of EOS, or the one that says that a word may end.
        threshold: A symbol may come next if its softmax probability is at least this; else if its logit is positive.
        weights: A safetensors file with the weights of a torch module.
        regime: For words and a Limit Transformer: `huang(8)`, `izzo_finite(8)`, `izzo_infinite` or `hardmax`.
        offset: For words and an ordinary transformer: where the words start.
        seconds: For words: the time limit for each; None for no limit.
        **parameters: Those of the task, and the `alphabet` of a regex or a predicate.

    Returns:
        Accuracy per word and per position by length, with 95 % intervals and the verdict on the task; for words
        whether each is accepted, with the outputs behind that, and whether it is proved.

    Raises:
        LengthwiseError: There is no such model or task, they do not fit together at any length, or a word is none of
            the model's words.

    Example:
        >>> import lengthwise as lw
        >>> def model(symbols):
        ...     return {"a"} if symbols[-1] == "b" else {"b"}
        >>> [each.accuracy for each in lw.evaluate(model, "(ab)*", [4, 8], words=10).results]
        [0.0, 0.0]
        >>> def model(symbols):
        ...     return {"a", "end"} if symbols[-1] == "b" else {"b"}
        >>> [each.accuracy for each in lw.evaluate(model, "(ab)*", [4, 8], words=10).results]
        [1.0, 1.0]
        >>> [answer.accepts for answer in lw.evaluate(lw.compile("dyck1").model, ["()", ")("]).answers]
        [True, False]

    """
    if lengths is None:
        if not isinstance(task, Iterable) or isinstance(task, str):
            raise LengthwiseError("give the lengths of random words, as in lengths=[50, 100], or a list of words")
        if isinstance(model, str | os.PathLike) and os.path.isdir(model):
            raise LengthwiseError(
                f"{model} is a directory, which is scored at lengths, as in --lengths 50,100; "
                "lengthwise.load(RUN).predict(word) asks a run about a word"
            )
        return evaluate_words(model, task, regime=regime, offset=offset, seconds=seconds)  # type: ignore[arg-type]
    if regime is not None or offset:
        raise LengthwiseError("a regime and an offset are for words that are given, not for random ones of a task")
    from lengthwise.models import Format, ModelError, read_model, read_table, score

    asked = (lengths,) if isinstance(lengths, int) else tuple(lengths)
    if not asked or min(asked) < 1:
        raise LengthwiseError("give at least one length, all of them from 1 on")
    meant, made = _task(model, task, parameters)
    table_of = read_table(tokens) if isinstance(tokens, str | os.PathLike) else tokens
    form = Format(table_of, start_token, separator_token, end_token, threshold)
    found = read_model(model, made, form, weights)
    results = tuple(score(found, made, asked, words, seed))
    if all(each.problem is not None for each in results):
        raise ModelError(str(results[0].problem))
    text = model if isinstance(model, str) else os.fspath(model) if isinstance(model, os.PathLike) else found.title
    return Scores(text, found.title, meant.text, meant.meaning, seed, results, _verdict(made))


def _task(model: object, task: object, parameters: Mapping[str, Any]) -> tuple[Subject, Task]:
    """The task that is meant: the one that is given, or that of a run."""
    if task is not None:
        meant, left = with_parameters(task, parameters)
        return meant, meant.as_task(**left)
    from lengthwise.runs import Run

    run = model
    if isinstance(model, str | os.PathLike) and os.path.isfile(os.path.join(model, "done.json")):
        run = Run(model)
    if not isinstance(run, Run):
        raise LengthwiseError("say on which task the model is scored, as in --task '(ab)*'; only runs have one")
    config = run.config
    meant, left = with_parameters(config.task, {**config.parameters, **config.evaluation.parameters, **parameters})
    return meant, meant.as_task(**left)


def _verdict(task: Task) -> dict[str, str] | None:
    from lengthwise.regular import Budget
    from lengthwise.regular.algebra.recurrent import recurrent_verdicts

    found = task_verdict(task, "last", Budget(seconds=VERDICT_SECONDS), task.name)
    if found is None:
        return None
    others = {} if task.language is None else recurrent_verdicts(task.language)
    return {"nope": found.nope.kind, "local": found.local.kind, "ape": found.ape.kind, **others}
