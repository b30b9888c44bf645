"""Programs as tasks: targets against what the programs are meant to predict, words against the rule that draws them."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, library, parse
from lengthwise.crasp.running.operations import Kind
from lengthwise.crasp.syntax import Next
from lengthwise.errors import LengthwiseError
from lengthwise.tasks import ProgramTask
from lengthwise.tasks.program_task import Reader, followed_words
from tests.cases.oracles import most_frequent_successors, next_when_sorting, successors
from tests.crasp import naive
from tests.programs import acceptors
from tests.tasks.statistics import assert_drawn_from

BRACKETS = parse(
    """
    alphabet "(" ")"
    D = #"(" - #")"
    next "(" = D < 2
    next ")" = D > 0
    Balanced = D == 0
    """
)
"""Bracketings nested at most twice."""

PREDICTED: dict[str, Callable[[Sequence[str]], set[str]]] = {
    "induction-all": lambda prefix: set(successors(prefix)),
    "induction-argmax": lambda prefix: most_frequent_successors(prefix, "abc"),
    "sort": lambda prefix: next_when_sorting(prefix, "12345"),
}


@pytest.mark.parametrize("name", PREDICTED)
@pytest.mark.parametrize("followed", [0.0, 0.5, 1.0])
def test_targets_are_what_the_program_is_meant_to_predict(name: str, followed: float) -> None:
    task = ProgramTask(library.get(name), followed)
    batch = task.sample(14, 30, np.random.default_rng(4))
    for ids, sets in zip(batch.tokens, batch.targets, strict=True):
        word = task.alphabet.decode(ids)
        for place, found in enumerate(sets, 1):
            predicted = {symbol for symbol, can in zip(task.alphabet, found, strict=False) if can}
            assert predicted == PREDICTED[name](word[:place])


def test_a_word_may_end_where_the_program_accepts_and_nowhere_if_it_never_does() -> None:
    batch = ProgramTask(BRACKETS).sample(9, 200, np.random.default_rng(5))
    depth = np.cumsum(np.where(batch.tokens == 0, 1, -1), axis=1)
    assert (batch.targets[:, :, -1] == (depth == 0)).all()
    assert not ProgramTask(library.get("induction-all")).sample(9, 50, np.random.default_rng(5)).targets[:, :, -1].any()


def chances(predicted: Callable[[Sequence[str]], set[str]], symbols: str, length: int) -> dict[str, Fraction]:
    """How likely each word is that is written by following the predictions, also those before the first symbol."""
    found: dict[str, Fraction] = defaultdict(Fraction, {"": Fraction(1)})
    for _ in range(length):
        longer: dict[str, Fraction] = defaultdict(Fraction)
        for word, chance in found.items():
            possible = predicted(word) or set(symbols)
            for symbol in possible:
                longer[word + symbol] += chance / len(possible)
        found = longer
    return dict(found)


def brackets(prefix: Sequence[str]) -> set[str]:
    depth = 2 * list(prefix).count("(") - len(prefix)
    return {symbol for symbol, can in (("(", depth < 2), (")", depth > 0)) if can}


@pytest.mark.parametrize(
    ("program", "predicted", "symbols"),
    [
        (BRACKETS, brackets, "()"),
        (library.get("induction-all"), PREDICTED["induction-all"], "abc"),
        (library.get("induction-argmax"), PREDICTED["induction-argmax"], "abc"),
    ],
    ids=["brackets", "induction-all", "induction-argmax"],
)
def test_a_followed_word_takes_each_predicted_symbol_equally_often_and_any_where_none_is(
    program: Program, predicted: Callable[[Sequence[str]], set[str]], symbols: str
) -> None:
    drawn = followed_words(program, 6, 20_000, np.random.default_rng(6))
    assert_drawn_from(chances(predicted, symbols, 6), ("".join(program.alphabet.decode(word)) for word in drawn))


def test_the_share_of_followed_words_is_as_set_and_the_others_are_uniform() -> None:
    task = ProgramTask(BRACKETS, followed=0.25)
    followed = chances(brackets, "()", 4)
    mixed = {
        word: Fraction(1, 4) * followed.get(word, Fraction(0)) + Fraction(3, 4) * Fraction(1, 16)
        for word in map("".join, product("()", repeat=4))
    }
    drawn = task.sample(4, 20_000, np.random.default_rng(7)).tokens
    assert_drawn_from(mixed, ("".join(task.alphabet.decode(word)) for word in drawn))


EVERYTHING = parse(
    """
    alphabet "a" "b" "c"
    A = #"a"
    B = #[j<i] "b"
    W = #[i-j in {2, 3, 7}] ("a" || "c")
    H = #[j==i] "b"
    next "a" = min(A, B + 1) <= 2 * W && i % 3 != 1
    next "b" = max(A, B) - 3 * B + 1 == (W if "a" else H) || !(A < B)
    next "c" = A != 4 * W - 2 * B && W < 3 || !true
    """
)
"""A program with every kind of operation."""


def predictions_side_by_side(program: Program, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """(words, positions, predictions)."""
    reader = Reader(program, len(ids))
    return np.array([reader.read(column) for column in ids.T]).transpose(2, 0, 1)


def test_reading_side_by_side_knows_every_operation() -> None:
    met = {operation.kind for operation in EVERYTHING.listing.operations}
    assert met == set(get_args(Kind))
    ids = np.random.default_rng(9).integers(3, size=(60, 40))
    found = predictions_side_by_side(EVERYTHING, ids)
    for word, predicted in zip(ids, found, strict=True):
        wanted = naive.values(EVERYTHING.statements, EVERYTHING.alphabet.decode(word))[-3:]
        assert predicted.T.astype(int).tolist() == wanted


@given(acceptors(large=True), st.data())
@settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
def test_reading_many_words_side_by_side_gives_the_predictions_of_the_definition(
    acceptor: Program, data: st.DataObject
) -> None:
    definitions = [statement for statement in acceptor.statements if not isinstance(statement, Next)]
    program = Program((*definitions, Next("a", definitions[-1].expression)), acceptor.declared_alphabet)
    length = data.draw(st.integers(1, 24))
    assume(program.evaluator.longest >= length)
    ids = np.random.default_rng(data.draw(st.integers(0, 99))).integers(len(program.alphabet), size=(3, length))
    found = predictions_side_by_side(program, ids)
    for word, predicted in zip(ids, found, strict=True):
        wanted = naive.values(program.statements, program.alphabet.decode(word))[-1]
        assert predicted[:, 0].astype(int).tolist() == wanted


def test_programs_that_predict_nothing_and_shares_beyond_one_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="the program dyck1 predicts nothing; add lines such as next"):
        ProgramTask(library.get("dyck1"))
    with pytest.raises(LengthwiseError, match=r"from 0 to 1, got 1\.5"):
        ProgramTask(BRACKETS, followed=1.5)
