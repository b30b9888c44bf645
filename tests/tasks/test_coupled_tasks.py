"""The tasks of Golowich et al. against readings of their words, written from appendix E, and its printed examples."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from lengthwise.cli.tasks import tasks as command
from lengthwise.errors import LengthwiseError
from lengthwise.tasks import PositionedTask, Task, describe, get, lengths, registered
from lengthwise.tasks.request import input_length
from tests.tasks import coupled_words
from tests.tasks.coupled_words import Ids, Word, words_of

COUPLED: list[tuple[str, dict[str, Any]]] = [
    *(("task:scratchpad-parity", {"jumps": jumps}) for jumps in (1, 2, 3, 4)),
    ("task:scratchpad-parity", {"scratchpad": False}),
    *(("task:variable-assignment", {"depth": depth}) for depth in (1, 2, 3, 5)),
    ("task:variable-assignment", {"depth": 3, "scratchpad": False, "variables": 30}),
    ("task:reversal", {}),
    ("task:reversal", {"symbols": 2}),
    ("task:column-addition", {}),
    ("task:column-addition", {"base": 2}),
    ("task:column-addition", {"base": 16}),
]
CASES = [("task:sparse-parity", {}), ("task:sparse-parity", {"fewest": 3, "most": 3, "indices": 5}), *COUPLED]
NAMES = sorted({name for name, _ in CASES})


class Counting:
    """A random generator that counts how often it is asked."""

    def __init__(self) -> None:
        self._rng, self.calls = np.random.default_rng(0), 0

    def __getattr__(self, name: str) -> Any:
        self.calls += 1
        return getattr(self._rng, name)


def named(cases: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return ["-".join([name, *map(str, parameters.values())]) for name, parameters in cases]


def drawn(task: Task, length: int, number: int, seed: int = 0) -> list[Word]:
    return words_of(task.alphabet.symbols, task.sample(length, number, np.random.default_rng(seed)))


def expected(task: Task, word: Word) -> tuple[list[str], Ids | None]:
    """What should be written in a word, and the IDs it should have."""
    own = task.parameters
    match task.name:
        case "task:sparse-parity":
            return coupled_words.sparse_parity(word.symbols, own["indices"])[0], None
        case "task:scratchpad-parity":
            return coupled_words.scratchpad_parity(word.symbols, own["jumps"], own["scratchpad"])
        case "task:variable-assignment":
            return coupled_words.variable_assignment(word.symbols, own["depth"], own["scratchpad"])
        case "task:reversal":
            return coupled_words.reversal(word.symbols)
        case _:
            return coupled_words.column_addition(word.symbols, own["base"])


def some_lengths(task: Task) -> list[int]:
    return [*lengths(task, task.min_length + 20), lengths(task, 120)[-1]]


# ------------------------------------------------------------------------------------------------- words and IDs


@pytest.mark.parametrize(("name", "parameters"), CASES, ids=named(CASES))
def test_what_is_written_and_its_ids_follow_from_the_question(name: str, parameters: dict[str, Any]) -> None:
    task = get(name, **parameters)
    for length in some_lengths(task):
        for word in drawn(task, length, 40, seed=length):
            written, ids = expected(task, word)
            assert word.symbols[-len(written) :] == written
            assert word.ids == ids
            assert word.asked == [False] * (len(word.symbols) - len(written)) + [True] * len(written)
            assert word.symbols[-len(written) - 1] in {"SEP", "SEP2", "="}


@pytest.mark.parametrize(("name", "parameters"), COUPLED, ids=named(COUPLED))
def test_plain_positions_are_the_same_words_without_ids(name: str, parameters: dict[str, Any]) -> None:
    coupled, plain = get(name, **parameters), get(name, **parameters, positions="plain")
    assert isinstance(plain, PositionedTask)
    assert isinstance(coupled, PositionedTask)
    length = lengths(coupled, 20)[-1]
    left, right = (task.sample(length, 30, np.random.default_rng(1)) for task in (coupled, plain))
    assert np.array_equal(left.tokens, right.tokens)
    assert np.array_equal(left.targets, right.targets)
    assert np.array_equal(left.mask, right.mask)
    assert (right.positions, right.next_positions) == (None, None)
    assert plain.largest_id(length) == right.tokens.shape[1]
    assert left.positions is not None
    assert left.next_positions is not None
    assert coupled.largest_id(length) == max(left.positions.max(), left.next_positions.max())


def test_ids_of_scratchpad_parity_are_as_printed() -> None:
    (word,) = drawn(get("task:scratchpad-parity"), 5, 1)
    assert word.ids == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("jumps", "ids"),
    [
        (2, [0, 1, 1, 2, 2, 3, 3, 4, 0, 1, 2, 3, 4]),
        (3, [0, 1, 1, 1, 2, 2, 2, 3, 0, 1, 2, 3]),
        (4, [0, 1, 1, 1, 1, 2, 2, 2, 0, 1, 2]),
        (9, [0, 1, 1, 1, 1, 1, 1, 1, 0, 1]),
    ],
)
def test_with_jumps_each_id_is_repeated_in_the_question(jumps: int, ids: list[int]) -> None:
    (word,) = drawn(get("task:scratchpad-parity", jumps=jumps), 7, 1)
    assert word.ids == ids


def test_ids_of_reversal_are_as_printed() -> None:
    (word,) = drawn(get("task:reversal"), 4, 1)
    assert word.ids == [1, 2, 3, 4, 0, 4, 3, 2, 1]
    assert word.symbols[4] == "SEP"


def test_the_printed_example_of_variable_assignment_has_its_tokens_and_ids() -> None:
    """E.3.1: chains 2, 1, 1, 2 in the question; the chain that is asked about stands at the second and third place."""
    for word in drawn(get("task:variable-assignment"), 12, 200):
        first = word.symbols[1]
        if word.symbols[6] == first and word.symbols[9] == word.symbols[8]:
            break
    else:
        pytest.fail("the order of the example does not occur")
    a, b, c = first, word.symbols[8], word.symbols[11]
    x, y, z = word.symbols[3], word.symbols[5], word.symbols[14]
    assert len({a, b, c, x, y, z}) == 6
    question = f"BOS {a} SEP1 {x} ← {y} {a} ← {b} {b} ← {c} {y} ← {z} SEP2"
    assert " ".join(word.symbols) == f"{question} {a} ← {b} {b} ← {c}"
    assert word.ids == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 6, 7, 8, 9, 10, 11]


def test_columns_of_an_addition_share_their_ids() -> None:
    """653 + 049 = 0702, as in Cho et al.: 6, 0 and the 7 have one ID, 5, 4 and the 0, and 3, 9 and the 2."""

    class Digits:
        def integers(self, base: int, size: tuple[int, ...]) -> Any:
            return np.array([[[6, 5, 3], [0, 4, 9]]]).reshape(size)

    task: Any = get("task:column-addition")
    (word,) = words_of(task.alphabet.symbols, task.sample(3, 1, Digits()))
    assert " ".join(word.symbols) == "BOS 6 5 3 + 0 4 9 = 2 0 7 0"
    assert word.ids == [0, 2, 3, 4, 5, 2, 3, 4, 5, 4, 3, 2, 1]


def test_a_carry_runs_through_as_many_columns_as_there_are() -> None:
    class Digits:
        def integers(self, base: int, size: tuple[int, ...]) -> Any:
            ones, nines = [0] * 39 + [1], [9] * 40
            return np.array([[ones, nines], [nines, [0] * 40], [nines, nines]]).reshape(size)

    task: Any = get("task:column-addition")
    sums = ["".join(word.symbols[-41:]) for word in words_of(task.alphabet.symbols, task.sample(40, 3, Digits()))]
    assert sums == ["0" * 40 + "1", "9" * 40 + "0", "8" + "9" * 39 + "1"]


def test_without_a_scratchpad_the_answer_alone_is_written_with_the_id_it_had() -> None:
    for name, length in (("task:scratchpad-parity", 9), ("task:variable-assignment", 30)):
        pairs = zip(drawn(get(name), length, 20), drawn(get(name, scratchpad=False), length, 20), strict=True)
        for full, short in pairs:
            assert full.ids is not None
            assert short.ids is not None
            assert (full.symbols[-1], full.ids[-1]) == (short.symbols[-1], short.ids[-1])
            assert full.symbols[: len(short.symbols) - 1] == short.symbols[:-1]
            assert short.asked.count(True) == 1


# --------------------------------------------------------------------------------------- lengths, symbols, sampler


@pytest.mark.parametrize(("name", "parameters"), CASES, ids=named(CASES))
def test_batches_have_the_form_of_next_token_prediction(name: str, parameters: dict[str, Any]) -> None:
    task = get(name, **parameters)
    assert isinstance(task, Task)
    assert isinstance(task, PositionedTask)
    assert (task.loss, task.language, task.program) == ("next-token", None, None)
    assert task.outputs == len(task.alphabet)
    for length in (task.min_length, lengths(task, 60)[-1]):
        for number in (0, 1, 70):
            batch = task.sample(length, number, np.random.default_rng(1))
            arrays = [batch.tokens, batch.targets]
            if task.positions == "coupled":
                assert batch.positions is not None
                assert batch.next_positions is not None
                arrays += [batch.positions, batch.next_positions]
            for array in arrays:
                assert array.shape == (number, input_length(task, length))
                assert array.dtype == np.int64
            assert batch.mask.shape == batch.tokens.shape
            assert batch.mask.dtype == bool
            assert batch.answers is None


@pytest.mark.parametrize(("name", "parameters"), CASES, ids=named(CASES))
def test_the_same_seed_gives_the_same_words_and_another_one_gives_others(name: str, parameters: dict[str, Any]) -> None:
    task = get(name, **parameters)
    length = lengths(task, 24)[-1]
    first, again, other = (drawn(task, length, 64, seed) for seed in (8, 8, 9))
    assert first == again
    assert first != other


@pytest.mark.parametrize(("name", "parameters"), CASES, ids=named(CASES))
def test_words_are_drawn_together_however_many_there_are(name: str, parameters: dict[str, Any]) -> None:
    task: Any = get(name, **parameters)
    calls = []
    for number in (1, 500):
        rng = Counting()
        task.sample(task.min_length, number, rng)
        calls.append(rng.calls)
    assert calls[0] == calls[1] <= 5


def test_lengths_are_those_of_the_questions() -> None:
    assert lengths(get("task:sparse-parity"), 11) == (4, 6, 8, 10)
    assert lengths(get("task:sparse-parity", fewest=4, most=4), 14) == (10, 12, 14)
    assert lengths(get("task:scratchpad-parity", jumps=3), 4) == (1, 2, 3, 4)
    assert lengths(get("task:variable-assignment", depth=3), 12) == (9, 10, 11, 12)
    assert lengths(get("task:variable-assignment", variables=8), 99) == tuple(range(6, 18))
    assert lengths(get("task:reversal"), 3) == (1, 2, 3)
    assert lengths(get("task:column-addition"), 3) == (1, 2, 3)


@pytest.mark.parametrize(
    ("depth", "length", "chains"), [(2, 6, 1), (2, 11, 1), (2, 12, 2), (5, 20, 1), (5, 60, 4), (3, 200, 22)]
)
def test_there_are_as_many_chains_as_there_is_room_for(depth: int, length: int, chains: int) -> None:
    for word in drawn(get("task:variable-assignment", depth=depth), length, 20):
        assert coupled_words.chain_lengths(word.symbols) == [depth] * chains


def test_k_reaches_from_the_fewest_to_the_most_or_to_one_less_than_there_are_items() -> None:
    def counted(length: int, **parameters: int) -> set[int]:
        found = drawn(get("task:sparse-parity", **parameters), length, 500)
        return {coupled_words.sparse_parity(word.symbols, 20)[1] for word in found}

    assert counted(20, fewest=1, most=4) == {1, 2, 3, 4}
    assert counted(20, fewest=1, most=12) == set(range(1, 10))
    assert counted(40, fewest=16, most=16) == {16}


def test_symbols_are_those_of_the_appendix() -> None:
    def symbols(name: str, **parameters: Any) -> str:
        return " ".join(get(name, **parameters).alphabet)

    assert symbols("task:sparse-parity", indices=4) == "1 2 3 4 t0 t1 BOS SEP"
    assert symbols("task:scratchpad-parity") == "0 1 BOS SEP"
    assert symbols("task:variable-assignment", variables=4) == "v1 v2 v3 v4 ← BOS SEP1 SEP2"
    assert symbols("task:reversal", symbols=3) == "a b c SEP"
    assert symbols("task:column-addition", base=3) == "0 1 2 + = BOS"
    assert len(get("task:sparse-parity").alphabet) == 24
    assert len(get("task:variable-assignment").alphabet) == 204


def test_words_are_as_long_as_the_table_of_positions_in_the_paper_allows() -> None:
    """L_max is 510, 210 and 230 at the longest test lengths, 500, 200 and 200."""
    sparse = get("task:sparse-parity", fewest=16, most=16)
    assert input_length(sparse, 500) <= 510
    assert input_length(get("task:scratchpad-parity", positions="plain"), 100) <= 210
    for depth in (2, 3, 4, 5):
        assert input_length(get("task:variable-assignment", depth=depth, positions="plain"), 200) <= 230


# ------------------------------------------------------------------------------------------- names and refusals


def test_tasks_are_registered_with_all_their_parameters() -> None:
    assert set(NAMES) <= set(registered())
    for name in NAMES:
        assert describe(name)
        assert get(name).name == name
    assert dict(get("task:sparse-parity").parameters) == {"fewest": 1, "most": 8, "indices": 20}
    assert dict(get("task:scratchpad-parity", jumps="2").parameters) == {
        "jumps": 2, "scratchpad": True, "positions": "coupled",
    }  # fmt: skip
    assert dict(get("task:variable-assignment", depth=3, scratchpad="false").parameters) == {
        "depth": 3, "variables": 200, "scratchpad": False, "positions": "coupled",
    }  # fmt: skip
    assert dict(get("task:reversal", positions="plain").parameters) == {"symbols": 10, "positions": "plain"}
    assert dict(get("task:column-addition").parameters) == {"base": 10, "positions": "coupled"}


@pytest.mark.parametrize("name", NAMES)
def test_a_task_is_shown_on_the_command_line_with_all_that_is_written(name: str) -> None:
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, [name, "--json"])
    facts = json.loads(done.stdout)
    assert facts["verdict"] is None
    written = [symbol for symbol in facts["example"]["target"] if symbol is not None]
    assert f"{facts['example']['word']} → {' '.join(written)}" in CliRunner().invoke(app, [name]).stdout


@pytest.mark.parametrize(
    ("name", "parameters", "length", "message"),
    [
        (
            "task:sparse-parity", {}, 9,
            "task:sparse-parity has words of even length, a number and a bit for every item, such as 8 or 10, "
            "not of length 9",
        ),
        (
            "task:sparse-parity", {"fewest": 4}, 8,
            "task:sparse-parity has words of length 10 and more, not of length 8",
        ),
        ("task:scratchpad-parity", {}, 0, "task:scratchpad-parity has words of length 1 and more, not of length 0"),
        (
            "task:variable-assignment", {"depth": 4}, 11,
            "task:variable-assignment has words of length 12 and more, not of length 11",
        ),
        (
            "task:variable-assignment", {"variables": 8}, 18,
            "task:variable-assignment has 8 variables, too few for the 3 chains of length 18; set variables=9 or more",
        ),
    ],
)  # fmt: skip
def test_an_impossible_length_is_refused_in_one_sentence(
    name: str, parameters: dict[str, Any], length: int, message: str
) -> None:
    with pytest.raises(LengthwiseError) as caught:
        get(name, **parameters).sample(length, 1, np.random.default_rng(0))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("task:reversal", {"positions": "learned"}, "the positions of a task are coupled or plain, not 'learned'"),
        ("task:sparse-parity", {"positions": "plain"}, "task:sparse-parity has no parameter 'positions'; it has"),
        (
            "task:sparse-parity", {"fewest": 5, "most": 4},
            "the bits that count are at least 1, and the fewest are not more than the most, not 5 to 4",
        ),
        ("task:sparse-parity", {"indices": 1}, "the number of indices is a number from 2 to 1000, not 1"),
        ("task:scratchpad-parity", {"jumps": 0}, "the number of jumps is a number from 1 to 100, not 0"),
        (
            "task:scratchpad-parity", {"jumps": 2, "scratchpad": False},
            "task:scratchpad-parity has jumps in its scratchpad; leave them at 1 if there is none",
        ),
        ("task:variable-assignment", {"depth": 0}, "the depth is a number from 1 to 100, not 0"),
        (
            "task:variable-assignment", {"depth": 4, "variables": 4},
            "the number of variables is a number from 5 to 10000, not 4",
        ),
        ("task:column-addition", {"base": 1}, "the base is a number from 2 to 36, not 1"),
    ],
)  # fmt: skip
def test_what_does_not_make_a_task_is_refused(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(LengthwiseError) as caught:
        get(name, **parameters)
    assert str(caught.value).startswith(message)
