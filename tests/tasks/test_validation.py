"""What a sampler may return: every mistake is one sentence, and no task of ours makes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lengthwise import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.subjects import names, task_of
from lengthwise.tasks import Batch, TaskError, get, register_task, registry, validate


class Good:
    """Repeat the symbol before."""

    name, min_length = "good", 1
    alphabet = Alphabet(("a", "b"))
    outputs, loss = 2, "next-token"
    program = language = None

    def __init__(self) -> None:
        self.parameters: Any = {}

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Any:
        tokens = rng.integers(2, size=(batch, length))
        return Batch(tokens, tokens.copy(), np.ones(tokens.shape, dtype=bool))


class Changed(Good):
    """The same with other batches or attributes."""

    def __init__(self, change: Callable[[Batch], Any] = lambda batch: batch, **attributes: Any) -> None:
        super().__init__()
        self.change = change
        for name, value in attributes.items():
            setattr(self, name, value)

    def sample(self, length: int, batch: int, rng: np.random.Generator) -> Any:
        return self.change(super().sample(length, batch, rng))


CALL = "Bad.sample(9, 3, rng)"
FLOATS = {"loss": "regression", "outputs": 1}
SETS = {"loss": "next-set", "outputs": 3}


def as_numbers(batch: Batch, targets: Any) -> Batch:
    mask = np.zeros_like(batch.mask)
    mask[:, -1] = True
    return Batch(batch.tokens, targets, mask)


@pytest.mark.parametrize(
    ("attributes", "change", "message"),
    [
        ({}, lambda batch: [1, 2], f"{CALL} returned a list; it must return a Batch"),
        ({}, lambda batch: None, f"{CALL} returned a NoneType; it must return a Batch"),
        ({}, lambda batch: batch.tokens, f"{CALL} returned a ndarray; it must return a Batch"),
        ({}, lambda batch: replace(batch, tokens=batch.tokens.tolist()), f"tokens of {CALL} are of type list; they mu"),
        ({}, lambda batch: replace(batch, tokens=batch.tokens.astype(np.int32)), f"tokens of {CALL} are an array of i"),
        ({}, lambda batch: replace(batch, tokens=batch.tokens[0]), f"tokens of {CALL} have the shape (9,); one row a "),
        ({}, lambda batch: replace(batch, tokens=batch.tokens[:2]), f"tokens of {CALL} have the shape (2, 9); one row"),
        ({}, lambda batch: replace(batch, tokens=batch.tokens + 1), f"tokens of {CALL} have the id 2; the ids of the "),
        ({}, lambda batch: replace(batch, tokens=batch.tokens - 1), f"tokens of {CALL} have the id -1; the ids of the"),
        ({}, lambda batch: replace(batch, mask=batch.mask[:, 1:]), f"mask of {CALL}: the shape is (3, 8); it must be "),
        ({}, lambda batch: replace(batch, mask=batch.tokens), f"mask of {CALL} is an array of int64; it must be an ar"),
        ({}, lambda batch: replace(batch, mask=~batch.mask), f"mask of {CALL} has a word with no scored position; set"),
        ({}, lambda batch: replace(batch, targets=batch.targets[:, 1:]), f"targets of {CALL}: the shape is (3, 8); it"),
        ({}, lambda batch: replace(batch, targets=batch.targets + 5), f"targets of {CALL} have the id 6; the ids of t"),
        ({}, lambda batch: replace(batch, targets=batch.targets / 2), f"targets of {CALL} are an array of float64; th"),
        ({}, lambda batch: replace(batch, positions=batch.tokens[:, 1:]), f"positions of {CALL}: the shape is (3, 8);"),
        ({}, lambda batch: replace(batch, answers=batch.tokens), f"answers of {CALL} are an array of int64; they must"),
        (FLOATS, lambda batch: batch, f"targets of {CALL} are an array of int64; a regression has floating-point"),
        (FLOATS, lambda batch: as_numbers(batch, np.zeros(3)), f"targets of {CALL}: the shape is (3,); it must be (3,"),
        (FLOATS, lambda batch: as_numbers(batch, np.full((3, 1), np.nan)), f"targets of {CALL} have a number that is "),
        (FLOATS, lambda batch: replace(batch, targets=np.zeros((3, 1))), f"mask of {CALL} scores more than the last p"),
        (SETS, lambda batch: batch, f"targets of {CALL} are an array of int64; they must be an array of bool"),
        (SETS, lambda batch: replace(batch, targets=batch.mask), f"targets of {CALL}: the shape is (3, 9); it must be"),
        ({"name": ""}, None, "Bad.name is ''; it must be a text"),
        ({"parameters": []}, None, "Bad.parameters is []; it must be a dict, such as {}"),
        ({"parameters": {"x": (1, 2)}}, None, "Bad.parameters['x'] is (1, 2); it must be a number, a truth value or t"),
        ({"alphabet": "ab"}, None, "Bad.alphabet is 'ab'; it must be an Alphabet, as in lengthwise.Alphabet"),
        ({"outputs": 0}, None, "Bad.outputs is 0; it must be a whole number, at least 1"),
        ({"min_length": 1.5}, None, "Bad.min_length is 1.5; it must be a whole number, at least 0"),
        ({"loss": "mse"}, None, "Bad.loss is 'mse'; it must be one of regression, next-token, next-set"),
    ],
)  # fmt: skip
def test_a_task_that_does_not_fit_together_is_refused_in_a_sentence(
    attributes: dict[str, Any], change: Any, message: str
) -> None:
    task: Any = Changed(change or (lambda batch: batch), **attributes)
    with pytest.raises(TaskError) as refused:
        validate(task, "Bad")
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_random_numbers_of_ones_own_are_refused() -> None:
    own = np.random.default_rng(0)

    class Careless(Good):
        def sample(self, length: int, batch: int, rng: np.random.Generator) -> Any:
            return super().sample(length, batch, own)

    task: Any = Careless()
    with pytest.raises(TaskError, match=r"returned other words for the same rng; take all random numbers from rng"):
        validate(task, "Careless")


def test_no_task_of_ours_has_such_a_mistake() -> None:
    assert len(names()) > 30
    for name in names():
        validate(task_of(name), name)  # raises


def test_a_registered_task_is_looked_at_once_and_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_makers", dict(registry._makers))
    calls: list[int] = []

    class Counted(Good):
        def sample(self, length: int, batch: int, rng: np.random.Generator) -> Any:
            calls.append(length)
            return super().sample(length, batch, rng)

    class Falls(Good):
        def sample(self, length: int, batch: int, rng: np.random.Generator) -> Any:
            return 1 / 0

    class Lists(Good):
        def sample(self, length: int, batch: int, rng: np.random.Generator) -> Any:
            return [rng.random()]

    for name, maker in (("counted", Counted), ("falls", Falls), ("lists", Lists)):
        register_task(name)(maker)  # type: ignore[type-var]
    assert get("counted").name == get("counted").name == "good"
    assert len(calls) == 2
    with pytest.raises(
        LengthwiseError, match=r"test_validation\.py:\d+: Falls\.sample\(\) raised ZeroDivisionError: div"
    ):
        get("falls")
    with pytest.raises(TaskError, match=r"^Lists\.sample\(9, 3, rng\) returned a list; it must return a Batch$"):
        get("lists")
