"""Every evaluator computes what the definition says, on programs and words made at random.

The oracle is the naive interpreter, which reads expressions instead of the listing and counts by looping.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lengthwise.alphabet import Alphabet
from lengthwise.crasp import Program, load, parse
from lengthwise.crasp.library import names
from lengthwise.crasp.running import evaluate, native
from lengthwise.crasp.running.evaluate import Evaluator, Stream
from lengthwise.crasp.running.magnitude import longest_exact
from lengthwise.crasp.running.operations import lower
from lengthwise.crasp.syntax import Count, Definition, Next
from lengthwise.errors import CountOverflowError
from tests.crasp import naive
from tests.programs import UNKNOWN, Scope, acceptors, booleans, programs, windows, words

ENGINES = ("numpy", "native")
RANDOM = settings(
    max_examples=40,
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


@pytest.mark.slow
@given(acceptors(closed=False), st.integers(1, 70), st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(RANDOM, max_examples=25)
def test_a_batch_is_its_rows(program: Program, batch: int, length: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    alphabet = symbols(program)
    ids = generator.integers(0, len(alphabet), size=(batch, length))
    lengths = generator.integers(0, length + 1, size=batch)
    checked = generator.choice(batch, size=min(batch, 8), replace=False)

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
    scaled = parse('x = 1000000 * # "a" - 3 * # "b" > 5')
    longest = longest_exact(scaled.listing, 32)
    assert longest == (2**31 - 1) // 1_000_000
    # Batches use counters as narrow as the length permits: on both sides of the border the verdicts must be right.
    accept = scaled.listing.accept
    assert accept is not None
    for length in (longest, longest + 1):
        ids = np.zeros((40, length), dtype=np.uint8)
        ids[20:] = 1
        verdicts = Evaluator(scaled.listing, scaled.alphabet, "native").batch(accept, ids, None)
        assert verdicts.tolist() == [True] * 20 + [False] * 20


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("factor", [2**59, 2**60 + 1, 2**61 - 1, 2**62, 2**63 - 1])
def test_a_huge_coefficient_is_exact_to_the_last_length_and_refused_at_the_next(
    engine: evaluate.Engine, factor: int
) -> None:
    program = parse(f'c = {factor} * # "a" - 5 * # "b"\nx = c == {factor} * # true')
    longest = longest_exact(program.listing, 64)
    assert 1 <= longest == (2**63 - 1) // factor
    accept = program.listing.accept
    assert accept is not None
    evaluator = Evaluator(program.listing, program.alphabet, engine)
    for word in ("a" * longest, "b" * longest, "b" + "a" * (longest - 1)):
        ids = program.alphabet.encode(word)
        expected = naive.values(program.statements, list(word))
        columns = evaluator.everywhere(program.listing.statements, ids)
        assert [[int(value) for value in column] for column in columns] == expected
        assert evaluator.batch(accept, np.tile(ids, (20, 1)), None).tolist() == [bool(expected[-1][-1])] * 20
    too_long = np.zeros(longest + 1, dtype=np.uint8)
    stream = Stream(evaluator, program.listing.statements)
    stream.feed(too_long[1:])
    for attempt in (
        lambda: evaluator.everywhere(program.listing.statements, too_long),
        lambda: evaluator.batch(accept, np.tile(too_long, (20, 1)), None),
        lambda: evaluator.last((accept,), too_long),
        lambda: stream.feed(too_long[:1]),
    ):
        with pytest.raises(CountOverflowError, match=f"at most {longest} symbols"):
            attempt()


@given(programs(), st.data())
@RANDOM
def test_verdicts_of_prefixes_and_predictions_are_those_of_the_definition(
    program: Program, data: st.DataObject
) -> None:
    last = Definition("accept", data.draw(booleans(Scope(), 2)))
    program = Program((*program.statements, last), program.declared_alphabet)
    word = data.draw(words(program, longest=12))
    before, after = naive.values(program.statements, []), naive.values(program.statements, word)
    if word:
        assert program.accepts_prefixes(word).tolist() == [bool(value) for value in after[-1]]
    assert program.accepts("") == bool(before[-1][0])
    predictions = [
        (statement.symbol, place) for place, statement in enumerate(program.statements) if isinstance(statement, Next)
    ]
    if predictions:
        assert program.first_tokens() == {symbol for symbol, place in predictions if before[place][0]}
        assert program.next_tokens(word) == [
            {symbol for symbol, place in predictions if after[place][position]} for position in range(len(word))
        ]


@pytest.mark.slow
@given(acceptors(), st.data())
@RANDOM
def test_words_longer_than_what_is_held_at_a_time_are_read_without_a_seam(
    program: Program, data: st.DataObject
) -> None:
    # With the real sizes a seam comes after thousands of positions, too far for the oracle.
    window = data.draw(windows())
    operand = data.draw(booleans(Scope(), 1))
    program = Program((Definition("seam", Count(window, operand)), *program.statements), program.declared_alphabet)
    word = data.draw(words(program, longest=40))
    if not word:
        return
    expected = naive.values(program.statements, word)
    ids = program.alphabet.encode(word)
    roots = program.listing.statements
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "NUMPY_PIECE", data.draw(st.integers(1, 9)))
        patch.setattr(evaluate, "PIECE", data.draw(st.integers(1, 20)))
        patch.setattr(native, "BLOCK", data.draw(st.integers(1, 20)))
        for evaluator in engines(program):
            columns = evaluator.everywhere(roots, ids)
            assert [[int(value) for value in column] for column in columns] == expected
            assert evaluator.last(roots, ids) == [values[-1] for values in expected]
            stream = Stream(evaluator, roots)
            stream.feed(ids)
            assert stream.values == [values[-1] for values in expected]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("symbols", [255, 256, 300, 70_000])
def test_alphabets_too_large_for_a_byte_are_read_alike(engine: evaluate.Engine, symbols: int) -> None:
    alphabet = Alphabet(tuple(f"s{number}" for number in range(symbols)))
    program = parse('x = # "s0" > # "s1" + #[j >= i-9] "s2"\ny = x && !exists[j < i] "s254" || #[j < i] "s2" == 2')
    listing = lower(program.statements, alphabet.symbols)
    assert listing.accept is not None
    generator = np.random.default_rng(symbols)
    ids = generator.choice([0, 0, 0, 1, 1, 2, 254, symbols - 1], size=(40, 25))
    lengths = generator.integers(0, 26, size=40)
    evaluator = Evaluator(listing, alphabet, engine)
    verdicts = evaluator.batch(listing.accept, ids, lengths)
    for row, end, verdict in zip(ids, lengths, verdicts, strict=True):
        expected = naive.values(program.statements, [alphabet.symbols[number] for number in row[:end]])
        assert verdict == expected[-1][-1]
        found = evaluator.last(listing.statements, alphabet.encode(row[:end]))
        assert found == [values[-1] for values in expected]
    assert 0 < verdicts.sum() < 40, "the words must decide differently"


@given(acceptors(depth=4), st.data())
@pytest.mark.slow
@settings(RANDOM, max_examples=200)
def test_many_more_programs_have_the_defined_values_in_both_engines(program: Program, data: st.DataObject) -> None:
    evaluators = engines(program)
    for _ in range(3):
        word = data.draw(words(program, longest=32))
        expected = naive.values(program.statements, word)
        if word:
            for evaluator in evaluators:
                columns = evaluator.everywhere(program.listing.statements, program.alphabet.encode(word))
                assert [[int(value) for value in column] for column in columns] == expected
        else:
            assert program.evaluator.at_start(program.listing.statements) == [values[0] for values in expected]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_library_program_on_all_short_words(name: str) -> None:
    program = load(name)
    alphabet = program.alphabet.symbols
    roots = program.listing.statements
    evaluators = engines(program)
    # Shorter words are prefixes of these, and values at every position are compared.
    longest = next(n for n in range(10, 0, -1) if len(alphabet) ** n <= 1_500)
    for length in (1, 2, longest):
        for row in product(range(len(alphabet)), repeat=length):
            expected = naive.values(program.statements, [alphabet[number] for number in row])
            ids = np.array(row, dtype=np.uint8)
            for evaluator in evaluators:
                columns = evaluator.everywhere(roots, ids)
                assert [[int(value) for value in column] for column in columns] == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if load(name).listing.accept is not None])
def test_both_engines_give_a_library_program_the_same_verdicts_on_all_words_to_length_ten(name: str) -> None:
    program = load(name)
    symbols, accept = len(program.alphabet.symbols), program.listing.accept
    assert accept is not None
    numpy, compiled = engines(program)
    for length in range(1, 11):
        if symbols**length <= 60_000:
            ids = np.stack(np.unravel_index(np.arange(symbols**length), (symbols,) * length), axis=1).astype(np.uint8)
            assert (numpy.batch(accept, ids, None) == compiled.batch(accept, ids, None)).all()
