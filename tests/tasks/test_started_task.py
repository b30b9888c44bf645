"""Words behind a start symbol: the same words and targets, with nothing asked at the start."""

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.subjects import task_of
from lengthwise.tasks import StartedTask, lengths


@pytest.mark.parametrize("name", ["(aa)*", "majority", "induction-all", "tomita-3"])
def test_behind_the_start_symbol_everything_is_as_without_it(name: str) -> None:
    plain, started = task_of(name), task_of(name, start=True)
    first, second = (task.sample(10, 30, np.random.default_rng(1)) for task in (plain, started))
    assert (second.tokens[:, 1:] == first.tokens).all()
    assert (second.targets[:, 1:] == first.targets).all()
    assert (second.mask[:, 1:] == first.mask).all()
    assert (second.tokens[:, 0] == len(plain.alphabet)).all()
    assert not second.mask[:, 0].any()
    assert (started.outputs, started.loss, started.min_length) == (plain.outputs, plain.loss, plain.min_length)
    assert (started.program, started.language) == (plain.program, plain.language)
    assert lengths(started, 20) == lengths(plain, 20)


def test_a_started_task_is_found_again_by_its_name_and_parameters() -> None:
    for task in (task_of("(ab)*", alphabet="abc", start="yes"), task_of("majority", start=True)):
        assert isinstance(task, StartedTask)
        assert task.parameters["start"] is True
        again = task_of(task.name, **task.parameters)
        assert again.alphabet == task.alphabet
        assert again.parameters == task.parameters


def test_a_task_that_is_not_started_does_not_mention_it() -> None:
    assert task_of("majority", start=False).parameters == task_of("majority").parameters == {}


def test_the_start_symbol_differs_from_all_others() -> None:
    assert task_of("(ab)*", start=True).alphabet.symbols == ("a", "b", "$")
    assert task_of('("$"a)*', start=True).alphabet.symbols[-1] == "$$"


def test_what_is_neither_true_nor_false_is_no_start() -> None:
    with pytest.raises(LengthwiseError, match="the parameter 'start' is true or false, not 'perhaps'"):
        task_of("majority", start="perhaps")
