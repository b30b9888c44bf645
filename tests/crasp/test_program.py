"""What a program promises beyond its values: limits, streams, inputs of every kind."""

import tracemalloc

import numpy as np
import pytest

from lengthwise.alphabet import Word
from lengthwise.crasp import parse
from lengthwise.crasp.running.evaluate import COMPILE_FROM
from lengthwise.errors import CountOverflowError, LengthwiseError, NotAnAcceptorError, UnknownNameError, WordError

DYCK = parse('o = # "("\nc = # ")"\nd = #(o < c) == 0 && o == c', title="dyck")
NESTED = parse('x = #[j >= i-2000] "a" > #[j == i-9] "b"\ny = #x + (3 if i % 70 == 1 else 0)\nz = y > # "b"')


def test_a_word_of_ten_million_symbols_is_decided_in_bounded_memory() -> None:
    word = "()" * 5_000_000
    DYCK.accepts(word)  # compiles
    tracemalloc.start()
    assert DYCK.accepts(word)
    assert not DYCK.accepts(word[1:])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The sliced word itself takes 10 MB; encoding goes piece by piece.
    assert peak < 10_000_000 + 8 * 2**20


def test_the_same_verdicts_before_and_after_compilation() -> None:
    program = parse(str(NESTED))
    generator = np.random.default_rng(1)
    words = [generator.integers(0, 3, size=length) for length in (1, 5, 300, 5000)]
    before = [program.accepts(word) for word in words], [program.run(word)["y"].tolist() for word in words]
    program.accepts(np.zeros(COMPILE_FROM, dtype=np.uint8))
    assert program.evaluator._words, "a program is compiled once it was given enough symbols"
    after = [program.accepts(word) for word in words], [program.run(word)["y"].tolist() for word in words]
    assert before == after


def test_acceptance_of_prefixes_is_acceptance_of_each_prefix() -> None:
    word = "(()))(()"
    assert DYCK.accepts_prefixes(word).tolist() == [DYCK.accepts(word[: end + 1]) for end in range(len(word))]


def test_a_stream_knows_the_verdict_after_every_piece() -> None:
    stream = DYCK.stream()
    assert stream.values == [1]
    pieces: list[tuple[Word, int]] = [("((", 0), (b")", 0), ([")"], 1), (np.array([1]), 0), ("", 0), ("()", 0)]
    for piece, accepted in pieces:
        stream.feed(piece)
        assert stream.values == [accepted]
    assert stream.length == 7


def test_counts_that_could_overflow_are_refused_and_not_wrapped() -> None:
    program = parse(f'big = {2**62} * # "a" > 0\n')
    assert program.accepts("a")
    for attempt in (
        lambda: program.accepts("aa"),
        lambda: program.run("aa"),
        lambda: program.accepts_batch(np.zeros((3, 2), dtype=int)),
        lambda: program.accepts_prefixes("bb"),
    ):
        with pytest.raises(CountOverflowError, match="at most 1 symbols"):
            attempt()
    stream = program.stream()
    stream.feed("a")
    with pytest.raises(CountOverflowError):
        stream.feed("b")


def test_constants_beyond_64_bits_together_are_refused_at_any_length() -> None:
    program = parse(f"x = {2**63 - 1} + {2**63 - 1} > 0")
    with pytest.raises(CountOverflowError, match="use smaller numbers"):
        program.accepts("")


def test_a_program_without_a_boolean_accepts_nothing_and_says_so() -> None:
    program = parse('c = # "a"')
    with pytest.raises(NotAnAcceptorError, match="defines no Boolean"):
        program.accepts("a")
    assert program.run("aba")["c"].tolist() == [1, 1, 2]
    assert program.run("a").accepts is None


def test_predicting_needs_next_statements() -> None:
    with pytest.raises(NotAnAcceptorError, match="predicts nothing"):
        DYCK.next_tokens("(")
    with pytest.raises(NotAnAcceptorError, match="predicts nothing"):
        DYCK.first_tokens()


def test_next_tokens_are_sets_at_every_position_and_before_the_first() -> None:
    program = parse('next "a" = # "b" == 0\nnext "b" = i % 2 == 1')
    assert program.first_tokens() == {"a"}
    assert program.next_tokens("") == []
    assert program.next_tokens("aab") == [{"a", "b"}, {"a"}, {"b"}]


def test_a_trace_is_indexed_by_name_and_names_what_it_has() -> None:
    trace = DYCK.run("(()")
    assert trace["o"].tolist() == [1, 2, 2]
    assert trace["d"].dtype == bool
    assert (trace.accepts, len(trace), trace.word) == (False, 3, ("(", "(", ")"))
    assert [row.label for row in trace] == ["o", "c", "d"]
    with pytest.raises(UnknownNameError, match="it has o, c, d"):
        trace["nothing"]


def test_a_hidden_name_is_traced_by_its_last_meaning() -> None:
    program = parse('x = # "a"\nx = x + x\nok = x == 4')
    assert program.run("aa")["x"].tolist() == [2, 4]
    assert program.accepts("aa")


def test_the_trace_of_the_empty_word_has_the_virtual_position_only() -> None:
    trace = DYCK.run("")
    assert trace["d"].tolist() == [True]
    assert trace.accepts is True
    assert trace.word == ()


@pytest.mark.parametrize(
    ("ids", "lengths", "message"),
    [
        (np.zeros(3, dtype=int), None, "shape"),
        (np.zeros((2, 3)), None, "integer array"),
        (np.full((2, 3), 7), None, "id 7 is not a symbol id"),
        (np.zeros((2, 3), dtype=int), np.array([1]), "lengths must be 2 integers"),
        (np.zeros((2, 3), dtype=int), np.array([1, 4]), "between 0 and 3"),
        (np.zeros((2, 3), dtype=int), np.array([1, -1]), "between 0 and 3"),
    ],
)
def test_a_malformed_batch_is_refused(ids: object, lengths: object, message: str) -> None:
    with pytest.raises(WordError, match=message):
        DYCK.accepts_batch(ids, lengths)  # type: ignore[arg-type]


def test_padding_beyond_the_lengths_may_hold_anything() -> None:
    ids = np.array([[0, 1, -100], [99, 99, 99], [0, 0, 1]])
    assert DYCK.accepts_batch(ids, np.array([2, 0, 3])).tolist() == [True, True, False]


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_empty_batches_are_batches(shape: tuple[int, int]) -> None:
    assert DYCK.accepts_batch(np.zeros(shape, dtype=int)).tolist() == [True] * shape[0]


def test_an_alphabet_of_more_than_255_symbols_works_everywhere() -> None:
    symbols = [f"s{number}" for number in range(400)]
    program = parse(f'alphabet {" ".join(chr(34) + s + chr(34) for s in symbols)}\nx = # "s399" > # "s0"')
    word = ["s399", "s5", "s0", "s399"]
    assert program.accepts(word)
    ids = np.tile(program.alphabet.encode(word), (40, 30_000))
    assert program.accepts_batch(ids).all()


def test_programs_compare_by_statements_and_declared_alphabet() -> None:
    text = 'x = # "a" >= 1'
    assert parse(text, title="one") == parse(f"// comment\n{text} // more", title="two")
    assert parse(text) != parse(f'alphabet "a"\n{text}')
    assert len({parse(text), parse(text)}) == 1


def test_a_program_is_immutable_and_describes_itself() -> None:
    with pytest.raises(AttributeError):
        DYCK.title = "x"  # type: ignore[misc]
    assert repr(DYCK) == "<Program dyck: 3 statements, C-RASP[∅], depth 2>"


def test_text_that_is_no_text_is_refused() -> None:
    with pytest.raises((TypeError, LengthwiseError)):
        parse(b"x = true")  # type: ignore[arg-type]


def test_analysis_sees_through_names() -> None:
    program = parse(
        'a = #[j >= i-3] "x"\nb = #(a > 1 && i % 4 == 2)\nc = #[j == i-7] (b > 0)\nok = c > 0 && i % 6 == 1'
    )
    assert (program.depth, program.window, program.period) == (3, 7, 12)
    assert program.fragment == {"periodic", "local"}
    assert program.fragment_name == "C-RASP[periodic, local]"
    assert parse('x = #[j < i] "a" > 0').fragment == frozenset()
