"""Every evaluator computes what the definition says, on programs and words made at random.

The oracle is the naive interpreter, which reads expressions instead of the listing and counts by looping.
"""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, load, naive
from lengthwise.crasp.evaluate import Evaluator, Stream
from lengthwise.crasp.library import names
from lengthwise.crasp.magnitude import longest_exact
from lengthwise.errors import CountOverflowError
from tests.programs import UNKNOWN, acceptors, words

ENGINES = ("numpy", "native")
RANDOM = settings(
    max_examples=60,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def engines(program: Program) -> list[Evaluator]:
    return [Evaluator(program.listing, program.alphabet, engine) for engine in ENGINES]  # type: ignore[arg-type]


def symbols(program: Program) -> list[str]:
    return [*program.alphabet.symbols, *([UNKNOWN] if program.alphabet.is_open else [])]


@given(acceptors(), st.data())
@RANDOM
def test_every_operation_has_the_defined_value_at_every_position(program: Program, data: st.DataObject) -> None:
    evaluators = engines(program)
    for _ in range(3):
        word = data.draw(words(program))
        expected = naive.values(program.statements, word)
        traced = program.run(word)
        assert [row.values.astype(int).tolist() for row in traced] == expected
        assert program.accepts(word) == traced.accepts == bool(expected[-1][-1])
        if word:
            ids = program.alphabet.encode(word)
            for evaluator in evaluators:
                columns = evaluator.everywhere(program.listing.statements, ids)
                assert [[int(value) for value in column] for column in columns] == expected


@given(acceptors(), st.data())
@RANDOM
def test_reading_in_pieces_is_reading_at_once(program: Program, data: st.DataObject) -> None:
    word = data.draw(words(program, longest=40))
    ids = program.alphabet.encode(word)
    expected = [values[-1] for values in naive.values(program.statements, word)]
    for evaluator in engines(program):
        stream = Stream(evaluator, program.listing.statements)
        place = 0
        while place < len(ids):
            size = data.draw(st.integers(1, 15))
            stream.feed(ids[place : place + size])
            place += size
        assert stream.values == expected
        assert stream.length == len(word)


@given(acceptors(closed=False), st.integers(1, 70), st.integers(1, 40), st.integers(0, 2**32 - 1))
@RANDOM
def test_a_batch_is_its_rows(program: Program, batch: int, length: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    alphabet = symbols(program)
    ids = generator.integers(0, len(alphabet), size=(batch, length))
    lengths = generator.integers(0, length + 1, size=batch)
    checked = generator.choice(batch, size=min(batch, 12), replace=False)

    def oracle(row: int, end: int) -> bool:
        return bool(naive.values(program.statements, [alphabet[number] for number in ids[row, :end]])[-1][-1])

    accept = program.listing.accept
    assert accept is not None
    whole = [oracle(row, length) for row in checked]
    cut = [oracle(row, lengths[row]) for row in checked]
    for evaluator in engines(program):
        for stored in (ids, ids.astype(np.uint8), np.asfortranarray(ids.astype(np.uint8))):
            assert evaluator.batch(accept, stored, None)[checked].tolist() == whole
            assert evaluator.batch(accept, stored, lengths)[checked].tolist() == cut


@given(acceptors(large=True), st.data())
@RANDOM
def test_large_numbers_are_exact_or_refused(program: Program, data: st.DataObject) -> None:
    word = data.draw(words(program, longest=8))
    longest = longest_exact(program.listing, 64)
    if len(word) <= longest:
        expected = naive.values(program.statements, word)
        assert [row.values.astype(int).tolist() for row in program.run(word)] == expected
        if word:
            for evaluator in engines(program):
                columns = evaluator.everywhere(program.listing.statements, program.alphabet.encode(word))
                assert [[int(value) for value in column] for column in columns] == expected
    else:
        with pytest.raises(CountOverflowError):
            program.run(word)


@given(acceptors(large=True), st.data())
@RANDOM
def test_values_stay_within_their_ranges(program: Program, data: st.DataObject) -> None:
    # The claim behind the refusals: at the longest exact length every value fits, whatever the word.
    word = data.draw(words(program, longest=10))
    limit = 2**63 - 1
    if len(word) <= longest_exact(program.listing, 64):
        assert all(abs(value) <= limit for row in naive.values(program.statements, word) for value in row)


def test_at_the_longest_exact_length_values_are_right_and_one_further_is_refused() -> None:
    program = Program(load("majority").statements)
    assert longest_exact(program.listing, 8) == 127
    assert longest_exact(program.listing, 64) == 2**63 - 1
    text = 'x = 1000000 * # "a" - 3 * # "b" > 5'
    scaled = __import__("lengthwise").crasp.parse(text)
    longest = longest_exact(scaled.listing, 32)
    assert longest == (2**31 - 1) // 1_000_000
    # Batches use counters as narrow as the length permits: on both sides of the border the verdicts must be right.
    accept = scaled.listing.accept
    for length in (longest, longest + 1):
        ids = np.zeros((40, length), dtype=np.uint8)
        ids[20:] = 1
        verdicts = Evaluator(scaled.listing, scaled.alphabet, "native").batch(accept, ids, None)
        assert verdicts.tolist() == [True] * 20 + [False] * 20


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_library_program_on_all_words_to_length_ten(name: str) -> None:
    program = load(name)
    alphabet = program.alphabet.symbols
    roots = program.listing.statements
    evaluators = engines(program)
    longest = next(n for n in range(10, 0, -1) if prod([len(alphabet)] * n) <= 60_000)
    rounds = 0
    for length in range(1, longest + 1):
        ids = np.array(list(product(range(len(alphabet)), repeat=length)), dtype=np.uint8)
        if program.listing.accept is not None:
            verdicts = [evaluator.batch(program.listing.accept, ids, None) for evaluator in evaluators]
            assert (verdicts[0] == verdicts[1]).all()
        # Prefixes repeat, so the naive interpreter need only read the words of a few lengths.
        if length == longest or length <= 3:
            step = max(1, len(ids) // 3000)
            for row in ids[::step]:
                expected = naive.values(program.statements, [alphabet[number] for number in row])
                columns = evaluators[rounds % 2].everywhere(roots, row)
                assert [[int(value) for value in column] for column in columns] == expected
                rounds += 1
    assert rounds > 100 or len(alphabet) == 1
